/* SPDX-License-Identifier: MIT */
/*
 * What calls of HIP have given to GPUs, as their arguments say it, by the calls' correlation ids:
 * for HIP 5 from 5.3.1 on, which tells of some copies no bytes (of hipMemcpyAsync with memory of
 * the host that is pinned, and in graphs).
 */
#ifndef ROCTRACER_CALL_WORK_H
#define ROCTRACER_CALL_WORK_H

#include <stddef.h>
#include <stdint.h>

struct call_work {
	size_t bytes;
	uint64_t graph; /* graph_work's number; 0: none */
};

/* From any thread; each id once, not 0. */
void call_work__put(uint64_t id, const struct call_work *work);
/* All 0: not known, or long ago. */
struct call_work call_work__get(uint64_t id);

#endif
