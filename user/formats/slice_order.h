/* SPDX-License-Identifier: MIT */
/*
 * Turns slices that come in the order of their ends into begins and ends in the order of time.
 *
 * A format with separate begin and end records expresses nesting by their order. A reader that
 * sorts them by time keeps the order of the file where times are equal. A parent comes after its
 * children here. Its begin, written on arrival, would follow a child's begin of the same time: the
 * two would be swapped. So a track's slices are kept, each with its data to be written, until the
 * outermost has come. That bounds the memory by what happens in one outermost call. Past
 * NEST_MAX slices the kept ones are written, which can only matter to slices that begin in the very
 * same nanosecond.
 */
#ifndef RTRACE_FORMATS_SLICE_ORDER_H
#define RTRACE_FORMATS_SLICE_ORDER_H

#include <stdint.h>

#include "user/base/byte_buffer.h"
#include "user/event/event.h"

#define NEST_MAX 1024

/* One track. All zero at first. */
struct nest {
	struct nest_item *items;
	uint32_t count, size;
	struct bytes kept;
};

/* At that time a slice begins, of which `data` was kept, or one ends. */
typedef void (*nest_begin_fn)(void *arg, uint64_t time, const void *data, size_t len);
typedef void (*nest_end_fn)(void *arg, uint64_t time);

/*
 * Keeps a span or range, with what is to be written of it. 1: it is time for slice_order__write; 0:
 * not yet; -ENOMEM.
 */
int slice_order__add(struct nest *nest, const struct event *ev, const void *data, size_t len);

/* Calls begin and end for all that is kept, properly nested, and forgets it. */
void slice_order__write(struct nest *nest, nest_begin_fn begin, nest_end_fn end, void *arg);

void slice_order__free(struct nest *nest);

#endif
