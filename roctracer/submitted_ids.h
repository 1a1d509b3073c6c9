/* SPDX-License-Identifier: MIT */
/*
 * What is known of the work that GPUs have been given and not finished, by HIP's own ids of it.
 */
#ifndef ROCTRACER_SUBMITTED_H
#define ROCTRACER_SUBMITTED_H

#include <stdint.h>

#include "roctracer/hip_arguments.h"

struct submitted {
	uint64_t correlation_id;
	struct hip_work work;
	uint64_t graph; /* graph_work's number; 0: none */
};

/* From any thread; each id once. */
void submitted__put(uint64_t id, const struct submitted *s);
/* Takes it out. All 0: there was none. */
struct submitted submitted__take(uint64_t id);

#endif
