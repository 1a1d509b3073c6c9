/* SPDX-License-Identifier: MIT */
/*
 * What processes, containers and GPUs are doing now: counters that grow with every event, for
 * those who look at them again and again.
 *
 * An operation of a GPU counts when it has ended, and for its whole time then.
 */
#ifndef RTRACE_LIVE_H
#define RTRACE_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "user/event.h"
#include "user/sink.h"

struct live_counts {
	uint64_t calls[DOMAIN_COUNT]; /* by the application and by libraries that call each other */
	uint64_t errors;	      /* of the calls: those that failed */
	uint64_t launches;	      /* kernels */
	uint64_t copies, copy_bytes;
	uint64_t lost; /* calls and GPU records; not by GPU */
	/*
	 * ns in which a kernel ran or a copy: of a GPU at most what the clock says. Of a process
	 * the sum over its GPUs, of a container the sum over its processes.
	 */
	uint64_t busy_ns;
};

enum live_kind { LIVE_PROCESS, LIVE_CONTAINER, LIVE_GPU, LIVE_KINDS };

struct live_row {
	enum live_kind kind;
	uint32_t pid;	   /* of a process */
	const char *name;  /* a process's, a container's control group, a GPU's place or number */
	const char *model; /* of a GPU, may be ""; else NULL */
	const char *container;	   /* of a process: its control group; else NULL */
	unsigned int processes;	   /* in it, that live; of a GPU: that have opened it */
	struct live_counts total;  /* since it was met */
	struct live_counts recent; /* in the last interval, see live__turn() */
};

struct live;

struct live *live__new(void); /* NULL: no memory */
void live__free(struct live *l);

/* As sinks are told. 0 or -ENOMEM: then something is not counted. */
int live__process(struct live *l, const struct process_info *info);
int live__device(struct live *l, const struct device_info *info);
int live__event(struct live *l, const struct event *ev);
int live__lost(struct live *l, uint32_t pid, uint64_t count);

/* All rows of a kind, in no order; a row is valid while the function has it. */
void live__each(struct live *l, enum live_kind kind,
		void (*fn)(const struct live_row *row, void *arg), void *arg);

/*
 * An interval ends and another begins. Processes that have ended and did nothing in it are let go
 * of; what they did stays in the numbers of their containers and GPUs.
 */
void live__turn(struct live *l);

/* Calls of all domains. */
uint64_t live_counts__calls(const struct live_counts *c);

#endif
