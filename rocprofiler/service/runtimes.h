/* SPDX-License-Identifier: MIT */
/*
 * The interface between tools' services and the runtimes. Functions that are called once are marked
 * "Once"; the others may be called by several threads.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_RUNTIMES_H
#define RTRACE_ROCPROFILER_SERVICE_RUNTIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/fwd.h>

/*
 * A runtime's tables, by the name that it has for rocprofiler-register: they are traced, and shown
 * to tools. 0, or a rocprofiler_status_t.
 */
int runtimes__set_tables(const char *name, uint64_t version, uint64_t instance, void **tables,
			 uint64_t count);

/* It is about to hand them in. */
void runtimes__expect_tables(const char *name);

/* False: the HIP in the process was built without rocprofiler-register, and has none to hand in. */
bool runtimes__may_have_hip_tables(void);

/* All tools have been initialised, and contexts may run. Once. */
void runtimes__initialize(void);

/* A context was started or stopped, so that other operations may be wanted (service.h). */
void runtimes__services_changed(void);

/*
 * Waits until the GPU work of what was traced so far is reported. The contexts of a tool are
 * stopped.
 */
void runtimes__wait(void);

/* Waits until GPU work that has ended is reported, not for work in flight. */
void runtimes__have_told(void);

/* All tools are about to be finalised; reports the unloading of what is loaded. */
void runtimes__end(void);

/* All tools are finalised. Once. */
void runtimes__finalize(void);

/* ---- for hsa_runtime.c ---- */

/* The first instance of a runtime is reported once, no matter how it was found. */
void runtimes__tell_initialized(rocprofiler_runtime_initialization_operation_t runtime,
				uint64_t version, uint64_t instance);

#endif
