/* SPDX-License-Identifier: MIT */
/*
 * The call stack of each thread, in the shared memory, and the records that come of it.
 *
 * Frames are identified by the address of their return address: the stack grows down, so when a
 * call is entered at a higher address than an open call, the open call was abandoned (longjmp, an
 * exception without a cleanup of the call). A signal handler on an alternate stack is the
 * exception: its addresses compare with nothing.
 *
 * A handler may interrupt us at any point and make calls itself. While `busy` is set the thread's
 * place is being written to: such calls are not captured, but go to their probes. It is the stack
 * pointer of the writing code: it shows when a handler has left that code for good (siglongjmp). It
 * also shows the tracer that a record may come that is older than it looks.
 */
#include "hsa_agent/calls/call_spans.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "inprocess/kernel_clock.h"
#include "inprocess/raw_syscall.h"
#include "inprocess/tsc_clock.h"
#include "hsa_agent/ring/prefault.h"
#include "hsa_agent/ring/shared_memory.h"
#include "hsa_agent/calls/span_items.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define CORR_BLOCK 4096 /* ids that a thread takes at once */
#define RETRY_CALLS \
	1024 /* a thread that found no place makes that number of calls before it looks again */

static struct spans_area area;
static struct span_plan plans[RT_SPANS_FUNCTIONS];
static size_t ready; /* bytes of the chunks: call_spans__prepare's */
static pthread_key_t at_end;

/* What the thread has to itself. */
struct self {
	struct rt_span_thread *place; /* NULL: none */
	struct rt_span_chunk *chunk;  /* NULL: none */
	uint64_t used;		      /* of its data */
	uint64_t corr, corr_end;      /* ids that are left */
	uint32_t words_used;
	uint32_t retry; /* calls until it looks for a place again */
	struct clock clock;
};

static __thread struct self self __attribute__((tls_model("initial-exec")));

/* The compiler must not move the accesses in between over it; a handler runs on the same thread. */
static inline void set_busy(struct rt_span_thread *t, const void *sp)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&t->busy, (uintptr_t)sp, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define HERE __builtin_frame_address(0)

/* ---- chunks ---- */

static uint64_t chunks_in_use(void)
{
	uint64_t taken = __atomic_load_n(&area.state->taken, __ATOMIC_RELAXED);
	uint64_t freed = __atomic_load_n(&area.control->freed, __ATOMIC_RELAXED);

	return taken - freed < RT_SPANS_CHUNK_COUNT ? taken - freed : RT_SPANS_CHUNK_COUNT;
}

static bool try_chunk(uint32_t i)
{
	uint8_t free = RT_SPAN_CHUNK_FREE;

	return __atomic_load_n(&area.owned[i], __ATOMIC_RELAXED) == free &&
	       __atomic_compare_exchange_n(&area.owned[i], &free, RT_SPAN_CHUNK_TAKEN, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static int find_chunk(void)
{
	for (int i = 0; i < RT_SPANS_CHUNK_COUNT; i++)
		if (try_chunk(i))
			return i;
	return -1;
}

static bool take_chunk(struct rt_span_thread *t)
{
	uint64_t ahead = t->listed - __atomic_load_n(&t->read, __ATOMIC_ACQUIRE);
	bool has_room = ahead < RT_SPANS_LIST && chunks_in_use() < RT_SPANS_CHUNK_COUNT;
	int i = has_room ? find_chunk() : -1;

	if (i < 0)
		return false;
	__atomic_fetch_add(&area.state->taken, 1, __ATOMIC_RELAXED);
	if (self.chunk)
		__atomic_store_n(&self.chunk->closed, 1, __ATOMIC_RELEASE);
	self.chunk = &area.chunks[i];
	self.chunk->closed = 0;
	self.chunk->used = self.used = 0;
	t->list[t->listed % RT_SPANS_LIST] = i;
	__atomic_store_n(&t->listed, t->listed + 1, __ATOMIC_RELEASE);
	return true;
}

/* Room for a record of that size; NULL: the record is lost. */
static struct rt_span_rec *room(struct rt_span_thread *t, size_t size)
{
	if (unlikely(!self.chunk || self.used + size > sizeof(self.chunk->data)) &&
	    !take_chunk(t)) {
		t->lost++;
		return NULL;
	}
	return (struct rt_span_rec *)(self.chunk->data + self.used);
}

static void publish(const struct rt_span_rec *rec)
{
	self.used += rec->size;
	__atomic_store_n(&self.chunk->used, self.used, __ATOMIC_RELEASE);
}

/* ---- records ---- */

static void fill_record(struct rt_span_rec *rec, const struct rt_span_thread *t, uint32_t depth,
			uint64_t end, uint64_t ret, uint8_t flags)
{
	const struct rt_span_frame *f = &t->open[depth];

	rec->size = sizeof(*rec) + f->arg_count * sizeof(uint64_t);
	rec->func = f->func;
	rec->flags = flags;
	rec->depth = depth;
	rec->arg_count = f->arg_count;
	rec->begin = f->begin ? f->begin : end;
	rec->end = end > rec->begin ? end : rec->begin; /* two questions of a clock may cross */
	rec->corr = f->corr;
	rec->parent = depth ? t->open[depth - 1].corr : 0;
	rec->root = t->open[0].corr;
	rec->ret = ret;
	for (uint32_t i = 0; i < f->arg_count; i++)
		rec->args[i] = f->args[i];
}

/* How much the record may need at most. */
static size_t room_for(const struct rt_span_frame *f, const struct span_plan *plan)
{
	if (plan || f->word_count)
		return RT_SPAN_REC_MAX;
	return sizeof(struct rt_span_rec) + f->arg_count * sizeof(uint64_t);
}

/* NULL: nothing is to be read. */
static const struct span_plan *plan_of(uint32_t function)
{
	const struct span_plan *plan = &plans[function];

	return __atomic_load_n(&plan->reads, __ATOMIC_RELAXED) ? plan : NULL;
}

/* What is read is what the function has left there: nothing of a call that did not return. */
static void emit(struct rt_span_thread *t, uint32_t depth, uint64_t end, uint64_t ret,
		 uint8_t flags)
{
	const struct rt_span_frame *f = &t->open[depth];
	const struct span_plan *plan = flags ? NULL : plan_of(f->func);
	struct rt_span_rec *rec = room(t, room_for(f, plan));

	if (!rec)
		return;
	fill_record(rec, t, depth, end, ret, flags);
	if (plan || f->word_count)
		span_items__append(rec, f, t->words, plan);
	publish(rec);
}

/* Takes the frames from the top down to `keep` off, as calls that have not returned. */
static void cut(struct rt_span_thread *t, uint32_t keep, uint8_t flags)
{
	uint64_t now = clock__now(&self.clock);

	while (t->depth > keep) {
		emit(t, t->depth - 1, now, 0, flags);
		self.words_used = t->open[t->depth - 1].first_word;
		__atomic_store_n(&t->depth, t->depth - 1, __ATOMIC_RELEASE);
	}
}

/* ---- threads ---- */

static bool try_place(struct rt_span_thread *t)
{
	uint32_t free = RT_SPAN_THREAD_FREE;

	return __atomic_load_n(&t->state, __ATOMIC_RELAXED) == free &&
	       __atomic_compare_exchange_n(&t->state, &free, RT_SPAN_THREAD_TAKEN, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct rt_span_thread *find_place(void)
{
	for (uint32_t i = 0; i < RT_SPANS_THREADS_MAX; i++) {
		uint32_t max = __atomic_load_n(&area.state->threads, __ATOMIC_RELAXED);

		if (!try_place(&area.threads[i]))
			continue;
		while (max <= i &&
		       !__atomic_compare_exchange_n(&area.state->threads, &max, i + 1, false,
						    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			;
		return &area.threads[i];
	}
	return NULL;
}

/* Returns with `busy` set. NULL: all places are taken. */
static struct rt_span_thread *join(void)
{
	struct rt_span_thread *t = NULL;
	int error;

	if (!area.threads)
		return NULL;
	if (!self.retry) {
		self.retry = RETRY_CALLS;
		t = find_place();
	}
	self.retry--;
	if (!t)
		return NULL;
	self.retry = 0;
	set_busy(t, HERE);
	t->depth = 0;
	t->tid = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	t->joined = clock__now(&self.clock);
	raw_syscall(SYS_prctl, PR_GET_NAME, (long)t->name, 0, 0, 0, 0);
	self.words_used = 0;
	self.chunk = NULL;
	self.place = t;
	error = errno; /* of the application, which has called something that leaves it */
	pthread_setspecific(at_end, t);
	errno = error;
	return t;
}

/* The thread ends: it may be in a call (pthread_exit, cancellation). */
static void leave(void *place)
{
	struct rt_span_thread *t = place;

	if (!area.threads || self.place != t)
		return;
	set_busy(t, HERE);
	cut(t, 0, RT_SPAN_UNFINISHED);
	t->ended = clock__now(&self.clock);
	if (self.chunk)
		__atomic_store_n(&self.chunk->closed, 1, __ATOMIC_RELEASE);
	self.place = NULL;
	self.chunk = NULL;
	set_busy(t, NULL);
	__atomic_store_n(&t->state, RT_SPAN_THREAD_ENDED, __ATOMIC_RELEASE);
}

/* ---- calls ---- */

static bool is_on(const stack_t *alt, uint64_t sp)
{
	return alt->ss_size && sp - (uintptr_t)alt->ss_sp < alt->ss_size;
}

/* Is the call that has just been entered inside the frame, or was that left? */
static bool encloses(const struct rt_span_frame *f, uint64_t sp, const stack_t *alt)
{
	if (is_on(alt, sp) != is_on(alt, f->sp))
		return is_on(alt, sp);
	return f->sp > sp;
}

static stack_t altstack(void)
{
	stack_t alt = {0};

	raw_syscall(SYS_sigaltstack, 0, (long)&alt, 0, 0, 0, 0);
	return alt;
}

static void drop_left(struct rt_span_thread *t, uint64_t sp)
{
	const stack_t alt = altstack();
	uint32_t keep = t->depth;

	while (keep && !encloses(&t->open[keep - 1], sp, &alt))
		keep--;
	if (keep < t->depth)
		cut(t, keep, RT_SPAN_UNWOUND);
}

static uint64_t new_corr(void)
{
	if (unlikely(self.corr == self.corr_end)) {
		self.corr = __atomic_fetch_add(&area.state->corr, CORR_BLOCK, __ATOMIC_RELAXED) + 1;
		self.corr_end = self.corr + CORR_BLOCK;
	}
	return self.corr++;
}

/* Is the code that was writing when we came still doing so, below us on the stack? */
static bool is_interrupted(const struct rt_span_thread *t, uint64_t sp)
{
	const stack_t alt = altstack();

	return is_on(&alt, sp) ? !is_on(&alt, t->busy) || t->busy > sp : t->busy > sp;
}

/* The thread's place, with `busy` set. NULL: none, or it is being written to already. */
static struct rt_span_thread *begin_writing(const void *sp)
{
	struct rt_span_thread *t = self.place;

	if (unlikely(!t))
		return join();
	if (unlikely(t->busy) && is_interrupted(t, (uintptr_t)sp))
		return NULL;
	set_busy(t, sp);
	return t;
}

static bool fill_frame(struct rt_span_thread *t, struct rt_span_frame *f,
		       const struct spans_call *c)
{
	if (c->stack_words > RT_SPANS_WORDS - self.words_used)
		return false;
	f->sp = (uintptr_t)(c->stack - 1);
	f->corr = new_corr();
	f->func = c->function;
	f->first_word = self.words_used;
	f->word_count = c->stack_words;
	f->arg_count = c->registers;
	for (uint32_t i = 0; i < c->registers; i++)
		f->args[i] = c->args[i];
	for (uint32_t i = 0; i < c->stack_words; i++)
		t->words[self.words_used++] = c->stack[i];
	f->begin = c->instant ? 0 : clock__now(&self.clock);
	return true;
}

struct rt_span_frame *call_spans__begin(const struct spans_call *c)
{
	uint64_t sp = (uintptr_t)(c->stack - 1);
	struct rt_span_thread *t = begin_writing((const void *)sp);
	struct rt_span_frame *f = NULL;

	if (unlikely(!t))
		return NULL;
	if (t->depth && unlikely(t->open[t->depth - 1].sp <= sp))
		drop_left(t, sp);
	if (likely(t->depth < RT_SPANS_DEPTH) && likely(fill_frame(t, &t->open[t->depth], c))) {
		f = &t->open[t->depth];
		__atomic_store_n(&t->depth, t->depth + 1, __ATOMIC_RELEASE);
	}
	set_busy(t, NULL);
	return f;
}

void call_spans__end(struct rt_span_frame *f, uint64_t ret)
{
	struct rt_span_thread *t = self.place;
	uint32_t depth;
	uint64_t now;

	if (!t || f < t->open || f >= t->open + RT_SPANS_DEPTH)
		return;
	depth = f - t->open;
	if (unlikely(t->depth <= depth)) /* it was taken for left */
		return;
	set_busy(t, HERE);
	now = clock__now(&self.clock);
	if (unlikely(t->depth > depth + 1))
		cut(t, depth + 1, RT_SPAN_UNWOUND);
	emit(t, depth, now, ret, 0);
	self.words_used = f->first_word;
	__atomic_store_n(&t->depth, depth, __ATOMIC_RELEASE);
	set_busy(t, NULL);
}

void call_spans__in(__u64 *corr, __u64 *root)
{
	const struct rt_span_thread *t = self.place;

	*corr = t && t->depth ? t->open[t->depth - 1].corr : 0;
	*root = t && t->depth ? t->open[0].corr : 0;
}

uint64_t call_spans__now(void)
{
	const struct rt_span_thread *t = self.place;

	return t && t->depth ? clock__now(&self.clock) : kernel_clock__boot_ns();
}

/* ---- for the agent ---- */

struct spans_area call_spans__area_at(void *address)
{
	return (struct spans_area){
		.control = address + RT_SPANS_CONTROL,
		.state = address + RT_SPANS_STATE,
		.threads = address + RT_SPANS_THREADS,
		.chunks = address + RT_SPANS_CHUNKS,
		.owned = address + RT_SPANS_OWNED,
	};
}

/* The place of this thread's variable, from where its thread pointer leads to. */
static int64_t place_offset(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer)); /* it begins with its own address */
	return (uintptr_t)&self.place - pointer;
}

void call_spans__use(const struct spans_area *to)
{
	static bool made;

	if (!made)
		made = !pthread_key_create(&at_end, leave);
	area = to && made ? *to : (struct spans_area){NULL};
	ready = 0;
	if (area.state)
		area.state->thread_offset = place_offset();
	memset(&self, 0, sizeof(self));
}

/* The first free chunk is taken, so those in use are most likely the first. */
void call_spans__prepare(void)
{
	if (!area.state)
		return;
	populate(area.chunks, sizeof(*area.chunks) * RT_SPANS_CHUNK_COUNT,
		 sizeof(*area.chunks) * chunks_in_use(), &ready);
}

/* What does not fit the limits of a plan is not read. */
void call_spans__set_plan(uint32_t function, const struct rt_plan *plan)
{
	struct span_plan *p = &plans[function], fit = {0};

	if (plan->reads <= RT_READS)
		fit.reads = plan->reads;
	for (uint32_t i = 0; i < fit.reads; i++)
		if (plan->read[i].len <= RT_READ_MAX)
			fit.read[i].read = plan->read[i];
	__atomic_store_n(&p->reads, fit.reads, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < RT_READS; i++)
		__atomic_store_n(&p->read[i].word, fit.read[i].word, __ATOMIC_RELAXED);
}
