// SPDX-License-Identifier: MIT
/*
 * Each function here is in ROC-TX's table. While no context wants its operation, a call costs a
 * load of `wanted`. The end of a range costs one more load, to see whether its begin was reported.
 *
 * A range is an operation of its own, around those of the calls that begin and end it. What a
 * thread calls between push and pop is inside the range. What it calls between start and stop is
 * not: these may be calls of two threads, in any order.
 */
#include "rocprofiler/sources/markers.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk-roctx/api_trace.h>

#include "inprocess/peek.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/service/service.h"
#include "rocprofiler/service/thread.h"

#define BUCKETS 64
#define SLOW	__attribute__((noinline, cold)) /* called while a context wants it */

typedef rocprofiler_callback_tracing_marker_api_data_t payload_t;

/* What the tables had. */
static roctxCoreApiTable_t core;
static roctxControlApiTable_t controls;
static roctxNameApiTable_t names;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the above, and of `wanted` */

/* ---- what is wanted ---- */

#define CALLBACK(which)		ROCPROFILER_CALLBACK_TRACING_MARKER_##which##_API
#define BUFFER(which)		ROCPROFILER_BUFFER_TRACING_MARKER_##which##_API
#define NUMBER(which, function) ROCPROFILER_MARKER_##which##_API_ID_##function
#define COUNT(which)		NUMBER(which, LAST)

enum {
	FIRST_CORE = 0,
	FIRST_CONTROL = FIRST_CORE + COUNT(CORE),
	FIRST_NAME = FIRST_CONTROL + COUNT(CONTROL),
	FIRST_CORE_RANGE = FIRST_NAME + COUNT(NAME),
	BITS = FIRST_CORE_RANGE + COUNT(CORE_RANGE),
};
_Static_assert(BITS <= 32, "operations of ROC-TX");

#define BIT(which, function) (1u << (FIRST_##which + NUMBER(which, function)))
#define KIND(which)                                                         \
	{                                                                   \
		CALLBACK(which), BUFFER(which), FIRST_##which, COUNT(which) \
	}

static const struct {
	rocprofiler_callback_tracing_kind_t callback;
	rocprofiler_buffer_tracing_kind_t buffer;
	uint32_t first, count;
} kinds[] = {KIND(CORE), KIND(CONTROL), KIND(NAME), KIND(CORE_RANGE)};

static uint32_t wanted; /* by an active context */

static inline bool wants(uint32_t bits)
{
	return __builtin_expect(__atomic_load_n(&wanted, __ATOMIC_RELAXED) & bits, 0);
}

static uint32_t wanted_of_kind(size_t i)
{
	uint32_t bits = 0;

	for (uint32_t n = 0; n < kinds[i].count; n++)
		if (service__wanted(kinds[i].callback, kinds[i].buffer, n))
			bits |= 1u << (kinds[i].first + n);
	return bits;
}

/* The last thread to take the lock sees all changes. */
void markers__services_changed(void)
{
	uint32_t bits = 0;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		bits |= wanted_of_kind(i);
	__atomic_store_n(&wanted, bits, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

/* ---- calls ---- */

#define ORIGINAL(table, function) __atomic_load_n(&(table).function##_fn, __ATOMIC_RELAXED)

#define BEGIN(which, function, ...)                                                               \
	payload_t payload = {.size = sizeof(payload), .args.function = {__VA_ARGS__}};            \
	struct operation o OPERATION_GUARDED;                                                     \
	bool told = operation__begin(&o, CALLBACK(which), BUFFER(which), NUMBER(which, function), \
				     0, &payload)

#define END()     \
	if (told) \
	operation__end_call(&o, &payload, sizeof(payload))

/* NAME reports a call of FUNCTION with these arguments, and evaluates CALL. */
#define TRACED(type, member, name, which, function, params, call, ...) \
	SLOW static type name params                                   \
	{                                                              \
		BEGIN(which, function, __VA_ARGS__);                   \
		type result = call;                                    \
                                                                       \
		payload.retval.member = result;                        \
		END();                                                 \
		return result;                                         \
	}

#define TRACED_INT(name, which, function, params, call, ...) \
	TRACED(int, int32_t_retval, name, which, function, params, call, __VA_ARGS__)

#define TRACED_VOID(name, which, function, params, call, ...) \
	SLOW static void name params                          \
	{                                                     \
		BEGIN(which, function, __VA_ARGS__);          \
		call;                                         \
		END();                                        \
	}

TRACED_VOID(tell_mark, CORE, roctxMarkA, (const char *message), ORIGINAL(core, roctxMarkA)(message),
	    message)
TRACED_INT(tell_push, CORE, roctxRangePushA, (const char *message),
	   ORIGINAL(core, roctxRangePushA)(message), message)
TRACED_INT(tell_pop, CORE, roctxRangePop, (void), ORIGINAL(core, roctxRangePop)())
TRACED(roctx_range_id_t, roctx_range_id_t_retval, tell_start, CORE, roctxRangeStartA,
       (const char *message), ORIGINAL(core, roctxRangeStartA)(message), message)
TRACED_VOID(tell_stop, CORE, roctxRangeStop, (roctx_range_id_t id),
	    ORIGINAL(core, roctxRangeStop)(id), id)
TRACED_INT(tell_thread, CORE, roctxGetThreadId, (roctx_thread_id_t * tid),
	   ORIGINAL(core, roctxGetThreadId)(tid), tid)

/* These are not ranges, but are also reported as operations of CORE_RANGE, around the call. */
TRACED_VOID(tell_range_mark, CORE_RANGE, roctxMarkA, (const char *message), tell_mark(message),
	    message)
TRACED_INT(tell_range_thread, CORE_RANGE, roctxGetThreadId, (roctx_thread_id_t * tid),
	   tell_thread(tid), tid)

TRACED_INT(tell_pause, CONTROL, roctxProfilerPause, (roctx_thread_id_t tid),
	   ORIGINAL(controls, roctxProfilerPause)(tid), tid)
TRACED_INT(tell_resume, CONTROL, roctxProfilerResume, (roctx_thread_id_t tid),
	   ORIGINAL(controls, roctxProfilerResume)(tid), tid)

TRACED_INT(tell_os_thread, NAME, roctxNameOsThread, (const char *name),
	   ORIGINAL(names, roctxNameOsThread)(name), name)
TRACED_INT(tell_hsa_agent, NAME, roctxNameHsaAgent,
	   (const char *name, const struct hsa_agent_s *agent),
	   ORIGINAL(names, roctxNameHsaAgent)(name, agent), name, agent)
TRACED_INT(tell_hip_device, NAME, roctxNameHipDevice, (const char *name, int device_id),
	   ORIGINAL(names, roctxNameHipDevice)(name, device_id), name, device_id)
TRACED_INT(tell_hip_stream, NAME, roctxNameHipStream,
	   (const char *name, const struct ihipStream_t *stream),
	   ORIGINAL(names, roctxNameHipStream)(name, stream), name, stream)

/* ---- ranges ---- */

/* A range that is open and was reported. */
struct range {
	struct range *next;
	int level;	     /* from push to pop: what push returned */
	roctx_range_id_t id; /* from start to stop */
	bool detached;	     /* the operation is not on its thread's stack of calls */
	struct operation operation;
	payload_t payload;
	char message[]; /* a copy, which is there at the end, too */
};

/* This thread's ranges that end with pop, the innermost first. */
static __thread struct range *pushed __attribute__((tls_model("initial-exec")));
static pthread_key_t at_end;

/* Ranges that end with stop. */
static struct bucket {
	pthread_mutex_t lock;
	struct range *ranges;
} buckets[BUCKETS];
static uint32_t started; /* how many there are */

/* Also called in the middle of a range, if a tool throws. */
static void drop(struct range **range)
{
	struct range *r = *range;

	if (!r)
		return;
	operation__abandon(&r->operation);
	if (r->detached) {
		if (thread_current && thread_current->current == r->operation.internal)
			thread_current->current = r->operation.outer;
		retirement__release(r->operation.internal);
	}
	free(r);
}

#define RANGE_GUARDED __attribute__((cleanup(drop)))

static struct range *release(struct range **range)
{
	struct range *r = *range;

	*range = NULL;
	return r;
}

static struct range *make(const char *message)
{
	char *copy = message ? peek__strdup(message) : NULL;
	const char *text = copy ? copy : "(unreadable)";
	size_t size = message ? strlen(text) + 1 : 0;
	struct range *r = malloc(sizeof(*r) + size);

	if (!r) {
		say("no memory for a range of ROC-TX: it is not told");
		free(copy);
		return NULL;
	}
	*r = (struct range){.payload.size = sizeof(r->payload)};
	if (message)
		r->payload.args.roctxThreadRangeA.message = memcpy(r->message, text, size);
	free(copy);
	return r;
}

/* NULL: no context wants it. */
static struct range *begin(uint32_t number, const char *message)
{
	struct range *r RANGE_GUARDED = make(message);

	if (!r || !operation__begin(&r->operation, CALLBACK(CORE_RANGE), BUFFER(CORE_RANGE), number,
				    0, &r->payload))
		return NULL;
	return release(&r);
}

/* The range stays open when the call returns, and is the thread's current operation. */
static void detach(struct range *r)
{
	r->operation.pushed = false;
	r->detached = true;
}

static void end(struct range *range)
{
	struct range *r RANGE_GUARDED = range;

	operation__end_call(&r->operation, &r->payload, sizeof(r->payload));
}

static void thread_ends(void *arg)
{
	while (pushed) {
		struct range *r RANGE_GUARDED = pushed;

		pushed = r->next;
	}
}

static void keep_pushed(struct range *r, int level)
{
	if (!pushed)
		pthread_setspecific(at_end, &at_end);
	detach(r);
	r->payload.retval.int32_t_retval = r->level = level;
	r->next = pushed;
	pushed = r;
}

/* If an inner range was not reported, `level` is that range's, and nothing is taken. */
static struct range *take_pushed(int level)
{
	struct range *r = pushed;

	if (!r || r->level < level)
		return NULL;
	pushed = r->next;
	return r;
}

static struct bucket *bucket_of(roctx_range_id_t id)
{
	return &buckets[id % BUCKETS];
}

/* The thread's current operation is again the one before this range. */
static void keep_started(struct range *r, roctx_range_id_t id)
{
	struct bucket *b = bucket_of(id);

	detach(r);
	thread_current->current = r->operation.outer;
	r->payload.retval.roctx_range_id_t_retval = r->id = id;
	pthread_mutex_lock(&b->lock);
	r->next = b->ranges;
	b->ranges = r;
	pthread_mutex_unlock(&b->lock);
	__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
}

static struct range *take_started(roctx_range_id_t id)
{
	struct bucket *b = bucket_of(id);
	struct range **at = &b->ranges, *r;

	pthread_mutex_lock(&b->lock);
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	r = *at;
	if (r)
		*at = r->next;
	pthread_mutex_unlock(&b->lock);
	if (r)
		__atomic_sub_fetch(&started, 1, __ATOMIC_RELAXED);
	return r;
}

/* ---- the functions in the tables ---- */

static void mark(const char *message)
{
	if (!wants(BIT(CORE, roctxMarkA) | BIT(CORE_RANGE, roctxMarkA)))
		ORIGINAL(core, roctxMarkA)(message);
	else
		tell_range_mark(message);
}

SLOW static int push_range(const char *message)
{
	struct range *r RANGE_GUARDED = begin(NUMBER(CORE_RANGE, roctxThreadRangeA), message);
	int level = tell_push(message);

	if (r)
		keep_pushed(release(&r), level);
	return level;
}

static int push(const char *message)
{
	if (!wants(BIT(CORE, roctxRangePushA) | BIT(CORE_RANGE, roctxThreadRangeA)))
		return ORIGINAL(core, roctxRangePushA)(message);
	if (wants(BIT(CORE_RANGE, roctxThreadRangeA)) && ORIGINAL(core, roctxRangePop))
		return push_range(message);
	return tell_push(message);
}

SLOW static int pop_range(void)
{
	int level = tell_pop();
	struct range *r = take_pushed(level);

	if (r)
		end(r);
	return level;
}

static int pop(void)
{
	if (!wants(BIT(CORE, roctxRangePop)) && __builtin_expect(!pushed, 1))
		return ORIGINAL(core, roctxRangePop)();
	return pop_range();
}

SLOW static roctx_range_id_t start_range(const char *message)
{
	struct range *r RANGE_GUARDED = begin(NUMBER(CORE_RANGE, roctxProcessRangeA), message);
	roctx_range_id_t id = tell_start(message);

	if (r)
		keep_started(release(&r), id);
	return id;
}

static roctx_range_id_t start(const char *message)
{
	if (!wants(BIT(CORE, roctxRangeStartA) | BIT(CORE_RANGE, roctxProcessRangeA)))
		return ORIGINAL(core, roctxRangeStartA)(message);
	if (wants(BIT(CORE_RANGE, roctxProcessRangeA)) && ORIGINAL(core, roctxRangeStop))
		return start_range(message);
	return tell_start(message);
}

SLOW static void stop_range(roctx_range_id_t id)
{
	struct range *r RANGE_GUARDED = take_started(id);

	tell_stop(id);
	if (r)
		end(release(&r));
}

static void stop(roctx_range_id_t id)
{
	if (!wants(BIT(CORE, roctxRangeStop)) && !__atomic_load_n(&started, __ATOMIC_RELAXED))
		ORIGINAL(core, roctxRangeStop)(id);
	else
		stop_range(id);
}

static int get_thread_id(roctx_thread_id_t *tid)
{
	if (!wants(BIT(CORE, roctxGetThreadId) | BIT(CORE_RANGE, roctxGetThreadId)))
		return ORIGINAL(core, roctxGetThreadId)(tid);
	return tell_range_thread(tid);
}

static int profiler_pause(roctx_thread_id_t tid)
{
	if (!wants(BIT(CONTROL, roctxProfilerPause)))
		return ORIGINAL(controls, roctxProfilerPause)(tid);
	return tell_pause(tid);
}

static int profiler_resume(roctx_thread_id_t tid)
{
	if (!wants(BIT(CONTROL, roctxProfilerResume)))
		return ORIGINAL(controls, roctxProfilerResume)(tid);
	return tell_resume(tid);
}

static int name_os_thread(const char *name)
{
	if (!wants(BIT(NAME, roctxNameOsThread)))
		return ORIGINAL(names, roctxNameOsThread)(name);
	return tell_os_thread(name);
}

static int name_hsa_agent(const char *name, const struct hsa_agent_s *agent)
{
	if (!wants(BIT(NAME, roctxNameHsaAgent)))
		return ORIGINAL(names, roctxNameHsaAgent)(name, agent);
	return tell_hsa_agent(name, agent);
}

static int name_hip_device(const char *name, int device_id)
{
	if (!wants(BIT(NAME, roctxNameHipDevice)))
		return ORIGINAL(names, roctxNameHipDevice)(name, device_id);
	return tell_hip_device(name, device_id);
}

static int name_hip_stream(const char *name, const struct ihipStream_t *stream)
{
	if (!wants(BIT(NAME, roctxNameHipStream)))
		return ORIGINAL(names, roctxNameHipStream)(name, stream);
	return tell_hip_stream(name, stream);
}

/* ---- the tables ---- */

static const roctxCoreApiTable_t our_core = {
	sizeof(our_core), mark, push, pop, start, stop, get_thread_id,
};

static const roctxControlApiTable_t our_controls = {
	sizeof(our_controls),
	profiler_pause,
	profiler_resume,
};

static const roctxNameApiTable_t our_names = {
	sizeof(our_names), name_os_thread, name_hsa_agent, name_hip_device, name_hip_stream,
};

/* A table is its size, and functions. */
union entry {
	uint64_t size;
	void (*function)(void);
};

static void set_entry(union entry *at, union entry *original, const union entry *ours)
{
	if (!at->function || at->function == ours->function)
		return;
	if (!original->function)
		__atomic_store_n(&original->function, at->function, __ATOMIC_RELAXED);
	__atomic_store_n(&at->function, ours->function, __ATOMIC_RELEASE);
}

static void set_table(void *table, void *original, const void *ours)
{
	union entry *at = table, *kept = original;
	const union entry *put = ours;
	uint64_t size = at->size < put->size ? at->size : put->size;

	for (size_t i = 1; (i + 1) * sizeof(*at) <= size; i++)
		set_entry(&at[i], &kept[i], &put[i]);
}

void markers__set_tables(void **tables)
{
	pthread_mutex_lock(&lock);
	set_table(tables[0], &core, &our_core);
	set_table(tables[1], &controls, &our_controls);
	set_table(tables[2], &names, &our_names);
	pthread_mutex_unlock(&lock);
}

/* Other threads may have held the locks. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (size_t i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&buckets[i].lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	forked();
	pthread_key_create(&at_end, thread_ends);
	pthread_atfork(NULL, NULL, forked);
}
