/* SPDX-License-Identifier: MIT */
/*
 * A sink: one form of output. One file a sink; sink.c holds the table of them by name.
 *
 * All calls come from one thread, in the order open, (process | thread | device | event)*, close.
 * process/thread/device come before the first event that names them; process and thread come again
 * with another name, and the last name counts, for what was before, too. A sink keeps the first
 * error that it meets (-errno), goes on accepting events, and returns the error from close.
 */
#ifndef RTRACE_OUTPUT_SINK_H
#define RTRACE_OUTPUT_SINK_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "user/event/event.h"

struct sink;
struct top_settings;

/* How much is recorded; 0: no limit. */
struct rec_limits {
	uint64_t rotate_bytes, rotate_ns; /* of a file: then another is begun */
	uint64_t max_bytes;		  /* of all files: then the oldest are removed */
	uint64_t keep_ns;		  /* only the newest is held, until it is wanted */
	bool dump_on_error;		  /* a call that fails wants it */
};

/* Further settings of some sinks. Zero: as usual. */
struct sink_settings {
	struct rec_limits limits;	/* of recordings */
	const struct top_settings *top; /* of top */
	const char *metrics;		/* the address to serve them at: metrics_server.h */
	const struct sink_ops *each;	/* of split: what each process has one of */
};

struct process_info {
	uint32_t pid;
	const char *comm;      /* "MatrixTranspose"; never NULL */
	const char *cmdline;   /* arguments joined by spaces, may be "" */
	const char *cgroup;    /* may be "" */
	uint32_t ns_pid;       /* its id in its own pid namespace; 0: it is in ours */
	const char *libraries; /* files that it was probed in, with their versions; may be "" */
	bool again;	       /* read of a recording, which has reported it before */
};

struct thread_info {
	uint32_t pid, tid;
	const char *comm;
	bool again; /* likewise */
};

struct device_info {
	uint32_t pid;	  /* devices are known by process: its view of them may be restricted */
	int32_t device;	  /* the machine's number, as in struct gpu_info */
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
	 * It makes files of its own, by output_file.h: this text follows `path` in their names, to
	 * be shown. NULL: it writes to `out`.
	 */
	const char *own_files;
	bool always_stdout; /* whatever -o says */
	bool live;	    /* useful on a terminal while recording: may write to stdout */
	bool quiet;	    /* what was written is not logged */
	/* Returns NULL with errno set on failure, and leaves no file then. */
	struct sink *(*open)(const struct sink_target *to, const struct trace_origin *origin);
	void (*process)(struct sink *, const struct process_info *);
	void (*thread)(struct sink *, const struct thread_info *);
	void (*device)(struct sink *, const struct device_info *);
	void (*event)(struct sink *, const struct event *);
	/*
	 * The process has ended: events of it from now on arrive late. NULL: does not matter.
	 */
	void (*ended)(struct sink *, uint32_t pid);
	/*
	 * `calls` more calls and `gpu` more GPU records of the process were lost; called before
	 * flush. The numbers passed there show the cause of the loss. NULL: those suffice.
	 */
	void (*lost)(struct sink *, uint32_t pid, uint64_t calls, uint64_t gpu);
	/*
	 * About once a second while recording: all events so far are to be in the file, so that it
	 * can be looked at, and outlives the tracer. NULL: a flush of `out` is all it takes. The
	 * numbers are those so far.
	 */
	void (*flush)(struct sink *, const struct trace_stats *);
	/* Many times a second while recording, for interactive sinks; NULL: none. */
	void (*tick)(struct sink *);
	/* The events held back (--keep) are wanted, for the reason `why`. NULL: none are held. */
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
void sink__fail(struct sink *sink, int error);

/* Notes a failed write. Call after writing, with errno as the write left it. */
void sink__check(struct sink *sink);

/* Flushes the output; the first error met. */
int sink__finish(struct sink *sink);

/* For what a sink has no use for. */
void sink__ignore_process(struct sink *sink, const struct process_info *info);
void sink__ignore_thread(struct sink *sink, const struct thread_info *info);
void sink__ignore_device(struct sink *sink, const struct device_info *info);

extern const struct sink_ops sink_text, sink_json, sink_pftrace, sink_summary, sink_stats,
	sink_rtrace, sink_csv, sink_rocpd, sink_html, sink_folded, sink_roctracer, sink_otf2;

/* Not for -f: rtrace-bpf top, --metrics, --per-process, --summary-json. */
extern const struct sink_ops sink_top, sink_metrics, sink_split, sink_totals;

/* The ops of that name, or NULL. */
const struct sink_ops *sink__find(const char *name);

/* The first `len` bytes of `base` with the suffix of the sink's files; to be freed. */
char *sink__path(const struct sink_ops *ops, const char *base, size_t len);

/* All sinks in the order of the help; ends with NULL. */
const struct sink_ops *const *sink__all(void);

#endif
