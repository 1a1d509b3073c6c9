// SPDX-License-Identifier: MIT
/*
 * The words for what is in an event.
 */
#include "user/event/event.h"

#include <stddef.h>
#include <string.h>

const char *event__domain_name(enum ev_domain domain)
{
	static const char *const names[DOMAIN_COUNT] = {
		[DOMAIN_HIP] = "hip",
		[DOMAIN_HSA] = "hsa",
		[DOMAIN_KFD] = "kfd",
		[DOMAIN_ROCTX] = "roctx",
		[DOMAIN_ROCTRACER] = "roctracer",
		[DOMAIN_GPU] = "gpu",
	};

	return (unsigned int)domain < DOMAIN_COUNT ? names[domain] : "?";
}

const char *event__copy_name(enum copy_dir dir)
{
	switch (dir) {
	case COPY_H2D:
		return "HtoD";
	case COPY_D2H:
		return "DtoH";
	case COPY_D2D:
		return "DtoD";
	case COPY_H2H:
		return "HtoH";
	case COPY_FILL:
		return "fill";
	default:
		return "copy";
	}
}

const char *event__copy_title(enum copy_dir dir)
{
	switch (dir) {
	case COPY_H2D:
		return "copy HtoD";
	case COPY_D2H:
		return "copy DtoH";
	case COPY_D2D:
		return "copy DtoD";
	case COPY_H2H:
		return "copy HtoH";
	default:
		return event__copy_name(dir);
	}
}

const char *event__resource_name(enum resource_what what)
{
	static const char *const names[RESOURCE_COUNT] = {
		[RESOURCE_ALLOC] = "alloc",
		[RESOURCE_FREE] = "free",
		[RESOURCE_VMEM_RESERVE] = "reserve addresses",
		[RESOURCE_VMEM_UNRESERVE] = "free addresses",
		[RESOURCE_VMEM_CREATE] = "create memory",
		[RESOURCE_VMEM_RELEASE] = "release memory",
		[RESOURCE_VMEM_MAP] = "map memory",
		[RESOURCE_VMEM_UNMAP] = "unmap memory",
		[RESOURCE_SCRATCH_ALLOC] = "alloc scratch",
		[RESOURCE_SCRATCH_FREE] = "free scratch",
		[RESOURCE_SCRATCH_RECLAIM] = "reclaim scratch",
		[RESOURCE_QUEUE_CREATE] = "create queue",
		[RESOURCE_QUEUE_DESTROY] = "destroy queue",
		[RESOURCE_CODE_LOAD] = "load code object",
		[RESOURCE_CODE_UNLOAD] = "unload code object",
		[RESOURCE_RUNTIME_INIT] = "start runtime",
		[RESOURCE_RUNTIME_END] = "shut down runtime",
	};

	return (unsigned int)what < RESOURCE_COUNT ? names[what] : "?";
}

const char *event__count_name(enum ev_kind kind)
{
	return kind == EV_QUEUE ? "packets" : kind == EV_CODE ? "kernels" : "waves";
}

size_t event__device_place_len(const char *details)
{
	const char *own = strstr(details, DEVICE_OWN);

	return own ? (size_t)(own - details) : strlen(details);
}

const char *event__name(const struct event *ev)
{
	if (ev->kind == EV_COPY)
		return event__copy_name(ev->gpu.dir);
	return ev->name ? ev->name : "?";
}

static void count_memory(struct trace_stats *stats, enum resource_what what)
{
	if (what == RESOURCE_ALLOC)
		stats->allocations++;
	else if (what == RESOURCE_FREE)
		stats->frees++;
	else
		stats->virtual_memory++;
}

static void count_kind(struct trace_stats *stats, const struct event *ev)
{
	switch (ev->kind) {
	case EV_SPAN:
		stats->spans++;
		break;
	case EV_RANGE:
		stats->ranges++;
		break;
	case EV_MARK:
		stats->marks++;
		break;
	case EV_DISPATCH:
		stats->dispatches++;
		break;
	case EV_COPY:
		stats->copies++;
		break;
	case EV_GAP:
		stats->gaps++;
		break;
	case EV_BARRIER:
		stats->barriers++;
		break;
	case EV_MEMORY:
		count_memory(stats, ev->gpu.resource.what);
		break;
	case EV_SCRATCH:
		stats->scratch++;
		break;
	case EV_QUEUE:
		stats->queues++;
		break;
	case EV_CODE:
		stats->code_objects++;
		break;
	case EV_RUNTIME:
		stats->runtimes++;
		break;
	}
}

void trace_stats__count(struct trace_stats *stats, const struct event *ev)
{
	bool no_times = ev->flags & EV_F_NO_TIMES;

	count_kind(stats, ev);
	if (ev->kind == EV_SPAN && ev->flags & (EV_F_UNFINISHED | EV_F_UNWOUND))
		stats->unfinished++;
	/* Scratch memory is the runtime's own doing. */
	if (ev->flags & EV_F_UNCORRELATED && ev->kind != EV_SCRATCH)
		stats->uncorrelated++;
	if (ev->flags & EV_F_DOORBELL) {
		stats->doorbells++;
		stats->unmeasured += no_times;
	} else {
		stats->no_times += no_times;
	}
}

void trace_stats__recount(struct trace_stats *stats, const struct trace_stats *counted)
{
	stats->spans = counted->spans;
	stats->ranges = counted->ranges;
	stats->marks = counted->marks;
	stats->dispatches = counted->dispatches;
	stats->copies = counted->copies;
	stats->barriers = counted->barriers;
	stats->allocations = counted->allocations;
	stats->frees = counted->frees;
	stats->virtual_memory = counted->virtual_memory;
	stats->scratch = counted->scratch;
	stats->queues = counted->queues;
	stats->code_objects = counted->code_objects;
	stats->runtimes = counted->runtimes;
	stats->gaps = counted->gaps;
	stats->unfinished = counted->unfinished;
	stats->uncorrelated = counted->uncorrelated;
	stats->doorbells = counted->doorbells;
	stats->unmeasured = counted->unmeasured;
	stats->no_times = counted->no_times;
}

uint64_t trace_stats__lost_calls(const struct trace_stats *stats)
{
	return stats->lost_spans + stats->lost_depth + stats->lost_tasks;
}

uint64_t trace_stats__lost(const struct trace_stats *stats)
{
	return trace_stats__lost_calls(stats) + stats->lost_gpu + stats->lost_other +
	       stats->unreadable;
}

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
#define FIELD(name)                                       \
	{                                                 \
#name, offsetof(struct trace_stats, name) \
	}
	FIELD(spans),	       FIELD(ranges),
	FIELD(marks),	       FIELD(dispatches),
	FIELD(copies),	       FIELD(uncorrelated),
	FIELD(unfinished),     FIELD(no_times),
	FIELD(lost_spans),     FIELD(lost_depth),
	FIELD(lost_gpu),       FIELD(lost_other),
	FIELD(gaps),	       FIELD(barriers),
	FIELD(allocations),    FIELD(frees),
	FIELD(virtual_memory), FIELD(scratch),
	FIELD(queues),	       FIELD(code_objects),
	FIELD(runtimes),       FIELD(lost_dispatches),
	FIELD(lost_copies),    FIELD(lost_ends),
	FIELD(lost_clocks),    FIELD(lost_barriers),
	FIELD(lost_memory),    FIELD(lost_scratch),
	FIELD(lost_queues),    FIELD(lost_code_objects),
	FIELD(lost_runtimes),  FIELD(lost_names),
	FIELD(early),	       FIELD(clock_error),
	FIELD(doorbells),      FIELD(unmeasured),
	FIELD(unseen),	       FIELD(unreadable),
	FIELD(nameless),       FIELD(lost_tasks),
#undef FIELD
};

#define FIELD_COUNT (sizeof(fields) / sizeof(fields[0]))

const char *trace_stats__field(const struct trace_stats *stats, unsigned int n, uint64_t *value)
{
	if (n >= FIELD_COUNT)
		return NULL;
	*value = *(const uint64_t *)((const char *)stats + fields[n].offset);
	return fields[n].name;
}

void trace_stats__set(struct trace_stats *stats, unsigned int n, uint64_t value)
{
	if (n < FIELD_COUNT)
		*(uint64_t *)((char *)stats + fields[n].offset) = value;
}

/* NULL: none is said. */
static const char *why_name(uint32_t flags)
{
	static const char *const names[] = {
		[WHY_QUEUE] = "untimed-queue",
		[WHY_NO_SIGNAL] = "no-signal",
		[WHY_TAKEN] = "taken",
		[WHY_SIGNAL_REUSED] = "signal-reused",
		[WHY_SIGNAL_SHARED] = "signal-shared",
		[WHY_SIGNAL_GONE] = "signal-gone",
		[WHY_TRACE_END] = "trace-end",
		[WHY_CLOCK] = "no-clock",
		[WHY_ODD_TIMES] = "odd-times",
		[WHY_NO_ROOM] = "no-room",
	};
	uint32_t why = flags >> EV_WHY_SHIFT;

	return why < sizeof(names) / sizeof(names[0]) ? names[why] : NULL;
}

char *event__flags_text(char buf[FORMAT_LEN], uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
		{EV_F_UNFINISHED, "unfinished"},
		{EV_F_UNWOUND, "unwound"},
		{EV_F_UNCORRELATED, "uncorrelated"},
		{EV_F_NO_TIMES, "no-times"},
		{EV_F_PROCESS, "process"},
		{EV_F_LAUNCHED, "launched"},
		{EV_F_CUT, "cut"},
		{EV_F_ENTRY, "entry"},
		{EV_F_DOORBELL, "doorbell"},
		{EV_F_CALL_TIMES, "call-times"},
	};
	const char *why = why_name(flags);
	char *end = buf;

	*buf = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(flags & names[i].flag))
			continue;
		if (end > buf)
			*end++ = ',';
		end = stpcpy(end, names[i].name);
	}
	if (why) {
		if (end > buf)
			*end++ = ',';
		strcpy(end, why);
	}
	return buf;
}
