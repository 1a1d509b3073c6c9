/* SPDX-License-Identifier: MIT */
/*
 * What a trace lacks, in words: of its numbers those that count losses.
 */
#ifndef RTRACE_LOSSES_H
#define RTRACE_LOSSES_H

#include <stddef.h>

#include "user/event/event.h"

/* The n-th that is not 0: what was lost, and how many in *value; NULL: no more. */
const char *losses__nth(const struct trace_stats *stats, size_t n, uint64_t *value);

#endif
