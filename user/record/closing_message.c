// SPDX-License-Identifier: MIT
/*
 * Says what has come of a trace.
 */
#include "user/record/closing_message.h"

#include <inttypes.h>
#include <stdio.h>

#include "abi/bpf_records.h"
#include "user/base/log.h"

void closing_message__add_agent(struct trace_stats *stats, const struct agent_view *v)
{
	stats->lost_gpu += agent_memory__lost(v);
	stats->lost_spans += agent_memory__lost_calls(v);
	stats->lost_dispatches += agent_memory__lost_of(v, RT_AGENT_DISPATCH);
	stats->lost_copies += agent_memory__lost_of(v, RT_AGENT_COPY);
	stats->lost_ends += agent_memory__lost_of(v, RT_AGENT_DONE);
	stats->lost_clocks += agent_memory__lost_of(v, RT_AGENT_CLOCK);
	stats->lost_barriers += agent_memory__lost_of(v, RT_AGENT_BARRIER);
	stats->lost_memory += agent_memory__lost_of(v, RT_AGENT_MEMORY);
	stats->lost_scratch += agent_memory__lost_of(v, RT_AGENT_SCRATCH);
	stats->lost_queues += agent_memory__lost_of(v, RT_AGENT_QUEUE);
	stats->lost_code_objects += agent_memory__lost_of(v, RT_AGENT_CODE);
	stats->lost_runtimes += agent_memory__lost_of(v, RT_AGENT_RUNTIME);
	stats->lost_names += agent_memory__lost_names(v);
	stats->lost_other += agent_memory__bad(v);
	if (agent_memory__clock_error(v) > stats->clock_error)
		stats->clock_error = agent_memory__clock_error(v);
	if (agent_memory__unwatched_queues(v))
		log_warn("process %d: %" PRIu64
			 " queues could not be watched: what they ran is not in the trace",
			 agent_memory__pid(v), agent_memory__unwatched_queues(v));
	if (agent_memory__other_runtimes(v))
		log_warn("process %d: has %" PRIu64
			 " more HSA runtimes: what they ran is counted as lost; its agent records "
			 "only one, so let the process load only one copy of libhsa-runtime64",
			 agent_memory__pid(v), agent_memory__other_runtimes(v));
	if (agent_memory__failed(v))
		log_warn("process %d: its agent has switched itself off; see its stderr",
			 agent_memory__pid(v));
}

struct figure {
	uint64_t value;
	const char *what;
};

#define LIST_MAX 512

/* "3 dispatches, 2 copies": those that are not 0. Returns `text`. */
static const char *list(char text[LIST_MAX], const struct figure *figures, size_t count)
{
	size_t len = 0;

	text[0] = 0;
	for (size_t i = 0; i < count && len < LIST_MAX; i++)
		if (figures[i].value)
			len += snprintf(text + len, LIST_MAX - len, "%s%" PRIu64 " %s",
					len ? ", " : "", figures[i].value, figures[i].what);
	return text;
}

#define LIST(text, figures) list(text, figures, sizeof(figures) / sizeof((figures)[0]))

static void say_lost_gpu(const struct trace_stats *s)
{
	const struct figure kinds[] = {
		{s->lost_dispatches, "dispatches"},
		{s->lost_copies, "copies"},
		{s->lost_ends, "ends"},
		{s->lost_clocks, "clocks"},
		{s->lost_barriers, "barriers"},
		{s->lost_memory, "memory"},
		{s->lost_scratch, "scratch"},
		{s->lost_queues, "queues"},
		{s->lost_runtimes, "runtimes"},
		{s->lost_code_objects, "code objects"},
	};
	char text[LIST_MAX];

	log_say("lost %" PRIu64 " GPU records: %s", s->lost_gpu, LIST(text, kinds));
}

/* The tracer reads them from the process when the kernel could not: unless that has ended. */
static void say_unreadable(const struct trace_stats *s)
{
	if (s->unreadable)
		log_say("lost %" PRIu64
			" messages of ranges and marks, shown as (unreadable): their "
			"pages were not in memory, and their processes had ended",
			s->unreadable);
}

static void say_resources(const struct trace_stats *s)
{
	if (s->allocations || s->frees || s->virtual_memory || s->scratch || s->queues ||
	    s->code_objects || s->runtimes || s->barriers)
		log_say("recorded %" PRIu64 " allocations, %" PRIu64 " frees, %" PRIu64
			" of virtual memory, %" PRIu64 " of scratch memory, %" PRIu64
			" of queues, %" PRIu64 " of code objects, %" PRIu64
			" of the runtime, %" PRIu64 " barriers",
			s->allocations, s->frees, s->virtual_memory, s->scratch, s->queues,
			s->code_objects, s->runtimes, s->barriers);
}

static bool is_lossless(const struct trace_stats *s)
{
	return !trace_stats__lost(s) && !s->lost_names && !s->gaps && !s->unseen;
}

static void say_losses(const struct trace_stats *s)
{
	if (is_lossless(s))
		log_say("nothing was lost");
	if (s->lost_spans)
		log_say("lost %" PRIu64 " calls (ring full): --buffer makes rings larger",
			s->lost_spans);
	if (s->lost_depth)
		log_say("lost %" PRIu64 " calls (nested too deep): more than %d inside each other",
			s->lost_depth, RT_DEPTH);
	if (s->lost_tasks)
		log_say("lost %" PRIu64 " calls (no memory for a thread)", s->lost_tasks);
	if (s->lost_gpu)
		say_lost_gpu(s);
	if (s->lost_other)
		log_say("lost %" PRIu64 " other records", s->lost_other);
	if (s->lost_names)
		log_say("lost %" PRIu64 " names of devices, queues, code objects or kernels",
			s->lost_names);
	say_unreadable(s);
	if (s->gaps)
		log_say("calls may be missing in %" PRIu64 " gaps, which the trace shows", s->gaps);
}

/* What is in the trace and lacks something. */
static void say_incomplete(const struct trace_stats *s)
{
	const struct figure figures[] = {
		{s->uncorrelated, "GPU operations uncorrelated"},
		{s->no_times, "GPU operations without end"},
		{s->early, "GPU operations begun before they were submitted"},
		{s->unfinished, "calls unfinished"},
	};
	char text[LIST_MAX];

	if (*LIST(text, figures))
		log_say("incomplete: %s", text);
}

void closing_message__say(const struct trace_stats *s, double seconds)
{
	log_say("recorded %" PRIu64 " calls, %" PRIu64 " dispatches, %" PRIu64 " copies, %" PRIu64
		" ranges, %" PRIu64 " marks in %.1f s",
		s->spans, s->dispatches, s->copies, s->ranges, s->marks, seconds);
	say_resources(s);
	say_losses(s);
	say_incomplete(s);
	if (s->clock_error)
		log_say("GPU clocks were read within %" PRIu64 " ns", s->clock_error);
}

void closing_message__say_doorbells(const struct trace_stats *s, uint64_t old)
{
	log_say("%" PRIu64 " dispatches at their doorbells, %" PRIu64
		" of them without times; %" PRIu64 " packets not seen",
		s->doorbells, s->unmeasured, s->unseen);
	if (s->nameless)
		log_warn("%" PRIu64
			 " dispatches have an address in place of their kernel's name: its code "
			 "could not be read, had been unloaded, or had gone with its process",
			 s->nameless);
	if (old)
		log_say("%" PRIu64 " packets were in flight when their queues were first seen: "
			"they are not in the trace",
			old);
}
