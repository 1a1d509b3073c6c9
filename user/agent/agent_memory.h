/* SPDX-License-Identifier: MIT */
/*
 * The tracer's side of an agent's shared memory (abi/agent_ring.h): find, check, activate,
 * read.
 *
 * Nothing in that memory is trusted. Sizes come from the sealed file, records are copied before
 * they are looked at, loops are bounded by the ring's size, and names go through string_pool__keep.
 */
#ifndef RTRACE_AGENT_AGENT_MEMORY_H
#define RTRACE_AGENT_AGENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "abi/agent_ring.h"
#include "user/agent/agent_claim.h"
#include "user/clock/clock_map.h"
#include "common/string_pool.h"

struct agent_spans;
struct agent_view;

/* What the agent announced of a device, a queue and a kernel. Other ids give NULL. */
struct agent_device {
	int32_t gpu; /* 0-based index among the GPUs of the machine, -1: a CPU */
	int32_t hip; /* HIP's number of it in the process, -1: none */
	char name[160];
	/*
	 * "60 CUs, PCI 0000:03:00.0, GPU-0123456789abcdef, node 1, gpu_id 5", and DEVICE_OWN with
	 * the process's own number where that is another.
	 */
	char details[192];
};

struct agent_kernel {
	const char *name; /* demangled */
	uint32_t code;	  /* id of its code object, 0 unknown */
	uint32_t vgprs, accum_vgprs, sgprs;
};

struct agent_code {
	const char *uri; /* "" unknown */
};

/*
 * Opens the agent memory mapped by a process, for reading alone: before agent_memory__claim, only
 * the functions marked so may be used on the view. NULL with errno set: ENOENT if it has none,
 * EPROTO if it is not what it should be or of another build, others as from the system.
 */
struct agent_view *agent_memory__find(pid_t pid, struct strings *strings);

/*
 * The same from a descriptor that the process has just created: the memory may not be ready yet
 * (EAGAIN). Does not take over fd.
 */
struct agent_view *agent_memory__from_fd(pid_t pid, int fd, struct strings *strings);

/*
 * Makes this tracer the only one that writes to the memory. Returns what agent_claim__take returns.
 * The claim lasts until agent_memory__close.
 */
int agent_memory__claim(struct agent_view *v, enum claim_rank rank);

/* Keeps the claim, by the mapping alone: no tracer will ask for it any more. */
void agent_memory__close_fd(struct agent_view *v);

/* These may be called before agent_memory__claim. */
bool agent_memory__is_claimed(const struct agent_view *v);
bool agent_memory__is_asked_for(const struct agent_view *v); /* see agent_claim__is_asked_for */
bool agent_memory__is_free(const struct agent_view *v, enum claim_rank rank);
/* The tracer that has started the process with its agent, as the agent reports it; 0: none. */
pid_t agent_memory__awaited_by(const struct agent_view *v);

/* The state of a process's agent, for callers that do not want to trace it. */
enum agent_presence {
	AGENT_ABSENT,
	AGENT_DORMANT,
	AGENT_RECORDING,
	AGENT_OFF,   /* it has switched itself off */
	AGENT_OTHER, /* of another version, or damaged, or not to be looked at */
};

/* `tracer`: the process that has the claim, by its own report; 0: none. Changes nothing. */
enum agent_presence agent_memory__peek(pid_t pid, pid_t *tracer);

/* Skips what it has recorded so far: that was for another tracer, or for none. */
void agent_memory__skip_recorded(struct agent_view *v);

/* What it has dropped so far does not count. */
void agent_memory__forget_losses(struct agent_view *v);

void agent_memory__free(struct agent_view *v);

/* Lets go of the memory and of all names: only agent_memory__pid and the figures at the end are
 * left. */
void agent_memory__close(struct agent_view *v);

pid_t agent_memory__pid(const struct agent_view *v);

/* Where the process has the memory, by its own report. May be called before the claim. */
uint64_t agent_memory__address(const struct agent_view *v);

/* Are both views of one memory, which one view alone can claim? Closed views are of none. */
bool agent_memory__share_memory(const struct agent_view *a, const struct agent_view *b);

/*
 * What captures calls in the process; NULL: it cannot. Before it is activated: no calls are wanted
 * then. `first_corr`: see agent_calls__new.
 */
struct agent_spans *agent_memory__open_spans(struct agent_view *v, uint64_t first_corr);
struct agent_spans *agent_memory__spans(const struct agent_view *v);

/* Makes the agent record, and shows that the tracer is alive: to be repeated every 100 ms. */
void agent_memory__activate(struct agent_view *v);
/* What is recorded beyond the usual: RT_AGENT_WANT_*. To be set before it is activated. */
void agent_memory__want(struct agent_view *v, uint32_t wants);
void agent_memory__deactivate(struct agent_view *v);

/*
 * The memory of the agent of a process that this tracer traces by probes alone; NULL: it has none.
 * agent_memory__keep_probes is to be repeated every 100 ms: then no other tracer has the calls
 * captured by the agent, where the probes would not see them.
 */
struct agent_view *agent_memory__find_probed(pid_t pid);
void agent_memory__keep_probes(struct agent_view *v);
/*
 * When the agent last captured calls all the same, ns of CLOCK_BOOTTIME as the process reports it;
 * 0: never. It still does if the end is not after the beginning: it answers within a few
 * milliseconds.
 */
void agent_memory__captured(const struct agent_view *v, uint64_t *since, uint64_t *until);

/* Does the agent report that it is recording? It answers within a few milliseconds. */
bool agent_memory__recording(const struct agent_view *v);

/* Does the agent report operations that have not ended? */
bool agent_memory__is_running(const struct agent_view *v);

/* The most records that one drain hands out, so that no process keeps the others waiting. */
#define AGENT_DRAIN_MAX 16384
/* With that many records in use, a drain hands out none. The agent counts what has no room. */
#define AGENT_WAITING_MAX 262144

/*
 * Hands out complete records, within these limits; reads new names and clock pairs first. Returns
 * true if all slots claimed when it was called have been read. `dead`: the process has ended, so
 * step over unfinished slots, and let nothing be added any more.
 */
bool agent_memory__drain(struct agent_view *v, bool dead,
			 void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec,
				    void *arg),
			 void *arg);

/* Hands out a record of that end of an operation. */
void agent_memory__hand_out_end(struct agent_view *v, const struct rt_rec_ended *ended,
				void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec,
					   void *arg),
				void *arg);

/* One of the records that were handed out is done with. */
void agent_memory__done_with(struct agent_view *v);

/* What is left in the ring will not be read: counts it as bad. */
void agent_memory__give_up(struct agent_view *v);

const struct agent_device *agent_memory__device(const struct agent_view *v, uint32_t id);
/* The machine's number of the GPU that HIP has as `hip` in that process; -1: there is none. */
int32_t agent_memory__hip_device(const struct agent_view *v, int32_t hip);
/* The name is made on the first call. */
const struct agent_kernel *agent_memory__kernel(struct agent_view *v, uint32_t id);
const struct agent_code *agent_memory__code(struct agent_view *v, uint32_t id);
/* The versions of the runtime that the process last initialised; NULL: it did not report them. */
const char *agent_memory__runtime(const struct agent_view *v);
/* The clock of a device, with 0 that of the runtime; NULL: it did not announce that device. */
const struct clock_map *agent_memory__clock(const struct agent_view *v, uint32_t device);

/* Within how many ns the worst pair of any GPU's clock was read; 0: the runtime's clock was used.
 */
uint64_t agent_memory__clock_error(const struct agent_view *v);

/* Calls `fn` for every device announced so far. */
void agent_memory__each_device(const struct agent_view *v,
			       void (*fn)(const struct agent_device *, void *arg), void *arg);

/*
 * Operations and ends that the agent did not record since this tracer came, and slots that were
 * skipped or made no sense. The first tracer counts all of them. A count that no agent can reach in
 * that time is not accepted: it counts as one bad record.
 */
uint64_t agent_memory__lost(const struct agent_view *v);
/* Those of one kind (enum rt_agent_kind), and names that did not fit into the agent's log. */
uint64_t agent_memory__lost_of(const struct agent_view *v, unsigned int kind);
uint64_t agent_memory__lost_names(const struct agent_view *v);
uint64_t agent_memory__bad(const struct agent_view *v);
/* Calls that it has captured, and had no room for. */
uint64_t agent_memory__lost_calls(const struct agent_view *v);

/*
 * Could the submission of that operation have been seen? If not, it was submitted before this
 * tracer came, and its end is of no use.
 */
bool agent_memory__saw_submit(const struct agent_view *v, uint64_t op);

/* Queues that the agent could not watch: what they ran is not in the trace. */
uint64_t agent_memory__unwatched_queues(const struct agent_view *v);
/* HSA runtimes of the process that it does not serve: their operations are counted as lost. */
uint64_t agent_memory__other_runtimes(const struct agent_view *v);

/* Has the agent switched itself off? */
bool agent_memory__failed(const struct agent_view *v);

/* Has it lost nothing, failed in nothing, and written nothing that made no sense? */
bool agent_memory__is_flawless(const struct agent_view *v);

#endif
