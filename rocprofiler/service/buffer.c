// SPDX-License-Identifier: MIT
/*
 * Writing to buffers and having tools read them.
 *
 * A writer takes room with one compare-and-swap of the buffer's state, copies the record there and
 * counts it as done. The thread that passes a half on first swaps the halves, so that no more room
 * is taken in the old one. It then waits for the records that are not done yet.
 */
#include "rocprofiler/service/buffer.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/support/catch.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/service/internal_threads.h"
#include "rocprofiler/service/registration.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/service/thread.h"

#define BUFFERS_MAX  4096
#define FIRST_HANDLE 0x10000
#define UNIT	     8
#define UNITS_MAX    (1U << 30)
#define PAGE	     4096
#define UNITS_RECORD 4 /* the smallest record */

/* The state: half 1, units 31, records 32 bits. A buffer that is closed has no room for anything.
 */
#define HALF_BIT	(1ULL << 63)
#define UNITS_SHIFT	32
#define UNITS_BITS	0x7fffffffULL
#define CLOSED		(UNITS_BITS << UNITS_SHIFT)
#define ONE(units)	((uint64_t)(units) << UNITS_SHIFT | 1)
#define units_of(state) ((uint32_t)((state) >> UNITS_SHIFT & UNITS_BITS))
#define records_of(s)	((uint32_t)(s))
#define half_of(state)	((state) >> 63)

/*
 * A record of a thread that must not wait, of a buffer that must not lose it. The half that is
 * written to is full from then on, so that nothing that comes later is passed on before it.
 */
struct extra {
	struct extra *next;
	rocprofiler_record_header_t header;
	uint64_t record[];
};

static struct buffer *buffers[BUFFERS_MAX];
static uint32_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */

struct buffer *buffer__by_number(uint32_t number)
{
	return number < __atomic_load_n(&count, __ATOMIC_ACQUIRE) ? buffers[number] : NULL;
}

struct buffer *buffer__find(rocprofiler_buffer_id_t id)
{
	uint64_t number = id.handle - FIRST_HANDLE;
	struct buffer *b = number < BUFFERS_MAX ? buffer__by_number(number) : NULL;

	return b && !__atomic_load_n(&b->destroyed, __ATOMIC_ACQUIRE) ? b : NULL;
}

/* ---- writing ---- */

enum taken {
	TAKEN,
	FULL,
	NO_BUFFER,
};

static enum taken take(struct buffer *b, uint32_t units, uint64_t *before)
{
	uint64_t state = __atomic_load_n(&b->state, __ATOMIC_RELAXED);

	do {
		if (units_of(state) == UNITS_BITS)
			return NO_BUFFER;
		if (units_of(state) + units > b->units)
			return FULL;
	} while (!__atomic_compare_exchange_n(&b->state, &state, state + ONE(units), true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	*before = state;
	return TAKEN;
}

static rocprofiler_record_header_t make_header(uint32_t kind, void *payload)
{
	return (rocprofiler_record_header_t){
		.category = ROCPROFILER_BUFFER_CATEGORY_TRACING,
		.kind = kind,
		.payload = payload,
	};
}

static void put(struct buffer *b, uint64_t before, uint32_t kind, const void *record, uint32_t size)
{
	struct half *h = &b->halves[half_of(before)];
	char *payload = h->memory + (uint64_t)units_of(before) * UNIT;

	memcpy(payload, record, size);
	h->headers[records_of(before)] = make_header(kind, payload);
	__atomic_add_fetch(&h->done, 1, __ATOMIC_RELEASE);
}

static void drop(struct buffer *b)
{
	__atomic_add_fetch(&b->dropped, 1, __ATOMIC_RELAXED);
}

static void drop_too_large(struct buffer *b, uint32_t size)
{
	drop(b);
	if (!__atomic_exchange_n(&b->too_large, true, __ATOMIC_RELAXED))
		say("a buffer is too small for a record of %u bytes", size);
}

static void fill(struct buffer *b)
{
	uint64_t state = __atomic_load_n(&b->state, __ATOMIC_RELAXED), full;

	do {
		if (units_of(state) == UNITS_BITS)
			return;
		full = (state & ~CLOSED) | (uint64_t)b->units << UNITS_SHIFT;
	} while (!__atomic_compare_exchange_n(&b->state, &state, full, true, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
}

static void put_extra(struct buffer *b, uint32_t kind, const void *record, uint32_t size)
{
	struct extra *e = malloc(sizeof(*e) + size);

	if (!e) {
		drop(b);
		return;
	}
	e->next = NULL;
	memcpy(e->record, record, size);
	e->header = make_header(kind, e->record);
	threads__lock();
	*b->extra_end = e;
	b->extra_end = &e->next;
	fill(b);
	threads__unlock();
	threads__request(b);
}

static bool is_full(const struct buffer *b, uint32_t units)
{
	uint64_t state = __atomic_load_n(&b->state, __ATOMIC_ACQUIRE);

	return units_of(state) != UNITS_BITS && units_of(state) + units > b->units;
}

/* False: there will be none, as nothing is passed on any more. */
static bool wait_for_room(struct buffer *b, uint32_t units)
{
	bool can;

	threads__request(b);
	threads__lock();
	while ((can = threads__can_pass_on(b)) && is_full(b, units))
		threads__wait(b);
	threads__unlock();
	return can;
}

static void crossed(struct buffer *b, uint64_t before, uint32_t units)
{
	uint64_t was = (uint64_t)units_of(before) * UNIT, is = was + (uint64_t)units * UNIT;

	if (is >= b->watermark && (was < b->watermark || !b->watermark))
		threads__request(b);
}

void buffer__write(struct buffer *b, uint32_t kind, const void *record, uint32_t size)
{
	uint32_t units = (size + UNIT - 1) / UNIT;
	uint64_t before;

	if (units < UNITS_RECORD)
		units = UNITS_RECORD;
	if (units > b->units) {
		drop_too_large(b, size);
		return;
	}
	for (;;) {
		switch (take(b, units, &before)) {
		case TAKEN:
			put(b, before, kind, record, size);
			crossed(b, before, units);
			return;
		case FULL:
			if (b->lossless && thread_current && thread_current->passes_on) {
				put_extra(b, kind, record, size);
				return;
			}
			if (b->lossless && wait_for_room(b, units))
				break;
			/* fall through */
		case NO_BUFFER:
			drop(b);
			return;
		}
	}
}

/* ---- passing on ---- */

struct batch {
	const struct buffer *buffer;
	rocprofiler_record_header_t **list;
	size_t count;
};

static void call_tool(void *arg)
{
	const struct batch *batch = arg;
	const struct buffer *b = batch->buffer;

	b->callback(b->context, b->id, batch->list, batch->count, b->arg,
		    __atomic_load_n(&b->dropped, __ATOMIC_RELAXED));
}

static void have_read(const struct buffer *b, rocprofiler_record_header_t **list, size_t n)
{
	struct batch batch = {b, list, n};

	if (catch__call(call_tool, &batch))
		say("a buffer's callback has thrown an exception");
}

/* Whoever has taken room is about to be done. */
static void wait_done(const struct half *h, uint32_t records)
{
	while (__atomic_load_n(&h->done, __ATOMIC_ACQUIRE) != records)
		sched_yield();
}

static uint64_t swap_halves(struct buffer *b)
{
	uint64_t state = __atomic_load_n(&b->state, __ATOMIC_RELAXED);

	do {
		if (!units_of(state) || units_of(state) == UNITS_BITS)
			return 0;
	} while (!__atomic_compare_exchange_n(&b->state, &state, ~state & HALF_BIT, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return state;
}

static void pass_on_half(struct buffer *b, struct half *h, uint32_t n)
{
	wait_done(h, n);
	for (uint32_t i = 0; i < n; i++)
		h->list[i] = &h->headers[i];
	have_read(b, h->list, n);
	h->done = 0;
}

static void pass_on_extra(struct buffer *b, struct extra *e)
{
	while (e) {
		struct extra *next = e->next;
		rocprofiler_record_header_t *header = &e->header;

		have_read(b, &header, 1);
		free(e);
		e = next;
	}
}

void buffer__pass_on(struct buffer *b)
{
	struct extra *extra;
	uint64_t state;

	threads__lock();
	state = swap_halves(b);
	extra = b->extra;
	b->extra = NULL;
	b->extra_end = &b->extra;
	threads__unlock();
	if (state)
		threads__room(b);
	if (records_of(state))
		pass_on_half(b, &b->halves[half_of(state)], records_of(state));
	pass_on_extra(b, extra);
}

/* ---- made and destroyed ---- */

static void free_memory(struct buffer *b)
{
	for (uint32_t i = 0; i < 2; i++) {
		free(b->halves[i].memory);
		free(b->halves[i].headers);
		free(b->halves[i].list);
	}
}

static bool allocate(struct buffer *b)
{
	size_t records = b->units / UNITS_RECORD + 1;
	bool ok = true;

	for (uint32_t i = 0; i < 2; i++) {
		struct half *h = &b->halves[i];

		h->memory = malloc((size_t)b->units * UNIT);
		h->headers = malloc(records * sizeof(*h->headers));
		h->list = malloc(records * sizeof(*h->list));
		ok = ok && h->memory && h->headers && h->list;
	}
	return ok;
}

static uint32_t units_for(size_t size)
{
	size_t pages = size / PAGE + (size % PAGE || !size);

	return pages < UNITS_MAX / (PAGE / UNIT) ? pages * (PAGE / UNIT) : UNITS_MAX;
}

static bool add(struct buffer *b)
{
	bool added = false;

	pthread_mutex_lock(&lock);
	if (count < BUFFERS_MAX) {
		b->id.handle = FIRST_HANDLE + count;
		buffers[count] = b;
		__atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
		added = true;
	}
	pthread_mutex_unlock(&lock);
	return added;
}

static bool make(struct buffer *b)
{
	b->extra_end = &b->extra;
	b->thread = threads__default();
	if (b->thread && allocate(b) && add(b))
		return true;
	free_memory(b);
	free(b);
	return false;
}

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
					       size_t watermark, rocprofiler_buffer_policy_t policy,
					       rocprofiler_buffer_tracing_cb_t callback,
					       void *callback_data,
					       rocprofiler_buffer_id_t *buffer_id)
{
	struct tool *tool = registration__tool();
	struct buffer *b;

	if (!tool)
		return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
	if (buffer__find(*buffer_id))
		return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
	if (!context__find(context))
		return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
	if (policy <= ROCPROFILER_BUFFER_POLICY_NONE || policy >= ROCPROFILER_BUFFER_POLICY_LAST)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	b = calloc(1, sizeof(*b));
	if (!b)
		return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
	b->context = context;
	b->tool = tool;
	b->lossless = policy == ROCPROFILER_BUFFER_POLICY_LOSSLESS;
	b->watermark = watermark;
	b->units = units_for(size);
	b->callback = callback;
	b->arg = callback_data;
	if (!make(b))
		return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
	*buffer_id = b->id;
	return ROCPROFILER_STATUS_SUCCESS;
}

/* Threads that write to it have finished before its memory is freed. */
static void close_and_free(struct buffer *b)
{
	uint64_t state = __atomic_exchange_n(&b->state, CLOSED, __ATOMIC_ACQ_REL);
	struct extra *e = b->extra;

	wait_done(&b->halves[half_of(state)], records_of(state));
	free_memory(b);
	memset(b->halves, 0, sizeof(b->halves));
	while (e) {
		struct extra *next = e->next;

		free(e);
		e = next;
	}
}

static rocprofiler_status_t destroy(struct buffer *b)
{
	rocprofiler_status_t status = ROCPROFILER_STATUS_SUCCESS;

	threads__lock();
	if (b->destroyed)
		status = ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	else if (b->busy || b->started != b->completed)
		status = ROCPROFILER_STATUS_ERROR_BUFFER_BUSY;
	else
		__atomic_store_n(&b->destroyed, true, __ATOMIC_RELEASE);
	threads__unlock();
	if (!status)
		close_and_free(b);
	return status;
}

void buffers__ignore(const struct tool *tool)
{
	struct buffer *b;

	for (uint32_t i = 0; (b = buffer__by_number(i)); i++)
		if (b->tool == tool)
			destroy(b);
}

void buffer__forked(struct buffer *b)
{
	if (b->destroyed)
		return;
	b->state = 0;
	b->halves[0].done = b->halves[1].done = 0;
	b->started = b->completed = b->requested;
	b->busy = false;
	b->extra = NULL;
	b->extra_end = &b->extra;
}

rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id)
{
	struct buffer *b = buffer__find(buffer_id);

	return b ? destroy(b) : ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
}

/* ---- flushed ---- */

rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id)
{
	struct buffer *b = buffer__find(buffer_id);

	if (registration__finalized() > 0)
		return ROCPROFILER_STATUS_ERROR_FINALIZED;
	if (!b)
		return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	return threads__flush(b);
}
