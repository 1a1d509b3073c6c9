/* SPDX-License-Identifier: MIT */
/*
 * What the runtimes' side is told, and told of. Functions that are called once say so; the others
 * may be called by several threads.
 */
#ifndef RTRACE_ROCPROFILER_RUNTIMES_H
#define RTRACE_ROCPROFILER_RUNTIMES_H

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

/* Waits until what GPUs do for what was traced so far is told. The contexts of a tool are stopped.
 */
void runtimes__wait(void);

/* Waits until what GPUs have done is told, not for what they do. */
void runtimes__have_told(void);

/* All tools are about to be finalised, and can still be told: of what is loaded, that it goes. */
void runtimes__end(void);

/* All tools are finalised. Once. */
void runtimes__finalize(void);

/* ---- for hsa_runtime.c ---- */

/* The first of a kind is told once, in whichever way it was heard of. */
void runtimes__tell_initialized(rocprofiler_runtime_initialization_operation_t runtime,
				uint64_t version, uint64_t instance);

#endif
