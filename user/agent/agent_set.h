/* SPDX-License-Identifier: MIT */
/*
 * All agents of a trace: finds them, keeps them recording, drains them.
 */
#ifndef RTRACE_AGENT_AGENT_SET_H
#define RTRACE_AGENT_AGENT_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "user/agent/agent_memory.h"

struct agents;

struct agents_callbacks {
	void (*record)(struct agent_view *v, const struct rt_agent_rec *rec, void *arg);
	/* What it has captured, see agent_calls.h. */
	void (*call)(struct agent_view *v, const struct rt_rec *rec, void *arg);
	/* Calls of the process are to be captured by it: agent_memory__spans. */
	void (*capture)(struct agent_view *v, void *arg);
	void (*gone)(struct agent_view *v, void *arg); /* no more records; the view stays valid */
	/* Its memory is at that address in the process; 0: no longer. */
	void (*placed)(pid_t pid, uint64_t address, void *arg);
	/* It has not recorded between these times, as it had no sign of life from us. */
	void (*paused)(struct agent_view *v, uint64_t begin, uint64_t end, void *arg);
	/* What its agent does is read by another tracer from then on. */
	void (*taken)(pid_t pid, uint64_t at, void *arg);
	/* Another tracer had calls of the process captured by its agent, past our probes. */
	void (*blinded)(pid_t pid, uint64_t begin, uint64_t end, void *arg);
	void *arg;
};

/*
 * `wanted`: GPU operations belong into the trace; else all agents are left dormant. The tracer asks
 * dormant agents, and agents of another tracer, to let calls take their probes.
 */
struct agents *agent_set__new(struct strings *strings, const struct agents_callbacks *callbacks,
			      bool wanted);
void agent_set__free(struct agents *a);

/*
 * Which tracer gives way to which: CLAIM_OF_PROCESS unless this is called before the first look. An
 * agent that serves another tracer is read as soon as that has ended.
 */
void agent_set__set_rank(struct agents *a, enum claim_rank rank);

/* What they are to record beyond the usual: RT_AGENT_WANT_*. Of those that come from now on. */
void agent_set__want(struct agents *a, uint32_t wants);

/* Calls are captured by the agents that come from now on, as far as these can. */
void agent_set__capture_calls(struct agents *a);

/*
 * Looks for the agent of a running process and activates it. Returns true if it has one that serves
 * this tracer, or is about to, else false with errno as agent_memory__find, or EBUSY: it serves
 * another tracer. Before agent_set__begin, what it has recorded so far is left aside.
 */
bool agent_set__look(struct agents *a, pid_t pid);

/* Logs once, in one line, why nothing is read from the agent. `err`: errno of agent_set__look. */
void agent_set__say_unread(struct agents *a, pid_t pid, int err);

/* Are operations of the process read from its agent? */
bool agent_set__reads(const struct agents *a, pid_t pid);

/*
 * The process has created agent memory as descriptor `fd`, at that time; it is activated when it is
 * ready, and read from its first record.
 */
void agent_set__created(struct agents *a, pid_t pid, int fd, uint64_t at);

/* The agent that reads the process, if it captures calls; NULL: none does. */
struct agent_view *agent_set__capturing(const struct agents *a, pid_t pid);

/*
 * The process has ended, or runs another program, since `at`: hands out all calls that its agent
 * has captured, those that had not returned as ending then.
 */
void agent_set__end_calls(struct agents *a, pid_t pid, uint64_t at);

/* The same of one thread, as agent_calls__finish_thread. `tid`: as the process knows it. */
void agent_set__end_calls_of(struct agents *a, pid_t pid, uint32_t tid, uint64_t since,
			     uint64_t at);

/* An operation of a process that is being killed has ended; the agent may have recorded it too. */
void agent_set__ended(struct agents *a, const struct rt_rec_ended *rec);

/* The process runs another program since `at`: its agent has ended. */
void agent_set__exec(struct agents *a, pid_t pid, uint64_t at);

/*
 * Drains all, of each no more than AGENT_DRAIN_MAX records. Returns true if all that was there when
 * it was called has been read. Agents that were late for too long are not waited for any more and
 * do not count. The caller calls agent_memory__done_with for each record, at any later time.
 */
bool agent_set__drain(struct agents *a);

/*
 * The same, to be repeated until it returns true: the last records, without waiting for unfinished
 * ones, which count as bad.
 */
bool agent_set__drain_last(struct agents *a);

/* What the last drain has not read is counted as bad. */
void agent_set__give_up(struct agents *a);

/* Lets go of the agents of processes that have ended, after a last drain. */
void agent_set__reap(struct agents *a);

/* For a view that was passed to `gone`: from now on, only its losses may be queried. */
void agent_set__release(struct agents *a, struct agent_view *v);

/* A sign of life to all, which is due every 100 ms. Nothing after agent_set__stop. */
void agent_set__heartbeat(struct agents *a);

/*
 * The trace begins: waits until all record, at most `timeout_ms`. What they do not record from then
 * on counts as lost.
 */
void agent_set__begin(struct agents *a, int timeout_ms);

/* Asks all to stop recording, and waits until they have, at most `timeout_ms`. */
void agent_set__stop(struct agents *a, int timeout_ms);

/* Agents with memory that was freed before it could be read. */
uint64_t agent_set__missed(const struct agents *a);

/*
 * Calls `fn` for each; of the released agents that have lost nothing, only for the one with the
 * worst clock.
 */
void agent_set__each(struct agents *a, void (*fn)(struct agent_view *v, void *arg), void *arg);

#endif
