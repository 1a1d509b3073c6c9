// SPDX-License-Identifier: MIT
/*
 * Says what has come of a trace.
 */
#include "user/record/closing_message.h"

#include <inttypes.h>

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

/* Where the GPU records that were lost are missing. */
static void say_lost_kinds(const struct trace_stats *s)
{
	if (s->lost_gpu)
		log_say("lost GPU records: %" PRIu64 " dispatches, %" PRIu64 " copies, %" PRIu64
			" ends, %" PRIu64 " clocks, %" PRIu64 " barriers, %" PRIu64
			" memory, %" PRIu64 " scratch, %" PRIu64 " queues, %" PRIu64
			" code objects, %" PRIu64 " runtimes",
			s->lost_dispatches, s->lost_copies, s->lost_ends, s->lost_clocks,
			s->lost_barriers, s->lost_memory, s->lost_scratch, s->lost_queues,
			s->lost_code_objects, s->lost_runtimes);
	if (s->lost_names)
		log_say("lost %" PRIu64 " names of devices, queues, code objects or kernels",
			s->lost_names);
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

void closing_message__say(const struct trace_stats *s, double seconds)
{
	log_say("recorded %" PRIu64 " calls, %" PRIu64 " dispatches, %" PRIu64 " copies, %" PRIu64
		" ranges, %" PRIu64 " marks in %.1f s",
		s->spans, s->dispatches, s->copies, s->ranges, s->marks, seconds);
	say_resources(s);
	log_say("lost %" PRIu64 " calls (ring full), %" PRIu64 " (nested too deep), %" PRIu64
		" GPU records, %" PRIu64 " other; %" PRIu64 " GPU operations uncorrelated, %" PRIu64
		" without end; %" PRIu64 " calls unfinished",
		s->lost_spans, s->lost_depth, s->lost_gpu, s->lost_other, s->uncorrelated,
		s->no_times, s->unfinished);
	if (s->clock_error)
		log_say("GPU clocks were read within %" PRIu64 " ns; %" PRIu64
			" operations seem to have begun before they were submitted",
			s->clock_error, s->early);
	say_lost_kinds(s);
	say_unreadable(s);
}

void closing_message__say_doorbells(const struct trace_stats *s, uint64_t old)
{
	log_say("%" PRIu64 " dispatches at their doorbells, %" PRIu64
		" of them without times; %" PRIu64 " packets not seen",
		s->doorbells, s->unmeasured, s->unseen);
	if (s->nameless)
		log_warn("%" PRIu64
			 " dispatches have an address in place of their kernel's name: its code "
			 "could not be read, or the process had ended before it was",
			 s->nameless);
	if (old)
		log_say("%" PRIu64
			" packets were under way when their queues were first seen: they are "
			"not in the trace",
			old);
}
