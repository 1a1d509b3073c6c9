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

/*
 * It has `comm` as its name from now on: an output to which it was named before is given that name
 * by the next call of one of the functions below.
 */
void task_names__rename_process(struct process *p, const char comm[RT_COMM_LEN]);
void task_names__rename_thread(struct thread *th, const char comm[RT_COMM_LEN]);

/* Gives the new names of all that have one; of a process; of a thread. */
void task_names__give_new(struct output *o, struct tasks *tasks);
void task_names__give_new_of_process(struct output *o, struct process *p);
void task_names__give_new_of_thread(struct output *o, struct thread *th);

#endif
