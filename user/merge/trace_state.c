// SPDX-License-Identifier: MIT
/*
 * Makes the tables that belong to a trace, and frees them; what comes of it goes out here.
 */
#include "user/merge/trace_state.h"

#include <errno.h>

int trace_state__open(struct trace *t, const struct selection *selection)
{
	t->selection = selection;
	t->end = UINT64_MAX;
	t->fns = functions__new(selection);
	t->strings = string_pool__new();
	t->tasks = processes__new();
	t->symbols = symbols__new(t->strings);
	t->handles = kernel_handles__new(t->strings, t->symbols);
	t->stacks = user_stacks__new(t->strings, t->symbols);
	if (!t->fns || !t->strings || !t->tasks || !t->symbols || !t->handles || !t->stacks)
		return -ENOMEM;
	return 0;
}

void trace_state__close(struct trace *t)
{
	kernel_handles__free(t->handles);
	user_stacks__free(t->stacks);
	symbols__free(t->symbols);
	processes__free(t->tasks);
	string_pool__free(t->strings);
	functions__free(t->fns);
}

void trace_state__tell(struct trace *t, const struct event *ev)
{
	trace_stats__count(&t->stats, ev);
	if (t->calls_filtered)
		t->stats.uncorrelated = 0;
	output_set__event(t->out, ev);
}
