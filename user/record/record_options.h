/* SPDX-License-Identifier: MIT */
/*
 * The command line.
 */
#ifndef RTRACE_RECORD_RECORD_OPTIONS_H
#define RTRACE_RECORD_RECORD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/probe/capture.h"
#include "user/probe/kept_off.h"
#include "user/record/collection_periods.h"
#include "user/api/selection.h"
#include "user/output/sink.h"
#include "common/string_pool.h"

#define OPTION_FORMATS_MAX 14

/* What captures the calls of processes that carry the agent. */
enum capture_by {
	CAPTURE_BY_AUTO, /* the agent, and probes for calls that do not pass it */
	CAPTURE_BY_UPROBE,
	CAPTURE_BY_AGENT, /* alone: nothing is probed */
};

struct options {
	pid_t *pids;
	size_t pid_count;
	bool all;
	char **command; /* NULL: none; ends with NULL */
	const struct sink_ops *formats[OPTION_FORMATS_MAX];
	size_t format_count;
	bool summary;
	const char *summary_json; /* its file, with keys as `output`; NULL: not wanted */
	const char *output;	  /* NULL: not given */
	const char *folder;	  /* the folder for it, likewise */
	bool per_process;	  /* a file for each */
	double duration;	  /* s, 0: no limit */
	bool stop_with_command;	  /* ... and not when all that it has started has */
	struct sink_settings settings;
	struct selection selection;
	struct capture_filter filter;
	struct kept_off kept_off;
	struct periods periods;
	bool start_off;	       /* --trace-start off */
	bool selected_regions; /* record only between roctxProfilerResume and Pause */
	enum kernel_names kernel_names;
	bool dispatch_from_bpf;
	enum capture_by capture_by;
	int attach_mode;	 /* enum capture_mode, -1: the best */
	size_t ring_bytes;	 /* 0: default */
	size_t agent_ring_bytes; /* 0: default */
	/* While parsing. */
	bool all_by_default; /* without a process or a command: the whole node */
	bool selected;	     /* -t was given */
	struct globs period_args;
	const char *period_unit;
};

/* Exit status of a wrong command line. */
#define EXIT_USAGE 2

/* Parses; reports a mistake in one line and exits with EXIT_USAGE. */
void record_options__parse(struct options *o, int argc, char **argv);

/* For a subcommand with options of its own: what it parses into, and its child parser. */
void record_options__init(struct options *o);
extern const struct argp options_argp;

void record_options__free(struct options *o);

#endif
