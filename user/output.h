/* SPDX-License-Identifier: MIT */
/*
 * Where events go: the sinks that were asked for, each with its file.
 */
#ifndef RTRACE_OUTPUT_H
#define RTRACE_OUTPUT_H

#include "user/event.h"
#include "user/sink.h"
#include "user/task.h"

struct output;

/* What %pid% and %hostname% of a file name stand for. */
struct output_keys {
	uint32_t pid;
};

struct output *output__new(struct tasks *tasks);

/*
 * Adds a sink. `pattern`: the file, with %pid% and %hostname% replaced; NULL or "-": stdout. An
 * existing file is replaced. 0 or -errno, which is said. Nothing is left behind on failure.
 */
int output__add(struct output *o, const struct sink_ops *ops, const char *pattern,
		const struct output_keys *keys);

void output__event(struct output *o, const struct event *ev);
void output__device(struct output *o, const struct device_info *device);

/* Closes all sinks and says where the files are. 0 or the first -errno, which is said. Frees. */
int output__close(struct output *o, const struct trace_stats *stats);

/* Nothing was recorded: closes all sinks and removes their files. Frees. NULL is fine. */
void output__discard(struct output *o);

/* Expands the pattern into a new string; NULL if out of memory. For tests too. */
char *output__expand(const char *pattern, const struct output_keys *keys);

#endif
