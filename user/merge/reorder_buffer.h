/* SPDX-License-Identifier: MIT */
/*
 * Puts records of many sources in the order of their times.
 *
 * Every source is in order by itself, or nearly. Records are pushed as they are drained; when all
 * sources have been drained up to some instant, everything older can be released.
 */
#ifndef RTRACE_MERGE_REORDER_BUFFER_H
#define RTRACE_MERGE_REORDER_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct order;

struct order *reorder_buffer__new(void);
void reorder_buffer__free(struct order *o);

/* Keeps a copy of the record. 0 or -ENOMEM. */
int reorder_buffer__push(struct order *o, uint64_t ts, const void *rec, size_t size);

/* Hands out all records with ts <= bound, oldest first; those of one time in the order of pushing.
 */
void reorder_buffer__release(struct order *o, uint64_t bound,
			     void (*fn)(const void *rec, size_t size, void *arg), void *arg);

#endif
