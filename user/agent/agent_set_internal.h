/* SPDX-License-Identifier: MIT */
/*
 * The agents of a trace, for the files that make the set up: agent_set.c (which there are, from the
 * creation of their memory to the end of the process), agent_opening.c (how memory is found and
 * claimed) and agent_rest.c (captured calls, and what an ended process has left).
 */
#ifndef RTRACE_AGENT_AGENT_SET_INTERNAL_H
#define RTRACE_AGENT_AGENT_SET_INTERNAL_H

#include "user/agent/agent_set.h"
#include "user/agent/foreign_agents.h"
#include "user/clock/clock_map.h"
#include "common/hash.h"

#define LOOKS_OFTEN 64 /* rounds, of a millisecond each, in which memory is looked for at first */

struct member {
	struct agent_view *view; /* NULL: memory not ready yet, or not claimed: */
	struct agent_view *unclaimed;
	int memory_fd; /* until it is ready */
	int looks;     /* without that: how often it is still looked for */
	int pidfd;
	pid_t pid;
	uint64_t since;	   /* when it was created, or found */
	bool fresh;	   /* created while we were looking on */
	uint64_t yielding; /* since when it is to serve another tracer, 0: it is not */
	bool ended;	   /* its process, or that program */
	bool gone;	   /* its end is reported: all that it had recorded is read */
	bool calls_ended;  /* the calls that it has captured are reported */
	bool settling;	   /* ended since the last round: the kernel may report more of it */
	struct rt_rec_ended *ends; /* that the kernel saw when it was killed */
	uint32_t end_count, end_room;
	uint64_t patience; /* ns that it is still waited for */
	bool recorded;	   /* at the last sign of life; at the first, as it records then */
	uint64_t beaten;   /* when that was */
	uint64_t paused;   /* since when it has not recorded, 0: it does */
	struct member *next;
};

struct number {
	pid_t pid;
	unsigned int agents; /* that it had so far */
	bool said;	     /* why nothing is read */
	UT_hash_handle hh;
};

struct agents {
	struct strings *strings;
	struct agents_callbacks callbacks;
	struct member *members;
	struct member *released; /* ended, kept for what they have lost */
	struct member *flawless; /* ended, of those that have lost nothing: the worst clock's */
	struct number *numbers;
	struct probed *probed; /* processes that are traced by probes alone */
	enum claim_rank rank;
	bool wanted, capture, begun, stopped;
	uint64_t created;
	uint64_t opened; /* agents opened so far that can capture calls */
	uint32_t wants;
	uint64_t missed;  /* of which nothing could be read */
	uint64_t drained; /* when that was last done */
};

/* The living agent of a process; NULL: it has none. */
struct member *agent_set__find(const struct agents *a, pid_t pid);

/* NULL: the process has had too many, which is logged, or there is no memory. */
struct member *agent_set__add(struct agents *a, pid_t pid, uint64_t since, bool fresh);

/* Closes it and makes it -1; nothing if it is negative. */
void agent_set__close_fd(int *fd);

/*
 * The agent's memory, by its descriptor or, with -1, where it is mapped. That of another process is
 * not taken: a forked child has it mapped, too, until the child has dealt with that. A process with
 * another clock than all others is refused, too. NULL with errno; EAGAIN: it is not ready.
 */
struct agent_view *agent_opening__view(struct agents *a, pid_t pid, int fd);

/*
 * Looks for the agent of a process, as agent_set__look. `fresh`: its agent has come while we were
 * looking on, so all that it has recorded is ours.
 */
bool agent_opening__look(struct agents *a, pid_t pid, bool fresh);

/* One round's try to open or to claim the memory of one that is not read yet. */
void agent_opening__try(struct agents *a, struct member *m);

/* Claims `m->unclaimed` and starts; else it is not read. `last`: it is now or never. */
void agent_opening__ask_again(struct agents *a, struct member *m, bool last);

/* An agent that was there could not be opened, for the reason in errno. */
void agent_opening__miss(struct agents *a, pid_t pid);

/* The agent serves another tracer, past which our probes see the calls. */
void agent_opening__leave_taken(struct agents *a, pid_t pid, uint64_t since);

/* Hands out the calls that an agent has captured since. Returns true if those are all. */
bool agent_rest__drain_calls(struct agents *a, struct agent_view *view);

/* The same for the last time: what has not returned ends at that time. Once for each agent. */
void agent_rest__end_calls(struct agents *a, struct member *m, uint64_t at);

/*
 * Reads what an ended process has left. Returns true if that was all. The ends that the kernel saw
 * come last: the agent may have recorded them before.
 */
bool agent_rest__read(struct agents *a, struct member *m);

#endif
