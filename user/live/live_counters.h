/* SPDX-License-Identifier: MIT */
/*
 * What processes, containers and GPUs are doing now: counters that grow with every event, for sinks
 * that read them again and again.
 *
 * An operation of a GPU counts when it has ended, and for its whole time then.
 */
#ifndef RTRACE_LIVE_LIVE_COUNTERS_H
#define RTRACE_LIVE_LIVE_COUNTERS_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

#include "user/event/event.h"
#include "user/output/sink.h"

struct live_counts {
	uint64_t calls[DOMAIN_COUNT]; /* by the application and by libraries that call each other */
	uint64_t errors;	      /* of the calls: those that failed */
	uint64_t launches;	      /* kernels */
	uint64_t copies, copy_bytes;
	uint64_t lost; /* calls and GPU records; not by GPU */
	/*
	 * ns in which a kernel or a copy ran: of a GPU at most the time that passed. Of a process
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
	const char *container;	/* of a process: its control group; else NULL */
	unsigned int processes; /* in it, that live; of a GPU: that have opened it */
	/*
	 * What GPUs do is recorded: of a process, of any process that the container has had. Else
	 * nothing is known of it, and counts of launches, copies and times mean nothing.
	 */
	bool gpu_known;
	struct live_counts total;  /* since it was met */
	struct live_counts recent; /* in the last interval, see live_counters__turn() */
};

struct live;

struct live *live_counters__new(void); /* NULL: no memory */
void live_counters__free(struct live *l);

/* Called as the functions of a sink are. 0 or -ENOMEM: then something is not counted. */
int live_counters__process(struct live *l, const struct process_info *info);
int live_counters__device(struct live *l, const struct device_info *info);
int live_counters__event(struct live *l, const struct event *ev);
int live_counters__lost(struct live *l, uint32_t pid, uint64_t count);

/* All rows of a kind, in no order; a row is valid while the function has it. */
void live_counters__each(struct live *l, enum live_kind kind,
			 void (*fn)(const struct live_row *row, void *arg), void *arg);

/*
 * An interval ends and another begins. Processes that have ended and did nothing in it are let go
 * of; what they did stays in the numbers of their containers and GPUs.
 */
void live_counters__turn(struct live *l);

/* Calls of all domains. */
uint64_t live_counts__calls(const struct live_counts *c);

#endif
