/* SPDX-License-Identifier: MIT */
/*
 * All that a report shows of a recording, counted in one pass over it.
 */
#ifndef RTRACE_ANALYSIS_H
#define RTRACE_ANALYSIS_H

#include "user/report/failures.h"
#include "common/hash.h"
#include "user/report/gpu_idle.h"
#include "user/report/latency.h"
#include "user/report/range_phases.h"
#include "user/recording/recording_reader.h"
#include "user/report/totals.h"
#include "user/report/unfreed.h"
#include "user/report/process_names.h"

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
	bool gpu_known;	     /* a process has described its GPUs: it carried the agent */
	uint64_t begin, end; /* of all events; begin > end: there are none */
	struct trace_stats stats;
	struct trace_origin origin;
	struct recording_damage damage;
	int error;
};

/* NULL: no memory. `path` is for messages and must live as long. */
struct analysis *analysis__new(const char *path, bool kernel_rename);
void analysis__free(struct analysis *a);

/* Reads all of the recording. 0 or -errno, which is logged. */
int analysis__read(struct analysis *a, struct recording *r);

/* For tests: an event, and the end of them. */
void analysis__event(struct analysis *a, const struct event *ev);
void analysis__end(struct analysis *a);

/* Calls by which the application asked for kernels and copies, whether or not these were seen. */
struct gpu_requests {
	uint64_t launches, copies;
};

/* 0 or -ENOMEM. */
int analysis__requests(const struct analysis *a, struct gpu_requests *r);

/* Is it a function that waits for the GPU? */
bool analysis__is_wait(const char *function);

#endif
