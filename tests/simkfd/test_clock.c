/* SPDX-License-Identifier: MIT */
/* Samples the clock of a simulated GPU while it follows a schedule, and checks the samples. */
#include "tests/simkfd/test_clock.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLE_EVERY_US 2000
#define MS		1000000LL

/* AMDKFD_IOC_GET_CLOCK_COUNTERS */
struct clock_counters {
	uint64_t gpu, cpu, system, frequency;
	uint32_t gpu_id, pad;
};
#define KFD_GET_CLOCK_COUNTERS _IOWR('K', 0x05, struct clock_counters)

int clock_samples__print(int gpu)
{
	struct clock_counters c = {.gpu_id = 0x5000 + gpu};
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), i;

	printf("%s 0\n", getenv("SIMKFD_CLOCK_ZERO"));
	for (i = 0; i < CLOCK_SAMPLES; i++) {
		if (ioctl(fd, KFD_GET_CLOCK_COUNTERS, &c))
			return 1;
		printf("%llu %llu\n", (unsigned long long)c.system, (unsigned long long)c.gpu);
		usleep(SAMPLE_EVERY_US);
	}
	fflush(stdout);
	return 0;
}

/* CLOCK_SCHEDULE in full: from these ms on the clock goes at this rate, after this jump. */
struct change {
	int ms;
	double khz, ppm; /* ppm: of GPU 0 */
	double jump_ns;
};

/* How far the clock has got since boot, by adding up. */
static double expected_ticks(uint64_t zero, uint64_t boot, int gpu, double drift_ppm)
{
	const struct change changes[] = {
		{0, 100000, drift_ppm, 0}, {20, 100000, 500, 0}, {60, 100000, 500, 3e6},
		{100, 50000, 500, 0},	   {150, 0, 0, 0},	 {190, 50000, 500, 0},
		{250, 50000, 500, -1e6},
	};
	size_t i, count = sizeof(changes) / sizeof(changes[0]);
	double ticks = 0, rate;
	uint64_t begin, end;

	for (i = 0; i < count; i++) {
		begin = i ? zero + changes[i].ms * MS : 0;
		if (begin > boot)
			break;
		end = i + 1 < count ? zero + changes[i + 1].ms * MS : boot;
		rate = changes[i].khz / 1e6 * (1 + changes[i].ppm * (gpu + 1) / 1e6);
		ticks += ((end < boot ? end : boot) - begin) * rate + changes[i].jump_ns * rate;
	}
	return ticks;
}

int clock_samples__check(int fd, int gpu, double drift_ppm)
{
	double offset = 0x1000000000LL * (gpu + 1), off;
	unsigned long long boot = 0, ticks, zero = 0;
	FILE *f = fdopen(fd, "r");
	int samples = 0;

	assert_non_null(f);
	while (fscanf(f, "%llu %llu", &boot, &ticks) == 2) {
		if (!ticks) { /* what a process counts from */
			assert_true(!zero || boot == zero);
			zero = boot;
			continue;
		}
		off = ticks - offset - expected_ticks(zero, boot, gpu, drift_ppm);
		if (off < -2 || off > 2)
			fail_msg("%.3f ms: %.0f ticks off", (boot - zero) / 1e6, off);
		samples++;
	}
	fclose(f);
	assert_true(boot > zero + 250 * MS);
	return samples;
}
