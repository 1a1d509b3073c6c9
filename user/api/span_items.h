/* SPDX-License-Identifier: MIT */
/*
 * The items that follow a span record: finds one, and reads from outside the strings that were not
 * resident when the BPF program read them.
 */
#ifndef RTRACE_API_SPAN_ITEMS_H
#define RTRACE_API_SPAN_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"

/* A span record with room for all items that can follow it. */
union span_record {
	struct rt_rec_span span;
	uint64_t words[(sizeof(struct rt_rec_span) + RT_DATA_MAX) / 8];
};

/* The item after `prev` (NULL: the first) of the record; NULL after the last. */
const struct rt_item *span_items__next(const struct rt_rec_span *rec, const struct rt_item *prev);

/* What follows the item's header. */
static inline const void *span_items__data(const struct rt_item *item)
{
	return item + 1;
}

/* The item of the plan's first read of that kind through that word; NULL if there is none. */
const struct rt_item *span_items__read(const struct rt_rec_span *rec, const struct rt_plan *plan,
				       enum rt_read_kind kind, uint8_t word);

/* Is there a string that was not resident? */
bool span_items__has_fault(const struct rt_rec_span *rec);

/*
 * Copies the record and reads such strings from the process, which is only sound for strings: what
 * other memory holds now need not be what it held when the call returned.
 */
void span_items__read_faulted(union span_record *to, const struct rt_rec_span *rec,
			      const struct rt_plan *plan);

#endif
