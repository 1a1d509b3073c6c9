/* SPDX-License-Identifier: MIT */
/*
 * The rows of the timeline: of threads, queues and copies. There are ROWS_MAX at most; all further
 * ones share one, which is not shown.
 */
#ifndef RTRACE_FORMATS_HTML_ROWS_H
#define RTRACE_FORMATS_HTML_ROWS_H

#include <stdint.h>

#include "common/hash.h"
#include "user/base/density.h"

#define ROWS_MAX 1000

enum row_kind {
	ROW_FURTHER,	    /* for which there is no room */
	ROW_GAPS,	    /* times in which calls of the process may have been missed */
	ROW_PROCESS_RANGES, /* start..stop */
	ROW_RANGES,	    /* owner: tid; push..pop and marks */
	ROW_CALLS,	    /* owner: tid */
	ROW_QUEUE,	    /* owner: device, unit: queue */
	ROW_COPIES,	    /* owner: device, unit: enum copy_dir */
	ROW_KINDS,
};

struct row_key {
	uint32_t kind, pid, owner, unit;
};

struct row {
	struct row_key key;
	uint32_t number; /* from 0, which is that of the further ones */
	char *name;	 /* of a thread, or NULL */
	uint64_t spans;
	struct density density; /* of those that are not kept */
	UT_hash_handle hh;
};

struct rows {
	struct row *by_key;
	struct row *all[ROWS_MAX]; /* by number */
	uint32_t count;
};

/* 0 or -ENOMEM. */
int rows__init(struct rows *r);
void rows__free(struct rows *r);

/* The row, made if there is none. NULL: no memory. */
struct row *rows__get(struct rows *r, struct row_key key);

#endif
