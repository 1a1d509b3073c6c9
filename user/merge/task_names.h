/* SPDX-License-Identifier: MIT */
/*
 * Names the processes and threads of a trace to its outputs.
 */
#ifndef RTRACE_MERGE_TASK_NAMES_H
#define RTRACE_MERGE_TASK_NAMES_H

#include "user/merge/processes.h"
#include "user/output/output_set.h"

/* For output_set__new: names of `tasks`, which are not copied. */
struct output_names task_names__of(struct tasks *tasks);

#endif
