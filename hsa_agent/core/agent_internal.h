/* SPDX-License-Identifier: MIT */
/*
 * What the modules of the in-process core know of each other.
 *
 * The core is loaded by the HSA runtime as a tool. It replaces entries of the runtime's API tables
 * (hsa_table_hooks.c) by wrappers, one module a subject:
 *
 *   queue_hooks.c           which queues there are
 *   queue_log.c             that they come and go
 *   packet_owners.c         which thread a packet is of
 *   packet_intercept.c      sees every packet before the GPU does: the dispatch path
 *   operations_in_flight.c  the operations that the GPU has been given
 *   application_signals.c   operations that complete the application's own signals
 *   signal_relay.c          completes the application's signals in the place of the GPU
 *   exit_table.c            where operations in flight leave their times if the process is killed
 *   copy_hooks.c            asynchronous copies
 *   blocking_copies.c       copies and fills that return when they are done
 *   memory_owner.c          which device memory is of
 *   kernel_hooks.c          which kernel object is which kernel
 *   code_objects.c          which code objects are loaded
 *   memory_hooks.c          allocations
 *   scratch_hooks.c         the runtime's own allocations for kernels that spill
 *   devices.c               the agents (in HSA's sense: CPUs and GPUs)
 *   signal_pool.c           spare signals
 *   clock_pairs.c           pairs of clocks, for the times
 *   other_runtimes.c        further runtimes of the process: what they do is only counted
 *   reaper.c                the one thread: collects times, follows the tracer's wishes
 *   client.c                the library of the process that receives operations, if there is one
 *
 * hsa_agent/calls captures API calls: call_stubs.S and .c replace the functions, bind_stubs.c has
 * calls led to these, and call_spans.c keeps the calls that threads are in. hsa_agent/ring is the
 * shared memory; it knows nothing of HSA.
 *
 * Nothing in here may harm the application: on whatever failure, a wrapper does what the original
 * function would have done, and the core logs once that it has switched itself off.
 *
 * Locks, in the order in which they may be taken: the list of queues, a queue, a shard of
 * application_signals.c, then the innermost ones (pools, meta log). None is held while calling a
 * function of the runtime that could call us back.
 */
#ifndef RTRACE_HSA_AGENT_CORE_AGENT_INTERNAL_H
#define RTRACE_HSA_AGENT_CORE_AGENT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa_tables.h"
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include "abi/agent_client.h"
#include "hsa_agent/ring/shared_memory.h"
#include "hsa_agent/calls/call_spans.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- agent.c ---- */

struct agent {
	/* Recording operations. Read on every launch, written by the reaper alone. */
	uint32_t active;
	uint32_t wants; /* RT_AGENT_WANT_*, of the tracer that it records for */
	uint32_t told;	/* RTRACE_WANT_*: what a library of the process receives */
	/* Either, or an operation of interest still waits for a signal: packets are looked at. */
	uint32_t watching;
	/* For good: after a failure, in a forked child, when the process has ended but for its last
	 * destructors. */
	uint32_t off;
	bool verbose;
	int tracer; /* that has started us, recording; 0: none has */
	struct shm shm;
};

extern struct agent agent;

static inline bool agent_active(void)
{
	return __atomic_load_n(&agent.active, __ATOMIC_RELAXED);
}

static inline bool agent_watching(void)
{
	return __atomic_load_n(&agent.watching, __ATOMIC_RELAXED);
}

/* What a library of the process receives: agent_client.h. */
static inline uint32_t agent_told(void)
{
	return __atomic_load_n(&agent.told, __ATOMIC_ACQUIRE); /* and the client */
}

/* Does the tracer or a client want operations? */
static inline bool agent_follows(void)
{
	return agent_active() || agent_told();
}

/* By a tracer, to record operations. */
static inline bool agent_asked(void)
{
	const struct rt_agent_control *c = agent.shm.control;

	return __atomic_load_n(&c->active, __ATOMIC_RELAXED) &&
	       !(__atomic_load_n(&c->wants, __ATOMIC_RELAXED) & RT_AGENT_WANT_CALLS_ONLY);
}

/*
 * Must what is not recorded be counted as lost? That is also while a tracer wants operations and
 * the reaper has not noticed the tracer yet, or takes it for ended, or has itself ended.
 */
static inline bool agent_wanted(void)
{
	return agent_active() || agent_asked();
}

static inline uint64_t agent_next_op(void)
{
	return __atomic_add_fetch(&agent.shm.state->ops, 1, __ATOMIC_RELAXED);
}

/* gettid(), remembered by thread */
uint32_t agent__tid(void);

/*
 * The records of what happens on a thread: agent_begin before it is done, agent_claim and
 * shared_memory__publish after. agent_begin: the time, 0 while dormant. agent_claim fills in all
 * but what is special; NULL if the record is lost, or not wanted any more.
 */
static inline uint64_t agent_begin(void)
{
	return unlikely(agent_active()) ? call_spans__now() : 0;
}

struct rt_agent_rec *agent__claim(enum rt_agent_kind kind, enum rt_agent_what what, uint64_t begin,
				  uint64_t *pos);

/* One line on stderr; agent__say only with RTRACE_AGENT_LOG. */
void agent__warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void agent__say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Switches the agent off and logs the reason, once. */
void agent__fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* ---- hsa_table_hooks.c ---- */

/* The functions as they were before we put wrappers in their places. */
struct originals {
	CoreApiTable core;
	AmdExtTable amd;
	uint32_t major; /* of the root table: 1 is ROCm up to 5.7, 2 and 3 are 6.x */
};

extern struct originals hsa;

/* Checks the runtime's tables and copies them. False, with a message, when we cannot serve them. */
bool tables__copy(const HsaApiTable *table, struct originals *to);
/* ... those of the runtime that the agent serves. */
bool tables__save(const HsaApiTable *table);

/* Puts the wrappers in. The runtime takes them out itself, after OnUnload. */
void tables__wrap(HsaApiTable *table);

static inline amd_signal_t *signal_abi(hsa_signal_t signal)
{
	return (amd_signal_t *)signal.handle;
}

static inline int64_t signal_value(hsa_signal_t signal)
{
	return __atomic_load_n(&signal_abi(signal)->value, __ATOMIC_ACQUIRE);
}

/* One of ours, which nothing uses: it can be completed once. */
static inline void signal_make_ready(hsa_signal_t signal)
{
	amd_signal_t *abi = signal_abi(signal);

	abi->start_ts = 0;
	abi->end_ts = 0;
	__atomic_store_n(&abi->value, 1, __ATOMIC_RELEASE);
}

/* ---- devices.c ---- */

/* Finds the agents and writes them to the meta log. 0 or -errno. */
int devices__init(void);
/* Id of an agent, 0 for one that was not there at the start. */
uint32_t device__id(hsa_agent_t agent);
/* Any CPU agent: the host's side of copies that name only one agent. */
uint32_t device__cpu_id(void);
/* The name of its instruction set, "gfx906"; "" unknown. */
const char *device__gfx(uint32_t id);
/* Calls fn for every agent, for every GPU. */
void devices__each(void (*fn)(hsa_agent_t, uint32_t id, void *arg), void *arg);
void devices__each_gpu(void (*fn)(hsa_agent_t, uint32_t id, void *arg), void *arg);

/* The GPU of that id; .handle == 0: it is none. */
hsa_agent_t device__gpu(uint32_t id);
/* The driver's number of a GPU, 0 unknown. */
uint32_t device__gpu_id(uint32_t id);
/* The driver's number of the node that an agent is, 0 unknown. */
uint32_t device__node(uint32_t id);
/* What its clock was when it was last looked at: clock_pairs.c's. */
void device__set_ticks(uint32_t id, uint64_t ticks);
uint64_t device__ticks(uint32_t id);

/* ---- clock_pairs.c ---- */

/* Records a pair of clocks for every GPU, and one for the runtime's clock. */
void clocks__record(void);
/* The latter as a name, for a tracer that comes later. */
void clocks__announce(void);
/* Are there pairs of all GPUs? Then the times of kernels are to be recorded as ticks. */
bool clocks__have_ticks(void);
/*
 * How the runtime converts ticks of a GPU at the moment, by two points that are near. False: that
 * is not known, or is not needed.
 */
struct clock_line {
	uint64_t ticks, from, to;
};
bool clocks__line(uint32_t device, struct clock_line *line);
/* The ticks that the line converts to that time. */
uint64_t clocks__to_ticks(const struct clock_line *line, uint64_t time);

/* ---- kernel_hooks.c ---- */

hsa_status_t hook_hsa_executable_freeze(hsa_executable_t executable, const char *options);
hsa_status_t hook_hsa_executable_destroy(hsa_executable_t executable);
uint32_t kernel__id(uint64_t kernel_object);
/* NULL: not known. It stays for good. */
const char *kernel__name(uint64_t kernel_object);
/* The runtime goes away, and all code with it. */
void kernels__release(void);
void kernels__forked(void);

/* ---- memory_hooks.c ---- */

/* Learns which device each pool belongs to. */
void memory__init(void);

hsa_status_t hook_hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t pool, size_t size,
					       uint32_t flags, void **ptr);
hsa_status_t hook_hsa_amd_memory_pool_free(void *ptr);
hsa_status_t hook_hsa_memory_allocate(hsa_region_t region, size_t size, void **ptr);
hsa_status_t hook_hsa_memory_free(void *ptr);
#ifdef RT_HSA_HAS_hsa_amd_vmem_handle_create
hsa_status_t memory__vmem_address_reserve(void **va, size_t size, uint64_t address, uint64_t flags);
hsa_status_t memory__vmem_address_free(void *va, size_t size);
hsa_status_t memory__vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size,
					hsa_amd_memory_type_t type, uint64_t flags,
					hsa_amd_vmem_alloc_handle_t *handle);
hsa_status_t memory__vmem_handle_release(hsa_amd_vmem_alloc_handle_t handle);
hsa_status_t memory__vmem_map(void *va, size_t size, size_t offset,
			      hsa_amd_vmem_alloc_handle_t handle, uint64_t flags);
hsa_status_t memory__vmem_unmap(void *va, size_t size);
#endif
#ifdef RT_HSA_HAS_hsa_amd_vmem_address_reserve_align
hsa_status_t memory__vmem_address_reserve_align(void **va, size_t size, uint64_t address,
						uint64_t alignment, uint64_t flags);
#endif

/* ---- scratch_hooks.c ---- */

/* Asks the runtime to report its scratch memory, where it can. */
void scratch__wrap(HsaApiTable *table);

/* ---- signal_pool.c ---- */

/* The runtime is there. */
void signals__init(void);
/*
 * May it be a signal of the application's? Handles come from the application unchecked; one that is
 * none is left to the runtime, or to the GPU.
 */
bool signal__is_real(hsa_signal_t signal);
/* For a GPU to complete and the reaper to poll: no interrupt. .handle == 0: none to be had. */
hsa_signal_t signal__take_polled(void);
/* For the runtime's handler thread to wait on. */
hsa_signal_t signal__take_interrupt(void);
/* Back into the pool; they must have completed, or never been used. */
void signal__put_polled(hsa_signal_t signal);
void signal__put_interrupt(hsa_signal_t signal);
/*
 * Gives all signals of the pool back to the runtime: when it is shut down. Its handler thread may
 * put some back even then: the next runtime must not be given them.
 */
void signals__release(void);
void signals__forked(void);

/* ---- exit_table.c ---- */

/*
 * The operation is about to be given to the GPU of that id and will leave its times in the signal.
 * `flags`: RT_FLIGHT_*.
 */
void flight__begin(uint64_t op, hsa_signal_t signal, uint32_t device, uint32_t flags);
/* It has ended, or never will. To be called before the signal is used for something else. */
void flight__end(uint64_t op);
/*
 * A round of the reaper: notes how many of the oldest have ended. `numbered`: what the round before
 * returned, 0 in the first one. An operation is numbered before it is in the table: those that were
 * not numbered by then are not taken for ended.
 */
uint64_t flight__round(uint64_t numbered);

/* ---- application_signals.c ---- */

/* How many of the application's signals the table knows: 0 is what makes it free of cost. */
extern uint32_t shadow_count;

/* Will the times of any kernel be in a signal of the application? */
bool shadow__has_kernels(void);
/* A copy will complete the signal. False: no memory. */
bool shadow__expect_copy(hsa_signal_t signal, uint64_t op);
/* It has ended: the times to report to the application. */
void shadow__settle_copy(hsa_signal_t signal, uint64_t op, uint64_t begin, uint64_t end);
/* The signal is completed by something else from now on, or destroyed. */
void shadow__drop_slow(hsa_signal_t signal, bool destroyed);

static inline void shadow_drop(hsa_signal_t signal)
{
	if (unlikely(__atomic_load_n(&shadow_count, __ATOMIC_RELAXED)))
		shadow__drop_slow(signal, false);
}

/* After fork, in the child: unlocks. */
void shadow__forked(void);

hsa_status_t hook_hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
							hsa_amd_profiling_async_copy_time_t *time);
hsa_status_t hook_hsa_signal_destroy(hsa_signal_t signal);

/* ---- queue_hooks.c ---- */

hsa_status_t hook_hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				   void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				   void *data, uint32_t private_size, uint32_t group_size,
				   hsa_queue_t **queue);
hsa_status_t hook_hsa_queue_destroy(hsa_queue_t *queue);
hsa_status_t hook_hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable);
hsa_status_t
hook_hsa_amd_queue_intercept_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				    void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				    void *data, uint32_t private_size, uint32_t group_size,
				    hsa_queue_t **queue);

struct owners *queues__owners(const hsa_queue_t *queue);
/* The ids of a queue and of its device, 0 if it is not known. */
void queues__identify(const hsa_queue_t *queue, uint32_t *id, uint32_t *device);

/* Writes the times of what has completed on every queue; the number of operations. */
uint64_t queues__reap(void);
/* Has the packets of all queues looked at, see dispatch__follow. */
void queues__follow(bool on);
/* The runtime goes away: forgets all queues, gives their signals to the pool. */
void queues__release(void);
void queues__forked(void);

/* ---- queue_log.c ---- */

/* Gives a new queue an id, under which it is in the meta log. */
uint32_t queue_log__new(const hsa_queue_t *queue, uint32_t device, bool watched);
/* Records what has happened to it; `begin`: of the call. */
void queue_log__created(const hsa_queue_t *queue, uint32_t id, uint32_t device, uint64_t begin);
void queue_log__destroyed(const hsa_queue_t *queue, uint32_t id, uint32_t device, uint64_t begin);

/* ---- packet_owners.c ---- */

struct owner {
	uint64_t time;		     /* of the reservation */
	__u64 corr, root;	     /* the agent's calls around it: struct rt_agent_rec */
	struct rtrace_caller caller; /* the client's, if it receives packets */
	uint64_t held;		     /* the id that it is to release; 0: none */
	uint32_t tid;		     /* 0: not known */
	uint32_t index;		     /* of the packet, its low half */
};

/* Of the packets in a queue; the list is as long as the queue. */
struct owners {
	struct owner *list;
	uint64_t mask;
};

/* `packets`: a power of two. 0, or -1 if memory is lacking. */
int owners__init(struct owners *o, uint32_t packets);
void owners__free(struct owners *o);
/* The calling thread has reserved `count` packets from `index` on. */
void owners__note(const hsa_queue_t *queue, uint64_t index, uint64_t count);
/* False if the packet's place was reserved while nothing was recorded or reported. */
bool owners__find(const struct owners *o, uint64_t index, struct owner *owner);
/* The packet has been looked at. */
void owners__let_go(const struct owners *o, uint64_t index);
/* Not by the calling thread, or in an earlier call of it? */
bool owners__are_elsewhere(const hsa_queue_t *queue, uint64_t index, const struct owner *owner);
/* Both. */
bool owners__find_other(const hsa_queue_t *queue, const struct owners *o, uint64_t index,
			struct owner *owner);

uint64_t hook_hsa_queue_add_write_index_scacq_screl(const hsa_queue_t *queue, uint64_t value);
uint64_t hook_hsa_queue_add_write_index_scacquire(const hsa_queue_t *queue, uint64_t value);
uint64_t hook_hsa_queue_add_write_index_relaxed(const hsa_queue_t *queue, uint64_t value);
uint64_t hook_hsa_queue_add_write_index_screlease(const hsa_queue_t *queue, uint64_t value);
uint64_t hook_hsa_queue_cas_write_index_scacq_screl(const hsa_queue_t *queue, uint64_t expected,
						    uint64_t value);
uint64_t hook_hsa_queue_cas_write_index_scacquire(const hsa_queue_t *queue, uint64_t expected,
						  uint64_t value);
uint64_t hook_hsa_queue_cas_write_index_relaxed(const hsa_queue_t *queue, uint64_t expected,
						uint64_t value);
uint64_t hook_hsa_queue_cas_write_index_screlease(const hsa_queue_t *queue, uint64_t expected,
						  uint64_t value);
void hook_hsa_queue_store_write_index_relaxed(const hsa_queue_t *queue, uint64_t value);
void hook_hsa_queue_store_write_index_screlease(const hsa_queue_t *queue, uint64_t value);

/* ---- packet_intercept.c ---- */

void hook_hsa_signal_store_relaxed(hsa_signal_t signal, hsa_signal_value_t value);
void hook_hsa_signal_store_screlease(hsa_signal_t signal, hsa_signal_value_t value);

/* ---- copy_hooks.c ---- */

hsa_status_t hook_hsa_amd_memory_async_copy(void *dst, hsa_agent_t dst_agent, const void *src,
					    hsa_agent_t src_agent, size_t size, uint32_t num_deps,
					    const hsa_signal_t *deps, hsa_signal_t completion);
hsa_status_t hook_hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *dst,
						 const hsa_dim3_t *dst_offset,
						 const hsa_pitched_ptr_t *src,
						 const hsa_dim3_t *src_offset,
						 const hsa_dim3_t *range, hsa_agent_t copy_agent,
						 hsa_amd_copy_direction_t dir, uint32_t num_deps,
						 const hsa_signal_t *deps, hsa_signal_t completion);
#ifdef RT_HSA_HAS_hsa_amd_memory_async_copy_on_engine
hsa_status_t copies__async_copy_on_engine(void *dst, hsa_agent_t dst_agent, const void *src,
					  hsa_agent_t src_agent, size_t size, uint32_t num_deps,
					  const hsa_signal_t *deps, hsa_signal_t completion,
					  hsa_amd_sdma_engine_id_t engine, bool force_sdma);
#endif
hsa_status_t hook_hsa_amd_profiling_async_copy_enable(bool enable);

/*
 * Has the runtime take the times of copies, or leaves that to the application again: when none is
 * wanted any more, and there are no relays.
 */
void copies__profile(bool on);
void copies__release(void);
void copies__forked(void);

/* ---- blocking_copies.c ---- */

hsa_status_t hook_hsa_memory_copy(void *dst, const void *src, size_t size);
hsa_status_t hook_hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count);

/* ---- memory_owner.c ---- */

/* The device that has the memory, by what a runtime says. .handle == 0: it does not know of it. */
hsa_agent_t memory_owner__of(const struct originals *runtime, const void *address, uint64_t bytes);
/* The GPU that the runtime fills the memory by. .handle == 0: none, it does that itself. */
hsa_agent_t memory_owner__filler(const struct originals *runtime, const void *address,
				 uint64_t bytes);
bool memory_owner__is_gpu(const struct originals *runtime, hsa_agent_t device);

/* ---- reaper.c ---- */

/* Starts the thread. With `recording`, recording starts now and not when a tracer asks. */
int reaper__start(bool recording);
/*
 * Has the thread collect what has completed and end. Waits for that, but not for long: the thread
 * that ends the process may hold a lock that this thread needs.
 */
void reaper__stop(void);
void reaper__forked(void);
/* From now on the client receives what it wants. False: the agent is not there. */
bool reaper__ask_client(void);
/* The same soon, from inside of a report to the client. */
void reaper__ask_client_later(void);

/* ---- client.c ---- */

/* RTRACE_WANT_*, whether there is a runtime or not. */
uint32_t client__wishes(void);

#endif
