/* SPDX-License-Identifier: MIT */
/*
 * What the tracer knows of the processes and threads that it has met.
 */
#ifndef RTRACE_TASK_H
#define RTRACE_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uthash.h>

#include "user/event.h"

struct agent_view;
struct gpu_op;

/* A roctx range that is open. */
struct open_range {
	uint64_t id;	 /* unique in the trace: correlation ID of the call that opened it */
	uint64_t handle; /* start/stop: what roctxRangeStartA returned */
	uint64_t parent;
	uint64_t begin;
	uint32_t tid;
	bool cut;
	const char *message;
};

struct range_stack {
	struct open_range *open;
	size_t count, capacity;
};

/* A finished call, remembered for GPU operations that are heard of late. */
struct recent_span {
	uint64_t begin, end, corr, root;
};

#define RECENT_SPANS 256

struct thread {
	uint64_t key; /* pid << 32 | tid */
	uint32_t pid, tid;
	bool told; /* to the sinks */
	char comm[16];
	struct recent_span recent[RECENT_SPANS]; /* a ring */
	uint64_t recent_count;
	struct gpu_op *unsettled; /* submitted, waiting for the call that did it; newest first */
	struct range_stack ranges;
	UT_hash_handle hh;
};

struct process {
	uint32_t pid;
	bool told;
	char comm[16];
	char cmdline[1024];
	struct range_stack started;	       /* ranges by start/stop */
	const struct agent_view *devices_told; /* the agent whose devices the sinks know */
	UT_hash_handle hh;
};

struct tasks;

struct tasks *tasks__new(void);
void tasks__free(struct tasks *t);

/* The process or thread of that id, made if new; NULL only if out of memory. */
struct process *tasks__process(struct tasks *t, uint32_t pid);
struct thread *tasks__thread(struct tasks *t, uint32_t pid, uint32_t tid);

/* Calls `fn` for all. `fn` may not add or remove any. */
void tasks__each_process(struct tasks *t, void (*fn)(struct process *, void *arg), void *arg);
void tasks__each_thread(struct tasks *t, void (*fn)(struct thread *, void *arg), void *arg);

/* Forgets a thread that ended. */
void tasks__remove_thread(struct tasks *t, struct thread *thread);

int range_stack__push(struct range_stack *s, const struct open_range *range);

#endif
