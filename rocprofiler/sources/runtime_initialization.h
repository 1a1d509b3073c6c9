/* SPDX-License-Identifier: MIT */
/*
 * Reports that a runtime has been initialised: RUNTIME_INITIALIZATION.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_RUNTIME_INITIALIZATION_H
#define RTRACE_ROCPROFILER_SOURCES_RUNTIME_INITIALIZATION_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/fwd.h>

bool initialization__is_wanted(void);

/* On the thread that has initialised it. */
void initialization__tell(rocprofiler_runtime_initialization_operation_t runtime, uint64_t version,
			  uint64_t instance);

/*
 * 10000 major + 100 minor + patch, as runtimes register themselves, of the loaded library with this
 * name, found by its file's name; 0: not known.
 */
uint64_t initialization__version_of(const char *library);

#endif
