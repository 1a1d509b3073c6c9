// SPDX-License-Identifier: MIT
/*
 * What is done at times: tracing on and off, and writing. Each by a thread of its own, which ends
 * with the application.
 */
#include <time.h>

#include "roctracer/roctracer_ext.h"
#include "roctracer/tool/tool_internal.h"
#include "roctracer/tool/settings.h"

static void pause_us(uint32_t us)
{
	const struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000L};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

static void *switch_at_times(void *arg)
{
	const struct settings *s = arg;

	pause_us(s->delay_us);
	for (;;) {
		roctracer_start();
		pause_us(s->length_us);
		roctracer_stop();
		pause_us(s->rate_us - s->length_us);
	}
	return NULL;
}

static void *flush_at_times(void *arg)
{
	const struct settings *s = arg;

	for (;;) {
		pause_us(s->flush_us);
		tool__flush();
	}
	return NULL;
}

static void start(void *(*function)(void *), const struct settings *s, const char *variable)
{
	if (!tool__start_thread(function, (void *)s))
		tool__warn("%s: no thread", variable);
}

void periods__start(void)
{
	const struct settings *s = settings__get();

	if (s->stopped || s->periods)
		roctracer_stop();
	if (s->periods)
		start(switch_at_times, s, "ROCP_CTRL_RATE");
	if (s->flush_us)
		start(flush_at_times, s, "ROCP_FLUSH_RATE");
}
