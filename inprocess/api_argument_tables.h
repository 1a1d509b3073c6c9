/* SPDX-License-Identifier: MIT */
/*
 * The functions of HIP and HSA, and where in the data that a callback gets their arguments are.
 *
 * Made at build time by scripts/gen-tool-functions from the headers that are installed. HIP's data
 * differs from release to release: it is that of tool_hip_release. HSA's is that of libroctracer64,
 * which is built with this.
 */
#ifndef TOOL_FUNCTIONS_H
#define TOOL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include "common/api_tables.h"

struct tool_arg {
	const char *name;
	const struct api_type *type;
	uint16_t offset; /* bytes from the begin of the data */
	uint16_t behind; /* bytes to show of what the pointer leads to; 0: it is shown itself */
};

struct tool_function {
	const char *name; /* NULL: none of that number has arguments */
	const struct tool_arg *args;
	uint32_t arg_count;
	const struct api_type *result; /* NULL: void, or the data does not have it */
	uint32_t result_offset;
};

/* By number, as roctracer counts a domain's operations. */
extern const struct tool_function tool_hip_functions[], tool_hsa_functions[];
extern const size_t tool_hip_function_count, tool_hsa_function_count;

/* Major and minor version of HIP; 0.0: its headers were not installed. */
extern const unsigned int tool_hip_release[2];

#endif
