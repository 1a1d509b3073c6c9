// SPDX-License-Identifier: MIT
/*
 * Makes the tables that belong to a trace, and frees them; what comes of it goes out here.
 */
#include "user/trace.h"

#include <errno.h>

int trace__open(struct trace *t, const struct selection *selection)
{
	t->selection = selection;
	t->end = UINT64_MAX;
	t->fns = functions__new(selection);
	t->strings = strings__new();
	t->tasks = tasks__new();
	t->symbols = symbols__new(t->strings);
	t->handles = handles__new(t->strings, t->symbols);
	t->stacks = stacks__new(t->strings, t->symbols);
	if (!t->fns || !t->strings || !t->tasks || !t->symbols || !t->handles || !t->stacks)
		return -ENOMEM;
	return 0;
}

void trace__close(struct trace *t)
{
	handles__free(t->handles);
	stacks__free(t->stacks);
	symbols__free(t->symbols);
	tasks__free(t->tasks);
	strings__free(t->strings);
	functions__free(t->fns);
}

void trace__tell(struct trace *t, const struct event *ev)
{
	trace_stats_count(&t->stats, ev);
	if (t->calls_filtered)
		t->stats.uncorrelated = 0;
	output__event(t->out, ev);
}
