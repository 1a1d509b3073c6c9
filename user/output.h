/* SPDX-License-Identifier: MIT */
/*
 * Where events go: the sinks that were asked for, each with its file.
 */
#ifndef RTRACE_OUTPUT_H
#define RTRACE_OUTPUT_H

#include "user/event.h"
#include "user/outname.h"
#include "user/sink.h"
#include "user/task.h"

struct output;

/*
 * `tasks`: where processes and threads are looked up before the first event that names them; with
 * NULL they are told by output__process and output__thread. `origin`: NULL: here and now.
 */
struct output *output__new(struct tasks *tasks, const struct trace_origin *origin);

/*
 * Adds a sink. `pattern`: the file, whose keys are replaced if there are any; NULL or "-": stdout.
 * An existing file is replaced. 0 or -errno, which is said. Nothing is left behind on failure.
 */
int output__add(struct output *o, const struct sink_ops *ops, const char *pattern,
		const struct output_keys *keys);

void output__process(struct output *o, const struct process_info *info);
void output__thread(struct output *o, const struct thread_info *info);
void output__event(struct output *o, const struct event *ev);
void output__device(struct output *o, const struct device_info *device);

/* See sink_ops.ended and .lost. */
void output__ended(struct output *o, uint32_t pid);
void output__lost(struct output *o, uint32_t pid, uint64_t calls, uint64_t gpu);

/* For sinks that output__add opens from then on. */
void output__set(struct output *o, const struct sink_settings *settings);

/* See sink_ops.tick. */
void output__tick(struct output *o);

/* Is it time for output__flush again? */
bool output__is_due(const struct output *o, uint64_t now);

/* See sink_ops.flush. */
void output__flush(struct output *o, uint64_t now, const struct trace_stats *stats);

/* See sink_ops.dump. */
void output__dump(struct output *o, const char *why);

/* Has a sink all that it wants? */
bool output__is_full(const struct output *o);

/* Closes all sinks and says where the files are. 0 or the first -errno, which is said. Frees. */
int output__close(struct output *o, const struct trace_stats *stats);

/* Nothing was recorded: closes all sinks and removes their files. Frees. NULL is fine. */
void output__discard(struct output *o);

#endif
