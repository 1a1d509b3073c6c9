/* SPDX-License-Identifier: MIT */
/*
 * The view of an agent's memory, for the files that make it up: agent_memory.c (the memory and the
 * ring) and agent_meta_log.c (the meta log and what is remembered of it).
 */
#ifndef RTRACE_AGENT_AGENT_MEMORY_INTERNAL_H
#define RTRACE_AGENT_AGENT_MEMORY_INTERNAL_H

#include "user/agent/agent_memory.h"
#include "user/agent/agent_calls.h"

/* By id: ids are given out from 1 on, so a table is as long as the largest of them. */
struct agent_table {
	void **entries;
	uint32_t size;
};

/* What an agent reports of itself at the end. */
struct agent_figures {
	uint64_t lost[RT_AGENT_KINDS]; /* records dropped */
	uint64_t lost_names;
	uint64_t lost_calls, bad_calls;
	uint64_t unlikely; /* number of these counts that are not accepted */
	uint64_t skipped;  /* queues that it could not watch */
	uint64_t others;   /* runtimes that it does not serve */
	bool failed;
	uint64_t clock_error;
};

struct agent_view {
	pid_t pid;
	int fd; /* of the memory: what has the claim */
	bool claimed;
	char *base; /* for reading alone as long as it is not claimed */
	size_t size;
	ino_t inode;		       /* of the memory: all memfds are of one file system */
	struct rt_agent_header header; /* checked copy */
	uint64_t tail;		       /* next slot */
	uint64_t last_head;	       /* of a dead process: where its ring ends for good */
	bool dead;		       /* last_head is set */
	uint64_t unfinished;	       /* slots of a dead process that were stepped over */
	uint64_t waiting;	       /* records handed out that are not done with */
	uint64_t bad;
	uint64_t opened;		      /* when that was */
	uint64_t lost_before[RT_AGENT_KINDS]; /* records dropped before this tracer came */
	uint64_t first_op; /* lowest number of an operation with a submission that was seen */
	struct agent_spans *spans; /* NULL: it can capture no calls */
	struct agent_figures last; /* when it was closed */
	/* ---- agent_meta_log.c's ---- */
	struct strings *strings;
	uint64_t meta_read;
	bool meta_broken;
	struct clock_map clock; /* the runtime's */
	struct agent_table devices, kernels, code;
	const char *runtime;
	uint32_t runtimes;	/* texts of that kept so far */
	uint64_t names_dropped; /* what exceeds the limits */
	uint64_t shown;		/* bytes of names that were asked for */
};

/* The meta log is longer than that in no agent. */
#define AGENT_META_MAX (256ull << 20)

/* Reads what is new in the meta log. */
void agent_meta_log__read(struct agent_view *v);

/* A pair of a device's clock, with 0 of the runtime's. False: it makes no sense. */
bool agent_meta_log__clock(struct agent_view *v, uint32_t device, const struct clock_pair *pair);

/* Forgets all. */
void agent_meta_log__free(struct agent_view *v);

#endif
