/* SPDX-License-Identifier: MIT */
/*
 * The correlation ids of what GPUs have been given and not finished, by HIP's own ids of it.
 */
#ifndef ROCTRACER_SUBMITTED_H
#define ROCTRACER_SUBMITTED_H

#include <stdint.h>

/* From any thread; each id once. */
void submitted__put(uint64_t id, uint64_t correlation_id);
/* Takes it out. 0: there was none. */
uint64_t submitted__take(uint64_t id);

#endif
