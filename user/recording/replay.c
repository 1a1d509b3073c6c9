// SPDX-License-Identifier: MIT
/*
 * From the decoder to the outputs.
 */
#include "user/recording/replay.h"

static void tell_process(const struct process_info *info, void *arg)
{
	output_set__process(arg, info);
}

static void tell_thread(const struct thread_info *info, void *arg)
{
	output_set__thread(arg, info);
}

static void tell_device(const struct device_info *info, void *arg)
{
	output_set__device(arg, info);
}

static void tell_event(const struct event *ev, void *arg)
{
	output_set__event(arg, ev);
}

static void tell_numbers(const struct trace_stats *stats, void *arg)
{
	output_set__flush(arg, stats->ended.boot_ns, stats);
}

struct decoder_to replay__into(struct output *out)
{
	return (struct decoder_to){tell_process, tell_thread,  tell_device,
				   tell_event,	 tell_numbers, out};
}
