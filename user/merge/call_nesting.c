// SPDX-License-Identifier: MIT
/*
 * Puts the call stacks of the kernel and of the agent together.
 */
#include "user/merge/call_nesting.h"

#include <stdbool.h>
#include <stddef.h>

static bool is_known(const struct nesting *n, uint64_t corr)
{
	for (uint32_t i = 0; i < n->count; i++)
		if (n->open[i].corr == corr)
			return true;
	return false;
}

/* Around it are what the kernel has open, and what the agent has: the later to begin is inside. */
void call_nesting__opened(struct nesting *n, const struct rt_rec_open *rec)
{
	const struct rt_around *a = &rec->around;
	const struct nesting_open *outer;
	struct nesting_open *o;

	if (rec->depth >= RT_DEPTH || is_known(n, rec->corr))
		return;
	if (n->count > rec->depth) /* the ends of calls from that depth on were lost */
		n->count = rec->depth;
	outer = n->count ? &n->open[n->count - 1] : NULL;
	o = &n->open[n->count++];
	*o = (struct nesting_open){
		.corr = rec->corr,
		.parent = rec->parent,
		.root = outer ? n->open[0].root : rec->root,
		.depth = a->depth + rec->depth,
		.agent_corr = a->corr,
		.begin = rec->h.ts,
	};
	if (!rec->depth && a->corr)
		o->root = a->root;
	if (a->corr && (!rec->depth || (outer && a->begin > outer->begin)))
		o->parent = a->corr;
}

static void end_of_kernel(struct nesting *n, const struct rt_rec_span *rec,
			  struct nesting_place *place)
{
	const struct nesting_open *o;
	uint32_t i = n->count;

	while (i && n->open[i - 1].corr != rec->corr)
		i--;
	if (!i)
		return;
	n->count = i - 1; /* what is inside has ended before, if its record was not lost */
	o = &n->open[i - 1];
	*place = (struct nesting_place){o->parent, o->root, o->depth};
}

/* All that the kernel has open is around it. */
static void end_of_agent(const struct nesting *n, struct nesting_place *place)
{
	const struct nesting_open *inner;

	if (!n->count)
		return;
	inner = &n->open[n->count - 1];
	if (inner->agent_corr == place->parent) /* begun in that call, so inside of it */
		place->parent = inner->corr;
	place->root = n->open[0].root;
	place->depth += n->count;
}

struct nesting_place call_nesting__ended(struct nesting *n, const struct rt_rec_span *rec)
{
	struct nesting_place place = {rec->parent, rec->root, rec->depth};

	if (!n)
		return place;
	if (rec->h.flags & RT_REC_BY_AGENT)
		end_of_agent(n, &place);
	else
		end_of_kernel(n, rec, &place);
	return place;
}
