/* SPDX-License-Identifier: MIT */
/*
 * The side of libroctx64 that faces a tool inside the process: one function that receives every
 * call.
 *
 * The layout and the numbers are those of ROCm's library of the same version, and its tools expect
 * them: the domain is roctracer's ACTIVITY_DOMAIN_ROCTX, the operations are its roctx_api_id_t.
 */
#ifndef ROCTX_TRACER_H
#define ROCTX_TRACER_H

#include <stdint.h>

#define ROCTX_TRACER_DOMAIN 6

enum roctx_operation {
	ROCTX_OPERATION_MARK = 0,
	ROCTX_OPERATION_RANGE_PUSH = 1,
	ROCTX_OPERATION_RANGE_POP = 2,
	ROCTX_OPERATION_RANGE_START = 3,
	ROCTX_OPERATION_RANGE_STOP = 4,
};

/* What the function is given. A field that an operation has no use for is NULL or 0. */
struct roctx_tracer_data {
	const char *message;
	uint64_t id; /* start, stop */
};

/*
 * `domain` is ROCTX_TRACER_DOMAIN, `operation` an enum roctx_operation, `data` points to a
 * struct roctx_tracer_data that lives as long as the call. The result is ignored. The function runs
 * on the calling thread, before the level of a push or pop changes, possibly on several threads at
 * once.
 */
typedef int (*roctx_tracer_t)(uint32_t domain, uint32_t operation, void *data);

#ifdef __cplusplus
extern "C" {
#endif

/*
 * From now on `function` is called for every mark and range; NULL ends it. There is one function
 * per process: the last one wins. A call in progress on another thread may still reach the function
 * that was registered before, so its code must stay loaded.
 */
void roctxRegisterTracerCallback(roctx_tracer_t function);

#ifdef __cplusplus
}
#endif

#endif
