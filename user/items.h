/* SPDX-License-Identifier: MIT */
/*
 * The items behind a span record: finds one, and reads from outside what was not resident when the
 * kernel looked.
 */
#ifndef RTRACE_ITEMS_H
#define RTRACE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/events.h"

/* A span record with all that can stand behind it. */
union span_record {
	struct rt_rec_span span;
	uint64_t words[(sizeof(struct rt_rec_span) + RT_DATA_MAX) / 8];
};

/* The item behind `prev` (NULL: the first) of the record; NULL after the last. */
const struct rt_item *items__next(const struct rt_rec_span *rec, const struct rt_item *prev);

/* What follows the item's header. */
static inline const void *items__data(const struct rt_item *item)
{
	return item + 1;
}

/* The item of the plan's first read of that kind through that word; NULL if there is none. */
const struct rt_item *items__read(const struct rt_rec_span *rec, const struct rt_plan *plan,
				  enum rt_read_kind kind, uint8_t word);

/* Is there a string that was not resident? */
bool items__has_fault(const struct rt_rec_span *rec);

/*
 * Copies the record and reads such strings from the process, which is only sound for strings: what
 * other memory holds now need not be what it held when the call returned.
 */
void items__read_faulted(union span_record *to, const struct rt_rec_span *rec,
			 const struct rt_plan *plan);

#endif
