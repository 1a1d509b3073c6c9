/* SPDX-License-Identifier: MIT */
/*
 * The tracer's side of an agent's shared memory (hsa_agent/agent_ring.h): find, check, activate,
 * read.
 *
 * Nothing in that memory is believed. Sizes come from the sealed file, records are copied before
 * they are looked at, loops are bounded by the ring's size, and names go through strings__keep.
 */
#ifndef RTRACE_AGENT_H
#define RTRACE_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/events.h"
#include "hsa_agent/agent_ring.h"
#include "user/clock.h"
#include "user/strings.h"

struct agent_spans;
struct agent_view;

/* What the agent said of a device, a queue and a kernel. Ids that it did not announce give NULL. */
struct agent_device {
	int32_t gpu; /* 0-based index among the GPUs of the process, -1: a CPU */
	char name[160];
	char details[160]; /* "60 CUs, PCI 0000:03:00.0, GPU-0123456789abcdef, node 1, gpu_id 5" */
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
 * Opens the agent memory mapped by a process. NULL with errno set: ENOENT if it has none, EPROTO if
 * it is not what it should be, EBUSY if another tracer has it (both are said), others as from the
 * system.
 */
struct agent_view *agent__find(pid_t pid, struct strings *strings);

/*
 * The same from a descriptor that the process has just created: the memory may not be ready yet
 * (EAGAIN). Does not take over fd.
 */
struct agent_view *agent__from_fd(pid_t pid, int fd, struct strings *strings);

/* What a process has of an agent, for who does not want to trace it. */
enum agent_presence {
	AGENT_ABSENT,
	AGENT_DORMANT,
	AGENT_RECORDING,
	AGENT_OFF,   /* it has switched itself off */
	AGENT_OTHER, /* of another version, or damaged, or not to be looked at */
};

/* `tracer`: for whom it records, as it is told; 0: nobody. Changes nothing. */
enum agent_presence agent__peek(pid_t pid, pid_t *tracer);

/* What it has recorded so far was another tracer's business, or nobody's. */
void agent__skip_recorded(struct agent_view *v);

/* What it has dropped so far does not count. */
void agent__forget_losses(struct agent_view *v);

void agent__free(struct agent_view *v);

/* Lets go of the memory and of all names: only agent__pid and the figures at the end are left. */
void agent__close(struct agent_view *v);

pid_t agent__pid(const struct agent_view *v);

/* Where the process has the memory, as it says itself. */
uint64_t agent__address(const struct agent_view *v);

/* Do both read one memory, of which there can be but one reader? Not those that are closed. */
bool agent__share_memory(const struct agent_view *a, const struct agent_view *b);

/*
 * What captures calls in the process; NULL: it cannot. Before it is activated: no calls are wanted
 * then. `first_corr`: see agent_spans__new.
 */
struct agent_spans *agent__open_spans(struct agent_view *v, uint64_t first_corr);
struct agent_spans *agent__spans(const struct agent_view *v);

/* Tells the agent to record, and that the tracer is alive: to be repeated every 100 ms. */
void agent__activate(struct agent_view *v);
/* What is recorded beyond the usual: RT_AGENT_WANT_*. To be said before it is activated. */
void agent__want(struct agent_view *v, uint32_t wants);
void agent__deactivate(struct agent_view *v);

/*
 * The memory of an agent whose process is traced by its probes alone, by this tracer; NULL: it has
 * none. agent__keep_probes is to be repeated every 100 ms: no tracer has its calls captured by the
 * agent then, where the probes would not see them.
 */
struct agent_view *agent__find_probed(pid_t pid);
void agent__keep_probes(struct agent_view *v);
/*
 * When it last did so all the same, ns of CLOCK_BOOTTIME as the process says; 0: never. It still
 * does if the end is not after the beginning: it answers within a few milliseconds.
 */
void agent__captured(const struct agent_view *v, uint64_t *since, uint64_t *until);

/* What the agent says of itself: is it recording? It answers within a few milliseconds. */
bool agent__recording(const struct agent_view *v);

/* No process is to keep the others waiting: so many records does one drain hand out, ... */
#define AGENT_DRAIN_MAX 16384
/* ... and none as long as so many are not done with. The agent counts what it has no room for. */
#define AGENT_WAITING_MAX 262144

/*
 * Hands out complete records, within these limits; reads new names and clock pairs first. Returns
 * true if all that was claimed when it was called has been seen. `dead`: the process is gone, step
 * over unfinished slots, and let nothing be added any more.
 */
bool agent__drain(struct agent_view *v, bool dead,
		  void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec, void *arg),
		  void *arg);

/* Hands out a record that says that of an operation. */
void agent__hand_out_end(struct agent_view *v, const struct rt_rec_ended *ended,
			 void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec,
				    void *arg),
			 void *arg);

/* One of the records that were handed out is done with. */
void agent__done_with(struct agent_view *v);

/* What is left in the ring will not be read: counts it as bad. */
void agent__give_up(struct agent_view *v);

const struct agent_device *agent__device(const struct agent_view *v, uint32_t id);
/* What they are called is made up when it is first asked for. */
const struct agent_kernel *agent__kernel(struct agent_view *v, uint32_t id);
const struct agent_code *agent__code(struct agent_view *v, uint32_t id);
/* The versions of the runtime that the process last initialised; NULL: it did not say. */
const char *agent__runtime(const struct agent_view *v);
/* The clock of a device, with 0 that of the runtime; NULL: it did not announce that device. */
const struct clock_map *agent__clock(const struct agent_view *v, uint32_t device);

/* Within how many ns the worst pair of any GPU's clock was read; 0: the runtime's clock was used.
 */
uint64_t agent__clock_error(const struct agent_view *v);

/* Calls `fn` for every device announced so far. */
void agent__each_device(const struct agent_view *v,
			void (*fn)(const struct agent_device *, void *arg), void *arg);

/*
 * Operations and ends that the agent did not record since this tracer came (a tracer that is the
 * first counts all), and slots that were skipped or made no sense. Counts that no agent can come to
 * in that time are not believed: each is one that made no sense.
 */
uint64_t agent__lost(const struct agent_view *v);
/* Those of one kind (enum rt_agent_kind), and names that did not fit into the agent's log. */
uint64_t agent__lost_of(const struct agent_view *v, unsigned int kind);
uint64_t agent__lost_names(const struct agent_view *v);
uint64_t agent__bad(const struct agent_view *v);
/* Calls that it has captured, and had no room for. */
uint64_t agent__lost_calls(const struct agent_view *v);

/*
 * Could the submission of that operation have been seen? If not, it was submitted before this
 * tracer came, and its end tells nothing.
 */
bool agent__saw_submit(const struct agent_view *v, uint64_t op);

/* Queues that the agent could not watch: what they ran is not in the trace. */
uint64_t agent__unwatched_queues(const struct agent_view *v);

/* Has the agent switched itself off? */
bool agent__failed(const struct agent_view *v);

/* Has it lost nothing, failed in nothing, and written nothing that made no sense? */
bool agent__is_flawless(const struct agent_view *v);

#endif
