/* SPDX-License-Identifier: MIT */
/*
 * What `rtrace-bpf top` was asked for.
 */
#ifndef RTRACE_LIVE_TOP_SETTINGS_H
#define RTRACE_LIVE_TOP_SETTINGS_H

#include <stdint.h>

#include "user/live/table_view.h"

struct top_settings {
	struct view view;
	uint64_t interval;    /* ns */
	unsigned long frames; /* then it ends; 0: never */
};

#endif
