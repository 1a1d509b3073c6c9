/* SPDX-License-Identifier: MIT */
/*
 * What the environment asks for, in the variables that rocprof sets.
 *
 *   ROCP_OUTPUT_DIR        the folder for the files, which must be there
 *   ROCTRACER_DOMAIN       what to trace: roctx, hsa, hip, sys (hsa and hip), in any separators
 *   ROCP_INPUT             a file with the same, and with the functions (input.h)
 *   ROCP_CTRL_RATE         DELAY:LENGTH:RATE, when to trace, in us;
 *                          -1:0:0: when the application asks for it
 *   ROCP_FLUSH_RATE        write what was collected each time this many us have passed
 *   ROCP_TRUNCATE_NAMES    1: kernels are named without types in hip_api_trace.txt, too
 *   ROCTRACER_BUFFER_SIZE  bytes for records of what GPUs did, until they are written
 *
 * What cannot be served, or understood, is logged on stderr, and the rest is done.
 */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "roctracer/tool/input.h"

struct settings {
	const char *folder; /* NULL: none is named */
	struct wanted wanted;
	bool truncate_names;
	size_t buffer_size;

	/* ROCP_CTRL_RATE */
	bool periods; /* tracing begins after the delay and is on for the length in each rate */
	bool stopped; /* it is off until the application starts it */
	uint32_t delay_us, length_us, rate_us;

	uint32_t flush_us; /* 0: when buffers are full, and at the end */
};

/* Reads it all, at the first call. */
const struct settings *settings__get(void);

#endif
