/* SPDX-License-Identifier: MIT */
/*
 * Where the time of each GPU went: was it busy, and if not, what was it waiting for? See report.md
 * for what is counted as what.
 *
 * Events are passed as they come. Those not yet attributed are kept, up to a limit; then the older
 * half is attributed. So the numbers are exact unless an operation is passed later than that.
 */
#ifndef RTRACE_REPORT_GPU_IDLE_H
#define RTRACE_REPORT_GPU_IDLE_H

#include <stddef.h>

#include "user/event/event.h"

struct idle_limits {
	size_t operations, calls; /* that are kept at most */
};

/* How long the GPU had nothing to do while its host was in this call. */
struct idle_call {
	uint32_t name;
	uint64_t ns;
};

/* A time in which a GPU had nothing to do, and the call in which its host was longest then. */
struct idle_wait {
	uint64_t begin, end;
	uint32_t tid;	/* of the thread that ended it */
	uint32_t name;	/* of the call */
	uint64_t in_ns; /* how long it was in that; 0: it was in none, or that is not known */
};

#define IDLE_LONGEST 20

/* A GPU as its process sees it. Times in ns. */
struct idle_device {
	uint32_t pid;
	int32_t device;
	uint64_t first, last; /* first submission, last end */
	uint64_t kernels;     /* one runs at least */
	uint64_t either;      /* a kernel or a copy does */
	uint64_t active;      /* or something that was submitted has not begun yet */
	/* The rest: nothing was submitted, and the thread that submitted next ... */
	struct idle_call *calls; /* ... was in these calls; until the end: by name */
	size_t call_count, call_room;
	uint64_t application;			/* ... in no call */
	uint64_t unknown;			/* ... is not known to have been in one or not */
	uint64_t waits;				/* how often it had nothing to do */
	struct idle_wait longest[IDLE_LONGEST]; /* of these times, the longest first */
	uint32_t longest_count;
	uint64_t operations;
	uint64_t no_times; /* operations that are left out, as their times are not known */
	uint64_t late;	   /* operations that came after their time had been attributed */
	uint64_t late_ns;  /* how long they ran in that time */
	bool seen;	   /* `first` is set */
	/* Until when each of the three unions above is known. */
	uint64_t kernels_until, either_until, active_until;
};

struct idle;

struct idle *gpu_idle__new(const struct idle_limits *limits); /* limits: NULL: the usual ones */
void gpu_idle__free(struct idle *idle);

/* A call that the application made itself. Those of a thread come one after the other. */
int gpu_idle__call(struct idle *idle, const struct event *ev, uint32_t name);

int gpu_idle__operation(struct idle *idle, const struct event *ev);

/* There is no more to come: attributes what is left. 0 or -ENOMEM, as the two above. */
int gpu_idle__end(struct idle *idle);

/* All devices, by process and number, with the longest calls first. Valid after the end. */
const struct idle_device *gpu_idle__devices(const struct idle *idle, size_t *count);

/* What is in no call, or in one: all but `active`. */
uint64_t idle_device__empty(const struct idle_device *d);

#endif
