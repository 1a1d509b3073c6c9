// SPDX-License-Identifier: MIT
/*
 * The numbers of a trace that count what it lacks, in words.
 */
#include "user/report/losses.h"

const char *losses__nth(const struct trace_stats *s, size_t n, uint64_t *value)
{
	const struct {
		uint64_t value;
		const char *what;
	} losses[] = {
		{s->lost_spans, "calls (ring full)"},
		{s->lost_depth, "calls (nested too deep)"},
		{s->lost_tasks, "calls (no memory for a thread)"},
		{s->lost_gpu, "GPU records"},
		{s->lost_other, "other records"},
		{s->unreadable, "messages of ranges and marks (unreadable)"},
		{s->gaps, "times in which calls may have been missed (gaps)"},
		{s->unseen, "packets that could not be read"},
		{s->no_times, "ends of GPU operations"},
		{s->lost_names, "names of devices, queues, code objects or kernels"},
		{s->nameless, "names of kernels that were read at their doorbells"},
		{s->unmeasured, "times of dispatches that were read at their doorbells"},
		{s->uncorrelated, "causes of GPU operations"},
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		*value = losses[i].value;
		if (losses[i].value && !n--)
			return losses[i].what;
	}
	return NULL;
}
