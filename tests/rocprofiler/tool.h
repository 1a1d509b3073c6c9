/* SPDX-License-Identifier: MIT */
/*
 * What tools in preloaded libraries have in common: a call that fails ends the program.
 */
#ifndef TESTS_ROCPROFILER_TOOL_H
#define TESTS_ROCPROFILER_TOOL_H

#include <stdio.h>
#include <unistd.h>

#include <rocprofiler-sdk/rocprofiler.h>

#define CHECK(call)                                                      \
	do {                                                             \
		rocprofiler_status_t status_ = (call);                   \
		if (status_ != ROCPROFILER_STATUS_SUCCESS) {             \
			fprintf(stderr, "tool: %s: %s\n", #call,         \
				rocprofiler_get_status_string(status_)); \
			_exit(99);                                       \
		}                                                        \
	} while (0)

#endif
