/* SPDX-License-Identifier: MIT */
/*
 * What processes and their GPUs are called.
 */
#ifndef RTRACE_REPORT_PROCESS_NAMES_H
#define RTRACE_REPORT_PROCESS_NAMES_H

#include "user/output/sink.h"

struct who;

struct who *process_names__new(void);
void process_names__free(struct who *w);

/* The last name passed counts. Without memory a process or device has no name. */
void process_names__process(struct who *w, const struct process_info *info);
void process_names__device(struct who *w, const struct device_info *info);

/* "" if it is not known. */
const char *process_names__comm(const struct who *w, uint32_t pid);
const char *process_names__device_name(const struct who *w, uint32_t pid, int32_t device);

#endif
