/* SPDX-License-Identifier: MIT */
/*
 * The items after a span: stack arguments and what pointers point to, as the function's plan asks.
 *
 * Stack arguments are taken at the entry, for they belong to the callee, which may overwrite them.
 * Memory is read at the return: out values are there then, and what a caller hands in is still its
 * own. A page that is not resident cannot be faulted in here (RT_ITEM_FAULT).
 */
#ifndef RTRACE_BPF_CAPTURE_MEMORY_H
#define RTRACE_BPF_CAPTURE_MEMORY_H

#include "maps.h"

/* The largest item with its header, the byte that marks a cut string, and padding. */
#define ITEM_ROOM (sizeof(struct rt_item) + RT_READ_MAX + 8)

/* Where a frame's words may begin: the verifier wants to see the mask. */
#define FIRST_WORDS 64
_Static_assert(FIRST_WORDS + RT_STACK_WORDS <= TASK_WORDS, "every frame's words fit");

#define BOUND_WORDS(first, n)                \
	do {                                 \
		barrier_var(first);          \
		first &= FIRST_WORDS - 1;    \
		barrier_var(n);              \
		n &= 2 * RT_STACK_WORDS - 1; \
		if (n > RT_STACK_WORDS)      \
			n = RT_STACK_WORDS;  \
	} while (0)

/* At the entry: keeps the words above the return address; as many as there can be if it is not
 * known of what. */
static __always_inline void take_words(struct task_state *t, struct frame *f,
				       const struct rt_plan *plan)
{
	__u64 first = f->first_word, n = plan ? plan->stack_words : RT_STACK_WORDS;

	if (!n || n > RT_STACK_WORDS || first >= FIRST_WORDS)
		return;
	BOUND_WORDS(first, n);
	if (!bpf_probe_read_user(&t->words[first], n * sizeof(__u64), (const void *)(f->sp + 8)))
		f->words = n;
}

/*
 * Runs past the place where a function has stored its floating-point arguments, and keeps those.
 * The frame must be the innermost.
 */
static __always_inline void take_spills(struct task_state *t, struct frame *f,
					const struct rt_spills *spills)
{
	__u64 first = f->first_word + f->words, n = 0;

	if (first >= FIRST_WORDS)
		return;
	BOUND_WORDS(first, n);
	for (__u64 i = 0; i < RT_SSE; i++) {
		if (i >= spills->count)
			break;
		if (bpf_probe_read_user(&t->words[first + i], sizeof(__u64),
					(const void *)(f->sp + spills->slot[i])))
			return;
		n++;
	}
	f->sse = n;
	t->words_used = first + n;
}

/* Appends words to the `size` bytes in t->out. Returns the size of all. */
__noinline int append_item(struct task_state *t, __u32 size, __u8 kind, __u64 first, __u64 n)
{
	__u64 at = size;
	struct rt_item *item;
	__u64 *to;

	if (!t)
		return 0;
	BOUND_WORDS(first, n);
	barrier_var(at);
	at &= 511;
	if (!n || at != size)
		return size;
	item = (void *)t->out + at;
	to = (void *)(item + 1);
	item->kind = kind;
	item->index = 0;
	item->len = n * sizeof(__u64);
	item->flags = 0;
	for (__u64 i = 0; i < RT_STACK_WORDS; i++) {
		if (i >= n)
			break;
		to[i] = t->words[first + i];
	}
	return size + sizeof(*item) + n * sizeof(__u64);
}

/* Appends the frame's words to the span in t->out. Returns the size of all. */
static __always_inline __u32 append_words(struct task_state *t, __u32 depth)
{
	const struct frame *f = frame_at(t, depth);
	__u32 size = sizeof(struct rt_rec_span);

	if (f->words)
		size = append_item(t, size, RT_ITEM_STACK, f->first_word, f->words);
	if (f->sse)
		size = append_item(t, size, RT_ITEM_SSE, f->first_word + f->words, f->sse);
	return size;
}

_Static_assert(sizeof(struct rt_rec_span) + 2 * sizeof(struct rt_item) +
			       (RT_STACK_WORDS + RT_SSE) * 8 <
		       512,
	       "what stands before the callers");
_Static_assert(512 + sizeof(struct rt_item) + RT_STACK_DEPTH * 8 <= OUT_MAX, "they fit behind it");

/* Appends the callers, if they were taken, to the `size` bytes in t->out; once. */
static __always_inline __u32 append_callers(struct task_state *t, __u32 size)
{
	__u64 n = t->callers_size / sizeof(__u64), at = size;
	struct rt_item *item;

	t->callers_size = 0;
	/* The verifier wants to see the masks. */
	barrier_var(n);
	n &= 2 * RT_STACK_DEPTH - 1;
	barrier_var(at);
	at &= 511;
	if (!n || n > RT_STACK_DEPTH || at != size)
		return size;
	item = (void *)t->out + at;
	item->kind = RT_ITEM_CALLERS;
	item->index = 0;
	item->len = n * sizeof(__u64);
	item->flags = 0;
	bpf_probe_read_kernel(item + 1, n * sizeof(__u64), t->callers);
	return size + sizeof(*item) + n * sizeof(__u64);
}

static __always_inline __u64 word_of(const struct task_state *t, const struct frame *f,
				     const struct rt_rec_span *span, __u32 word)
{
	__u32 at;

	if (word < RT_ARGS)
		return span->args[word];
	if (word == RT_WORD_RET)
		return span->ret;
	at = word - RT_ARGS;
	if (at >= f->words)
		return 0;
	at += f->first_word;
	return at < TASK_WORDS ? t->words[at] : 0;
}

static __always_inline void read_string(struct rt_item *item, void *to, __u32 len, __u64 from)
{
	/* One byte more than may be kept shows whether the string ends there. */
	long n = bpf_probe_read_user_str(to, len + 2, (const void *)from);

	if (n < 0) {
		item->flags = RT_ITEM_FAULT;
		item->len = sizeof(from);
		*(__u64 *)to = from;
	} else if (n > len + 1) {
		item->len = len;
		item->flags = RT_ITEM_CUT;
	} else if (n > 0) {
		item->len = n - 1;
	}
}

/* `len` is at most RT_READ_MAX. A null pointer points to nothing: no item. */
static __always_inline bool read_item(struct rt_item *item, void *to, const struct rt_read *r,
				      __u64 from)
{
	__u32 len = r->len;

	item->kind = RT_ITEM_READ;
	item->len = 0;
	item->flags = 0;
	if (r->kind == RT_READ_STRING_AT && from &&
	    bpf_probe_read_user(&from, sizeof(from), (const void *)from))
		from = 0;
	if (!from || len > RT_READ_MAX)
		return false;
	if (r->kind != RT_READ_BYTES)
		read_string(item, to, len, from);
	else if (bpf_probe_read_user(to, len, (const void *)from))
		item->flags = RT_ITEM_FAULT;
	else
		item->len = len;
	return true;
}

/* Appends read number `i` of the plan to the `size` bytes in t->out. Returns the size of all. */
__noinline int append_read(struct task_state *t, struct rt_plan *plan, __u32 i, __u32 depth,
			   __u32 size)
{
	__u64 at = size, number = i;
	struct rt_item *item;
	void *out;

	if (!t || !plan)
		return size;
	/* The verifier of Linux 6.1 wants to see the masks. */
	barrier_var(number);
	number &= RT_READS - 1;
	barrier_var(at);
	at &= 2047;
	if (at > OUT_MAX - ITEM_ROOM)
		return size;
	out = t->out;
	item = out + at;
	if (!read_item(item, out + at + sizeof(*item), &plan->read[number],
		       word_of(t, frame_at(t, depth), out, plan->read[number].word)))
		return size;
	item->index = number;
	return at + ((sizeof(*item) + item->len + 7) & ~7u);
}

/* All of its reads. */
static __always_inline __u32 append_reads(struct task_state *t, struct rt_plan *plan, __u32 depth,
					  __u32 size)
{
	for (__u32 i = 0; i < RT_READS; i++) {
		if (i >= plan->reads)
			break;
		size = append_read(t, plan, i, depth, size);
	}
	return size;
}

#endif
