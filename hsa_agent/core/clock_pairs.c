/* SPDX-License-Identifier: MIT */
/*
 * Pairs of clocks, from which the tracer learns when the GPU's times were.
 *
 * A kernel's begin and end are ticks of its GPU's own counter. The runtime converts such ticks by
 * one straight line from hsa_init to its last look at both clocks, at most 16 times a second; a
 * drift that changes, or a suspend, puts it wrong. So the agent records ticks, and pairs of ticks
 * and boot time as the driver reads them (AMDKFD_IOC_GET_CLOCK_COUNTERS); the tracer interpolates
 * between the pairs around an operation.
 *
 * The driver's descriptor is opened for each round of pairs and closed after it: an application's
 * descriptors are its own. Where it cannot be had, operations have the runtime's times.
 */
#include <fcntl.h>
#include <unistd.h>

#include "hsa_agent/core/agent_internal.h"
#include "abi/kfd_clock.h"
#include "inprocess/kernel_clock.h"

#define LINE 1000000000ULL /* ticks between the two points of a line */

static bool have_ticks;

bool clocks__have_ticks(void)
{
	return __atomic_load_n(&have_ticks, __ATOMIC_RELAXED);
}

/* The clock of the runtime: what its own conversion leads to. */
static void read_runtime(struct clock_pair *best)
{
	*best = (struct clock_pair){.error = UINT64_MAX};
	for (int i = 0; !clock_pair_is_good(best, i); i++) {
		uint64_t before = kernel_clock__boot_ns(), time = 0;

		hsa.core.hsa_system_get_info_fn(HSA_SYSTEM_INFO_TIMESTAMP, &time);
		clock_pair_keep_best(best, before, 0, kernel_clock__boot_ns(), time);
	}
}

static void record(uint32_t device, const struct clock_pair *pair)
{
	struct rt_agent_rec *rec;
	uint64_t pos;

	rec = shared_memory__claim(&agent.shm, RT_AGENT_CLOCK, &pos);
	if (!rec)
		return;
	rec->time = pair->boot;
	rec->clock.agent = device;
	rec->clock.ticks = pair->ticks;
	rec->clock.error = pair->error;
	shared_memory__publish(rec, pos);
}

struct round {
	int kfd;
	bool whole; /* all GPUs were read */
};

static void record_gpu(hsa_agent_t handle, uint32_t device, void *arg)
{
	struct round *round = arg;
	struct clock_pair pair;

	if (round->kfd < 0 ||
	    !kfd_clock_read(round->kfd, device__gpu_id(device), kernel_clock__boot_ns, &pair)) {
		round->whole = false;
		return;
	}
	device__set_ticks(device, pair.ticks);
	record(device, &pair);
}

void clocks__record(void)
{
	struct round round = {.kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC), .whole = true};
	struct clock_pair pair;

	devices__each_gpu(record_gpu, &round);
	if (round.kfd >= 0)
		close(round.kfd);
	__atomic_store_n(&have_ticks, round.whole, __ATOMIC_RELAXED);
	read_runtime(&pair);
	record(0, &pair);
}

void clocks__announce(void)
{
	struct rt_meta_clock rec = {.h = {RT_META_CLOCK, sizeof(rec)}};
	struct clock_pair pair;

	read_runtime(&pair);
	rec.boottime = pair.boot;
	rec.hsa = pair.ticks;
	rec.error = pair.error;
	shared_memory__meta(&agent.shm, &rec.h);
}

bool clocks__line(uint32_t device, struct clock_line *line)
{
	hsa_agent_t gpu = device__gpu(device);

	/* Of the past: for a time to come the runtime may look at the clocks, and draw another
	 * line. */
	line->ticks = device__ticks(device);
	return gpu.handle && line->ticks > LINE && clocks__have_ticks() &&
	       !hsa.amd.hsa_amd_profiling_convert_tick_to_system_domain_fn(gpu, line->ticks - LINE,
									   &line->from) &&
	       !hsa.amd.hsa_amd_profiling_convert_tick_to_system_domain_fn(gpu, line->ticks,
									   &line->to) &&
	       line->to > line->from;
}

uint64_t clocks__to_ticks(const struct clock_line *line, uint64_t time)
{
	long double ticks_per_ns = (long double)LINE / (line->to - line->from);

	return line->ticks + (int64_t)((int64_t)(time - line->to) * ticks_per_ns);
}
