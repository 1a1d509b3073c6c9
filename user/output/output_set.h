/* SPDX-License-Identifier: MIT */
/*
 * Where events go: the sinks that were asked for, each with its file.
 */
#ifndef RTRACE_OUTPUT_OUTPUT_SET_H
#define RTRACE_OUTPUT_OUTPUT_SET_H

#include "user/event/event.h"
#include "user/output/file_name_keys.h"
#include "user/output/sink.h"

struct output;

/* What is to be named. */
enum output_naming {
	NAME_TASK,    /* the thread, and its process, which may have ended */
	NAME_RUNNING, /* the process that has this number now, if there is one */
	NAME_PROCESS, /* the same; it is new if there is none */
};

/* Supplies names: passes new ones to output_set__process and output_set__thread. */
struct output_names {
	void (*name)(void *arg, struct output *o, uint32_t pid, uint32_t tid,
		     enum output_naming which);
	void *arg;
};

/*
 * `names` is asked before the first event that names a task, and must outlive the output. If it is
 * NULL, the caller passes all names itself. `origin`: NULL: here and now. NULL: out of memory.
 */
struct output *output_set__new(const struct output_names *names, const struct trace_origin *origin);

/*
 * Adds a sink. `pattern`: the file's path, in which keys are replaced; NULL or "-": stdout. An
 * existing file is replaced. 0 or -errno, which is logged. On failure no file is left.
 */
int output_set__add(struct output *o, const struct sink_ops *ops, const char *pattern,
		    const struct output_keys *keys);

void output_set__process(struct output *o, const struct process_info *info);
void output_set__thread(struct output *o, const struct thread_info *info);
void output_set__event(struct output *o, const struct event *ev);
void output_set__device(struct output *o, const struct device_info *device);

/* See sink_ops.ended and .lost. */
void output_set__ended(struct output *o, uint32_t pid);
void output_set__lost(struct output *o, uint32_t pid, uint64_t calls, uint64_t gpu);

/* For sinks that output_set__add opens from then on. */
void output_set__set(struct output *o, const struct sink_settings *settings);

/* See sink_ops.tick. */
void output_set__tick(struct output *o);

/* Is it time for output_set__flush again? */
bool output_set__is_due(const struct output *o, uint64_t now);

/* See sink_ops.flush. */
void output_set__flush(struct output *o, uint64_t now, const struct trace_stats *stats);

/* See sink_ops.dump. */
void output_set__dump(struct output *o, const char *why);

/* Has a sink all that it wants? */
bool output_set__is_full(const struct output *o);

/* Closes all sinks, logs where the files are. 0 or the first -errno, which is logged. Frees. */
int output_set__close(struct output *o, const struct trace_stats *stats);

/* Nothing was recorded: closes all sinks and removes their files. Frees. NULL is fine. */
void output_set__discard(struct output *o);

#endif
