/* SPDX-License-Identifier: MIT */
/*
 * All agents of a trace: finds them, keeps them recording, drains them.
 */
#ifndef RTRACE_AGENTS_H
#define RTRACE_AGENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/events.h"
#include "user/agent.h"

struct agents;

struct agents_callbacks {
	void (*record)(struct agent_view *v, const struct rt_agent_rec *rec, void *arg);
	/* What it has captured, see agent_spans.h. */
	void (*call)(struct agent_view *v, const struct rt_rec *rec, void *arg);
	/* Calls of the process are to be captured by it: agent__spans. */
	void (*capture)(struct agent_view *v, void *arg);
	void (*gone)(struct agent_view *v, void *arg); /* no more records; the view stays valid */
	/* Its memory is at that address in the process; 0: that is over. */
	void (*placed)(pid_t pid, uint64_t address, void *arg);
	/* It has not recorded between these times, as it had no sign of life from us. */
	void (*paused)(struct agent_view *v, uint64_t begin, uint64_t end, void *arg);
	/* Another tracer had calls of the process captured by its agent, past our probes. */
	void (*blinded)(pid_t pid, uint64_t begin, uint64_t end, void *arg);
	void *arg;
};

/*
 * `wanted`: GPU operations belong into the trace; else all agents are left dormant. Those that are,
 * or have another tracer, are told that calls must take their probes.
 */
struct agents *agents__new(struct strings *strings, const struct agents_callbacks *callbacks,
			   bool wanted);
void agents__free(struct agents *a);

/* What they are to record beyond the usual: RT_AGENT_WANT_*. Of those that come from now on. */
void agents__want(struct agents *a, uint32_t wants);

/* Calls are captured by the agents that come from now on, as far as these can. */
void agents__capture_calls(struct agents *a);

/*
 * Looks for the agent of a running process and activates it. Returns true if it has one, else false
 * with errno as agent__find. Before agents__begin, what it has recorded so far is left aside.
 */
bool agents__look(struct agents *a, pid_t pid);

/* Are operations of the process read from its agent? */
bool agents__reads(const struct agents *a, pid_t pid);

/*
 * The process has created agent memory as descriptor `fd`, at that time; it is activated when it is
 * ready, and read from its first record.
 */
void agents__created(struct agents *a, pid_t pid, int fd, uint64_t at);

/* The agent that reads the process, if it captures calls; NULL: none does. */
struct agent_view *agents__capturing(const struct agents *a, pid_t pid);

/*
 * The process has ended, or runs another program, since `at`: hands out all calls that its agent
 * has captured, those that had not returned as ending then.
 */
void agents__end_calls(struct agents *a, pid_t pid, uint64_t at);

/* The same of one thread, as agent_spans__finish_thread. `tid`: as the process knows it. */
void agents__end_calls_of(struct agents *a, pid_t pid, uint32_t tid, uint64_t since, uint64_t at);

/* An operation of a process that is being killed has ended; the agent may have said so too. */
void agents__ended(struct agents *a, const struct rt_rec_ended *rec);

/* The process runs another program since `at`: its agent is gone. */
void agents__exec(struct agents *a, pid_t pid, uint64_t at);

/*
 * Drains all, of each no more than AGENT_DRAIN_MAX records. Returns true if all that was there when
 * it was called has been seen, but for those agents that were behind for so long that they are not
 * waited for any more. To be followed by agent__done_with for each record, some time.
 */
bool agents__drain(struct agents *a);

/*
 * The same, to be repeated until it returns true: the last records, without waiting for unfinished
 * ones, which count as bad.
 */
bool agents__drain_last(struct agents *a);

/* What that has not seen is counted as bad. */
void agents__give_up(struct agents *a);

/* Lets go of the agents of processes that have ended, after a last drain. */
void agents__reap(struct agents *a);

/* Whose `gone` was told, and of which nobody will ask more than what it has lost. */
void agents__release(struct agents *a, struct agent_view *v);

/* A sign of life to all, which is due every 100 ms. Nothing after agents__stop. */
void agents__heartbeat(struct agents *a);

/*
 * The trace begins: waits until all record, at most `timeout_ms`. What they do not record from then
 * on counts as lost.
 */
void agents__begin(struct agents *a, int timeout_ms);

/* Asks all to stop recording, and waits until they have, at most `timeout_ms`. */
void agents__stop(struct agents *a, int timeout_ms);

/* Agents whose memory was gone before it could be read. */
uint64_t agents__missed(const struct agents *a);

/* Calls `fn` for each; of those that are gone and have lost nothing only for the one of the worst
 * clock. */
void agents__each(struct agents *a, void (*fn)(struct agent_view *v, void *arg), void *arg);

#endif
