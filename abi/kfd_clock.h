/* SPDX-License-Identifier: MIT */
/*
 * Reads a GPU's clock together with the system's from the kernel driver: what the agent and the
 * tracer both do. AMDKFD_IOC_GET_CLOCK_COUNTERS is that of <linux/kfd_ioctl.h>, which cannot be
 * included without libdrm's headers.
 */
#ifndef RTRACE_ABI_KFD_CLOCK_H
#define RTRACE_ABI_KFD_CLOCK_H

#include <linux/ioctl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define KFD_CLOCK_TRIES	      16
#define KFD_CLOCK_GOOD_ENOUGH 2000	 /* ns */
#define KFD_CLOCK_SYSTEM_HZ   1000000000 /* if it is CLOCK_BOOTTIME that the driver reads as well */

struct kfd_clock_counters {
	uint64_t gpu, cpu, system, system_hz;
	uint32_t gpu_id, pad;
};

#define KFD_GET_CLOCK_COUNTERS _IOWR('K', 0x05, struct kfd_clock_counters)

struct clock_pair {
	uint64_t boot;	/* CLOCK_BOOTTIME, ns */
	uint64_t ticks; /* of the other clock */
	uint64_t error; /* width of the window in which both were read, ns */
};

static inline bool clock_pair_is_good(const struct clock_pair *r, int tries)
{
	return tries == KFD_CLOCK_TRIES || (tries && r->error <= KFD_CLOCK_GOOD_ENOUGH);
}

/*
 * One more try: the narrowest window counts. `at`: the boot time that was read with the ticks, if
 * it is in the window.
 */
static inline void clock_pair_keep_best(struct clock_pair *best, uint64_t before, uint64_t at,
					uint64_t after, uint64_t ticks)
{
	if (at < before || at > after)
		at = before + (after - before) / 2;
	if (after - before < best->error)
		*best = (struct clock_pair){at, ticks, after - before};
}

/*
 * `kfd`: /dev/kfd; `gpu_id`: that of the topology; `now`: CLOCK_BOOTTIME in ns. False, with errno,
 * if the clock cannot be read.
 */
static inline bool kfd_clock_read(int kfd, uint32_t gpu_id, uint64_t (*now)(void),
				  struct clock_pair *best)
{
	struct kfd_clock_counters args = {.gpu_id = gpu_id};

	*best = (struct clock_pair){.error = UINT64_MAX};
	for (int i = 0; !clock_pair_is_good(best, i); i++) {
		uint64_t before = now();

		if (ioctl(kfd, KFD_GET_CLOCK_COUNTERS, &args) || !args.gpu)
			return false;
		clock_pair_keep_best(best, before,
				     args.system_hz == KFD_CLOCK_SYSTEM_HZ ? args.system : 0, now(),
				     args.gpu);
	}
	return true;
}

#endif
