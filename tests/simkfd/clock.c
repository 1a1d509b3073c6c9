/* SPDX-License-Identifier: MIT */
/*
 * The GPU's clock: a counter of its own frequency, offset and drift, as a function of the system's.
 *
 * ROCr samples both clocks through one ioctl and interpolates between the samples; what the driver
 * calls the system clock is CLOCK_BOOTTIME at 1 GHz.
 */
#include "tests/simkfd/simkfd.h"

#include <time.h>

uint64_t clock__ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint64_t clock__boot_ns(void)
{
	return clock__ns(CLOCK_BOOTTIME);
}

uint64_t clock__gpu_ticks(int gpu, uint64_t boot_ns)
{
	uint64_t offset = 0x1000000000ULL * (gpu + 1);
	long double ticks_per_ns =
		config.gpu_khz / 1e6L * (1 + config.drift_ppm * 1e-6L * (gpu + 1));

	return (uint64_t)(boot_ns * ticks_per_ns) + offset;
}
