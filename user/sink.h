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
#include "user/recfiles.h"

struct sink;
struct top_settings;

/* What some sinks are told beyond that. Zero: as usual. */
struct sink_settings {
	struct rec_limits limits;	/* of recordings */
	const struct top_settings *top; /* of top */
	const char *metrics;		/* where they are to be had: metrics.h */
	const struct sink_ops *each;	/* of split: what each process has one of */
};

struct process_info {
	uint32_t pid;
	const char *comm;      /* "MatrixTranspose"; never NULL */
	const char *cmdline;   /* arguments joined by spaces, may be "" */
	const char *cgroup;    /* may be "" */
	uint32_t ns_pid;       /* its id in its own pid namespace; 0: it is in ours */
	const char *libraries; /* files that it was probed in, with their versions; may be "" */
	bool again;	       /* read of a recording, which said it before */
};

struct thread_info {
	uint32_t pid, tid;
	const char *comm;
	bool again; /* likewise */
};

struct device_info {
	uint32_t pid;	  /* devices are known by process: its view of them may be restricted */
	int32_t device;	  /* as in struct gpu_info */
	const char *name; /* "gfx906 AMD Instinct MI50" */
	/* "60 CUs, PCI 0000:03:00.0, ...", or ""; NULL: the name is the user's choice and counts */
	const char *details;
	bool again; /* likewise */
};

/* Where a sink writes: to `out`, or into files that it names after `path`. */
struct sink_target {
	FILE *out;	  /* stays the caller's; NULL for a sink with files of its own */
	const char *path; /* of `out`, NULL if it has none; or what the names of those begin with */
	const struct sink_settings *settings; /* NULL: as usual; both valid while it is opened */
};

struct sink_ops {
	const char *name;   /* what -f takes */
	const char *help;   /* one line for --help */
	const char *suffix; /* of the file's name, if none is given; NULL: .NAME */
	/*
	 * It makes files of its own, by outfile.h: this is what their names have behind `path`, to
	 * be shown. NULL: it writes to `out`.
	 */
	const char *own_files;
	bool always_stdout; /* whatever -o says */
	bool live;	    /* useful on a terminal while recording: may write to stdout */
	bool quiet;	    /* it is not said what was written */
	/* Returns NULL with errno set on failure, and leaves no file then. */
	struct sink *(*open)(const struct sink_target *to, const struct trace_origin *origin);
	void (*process)(struct sink *, const struct process_info *);
	void (*thread)(struct sink *, const struct thread_info *);
	void (*device)(struct sink *, const struct device_info *);
	void (*event)(struct sink *, const struct event *);
	/*
	 * The process has ended: what is told of it from now on ended late. NULL: does not matter.
	 */
	void (*ended)(struct sink *, uint32_t pid);
	/*
	 * So many more calls and GPU records of the process were lost; told before flush. What it
	 * was that lost them is in the numbers there. NULL: that is enough.
	 */
	void (*lost)(struct sink *, uint32_t pid, uint64_t calls, uint64_t gpu);
	/*
	 * About once a second while recording: what was told so far is to be in the file, so that
	 * it can be looked at, and outlives us. NULL: a flush of `out` is all it takes. The numbers
	 * are those so far.
	 */
	void (*flush)(struct sink *, const struct trace_stats *);
	/* Many times a second while recording, for sinks that somebody sits before; NULL: none. */
	void (*tick)(struct sink *);
	/* What is held back (--keep) is wanted, as `why` says. NULL: nothing is. */
	void (*dump)(struct sink *, const char *why);
	/* Writes what is left, frees the sink. 0 or the first -errno that writing met. */
	int (*close)(struct sink *, const struct trace_stats *);
	/* Nothing is to be left: removes its own files, frees the sink. NULL: it has none. */
	void (*discard)(struct sink *);
};

/* First member of every sink's own struct. */
struct sink {
	const struct sink_ops *ops;
	FILE *out;
	int error; /* the first -errno, 0 so far */
	bool full; /* it has all that it wants: the trace is to end */
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

extern const struct sink_ops sink_text, sink_json, sink_pftrace, sink_summary, sink_stats,
	sink_rtrace, sink_csv, sink_rocpd, sink_html, sink_folded, sink_roctracer, sink_otf2;

/* Not for -f: rtrace-bpf top, --metrics, --per-process. */
extern const struct sink_ops sink_top, sink_metrics, sink_split;

/* The ops of that name, or NULL. */
const struct sink_ops *sink_find(const char *name);

/* The first `len` bytes of `base` with the suffix of the sink's files; to be freed. */
char *sink_path(const struct sink_ops *ops, const char *base, size_t len);

/* All sinks in the order of the help; ends with NULL. */
const struct sink_ops *const *sink_all(void);

#endif
