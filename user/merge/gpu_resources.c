// SPDX-License-Identifier: MIT
/*
 * Resources: remembers what is allocated, and reports what happened.
 *
 * An address is free again before the call that frees it returns, and the free's record is made at
 * the return. So allocations of the same address by other threads may be recorded first. A free
 * belongs to the allocation that was there when it began: replaced allocations are kept for a
 * while.
 */
#define HASH_NONFATAL_OOM 1
#include "user/merge/gpu_resources.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "user/base/log.h"

/* A process that allocates without end costs us no more than this; what exceeds it is unknown. */
#define ALLOCATIONS_MAX (1u << 20)

#define SUCCESSIVE_MAX 4
#define LATE_NS	       1000000000ull /* how late a free may be recorded */

struct allocated {
	uint64_t bytes;
	uint64_t time; /* when it was made */
	uint64_t next; /* when the address was next allocated, 0: not yet */
	int32_t device;
};

enum space { SPACE_ADDRESS, SPACE_HANDLE };

struct allocation {
	uint64_t key[2];		       /* enum space, address or handle */
	struct allocated list[SUCCESSIVE_MAX]; /* the oldest first */
	unsigned int count;
	UT_hash_handle hh;
};

struct usage {
	int32_t device;
	uint64_t bytes;
	UT_hash_handle hh;
};

/* Of one agent. */
struct process {
	const struct agent_view *view;
	struct allocation *allocations;
	struct usage *usage;
	bool overrun; /* there were more allocations than are remembered */
	UT_hash_handle hh;
};

struct resources {
	struct process *processes;
};

struct resources *gpu_resources__new(void)
{
	return calloc(1, sizeof(struct resources));
}

static void free_process(struct process *p)
{
	struct allocation *a, *next_a;
	struct usage *u, *next_u;

	HASH_ITER (hh, p->allocations, a, next_a) {
		HASH_DEL(p->allocations, a);
		free(a);
	}
	HASH_ITER (hh, p->usage, u, next_u) {
		HASH_DEL(p->usage, u);
		free(u);
	}
	free(p);
}

void gpu_resources__forget(struct resources *r, const struct agent_view *v)
{
	struct process *p;

	HASH_FIND_PTR(r->processes, &v, p);
	if (!p)
		return;
	HASH_DEL(r->processes, p);
	free_process(p);
}

void gpu_resources__free(struct resources *r)
{
	struct process *p, *next;

	if (!r)
		return;
	HASH_ITER (hh, r->processes, p, next) {
		HASH_DEL(r->processes, p);
		free_process(p);
	}
	free(r);
}

static struct process *get_process(struct resources *r, const struct agent_view *v)
{
	struct process *p;

	HASH_FIND_OR_ADD(r->processes, view, v, p);
	return p;
}

/* ---- what is in use ---- */

static struct usage *get_usage(struct process *p, int32_t device)
{
	struct usage *u;

	HASH_FIND_OR_ADD(p->usage, device, device, u);
	return u;
}

static void use(struct process *p, const struct allocated *a, struct gpu_info *gpu)
{
	struct usage *u = get_usage(p, a->device);

	if (!u)
		return;
	if (__builtin_add_overflow(u->bytes, a->bytes, &u->bytes))
		u->bytes = UINT64_MAX;
	gpu->resource.in_use = u->bytes;
	gpu->resource.in_use_known = true;
}

static void unuse(struct process *p, const struct allocated *a, struct gpu_info *gpu)
{
	struct usage *u = get_usage(p, a->device);

	if (!u)
		return;
	u->bytes -= a->bytes < u->bytes ? a->bytes : u->bytes;
	gpu->resource.in_use = u->bytes;
	gpu->resource.in_use_known = true;
}

static struct allocation *find_allocation(struct process *p, enum space space, uint64_t address)
{
	uint64_t key[2] = {space, address};
	struct allocation *a;

	HASH_FIND(hh, p->allocations, key, sizeof(key), a);
	return a;
}

static struct allocation *add_allocation(struct process *p, enum space space, uint64_t address)
{
	struct allocation *a;

	if (HASH_COUNT(p->allocations) >= ALLOCATIONS_MAX) {
		if (!p->overrun)
			log_warn("process %d: more than %u allocations in use: what later frees "
				 "give back is unknown",
				 agent_memory__pid(p->view), ALLOCATIONS_MAX);
		p->overrun = true;
		return NULL;
	}
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->key[0] = space;
	a->key[1] = address;
	HASH_ADD(hh, p->allocations, key, sizeof(a->key), a);
	if (a->hh.tbl)
		return a;
	free(a);
	return NULL;
}

/* Takes the n-th allocation of the address away. */
static void remove_nth(struct process *p, struct allocation *a, unsigned int n,
		       struct gpu_info *gpu)
{
	unuse(p, &a->list[n], gpu);
	a->count--;
	memmove(&a->list[n], &a->list[n + 1], (a->count - n) * sizeof(a->list[0]));
}

/* An allocation replaced longer ago than LATE_NS was freed, and the record of the free was lost. */
static void expire(struct process *p, struct allocation *a, uint64_t now, struct gpu_info *gpu)
{
	for (unsigned int i = a->count; i--;)
		if (a->list[i].next && now > a->list[i].next + LATE_NS)
			remove_nth(p, a, i, gpu);
}

static void on_alloc(struct process *p, enum space space, uint64_t time, struct gpu_info *gpu)
{
	struct allocation *a = find_allocation(p, space, gpu->resource.address);

	if (!a)
		a = add_allocation(p, space, gpu->resource.address);
	if (!a)
		return;
	expire(p, a, time, gpu);
	if (a->count == SUCCESSIVE_MAX)
		remove_nth(p, a, 0, gpu);
	for (unsigned int i = 0; i < a->count; i++)
		if (!a->list[i].next)
			a->list[i].next = time;
	a->list[a->count++] = (struct allocated){gpu->resource.bytes, time, 0, gpu->device};
	use(p, &a->list[a->count - 1], gpu);
}

/* The allocation that a free of that begin is of; -1: it was not seen. */
static int freed_by(const struct allocation *a, uint64_t begin)
{
	for (unsigned int i = a->count; i--;)
		if (a->list[i].time <= begin && (!a->list[i].next || begin < a->list[i].next))
			return i;
	return -1;
}

static void on_free(struct process *p, enum space space, const struct rt_agent_rec *rec,
		    struct gpu_info *gpu)
{
	struct allocation *a = find_allocation(p, space, gpu->resource.address);
	int n;

	gpu->device = DEVICE_UNKNOWN;
	gpu->resource.bytes_known = false;
	if (!a)
		return;
	n = freed_by(a, rec->resource.begin);
	if (n >= 0) {
		gpu->device = a->list[n].device;
		gpu->resource.bytes = a->list[n].bytes;
		gpu->resource.bytes_known = true;
		remove_nth(p, a, n, gpu);
	}
	if (a->count)
		return;
	HASH_DEL(p->allocations, a);
	free(a);
}

static void follow(struct process *p, const struct rt_agent_rec *rec, struct gpu_info *gpu)
{
	switch (gpu->resource.what) {
	case RESOURCE_ALLOC:
		on_alloc(p, SPACE_ADDRESS, rec->time, gpu);
		break;
	case RESOURCE_FREE:
		on_free(p, SPACE_ADDRESS, rec, gpu);
		break;
	case RESOURCE_VMEM_CREATE:
		on_alloc(p, SPACE_HANDLE, rec->time, gpu);
		break;
	case RESOURCE_VMEM_RELEASE:
		on_free(p, SPACE_HANDLE, rec, gpu);
		break;
	default:
		break;
	}
}

/* ---- events ---- */

/* What an agent's record is; its kind must be that of the ring. */
static const struct {
	uint16_t ring;
	enum ev_kind kind;
	enum resource_what what;
} kinds[] = {
	[RT_WHAT_ALLOC] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_ALLOC},
	[RT_WHAT_FREE] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_FREE},
	[RT_WHAT_VMEM_RESERVE] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_RESERVE},
	[RT_WHAT_VMEM_UNRESERVE] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_UNRESERVE},
	[RT_WHAT_VMEM_CREATE] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_CREATE},
	[RT_WHAT_VMEM_RELEASE] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_RELEASE},
	[RT_WHAT_VMEM_MAP] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_MAP},
	[RT_WHAT_VMEM_UNMAP] = {RT_AGENT_MEMORY, EV_MEMORY, RESOURCE_VMEM_UNMAP},
	[RT_WHAT_SCRATCH_ALLOC] = {RT_AGENT_SCRATCH, EV_SCRATCH, RESOURCE_SCRATCH_ALLOC},
	[RT_WHAT_SCRATCH_FREE] = {RT_AGENT_SCRATCH, EV_SCRATCH, RESOURCE_SCRATCH_FREE},
	[RT_WHAT_SCRATCH_RECLAIM] = {RT_AGENT_SCRATCH, EV_SCRATCH, RESOURCE_SCRATCH_RECLAIM},
	[RT_WHAT_QUEUE_CREATE] = {RT_AGENT_QUEUE, EV_QUEUE, RESOURCE_QUEUE_CREATE},
	[RT_WHAT_QUEUE_DESTROY] = {RT_AGENT_QUEUE, EV_QUEUE, RESOURCE_QUEUE_DESTROY},
	[RT_WHAT_CODE_LOAD] = {RT_AGENT_CODE, EV_CODE, RESOURCE_CODE_LOAD},
	[RT_WHAT_CODE_UNLOAD] = {RT_AGENT_CODE, EV_CODE, RESOURCE_CODE_UNLOAD},
	[RT_WHAT_RUNTIME_INIT] = {RT_AGENT_RUNTIME, EV_RUNTIME, RESOURCE_RUNTIME_INIT},
	[RT_WHAT_RUNTIME_END] = {RT_AGENT_RUNTIME, EV_RUNTIME, RESOURCE_RUNTIME_END},
};

static int32_t device_of(const struct agent_view *v, uint32_t id)
{
	const struct agent_device *d = agent_memory__device(v, id);

	return d ? d->gpu : DEVICE_UNKNOWN;
}

/* Where the code object came from, which release of the runtime it is. */
static const char *text_of(struct agent_view *v, const struct rt_agent_rec *rec)
{
	const struct agent_code *code;

	if (rec->kind == RT_AGENT_RUNTIME)
		return agent_memory__runtime(v);
	if (rec->kind != RT_AGENT_CODE)
		return NULL;
	code = agent_memory__code(v, rec->resource.id);
	return code && *code->uri ? code->uri : NULL;
}

static bool has_bytes(enum resource_what what)
{
	return what <= RESOURCE_SCRATCH_ALLOC || what == RESOURCE_CODE_LOAD ||
	       what == RESOURCE_CODE_UNLOAD;
}

bool gpu_resources__fill(struct resources *r, struct agent_view *v, const struct rt_agent_rec *rec,
			 struct event *ev)
{
	uint32_t what = rec->resource.what;
	struct resource_info *info = &ev->gpu.resource;
	struct process *p;

	if (what >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[what].ring ||
	    kinds[what].ring != rec->kind)
		return false;
	ev->kind = kinds[what].kind;
	ev->name = event__resource_name(kinds[what].what);
	ev->end = rec->time;
	ev->begin = rec->resource.begin < rec->time ? rec->resource.begin : rec->time;
	ev->gpu.device = device_of(v, rec->resource.agent);
	info->what = kinds[what].what;
	info->id = rec->resource.id;
	info->address = rec->resource.address;
	info->text = text_of(v, rec);
	if (has_bytes(info->what)) {
		info->bytes = rec->resource.bytes;
		info->bytes_known = true;
	}
	info->count =
		info->what == RESOURCE_QUEUE_CREATE ? rec->resource.bytes : rec->resource.other;
	p = get_process(r, v);
	if (p)
		follow(p, rec, &ev->gpu);
	return true;
}
