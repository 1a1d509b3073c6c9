/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf top: what is going on, drawn anew every second.
 */
#ifndef RTRACE_TOP_H
#define RTRACE_TOP_H

#include <stdint.h>

#include "user/live/view.h"

/* The subcommand; argv[0] is "top". Returns the exit status. */
int top__main(int argc, char **argv);

/* What its sink is told. */
struct top_settings {
	struct view view;
	uint64_t interval;    /* ns */
	unsigned long frames; /* then it ends; 0: never */
};

#endif
