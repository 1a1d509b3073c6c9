/* SPDX-License-Identifier: MIT */
/*
 * All that a report says of a recording, counted in one pass over it.
 */
#ifndef RTRACE_ANALYSIS_H
#define RTRACE_ANALYSIS_H

#include "user/report/failures.h"
#include "user/hash.h"
#include "user/report/idle.h"
#include "user/report/latency.h"
#include "user/report/phases.h"
#include "user/recording.h"
#include "user/report/tally.h"
#include "user/report/unfreed.h"
#include "user/report/who.h"

/* From submission to begin, of the dispatches of a GPU as its process sees it. */
struct device_latency {
	struct {
		uint32_t pid;
		int32_t device;
	} key;
	struct latency *latency;
	uint64_t early; /* that seem to have begun before they were submitted: counted as 0 */
	UT_hash_handle hh;
};

struct analysis {
	bool kernel_rename; /* kernels are named by the range around their launch */
	const char *path;
	struct names *names;
	struct tally *tally;
	struct tally *outermost; /* calls that the application made itself */
	struct idle *idle;
	struct failures *failures;
	struct unfreed *unfreed;
	struct phases *phases;
	struct who *who;
	struct device_latency *latencies;
	uint64_t begin, end; /* of all events; begin > end: there are none */
	struct trace_stats stats;
	struct trace_origin origin;
	struct recording_damage damage;
	int error;
};

/* NULL: no memory. `path` is for what is said and must live as long. */
struct analysis *analysis__new(const char *path, bool kernel_rename);
void analysis__free(struct analysis *a);

/* Reads all of the recording. 0 or -errno, which is said. */
int analysis__read(struct analysis *a, struct recording *r);

/* For tests: an event, and the end of them. */
void analysis__event(struct analysis *a, const struct event *ev);
void analysis__end(struct analysis *a);

/* Is it a function that waits for the GPU? */
bool analysis__is_wait(const char *function);

#endif
