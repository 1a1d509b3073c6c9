// SPDX-License-Identifier: MIT
#include "user/record/record_plan.h"

#include "abi/agent_ring.h"
#include "user/probe/kernel_support.h"
#include "user/probe/tracefs_events.h"

bool record_plan__wants_gpu(const struct options *o)
{
	return o->selection.domains & 1u << DOMAIN_GPU;
}

bool record_plan__agents_capture(const struct options *o)
{
	return o->capture_by != CAPTURE_BY_UPROBE;
}

bool record_plan__wants_agents(const struct options *o)
{
	return record_plan__wants_gpu(o) || record_plan__agents_capture(o);
}

/* The agent intercepts queues, so doorbell probes would have nothing left to record. */
bool record_plan__starts_agent(const struct options *o)
{
	return (record_plan__wants_gpu(o) || o->capture_by == CAPTURE_BY_AGENT) &&
	       !o->dispatch_from_bpf;
}

uint32_t record_plan__agent_wants(const struct options *o)
{
	return (o->selection.barriers ? RT_AGENT_WANT_BARRIERS : 0) |
	       (record_plan__wants_gpu(o) ? 0 : RT_AGENT_WANT_CALLS_ONLY);
}

/* A command and all that it starts is probed alone, if no other way of attaching was asked for. */
static bool probes_tree(const struct options *o)
{
	return o->command && (o->attach_mode < 0 || o->attach_mode == CAPTURE_TRACEFS) &&
	       kernel_support__keeps_events() && tracefs_events__can_be_defined();
}

enum targets_reach record_plan__reach(const struct options *o)
{
	if (o->pid_count)
		return REACH_PROCESSES;
	return probes_tree(o) ? REACH_TREE : REACH_NODE;
}

enum capture_mode record_plan__mode(const struct options *o, enum targets_reach reach)
{
	if (o->attach_mode >= 0)
		return o->attach_mode;
	return reach == REACH_TREE ? CAPTURE_TRACEFS : capture__best_mode();
}

/* An agent alone probes nothing. */
const struct kept_off *record_plan__kept_off(const struct options *o)
{
	static const struct kept_off none;

	return o->capture_by == CAPTURE_BY_AGENT ? &none : &o->kept_off;
}

bool record_plan__filters_calls(const struct options *o)
{
	return !selection__has_all_causes(&o->selection) || o->filter.min_duration ||
	       o->filter.errors_only || record_plan__filters_processes(o);
}

bool record_plan__filters_processes(const struct options *o)
{
	return o->filter.uid_count || o->filter.comm_count || o->filter.cgroup_count;
}

struct capture_config record_plan__capture(const struct options *o, enum targets_reach reach)
{
	return (struct capture_config){
		.only_listed = !o->all,
		.follow_forks = o->command,
		.hold_unknown = o->command && o->capture_by != CAPTURE_BY_AGENT,
		.by_process = reach == REACH_TREE,
		.node_wide = reach == REACH_NODE,
		.kept_off = record_plan__kept_off(o),
		.tell_exec = o->all,
		.all_new = o->command,
		.doorbells = o->selection.doorbells,
		.kfd = o->selection.domains & 1u << DOMAIN_KFD,
		.start_off = o->start_off,
		.start_paused = o->selected_regions,
		.filter = &o->filter,
		.ring_bytes = o->ring_bytes,
	};
}
