// SPDX-License-Identifier: MIT
/*
 * Writes a recording of a made-up program, as long as wanted, with known numbers.
 *
 *   big_recording FILE ROUNDS
 *
 * A round takes 10 us of one of eight threads. Times in it, in ns:
 *
 *   hipLaunchKernel       0 .. 1000, the kernel is submitted at 500 and runs 900 .. 3900
 *   hsa_signal_create     200 .. 400, inside of it
 *   hipMemcpyAsync        1500 .. 2000, the copy (4096 bytes) is submitted at 1700 and runs
 *                         4000 .. 5000
 *   hipStreamSynchronize  2500 .. 6000
 *   a roctx range         0 .. 7000, one of 1000 messages
 *
 * What the GPU ran is reported 2000 rounds later than it happened.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/output/sink.h"

#define ROUND_NS 10000
#define THREADS	 8
#define LATE	 2000
#define PID	 1000
#define MESSAGES 1000

static struct sink *sink;

static uint64_t begin_of(uint64_t round)
{
	return 1000000000 + round * ROUND_NS;
}

/* Correlation IDs of a round, and its range's. */
static uint64_t id(uint64_t round, unsigned int n)
{
	return 1 + round * 8 + n;
}

static uint32_t thread_of(uint64_t round)
{
	return PID + round % THREADS;
}

static void call(uint64_t round, const char *function, unsigned int n, uint64_t begin, uint64_t end)
{
	struct call_values values = {.returned = true};
	struct event ev = {
		.kind = EV_SPAN,
		.domain = n == 1 ? DOMAIN_HSA : DOMAIN_HIP,
		.pid = PID,
		.tid = thread_of(round),
		.begin = begin_of(round) + begin,
		.end = begin_of(round) + end,
		.corr = id(round, n),
		.parent = n == 1 ? id(round, 0) : 0,
		.root = n == 1 ? id(round, 0) : id(round, n),
		.in_range = id(round, 7),
		.name = function,
		.depth = n == 1,
		.flags = n == 0 || n == 2 ? EV_F_LAUNCHED : 0,
		.stream = STREAM_NONE,
		.values = &values,
	};

	ev.api = api__find(function);
	sink->ops->event(sink, &ev);
}

static void operation(uint64_t round, enum ev_kind kind, unsigned int n, uint64_t submit,
		      uint64_t begin, uint64_t end)
{
	struct event ev = {
		.kind = kind,
		.domain = DOMAIN_GPU,
		.pid = PID,
		.tid = thread_of(round),
		.begin = begin_of(round) + begin,
		.end = begin_of(round) + end,
		.corr = id(round, n),
		.root = id(round, n),
		.in_range = id(round, 7),
		.name = kind == EV_DISPATCH ? "vectorAdd" : "HtoD",
		.gpu = {.submit = begin_of(round) + submit, .op = 2 * round + (n > 0)},
	};

	if (kind == EV_COPY) {
		ev.gpu.bytes = 4096;
		ev.gpu.dir = COPY_H2D;
		ev.gpu.src_device = DEVICE_CPU;
	}
	sink->ops->event(sink, &ev);
}

static void range(uint64_t round)
{
	static char messages[MESSAGES][16]; /* which live as long as the recording */
	char *message = messages[round % MESSAGES];
	struct event ev = {
		.kind = EV_RANGE,
		.domain = DOMAIN_ROCTX,
		.pid = PID,
		.tid = thread_of(round),
		.begin = begin_of(round),
		.end = begin_of(round) + 7000,
		.name = message,
		.range.id = id(round, 7),
	};

	snprintf(message, sizeof(messages[0]), "step %d", (int)(round % MESSAGES));
	sink->ops->event(sink, &ev);
}

static void operations(uint64_t round)
{
	operation(round, EV_DISPATCH, 0, 500, 900, 3900);
	operation(round, EV_COPY, 2, 1700, 4000, 5000);
}

static void run(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds + LATE; i++) {
		if (i < rounds) {
			call(i, "hsa_signal_create", 1, 200, 400);
			call(i, "hipLaunchKernel", 0, 0, 1000);
			call(i, "hipMemcpyAsync", 2, 1500, 2000);
			call(i, "hipStreamSynchronize", 3, 2500, 6000);
			range(i);
		}
		if (i >= LATE && i - LATE < rounds)
			operations(i - LATE);
	}
}

int main(int argc, char **argv)
{
	const struct process_info process = {
		.pid = PID, .comm = "made-up", .cmdline = "", .cgroup = "", .libraries = ""};
	const struct device_info device = {.pid = PID, .name = "gfx906", .details = ""};
	struct trace_origin origin;
	struct sink_target target = {};
	struct trace_stats stats = {};
	uint64_t rounds;
	FILE *out;

	if (argc != 3)
		return 2;
	rounds = strtoull(argv[2], NULL, 10);
	stats.spans = 4 * rounds;
	stats.ranges = stats.dispatches = stats.copies = rounds;
	trace_origin__here(&origin);
	target.out = out = fopen(argv[1], "w");
	sink = out ? sink_rtrace.open(&target, &origin) : NULL;
	if (!sink) {
		perror(argv[1]);
		return 1;
	}
	sink->ops->process(sink, &process);
	sink->ops->device(sink, &device);
	run(rounds);
	return sink->ops->close(sink, &stats) || fclose(out) ? 1 : 0;
}
