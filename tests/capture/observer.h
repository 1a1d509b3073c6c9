/* SPDX-License-Identifier: MIT */
/*
 * A call as the kernel saw it: what tests/capture/observer.bpf.c sends to observer.c.
 */
#ifndef RTRACE_TESTS_CAPTURE_OBSERVER_H
#define RTRACE_TESTS_CAPTURE_OBSERVER_H

#include <linux/types.h>

#define OBSERVED_ARGS 6

struct observed {
	__u64 at; /* CLOCK_BOOTTIME, ns */
	__u32 tid;
	__u32 place; /* its line in PLACES, from 0 */
	__u64 args[OBSERVED_ARGS];
};

#endif
