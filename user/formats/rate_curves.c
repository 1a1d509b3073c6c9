// SPDX-License-Identifier: MIT
/*
 * Counts by stretches of time.
 */
#include "user/formats/rate_curves.h"

#include <errno.h>
#include <stdlib.h>

static void add(struct rate *to, const struct rate *from)
{
	to->submitted += from->submitted;
	to->ended += from->ended;
	to->kernels += from->kernels;
	to->bytes += from->bytes;
}

/* Two stretches become one. */
static void widen(struct rates *r)
{
	size_t half = (r->count + 1) / 2;

	for (size_t i = 0; i < half; i++) {
		struct rate joined = r->all[2 * i];

		if (2 * i + 1 < r->count)
			add(&joined, &r->all[2 * i + 1]);
		r->all[i] = joined;
	}
	for (size_t i = half; i < RATES_MAX; i++)
		r->all[i] = (struct rate){};
	r->count = half;
	r->width *= 2;
}

static size_t place(struct rates *r, uint64_t time)
{
	uint64_t since = time > r->from ? time - r->from : 0;
	size_t n;

	while (since / r->width >= RATES_MAX)
		widen(r);
	n = since / r->width;
	if (n >= r->count)
		r->count = n + 1;
	return n;
}

/* A copy moves its bytes evenly. */
static void spread(struct rates *r, const struct event *ev)
{
	size_t last = place(r, ev->end), first = place(r, ev->begin);
	double per_ns = (double)ev->gpu.bytes / (ev->end - ev->begin);

	if (first == last) {
		r->all[first].bytes += ev->gpu.bytes;
		return;
	}
	for (size_t i = first; i <= last; i++) {
		uint64_t from = i == first ? ev->begin : rate_curves__at(r, i);
		uint64_t to = i == last ? ev->end : rate_curves__at(r, i + 1);

		r->all[i].bytes += per_ns * (to - from);
	}
}

int rate_curves__add(struct rates *r, const struct event *ev)
{
	if (!r->all) {
		r->all = calloc(RATES_MAX, sizeof(*r->all));
		r->width = RATES_FIRST;
	}
	if (!r->all)
		return -ENOMEM;
	r->all[place(r, ev->gpu.submit)].submitted++;
	r->all[place(r, ev->end)].ended++;
	if (ev->kind == EV_DISPATCH)
		r->all[place(r, ev->begin)].kernels++;
	if (ev->kind == EV_COPY)
		spread(r, ev);
	return 0;
}

uint64_t rate_curves__at(const struct rates *r, size_t n)
{
	return r->from + n * r->width;
}

void rate_curves__free(struct rates *r)
{
	free(r->all);
	*r = (struct rates){};
}
