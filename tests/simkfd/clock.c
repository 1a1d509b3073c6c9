/* SPDX-License-Identifier: MIT */
/*
 * The GPU's clock: a counter of its own frequency, offset and drift, as a function of the system's.
 *
 * ROCr samples both clocks through one ioctl and interpolates between the samples; what the driver
 * calls the system clock is CLOCK_BOOTTIME at 1 GHz.
 *
 * The function is made of straight lines, one until the first change of SIMKFD_CLOCK and one from
 * each change on. It is known from the start, and is the same in every process, so that an instant
 * has one tick whoever asks and whenever.
 */
#include "tests/simkfd/simkfd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_LINES 64
#define MS	  1000000ULL

struct line {
	uint64_t since; /* boot time */
	long double ticks[MAX_GPUS];
	long double per_ns[MAX_GPUS];
};

/* What is in force at the end of the lines so far. */
struct setting {
	double khz, ppm;
};

static struct line lines[MAX_LINES];
static size_t line_count;

/* A driver's clock is the kernel's, whatever the process has made of clock_gettime(). */
uint64_t clock__ns(clockid_t id)
{
	struct timespec t;

	syscall(SYS_clock_gettime, id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

uint64_t clock__boot_ns(void)
{
	return clock__ns(CLOCK_BOOTTIME);
}

static long double ticks_at(const struct line *l, int gpu, uint64_t boot_ns)
{
	return l->ticks[gpu] + (boot_ns - l->since) * l->per_ns[gpu];
}

static long double rate(const struct setting *s, int gpu)
{
	return s->khz / 1e6L * (1 + s->ppm * 1e-6L * (gpu + 1));
}

/* A new line that goes on where the one before it is at that time. */
static struct line *add_line(uint64_t since, const struct setting *s)
{
	const struct line *last = &lines[line_count - 1];
	struct line *l = &lines[line_count];
	int gpu;

	l->since = since;
	for (gpu = 0; gpu < MAX_GPUS; gpu++) {
		l->ticks[gpu] = ticks_at(last, gpu, since);
		l->per_ns[gpu] = rate(s, gpu);
	}
	line_count++;
	return l;
}

static bool change(uint64_t at, const char *what, double value, struct setting *s)
{
	const struct setting stopped = {0, 0};
	struct line *l;
	int gpu;

	if (at < lines[line_count - 1].since || line_count + 2 > MAX_LINES)
		return false;
	if (!strcmp(what, "ppm")) {
		s->ppm = value;
		add_line(at, s);
	} else if (!strcmp(what, "khz")) {
		s->khz = value;
		add_line(at, s);
	} else if (!strcmp(what, "step")) {
		l = add_line(at, s);
		for (gpu = 0; gpu < MAX_GPUS; gpu++)
			l->ticks[gpu] += value * l->per_ns[gpu];
	} else if (!strcmp(what, "stop") && value >= 0) {
		add_line(at, &stopped);
		add_line(at + value, s);
	} else {
		return false;
	}
	return true;
}

/* The first process says what the times count from; its children find it in the environment. */
static uint64_t zero(void)
{
	const char *text = getenv("SIMKFD_CLOCK_ZERO");
	char now[24];

	if (text && *text)
		return strtoull(text, NULL, 0);
	snprintf(now, sizeof(now), "%" PRIu64, clock__boot_ns());
	setenv("SIMKFD_CLOCK_ZERO", now, 1);
	return strtoull(now, NULL, 0);
}

static void read_changes(const char *text, struct setting *s)
{
	uint64_t start = zero();
	double ms, value;
	char what[8];
	int len;

	for (; *text; text += len + (text[len] == ',')) {
		if (sscanf(text, "%lf:%7[a-z]=%lf%n", &ms, what, &value, &len) != 3 || ms < 0 ||
		    !change(start + ms * MS, what, value, s)) {
			sim__log(0, "SIMKFD_CLOCK is not understood from here on: %s", text);
			return;
		}
	}
}

void clock__start(void)
{
	struct setting s = {config.gpu_khz, config.drift_ppm};
	int gpu;

	for (gpu = 0; gpu < MAX_GPUS; gpu++) {
		lines[0].ticks[gpu] = 0x1000000000ULL * (gpu + 1);
		lines[0].per_ns[gpu] = rate(&s, gpu);
	}
	line_count = 1;
	if (config.clock)
		read_changes(config.clock, &s);
}

uint64_t clock__gpu_ticks(int gpu, uint64_t boot_ns)
{
	const struct line *l = &lines[line_count - 1];

	while (l > lines && l->since > boot_ns)
		l--;
	return (uint64_t)ticks_at(l, gpu, boot_ns);
}
