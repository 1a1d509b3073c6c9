// SPDX-License-Identifier: MIT
/*
 * Reads the spans that threads of a process have written.
 */
#include "user/agent/agent_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/span_ring.h"

#define CHUNK_DATA sizeof(((struct rt_span_chunk *)NULL)->data)
#define FLAGS	   (RT_SPAN_UNFINISHED | RT_SPAN_UNWOUND)
#define OPEN_MAX   4096 /* calls assumed to have ended; a return may still be recorded */

/* A place for a thread, as far as it was read. */
struct reader {
	bool known; /* its thread has been reported: */
	uint32_t tid;
	uint32_t at;   /* bytes of the chunk that were read */
	uint64_t read; /* chunks, whole */
};

/* A call that was open when it was assumed to have ended. */
struct open_call {
	uint32_t tid;
	uint32_t depth;
	uint64_t parent, root;
	bool told; /* reported, as returned since or as unfinished */
	struct rt_span_frame frame;
};

struct agent_spans {
	char *area;
	uint64_t first_corr;
	uint32_t count; /* of functions that have numbers */
	bool hides_causes;
	const struct function *functions[RT_SPANS_FUNCTIONS];
	struct reader readers[RT_SPANS_THREADS_MAX];
	uint64_t lost_before, bad;
	struct open_call *open;
	size_t open_count;
};

static struct rt_spans_control *control(const struct agent_spans *s)
{
	return (void *)(s->area + RT_SPANS_CONTROL);
}

static const struct rt_spans_state *state(const struct agent_spans *s)
{
	return (const void *)(s->area + RT_SPANS_STATE);
}

static struct rt_span_thread *thread_at(const struct agent_spans *s, uint32_t i)
{
	return (struct rt_span_thread *)(s->area + RT_SPANS_THREADS) + i;
}

static const struct rt_span_chunk *chunk_at(const struct agent_spans *s, uint32_t i)
{
	return (const struct rt_span_chunk *)(s->area + RT_SPANS_CHUNKS) + i;
}

/* Places that were ever taken are below that. */
static uint32_t thread_count(const struct agent_spans *s)
{
	uint32_t n = __atomic_load_n(&state(s)->threads, __ATOMIC_ACQUIRE);

	return n < RT_SPANS_THREADS_MAX ? n : RT_SPANS_THREADS_MAX;
}

struct agent_spans *agent_calls__new(void *area, uint64_t first_corr)
{
	struct agent_spans *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->area = area;
	s->first_corr = first_corr;
	for (uint32_t i = 0; i < thread_count(s); i++)
		s->readers[i].read = thread_at(s, i)->read;
	s->count = control(s)->count;
	if (s->count > RT_SPANS_FUNCTIONS)
		s->count = RT_SPANS_FUNCTIONS;
	for (uint32_t i = 0; i < s->count; i++)
		control(s)->functions[i].wanted = 0;
	agent_calls__want(s, false);
	return s;
}

void agent_calls__free(struct agent_spans *s)
{
	if (s)
		free(s->open);
	free(s);
}

/* ---- what is wanted ---- */

static bool is_same(const struct rt_spans_function *a, const struct rt_spans_function *b)
{
	return a->way == b->way && a->entry == b->entry && a->next == b->next &&
	       a->offset == b->offset && a->pushed == b->pushed && a->registers == b->registers &&
	       a->stack_words == b->stack_words && a->instant == b->instant;
}

/* The number of that function: its own if it has one already, else the next free one. */
static uint32_t number_for(const struct agent_spans *s, const struct rt_spans_function *f)
{
	uint32_t i;

	for (i = 0; i < s->count && !is_same(&control(s)->functions[i], f); i++)
		;
	return i;
}

/* A range is reported by the time at which its push returned; the push's duration is not needed. */
static bool is_instant(const struct function *fn)
{
	return fn->domain == DOMAIN_ROCTX;
}

static uint32_t register_count(const struct function *fn)
{
	return fn->registers ? 32 - __builtin_clz(fn->registers) : 0;
}

int agent_calls__add(struct agent_spans *s, const struct function *fn,
		     const struct agent_span_way *way)
{
	struct rt_spans_function f = {
		.way = way->way,
		.pushed = way->pushed,
		.registers = register_count(fn),
		.stack_words = fn->plan.stack_words,
		.instant = is_instant(fn),
		.entry = way->entry,
		.next = way->next,
		.offset = way->offset,
		.wanted = 1,
		.plan = fn->plan,
	};
	uint32_t number = number_for(s, &f);

	if (f.registers > RT_ARGS || f.stack_words > RT_STACK_WORDS)
		return -EINVAL;
	if (number == RT_SPANS_FUNCTIONS)
		return -ENOSPC;
	if (!fn->shown && (fn->domain == DOMAIN_HIP || fn->domain == DOMAIN_HSA))
		s->hides_causes = true;
	s->functions[number] = fn;
	control(s)->functions[number] = f;
	if (number < s->count)
		return 0;
	__atomic_store_n(&control(s)->count, ++s->count, __ATOMIC_RELEASE);
	return 0;
}

bool agent_calls__shows_causes(const struct agent_spans *s)
{
	return !s->hides_causes;
}

void agent_calls__want(struct agent_spans *s, bool wanted)
{
	struct rt_spans_control *c = control(s);

	__atomic_store_n(&c->wanted, wanted, __ATOMIC_RELAXED);
	__atomic_fetch_add(&c->generation, 1, __ATOMIC_RELEASE);
}

/* ---- records ---- */

uint64_t agent_calls__corr(const struct agent_spans *s, uint64_t corr)
{
	return corr && corr < AGENT_SPANS_CORRS ? s->first_corr + corr : 0;
}

/* Bytes of the record up to its items. */
static size_t head_size(const struct rt_span_rec *r)
{
	return sizeof(*r) + r->arg_count * sizeof(uint64_t);
}

/* Its items fit after a struct rt_rec_span in a union span_record, too. */
static bool is_sane(const struct agent_spans *s, const struct rt_span_rec *r)
{
	return r->func < s->count && r->arg_count <= RT_ARGS && r->size >= head_size(r) &&
	       r->size - head_size(r) <= RT_DATA_MAX && r->depth < RT_SPANS_DEPTH &&
	       r->begin <= r->end && agent_calls__corr(s, r->corr) && agent_calls__corr(s, r->root);
}

static void fill_span(const struct agent_spans *s, struct rt_rec_span *to,
		      const struct rt_span_rec *r, uint32_t tid)
{
	memset(to, 0, sizeof(*to));
	to->h.kind = RT_REC_SPAN;
	to->h.flags = (r->flags & FLAGS) | RT_REC_BY_AGENT;
	to->h.ts = r->end;
	to->h.tid = tid;
	to->begin = r->begin;
	to->corr = agent_calls__corr(s, r->corr);
	to->parent = agent_calls__corr(s, r->parent);
	to->root = agent_calls__corr(s, r->root);
	to->func = s->functions[r->func]->id;
	to->ret = r->ret;
	to->depth = r->depth;
	memcpy(to->args, r->args, r->arg_count * sizeof(uint64_t));
}

/* Has the call been reported as unfinished? If not, it has returned in time. */
static bool is_finished(struct agent_spans *s, uint64_t corr)
{
	for (size_t i = 0; i < s->open_count; i++) {
		struct open_call *o = &s->open[i];
		bool before = o->told;

		if (o->frame.corr != corr)
			continue;
		o->told = true;
		return before;
	}
	return false;
}

static void hand_out(struct agent_spans *s, struct reader *reader, const struct rt_span_rec *r,
		     agent_span_fn fn, void *arg)
{
	union span_record rec;
	size_t head, items;

	if (!is_sane(s, r)) {
		s->bad++;
		return;
	}
	if (!s->functions[r->func]) /* wanted only by a tracer that had the claim before */
		return;
	head = head_size(r);
	items = r->size - head;
	fill_span(s, &rec.span, r, reader->tid);
	rec.span.h.size = sizeof(rec.span) + items;
	memcpy(&rec.span + 1, (const char *)r + head, items);
	if (!is_finished(s, r->corr))
		fn(&rec.span.h, arg);
}

static void hand_out_thread(const struct rt_span_thread *t, uint32_t tid, agent_span_fn fn,
			    void *arg)
{
	struct rt_rec_task rec = {
		.h = {RT_REC_TASK, sizeof(rec), RT_REC_BY_AGENT, t->joined, 0, tid},
		.ns_tid = tid,
	};

	memcpy(rec.comm, t->name, sizeof(rec.comm));
	rec.comm[sizeof(rec.comm) - 1] = '\0';
	fn(&rec.h, arg);
}

static void hand_out_end(const struct rt_span_thread *t, uint32_t tid, agent_span_fn fn, void *arg)
{
	const struct rt_rec rec = {RT_REC_EXIT, sizeof(rec), RT_REC_BY_AGENT, t->ended, 0, tid};

	fn(&rec, arg);
}

/* One record of `left` bytes at most; the size of it, 0: it makes no sense. */
static uint32_t read_record(struct agent_spans *s, struct reader *reader, const char *from,
			    uint32_t left, agent_span_fn fn, void *arg)
{
	union {
		struct rt_span_rec rec;
		char bytes[RT_SPAN_REC_MAX];
	} copy;
	uint16_t size;

	memcpy(&size, from, sizeof(size));
	if (size < sizeof(copy.rec) || size > sizeof(copy) || size % 8 || size > left)
		return 0;
	memcpy(&copy, from, size);
	copy.rec.size = size;
	hand_out(s, reader, &copy.rec, fn, arg);
	return size;
}

/* ---- chunks ---- */

/* Reads the rest of the chunk, as far as it is filled; true: the chunk will get no more. */
static bool read_chunk(struct agent_spans *s, struct reader *reader,
		       const struct rt_span_chunk *chunk, agent_span_fn fn, void *arg)
{
	bool closed = __atomic_load_n(&chunk->closed, __ATOMIC_ACQUIRE);
	uint64_t used = __atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);

	if (used > CHUNK_DATA)
		used = CHUNK_DATA;
	while (used - reader->at >= sizeof(struct rt_span_rec) && reader->at < used) {
		uint32_t size = read_record(s, reader, chunk->data + reader->at, used - reader->at,
					    fn, arg);

		if (!size) {
			s->bad++;
			reader->at = used;
			break;
		}
		reader->at += size;
	}
	return closed;
}

static void set_free(struct agent_spans *s, uint32_t chunk)
{
	uint8_t *owned = (uint8_t *)s->area + RT_SPANS_OWNED;

	__atomic_store_n(&owned[chunk], RT_SPAN_CHUNK_FREE, __ATOMIC_RELEASE);
	__atomic_fetch_add(&control(s)->freed, 1, __ATOMIC_RELEASE);
}

/* The next chunk that the thread has listed, as far as it is filled; true: there may be more. */
static bool read_next(struct agent_spans *s, struct reader *reader, struct rt_span_thread *t,
		      bool gone, agent_span_fn fn, void *arg)
{
	uint32_t i = t->list[reader->read % RT_SPANS_LIST] % RT_SPANS_CHUNK_COUNT;

	if (!read_chunk(s, reader, chunk_at(s, i), fn, arg) && !gone)
		return false;
	reader->read++;
	reader->at = 0;
	/* In that order: if we die in between, the next tracer does not set it free once more. */
	__atomic_store_n(&t->read, reader->read, __ATOMIC_RELEASE);
	set_free(s, i);
	return true;
}

/* Before its first record, and before its first call submits operations: the call may be long. */
static void tell_thread(struct reader *reader, const struct rt_span_thread *t, agent_span_fn fn,
			void *arg)
{
	if (reader->known)
		return;
	reader->known = true;
	reader->tid = t->tid;
	hand_out_thread(t, reader->tid, fn, arg);
}

/* True: read to the end. If the thread has ended, its last chunk is closed, too. */
static bool read_thread(struct agent_spans *s, struct reader *reader, struct rt_span_thread *t,
			bool gone, agent_span_fn fn, void *arg)
{
	uint64_t listed = __atomic_load_n(&t->listed, __ATOMIC_ACQUIRE);
	uint64_t most = AGENT_SPANS_DRAIN_MAX / CHUNK_DATA;

	if (listed - reader->read > RT_SPANS_LIST) { /* never of a sane one */
		s->bad++;
		reader->read = listed;
		reader->at = 0;
	}
	if (reader->read != listed) /* it may have made its first call just now */
		tell_thread(reader, t, fn, arg);
	while (reader->read != listed) {
		if (!most--)
			return false;
		if (!read_next(s, reader, t, gone, fn, arg))
			break;
	}
	return true;
}

/* No call of an ended thread will return. */
static void forget_open(struct agent_spans *s, uint32_t tid)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->open_count; i++)
		if (s->open[i].tid != tid || !s->open[i].told)
			s->open[kept++] = s->open[i];
	s->open_count = kept;
}

/* The place may be another thread's from now on. */
static void let_go(struct agent_spans *s, struct reader *reader, struct rt_span_thread *t,
		   agent_span_fn fn, void *arg)
{
	if (reader->known)
		hand_out_end(t, reader->tid, fn, arg);
	forget_open(s, reader->tid);
	reader->known = false;
	__atomic_store_n(&t->state, RT_SPAN_THREAD_FREE, __ATOMIC_RELEASE);
}

/* True if all records have been read. The thread's id is stored before its first call. */
static bool drain_thread(struct agent_spans *s, uint32_t i, agent_span_fn fn, void *arg)
{
	struct rt_span_thread *t = thread_at(s, i);
	struct reader *reader = &s->readers[i];
	uint32_t how = __atomic_load_n(&t->state, __ATOMIC_ACQUIRE);
	bool busy = __atomic_load_n(&t->busy, __ATOMIC_ACQUIRE), whole;

	if (how == RT_SPAN_THREAD_FREE)
		return true;
	if (__atomic_load_n(&t->depth, __ATOMIC_ACQUIRE))
		tell_thread(reader, t, fn, arg);
	whole = read_thread(s, reader, t, how == RT_SPAN_THREAD_ENDED, fn, arg);
	if (whole && how == RT_SPAN_THREAD_ENDED)
		let_go(s, reader, t, fn, arg);
	return whole && !busy;
}

bool agent_calls__drain(struct agent_spans *s, agent_span_fn fn, void *arg)
{
	uint32_t n = thread_count(s);
	bool complete = true;

	for (uint32_t i = 0; i < n; i++)
		complete &= drain_thread(s, i, fn, arg);
	return complete;
}

static void ignore(const struct rt_rec *rec, void *arg)
{
}

void agent_calls__skip(struct agent_spans *s)
{
	for (int i = 0; i < RT_SPANS_CHUNK_COUNT && !agent_calls__drain(s, ignore, NULL); i++)
		;
	for (uint32_t i = 0; i < RT_SPANS_THREADS_MAX; i++)
		s->readers[i].known = false;
	s->lost_before = 0;
	s->lost_before = agent_calls__lost(s);
	s->bad = 0;
}

/* ---- the end ---- */

static bool is_noted(const struct agent_spans *s, uint64_t corr)
{
	for (size_t i = 0; i < s->open_count; i++)
		if (s->open[i].frame.corr == corr)
			return true;
	return false;
}

static void note_open(struct agent_spans *s, const struct rt_span_thread *t, uint32_t depth)
{
	struct open_call *grown, *o;

	grown = s->open_count < OPEN_MAX ? realloc(s->open, (s->open_count + 1) * sizeof(*grown))
					 : NULL;
	if (!grown) {
		s->bad++;
		return;
	}
	s->open = grown;
	o = &s->open[s->open_count];
	*o = (struct open_call){.tid = t->tid, .depth = depth, .frame = t->open[depth]};
	o->root = t->open[0].corr;
	o->parent = depth ? t->open[depth - 1].corr : 0;
	s->open_count += !is_noted(s, o->frame.corr);
}

/* Those of a thread that began after `since`, the innermost first. */
static void note_thread(struct agent_spans *s, uint32_t i, uint64_t since, agent_span_fn fn,
			void *arg)
{
	const struct rt_span_thread *t = thread_at(s, i);
	uint64_t depth = __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&t->state, __ATOMIC_ACQUIRE) != RT_SPAN_THREAD_TAKEN)
		return;
	for (; depth && depth <= RT_SPANS_DEPTH; depth--) {
		uint64_t begin = t->open[depth - 1].begin;

		if (begin && begin <= since)
			return;
		tell_thread(&s->readers[i], t, fn, arg);
		note_open(s, t, depth - 1);
	}
}

static void hand_out_open(struct agent_spans *s, size_t i, uint64_t now, agent_span_fn fn,
			  void *arg)
{
	const struct open_call *o = &s->open[i];
	struct reader reader = {.tid = o->tid};
	char bytes[sizeof(struct rt_span_rec) + RT_ARGS * sizeof(uint64_t)]
		__attribute__((aligned(8))) = {};
	struct rt_span_rec r = {
		.size = sizeof(bytes),
		.func = o->frame.func,
		.flags = RT_SPAN_UNFINISHED,
		.depth = o->depth,
		.arg_count = RT_ARGS,
		.begin = o->frame.begin ? o->frame.begin : now,
		.end = now,
		.corr = o->frame.corr,
		.parent = o->parent,
		.root = o->root,
	};
	uint32_t args = o->frame.arg_count < RT_ARGS ? o->frame.arg_count : RT_ARGS;

	memcpy(bytes, &r, sizeof(r));
	memcpy(bytes + sizeof(r), o->frame.args, args * sizeof(uint64_t));
	hand_out(s, &reader, (const struct rt_span_rec *)bytes, fn, arg);
	s->open[i].told = true;
}

static void hand_out_noted(struct agent_spans *s, uint64_t now, agent_span_fn fn, void *arg)
{
	for (size_t i = 0; i < s->open_count; i++)
		if (!s->open[i].told)
			hand_out_open(s, i, now, fn, arg);
}

/* A call may return while we read: if its record came, it was not open. */
void agent_calls__finish(struct agent_spans *s, uint64_t now, agent_span_fn fn, void *arg)
{
	uint32_t n = thread_count(s);

	for (uint32_t i = 0; i < n; i++)
		note_thread(s, i, 0, fn, arg);
	for (int i = 0; i < RT_SPANS_CHUNK_COUNT && !agent_calls__drain(s, fn, arg); i++)
		;
	hand_out_noted(s, now, fn, arg);
}

void agent_calls__finish_thread(struct agent_spans *s, uint32_t tid, uint64_t since, uint64_t now,
				agent_span_fn fn, void *arg)
{
	uint32_t n = thread_count(s);

	for (uint32_t i = 0; i < n; i++) {
		if (thread_at(s, i)->tid != tid)
			continue;
		note_thread(s, i, since, fn, arg);
		drain_thread(s, i, fn, arg);
	}
	hand_out_noted(s, now, fn, arg);
}

/* ---- losses ---- */

uint64_t agent_calls__lost(const struct agent_spans *s)
{
	uint32_t n = thread_count(s);
	uint64_t lost = 0;

	for (uint32_t i = 0; i < n; i++)
		lost += thread_at(s, i)->lost;
	return lost - s->lost_before;
}

uint64_t agent_calls__bad(const struct agent_spans *s)
{
	return s->bad;
}

uint64_t agent_calls__places(const struct agent_spans *s)
{
	return __atomic_load_n(&state(s)->places, __ATOMIC_RELAXED);
}

struct rt_agent_calls agent_calls__place(const struct agent_spans *s)
{
	return (struct rt_agent_calls){state(s)->thread_offset, s->first_corr};
}
