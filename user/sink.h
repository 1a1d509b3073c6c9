/* SPDX-License-Identifier: MIT */
/*
 * A sink: one form of output. One file a sink; sink.c holds the table of them by name.
 *
 * All calls come from one thread, in the order open, (process | thread | device | event)*, close.
 * process/thread/device are told before the first event that names them. A sink keeps the first
 * error that it meets (-errno), goes on swallowing events, and returns it from close.
 */
#ifndef RTRACE_SINK_H
#define RTRACE_SINK_H

#include <stdio.h>
#include <sys/types.h>

#include "user/event.h"

struct sink;

struct process_info {
	uint32_t pid;
	const char *comm;      /* "MatrixTranspose"; never NULL */
	const char *cmdline;   /* arguments joined by spaces, may be "" */
	const char *cgroup;    /* may be "" */
	uint32_t ns_pid;       /* its id in its own pid namespace; 0: it is in ours */
	const char *libraries; /* files that it was probed in, with their versions; may be "" */
};

struct thread_info {
	uint32_t pid, tid;
	const char *comm;
};

struct device_info {
	uint32_t pid;	  /* devices are known by process: its view of them may be restricted */
	int32_t device;	  /* as in struct gpu_info */
	const char *name; /* "gfx906 AMD Instinct MI50" */
	/* "60 CUs, PCI 0000:03:00.0, ...", or ""; NULL: the name is the user's choice and counts */
	const char *details;
};

struct sink_ops {
	const char *name; /* what -f takes */
	const char *help; /* one line for --help */
	bool live;	  /* useful on a terminal while recording: may write to stdout */
	/*
	 * Starts writing to `out`, which stays the caller's. Returns NULL with errno set on
	 * failure.
	 */
	struct sink *(*open)(FILE *out);
	void (*process)(struct sink *, const struct process_info *);
	void (*thread)(struct sink *, const struct thread_info *);
	void (*device)(struct sink *, const struct device_info *);
	void (*event)(struct sink *, const struct event *);
	/* Writes what is left, frees the sink. 0 or the first -errno that writing met. */
	int (*close)(struct sink *, const struct trace_stats *);
};

/* First member of every sink's own struct. */
struct sink {
	const struct sink_ops *ops;
	FILE *out;
	int error; /* the first -errno, 0 so far */
};

/* For sinks: the shared part of their functions. */

/* Notes an error unless there is one already. */
void sink_fail(struct sink *sink, int error);

/* Notes a failed write. Call after writing, with errno as the write left it. */
void sink_check(struct sink *sink);

/* Flushes the output; the first error met. */
int sink_finish(struct sink *sink);

/* For what a sink has no use for. */
void sink_ignore_process(struct sink *sink, const struct process_info *info);
void sink_ignore_thread(struct sink *sink, const struct thread_info *info);
void sink_ignore_device(struct sink *sink, const struct device_info *info);

extern const struct sink_ops sink_text, sink_json, sink_pftrace, sink_summary, sink_stats;

/* The ops of that name, or NULL. */
const struct sink_ops *sink_find(const char *name);

/* All sinks in the order of the help; ends with NULL. */
const struct sink_ops *const *sink_all(void);

#endif
