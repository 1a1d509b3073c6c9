// SPDX-License-Identifier: MIT
/*
 * Phases by message, and ranges by ID: those that are open, and the last that were not.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/range_phases.h"

#include <errno.h>
#include <stdlib.h>

#include "common/hash.h"

#define ENDED_MAX  (128u << 10)	   /* ranges that are remembered after their ends */
#define RANGES_MAX (2 * ENDED_MAX) /* with those that are open */

struct entry {
	uint32_t name;
	struct phase phase;
	UT_hash_handle hh;
};

struct range {
	uint64_t id;
	struct entry *entry;   /* of its message; NULL: it has not ended */
	struct phase *waiting; /* for the message */
	UT_hash_handle hh;
};

struct phases {
	struct entry *entries;
	struct range *ranges;
	uint64_t *ended; /* a ring of the IDs of the last */
	uint32_t next;
	struct phase outside, unknown;
};

struct phases *range_phases__new(void)
{
	struct phases *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->ended = calloc(ENDED_MAX, sizeof(*p->ended));
	if (p->ended)
		return p;
	free(p);
	return NULL;
}

static void forget(struct phases *p, struct range *r)
{
	HASH_DEL(p->ranges, r);
	free(r->waiting);
	free(r);
}

void range_phases__free(struct phases *p)
{
	struct range *r, *next_range;
	struct entry *e, *next;

	if (!p)
		return;
	HASH_ITER (hh, p->ranges, r, next_range)
		forget(p, r);
	HASH_ITER (hh, p->entries, e, next) {
		HASH_DEL(p->entries, e);
		free(e);
	}
	free(p->ended);
	free(p);
}

static void merge(struct phase *to, const struct phase *from)
{
	spread__merge(&to->kernels, &from->kernels);
	spread__merge(&to->copies, &from->copies);
	spread__merge(&to->calls, &from->calls);
	to->bytes += from->bytes;
}

static struct entry *get_entry(struct phases *p, uint32_t name)
{
	struct entry *e;

	HASH_FIND_OR_ADD(p->entries, name, name, e);
	if (e)
		e->phase.name = name;
	return e;
}

static struct range *find_range(struct phases *p, uint64_t id)
{
	struct range *r;

	HASH_FIND(hh, p->ranges, &id, sizeof(id), r);
	return r;
}

/* NULL: there are too many, or no memory. */
static struct range *get_range(struct phases *p, uint64_t id)
{
	struct range *r = find_range(p, id);

	if (r || HASH_COUNT(p->ranges) >= RANGES_MAX)
		return r;
	r = calloc(1, sizeof(*r));
	if (!r)
		return NULL;
	r->id = id;
	HASH_ADD(hh, p->ranges, id, sizeof(r->id), r);
	if (r->hh.tbl)
		return r;
	free(r);
	return NULL;
}

/* The one that has been over for longest is forgotten for it. */
static void remember(struct phases *p, uint64_t id)
{
	uint64_t *slot = &p->ended[p->next++ % ENDED_MAX];
	struct range *r = *slot ? find_range(p, *slot) : NULL;

	if (r)
		forget(p, r);
	*slot = id;
}

static int end_range(struct phases *p, const struct event *ev, uint32_t name)
{
	struct entry *e = get_entry(p, name);
	struct range *r;

	if (!e)
		return -ENOMEM;
	spread__add(&e->phase.ranges, ev->end - ev->begin);
	if (!ev->range.id)
		return 0;
	r = get_range(p, ev->range.id);
	if (!r || r->entry)
		return 0;
	if (r->waiting)
		merge(&e->phase, r->waiting);
	free(r->waiting);
	r->waiting = NULL;
	r->entry = e;
	remember(p, ev->range.id);
	return 0;
}

/* Where to count the calls and operations in that range. */
static struct phase *phase_of(struct phases *p, uint64_t range)
{
	struct range *r;

	if (!range)
		return &p->outside;
	r = get_range(p, range);
	if (!r)
		return &p->unknown;
	if (r->entry)
		return &r->entry->phase;
	if (!r->waiting)
		r->waiting = calloc(1, sizeof(*r->waiting));
	return r->waiting;
}

static void count(struct spread *s, const struct event *ev)
{
	if (ev->flags & (EV_F_NO_TIMES | EV_F_ENTRY))
		s->calls++;
	else
		spread__add(s, ev->end - ev->begin);
}

int range_phases__event(struct phases *p, const struct event *ev, uint32_t name)
{
	struct phase *phase;

	if (ev->kind == EV_RANGE)
		return end_range(p, ev, name);
	if (ev->kind != EV_DISPATCH && ev->kind != EV_COPY && ev->kind != EV_SPAN)
		return 0;
	phase = phase_of(p, ev->in_range);
	if (!phase)
		return -ENOMEM;
	if (ev->kind == EV_DISPATCH)
		count(&phase->kernels, ev);
	else if (ev->kind == EV_COPY)
		count(&phase->copies, ev);
	else
		count(&phase->calls, ev);
	if (ev->kind == EV_COPY)
		phase->bytes += ev->gpu.bytes;
	return 0;
}

void range_phases__end(struct phases *p)
{
	struct range *r, *next;

	HASH_ITER (hh, p->ranges, r, next) {
		if (r->waiting)
			merge(&p->unknown, r->waiting);
		forget(p, r);
	}
}

const struct phase *range_phases__outside(const struct phases *p)
{
	return &p->outside;
}

const struct phase *range_phases__unknown(const struct phases *p)
{
	return &p->unknown;
}

static int by_time(const void *a, const void *b)
{
	const struct phase *x = *(const struct phase *const *)a;
	const struct phase *y = *(const struct phase *const *)b;

	if (x->ranges.total != y->ranges.total)
		return x->ranges.total < y->ranges.total ? 1 : -1;
	return (x->name > y->name) - (x->name < y->name);
}

const struct phase **range_phases__sorted(const struct phases *p, size_t *count)
{
	const struct phase **all;
	struct entry *e;
	size_t n = 0;

	all = malloc((HASH_COUNT(p->entries) + 1) * sizeof(const struct phase *));
	if (!all)
		return NULL;
	for (e = p->entries; e; e = e->hh.next)
		all[n++] = &e->phase;
	qsort(all, n, sizeof(const struct phase *), by_time);
	*count = n;
	return all;
}
