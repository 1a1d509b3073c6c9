/* SPDX-License-Identifier: MIT */
/*
 * The timeline of a page: which spans it shows one by one, and how much there is of the others.
 *
 * Memory and the page are bounded: see html.md for how many spans and texts are kept.
 */
#ifndef RTRACE_FORMATS_HTML_TIMELINE_H
#define RTRACE_FORMATS_HTML_TIMELINE_H

#include "user/base/json_yajl.h"
#include "user/report/name_table.h"
#include "user/output/sink.h"

#define TIMELINE_CALLS	 100000 /* that are kept of each */
#define TIMELINE_KERNELS 60000
#define TIMELINE_COPIES	 20000
#define TIMELINE_RANGES	 20000
#define TIMELINE_TEXTS	 (6u << 20) /* bytes of arguments */

struct timeline;

struct timeline *timeline__new(struct names *names); /* NULL: no memory */
void timeline__free(struct timeline *t);

/* What a thread is called from now on. 0 or -ENOMEM, as of the next. */
int timeline__thread(struct timeline *t, const struct thread_info *info);

/* A call, range, mark, gap or GPU operation; nothing else. */
int timeline__event(struct timeline *t, const struct event *ev, uint32_t name);

/* Once, after the last event: members of an object. Times count from `zero`. 0 or -ENOMEM. */
int timeline__write(struct timeline *t, struct jsonout *to, uint64_t zero);

#endif
