/* SPDX-License-Identifier: MIT */
/*
 * What processes and their GPUs are called.
 */
#ifndef RTRACE_WHO_H
#define RTRACE_WHO_H

#include "user/sink.h"

struct who;

struct who *who__new(void);
void who__free(struct who *w);

/* What was told last counts. Without memory it has no name. */
void who__process(struct who *w, const struct process_info *info);
void who__device(struct who *w, const struct device_info *info);

/* "" if it is not known. */
const char *who__comm(const struct who *w, uint32_t pid);
const char *who__device_name(const struct who *w, uint32_t pid, int32_t device);

#endif
