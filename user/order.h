/* SPDX-License-Identifier: MIT */
/*
 * Puts records of many sources in the order of their times.
 *
 * Every source is in order by itself, or nearly. Records are pushed as they are drained; when all
 * sources have been drained up to some instant, everything older can be released.
 */
#ifndef RTRACE_ORDER_H
#define RTRACE_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order;

struct order *order__new(void);
void order__free(struct order *o);

/* Keeps a copy of the record. 0 or -ENOMEM. */
int order__push(struct order *o, uint64_t ts, const void *rec, size_t size);

/* Hands out all records with ts <= bound, oldest first; those of one time in the order of pushing.
 */
void order__release(struct order *o, uint64_t bound,
		    void (*fn)(const void *rec, size_t size, void *arg), void *arg);

#endif
