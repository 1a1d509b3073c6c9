/* SPDX-License-Identifier: MIT */
/*
 * HIP: the library in the process, and the interface by which it reports calls and GPUs' work to a
 * tool. HIP up to 5.3.0 has one (hip_callbacks.c), HIP from 5.3.1 on another (hip_tracer.c);
 * which one is found out at run time, by what the library exports.
 */
#ifndef ROCTRACER_HIP_INTERNAL_H
#define ROCTRACER_HIP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/enabled_operations.h"

#define HIP_API_MAX    1024 /* more operations than any HIP has */
#define HIP_OPS_NUMBER 3

extern struct table hip_api, hip_ops;

/* What libamdhip64 exports; functions that it lacks are NULL. */
struct hip_library {
	unsigned int major; /* of its file's own name */
	const char *(*api_name)(uint32_t op);
	const char *(*command_name)(uint32_t kind);
	/* from 5.3.1 on */
	void (*register_tracer)(int (*tracer)(activity_domain_t domain, uint32_t op, void *data));
	/* up to 5.3.0 */
	int (*register_callback)(uint32_t op, void *function, void *arg);
	int (*register_activity)(uint32_t op, void *function, void *arg);
	void (*init_ops)(void *id_callback, void *op_callback, void *arg);
	bool (*enable_op)(uint32_t op, bool enable);
};

/*
 * NULL if HIP is not in the process (yet). When it is first found, the number of operations of
 * hip_api is set to what that HIP has. These are for one thread at a time.
 */
const struct hip_library *hip__find(void);

/* Registers with HIP for what is wanted now. After each change of the tables. */
void hip__engage(void);

/* ---- for hip.c ---- */

void hip_callbacks__engage(const struct hip_library *hip);
void hip_tracer__engage(const struct hip_library *hip);

#endif
