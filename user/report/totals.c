// SPDX-License-Identifier: MIT
/*
 * A row a name and domain, found by the name's number.
 */
#include "user/report/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rows {
	struct tally_row **by_name; /* NULL: none */
	uint32_t room, count;
};

struct tally {
	const struct names *names;
	struct rows rows[TALLY_COUNT];
};

/* ---- spreads ---- */

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

void spread__add(struct spread *s, uint64_t ns)
{
	double from_old;

	s->calls++;
	if (!s->timed++ || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->total = add(s->total, ns);
	from_old = (double)ns - s->mean;
	s->mean += from_old / (double)s->timed;
	s->squares += from_old * ((double)ns - s->mean);
}

void spread__merge(struct spread *to, const struct spread *from)
{
	uint64_t timed = to->timed + from->timed;
	double apart = from->mean - to->mean;

	to->calls += from->calls;
	if (!from->timed)
		return;
	if (!to->timed || from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	to->total = add(to->total, from->total);
	to->mean += apart * (double)from->timed / (double)timed;
	to->squares += from->squares +
		       apart * apart * (double)to->timed * (double)from->timed / (double)timed;
	to->timed = timed;
}

uint64_t spread__mean(const struct spread *s)
{
	return s->timed ? s->total / s->timed : 0;
}

double spread__deviation(const struct spread *s)
{
	return s->timed > 1 ? sqrt(s->squares / (double)(s->timed - 1)) : 0;
}

/* ---- rows ---- */

const char *totals__domain_name(enum tally_domain domain)
{
	static const char *const names[TALLY_COUNT] = {
		[TALLY_HIP] = "HIP_API",
		[TALLY_HSA] = "HSA_API",
		[TALLY_KFD] = "KFD_API",
		[TALLY_ROCTX] = "ROCTX_API",
		[TALLY_ROCTRACER] = "ROCTRACER_API",
		[TALLY_KERNELS] = "KERNEL_DISPATCH",
		[TALLY_COPIES] = "MEMORY_COPY",
		[TALLY_MEMORY] = "MEMORY_ALLOCATION",
		[TALLY_SCRATCH] = "SCRATCH_MEMORY",
		[TALLY_RANGES] = "MARKER_API",
	};

	return names[domain];
}

struct tally *totals__new(const struct names *names)
{
	struct tally *t = calloc(1, sizeof(*t));

	if (t)
		t->names = names;
	return t;
}

void totals__free(struct tally *t)
{
	for (int d = 0; t && d < TALLY_COUNT; d++) {
		for (uint32_t i = 0; i < t->rows[d].room; i++)
			free(t->rows[d].by_name[i]);
		free(t->rows[d].by_name);
	}
	free(t);
}

static bool has_room(struct rows *r, uint32_t name)
{
	uint32_t room = r->room ? r->room : 64;
	struct tally_row **rows;

	while (room <= name)
		room *= 2;
	if (room == r->room)
		return true;
	rows = realloc(r->by_name, room * sizeof(struct tally_row *));
	if (!rows)
		return false;
	memset(rows + r->room, 0, (room - r->room) * sizeof(struct tally_row *));
	r->by_name = rows;
	r->room = room;
	return true;
}

struct tally_row *totals__row(struct tally *t, enum tally_domain domain, uint32_t name)
{
	struct rows *r = &t->rows[domain];
	struct tally_row *row;

	if (!has_room(r, name))
		return NULL;
	row = r->by_name[name];
	if (row)
		return row;
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->domain = domain;
	row->name = name;
	r->by_name[name] = row;
	r->count++;
	return row;
}

enum tally_domain totals__domain(const struct event *ev)
{
	switch (ev->kind) {
	case EV_SPAN:
		return ev->domain < DOMAIN_GPU ? (enum tally_domain)ev->domain : TALLY_COUNT;
	case EV_DISPATCH:
		return TALLY_KERNELS;
	case EV_COPY:
		return TALLY_COPIES;
	case EV_MEMORY:
		return TALLY_MEMORY;
	case EV_SCRATCH:
		return TALLY_SCRATCH;
	case EV_RANGE:
		return TALLY_RANGES;
	default:
		return TALLY_COUNT;
	}
}

static uint64_t bytes_of(const struct event *ev)
{
	if (ev->kind == EV_COPY)
		return ev->gpu.bytes;
	return ev_is_resource(ev->kind) ? ev->gpu.resource.bytes : 0;
}

int totals__event(struct tally *t, const struct event *ev, uint32_t name)
{
	enum tally_domain domain = totals__domain(ev);
	struct tally_row *row;

	if (domain == TALLY_COUNT)
		return 0;
	row = totals__row(t, domain, name);
	if (!row)
		return -ENOMEM;
	row->bytes = add(row->bytes, bytes_of(ev));
	if (ev->flags & (EV_F_NO_TIMES | EV_F_ENTRY)) {
		row->spread.calls++;
		return 0;
	}
	spread__add(&row->spread, ev->end - ev->begin);
	row->timed_bytes = add(row->timed_bytes, bytes_of(ev));
	return 0;
}

static int by_total(const void *a, const void *b, void *arg)
{
	const struct tally_row *x = *(struct tally_row *const *)a,
			       *y = *(struct tally_row *const *)b;
	const struct names *names = arg;

	if (x->spread.total != y->spread.total)
		return x->spread.total < y->spread.total ? 1 : -1;
	if (x->spread.calls != y->spread.calls)
		return x->spread.calls < y->spread.calls ? 1 : -1;
	return strcmp(name_table__text(names, x->name), name_table__text(names, y->name));
}

struct tally_row **totals__sorted(const struct tally *t, uint32_t domains, size_t *count)
{
	struct tally_row **rows;
	size_t n = 0;

	for (int d = 0; d < TALLY_COUNT; d++)
		n += domains & TALLY_BIT(d) ? t->rows[d].count : 0;
	rows = malloc((n + 1) * sizeof(struct tally_row *));
	if (!rows)
		return NULL;
	n = 0;
	for (int d = 0; d < TALLY_COUNT; d++)
		for (uint32_t i = 0; domains & TALLY_BIT(d) && i < t->rows[d].room; i++)
			if (t->rows[d].by_name[i])
				rows[n++] = t->rows[d].by_name[i];
	qsort_r(rows, n, sizeof(struct tally_row *), by_total, (void *)t->names);
	*count = n;
	return rows;
}

uint64_t totals__total(struct tally_row *const *rows, size_t count)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++)
		total = add(total, rows[i]->spread.total);
	return total;
}
