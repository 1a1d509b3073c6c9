/* SPDX-License-Identifier: MIT */
/*
 * The longest of any number of spans: what a timeline can show of them one by one. Of those that
 * take equally long, which are kept does not depend on when they came.
 */
#ifndef RTRACE_FORMATS_HTML_SPANS_H
#define RTRACE_FORMATS_HTML_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint64_t begin, ns;
	uint64_t corr;
	uint64_t link;	 /* call: its parent; operation: the outermost call that caused it */
	uint64_t submit; /* operation: when */
	uint64_t amount; /* copy: bytes */
	uint32_t row, name;
	uint32_t detail; /* dispatch: its launch, a name; 0: none */
	uint32_t stream, flags;
	char *text; /* call: arguments and result, or NULL */
};

struct spans;

/* `dropped` is called for each span that is not kept. NULL: no memory. */
typedef void (*span_dropped_fn)(const struct span *span, void *arg);
struct spans *spans__new(size_t limit, span_dropped_fn dropped, void *arg);
void spans__free(struct spans *s);

/* Is it worth filling in more than its times and `corr`? If not, it would not be kept. */
bool spans__wants(const struct spans *s, const struct span *span);

/* Takes over its text. 0 or -ENOMEM. */
int spans__add(struct spans *s, const struct span *span);

/* There is no more to come: all that are kept, the longest first; no more than the limit. */
struct span *spans__end(struct spans *s, size_t *count);

/* Orders what spans__end has returned by row, then begin, then the longest first. */
void spans__by_row(struct span *all, size_t count);

#endif
