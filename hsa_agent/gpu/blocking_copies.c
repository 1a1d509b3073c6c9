/* SPDX-License-Identifier: MIT */
/*
 * Copies and fills that return when they are done.
 *
 * The runtime submits them by itself and waits for a signal of its own: nobody is given the GPU's
 * times. The times of such an operation are those of the call, which contain them.
 */
#include "hsa_agent/gpu/queue_internal.h"

/* Between two GPUs the runtime copies to the host's memory, and from there. */
#define OPERATIONS_MAX 2

struct blocking {
	struct notice notices[OPERATIONS_MAX];
	unsigned int count;
	uint64_t begin;
};

static uint64_t now(void)
{
	uint64_t time = 0;

	hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP, &time);
	return time;
}

/* Does a tracer or a client want to know of it, or must it be counted? */
static bool is_of_interest(void)
{
	return agent.shm.base && (copies__are_wanted() || agent_wanted());
}

static void submit(struct blocking *b, struct copy_request r)
{
	struct notice n = {0};

	if (!copies__are_wanted()) {
		copies__lose();
		return;
	}
	n.op = agent_next_op();
	r.flags = RT_AGENT_F_CALL | (r.src ? 0 : RT_AGENT_F_FILL);
	if (copies__tell_submitted(&n, &r))
		b->notices[b->count++] = n;
}

static void begin(struct blocking *b)
{
	if (b->count)
		b->begin = now();
}

static hsa_status_t finish(const struct blocking *b, hsa_status_t status)
{
	struct times t = {.refused = status != HSA_STATUS_SUCCESS};

	if (b->count && !t.refused) {
		t.begin = t.runtime_begin = b->begin;
		t.end = t.runtime_end = now();
	}
	for (unsigned int i = 0; i < b->count; i++)
		inflight__tell_done(&b->notices[i], 0, &t, -t.refused);
	return status;
}

/* ---- copies ---- */

/* The runtime takes what it does not know for the host's. */
static uint32_t owner_of(const void *address, size_t size)
{
	hsa_agent_t owner = memory_owner__of(&hsa, address, size);

	return owner.handle ? device__id(owner) : device__cpu_id();
}

static void submit_copy(struct blocking *b, void *dst, const void *src, size_t size)
{
	struct copy_request r = {
		.src_agent = owner_of(src, size),
		.dst_agent = owner_of(dst, size),
		.bytes = size,
		.src = src,
		.dst = dst,
	};
	bool from_gpu = device__gpu(r.src_agent).handle, to_gpu = device__gpu(r.dst_agent).handle;
	uint32_t to = r.dst_agent;

	if (!from_gpu && !to_gpu)
		return; /* the runtime itself copies it */
	r.agent = from_gpu ? r.src_agent : to;
	if (!from_gpu || !to_gpu || r.src_agent == to) {
		submit(b, r);
		return;
	}
	r.dst_agent = device__cpu_id();
	submit(b, r);
	r.src_agent = r.dst_agent;
	r.dst_agent = r.agent = to;
	submit(b, r);
}

hsa_status_t hook_hsa_memory_copy(void *dst, const void *src, size_t size)
{
	struct blocking b = {.count = 0};

	if (unlikely(is_of_interest()) && dst && src && size) {
		submit_copy(&b, dst, src, size);
		begin(&b);
	}
	return finish(&b, hsa.core.hsa_memory_copy_fn(dst, src, size));
}

/* ---- fills ---- */

hsa_status_t hook_hsa_amd_memory_fill(void *ptr, uint32_t value, size_t count)
{
	struct copy_request r = {.bytes = count * sizeof(value), .dst = ptr};
	struct blocking b = {.count = 0};

	if (unlikely(is_of_interest()) && ptr && count)
		r.agent = device__id(memory_owner__filler(&hsa, ptr, r.bytes));
	if (r.agent) {
		r.src_agent = r.agent; /* that the bytes come from */
		r.dst_agent = device__id(memory_owner__of(&hsa, ptr, r.bytes));
		submit(&b, r);
		begin(&b);
	}
	return finish(&b, hsa.amd.hsa_amd_memory_fill_fn(ptr, value, count));
}
