/* SPDX-License-Identifier: MIT */
/*
 * What the recorder and the start of what it traces share.
 */
#ifndef RTRACE_RECORD_RECORDER_INTERNAL_H
#define RTRACE_RECORD_RECORDER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/merge/trace_state.h"
#include "user/output/output_set.h"
#include "user/probe/attach_links.h"
#include "user/record/intake.h"
#include "user/record/launch_command.h"
#include "user/record/losses_by_process.h"
#include "user/record/record_options.h"

struct recorder {
	const struct options *opt;
	struct trace trace;
	struct output_names names;
	struct attach *attach;
	struct intake in; /* with most of the stages */
	struct launch launch;
	int guard; /* see release_on_death.h */
	int epoll, signals, stop_wanted;
	struct lost_by *lost_by;
	size_t live_pids; /* traced by -p and still running */
	uint64_t started;
	uint64_t command_ended; /* 0: not yet, or there is none */
	uint64_t next_look;	/* whether the command has left processes */
	bool said_left;
	uint64_t missed_requests; /* see capture.h */
	bool stop;
	bool off;	/* in the kernel */
	bool to_stdout; /* a sink writes there while we record */
	bool in_tree;	/* the command and what it starts is probed, and nothing else */
};

/* Has the loop wake up when `fd` can be read. 0 or -errno, also for a negative `fd`. */
int recorder__watch(struct recorder *r, int fd);

#endif
