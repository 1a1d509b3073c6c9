/* SPDX-License-Identifier: MIT */
/*
 * How a tool comes to the library: it defines rocprofiler_configure(), or calls
 * rocprofiler_force_configure(). Names and layouts are those of registration.h of
 * librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_REGISTRATION_H
#define ROCPROFILER_SDK_REGISTRATION_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* A tool. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_client_id_t {
	size_t size;	       /* bytes of this struct; the library sets it */
	const char *name;      /* for messages; the tool sets it to a string that stays */
	const uint32_t handle; /* the library's */
} rocprofiler_client_id_t;

/*
 * Ends a tool before the process does: its contexts are stopped and its finalize function is called
 * now, and not again at exit.
 */
typedef void (*rocprofiler_client_finalize_t)(rocprofiler_client_id_t);

/*
 * Makes the tool's contexts, buffers and services: what is said to be CONFIGURATION_LOCKED
 * elsewhere is allowed in here only. Returns 0, or another number if it failed; all that it made is
 * ignored then.
 */
typedef int (*rocprofiler_tool_initialize_t)(rocprofiler_client_finalize_t finalize_func,
					     void *tool_data);

/* Is called at exit, when the tool's contexts are stopped. */
typedef void (*rocprofiler_tool_finalize_t)(void *tool_data);

/* What rocprofiler_configure() returns; the tool's, and read until the end. */
typedef struct rocprofiler_tool_configure_result_t {
	size_t size;				  /* sizeof(rocprofiler_tool_configure_result_t) */
	rocprofiler_tool_initialize_t initialize; /* NULL: nothing to be made */
	rocprofiler_tool_finalize_t finalize;	  /* NULL: nothing to be done at exit */
	void *tool_data;			  /* passed to both */
} rocprofiler_tool_configure_result_t;

/* *status: 1 when tools have been initialised, -1 while they are, 0 before. No errors. */
rocprofiler_status_t rocprofiler_is_initialized(int *status) ROCPROFILER_API ROCPROFILER_NONNULL(1);

/* *status: 1 when the library is finalised, -1 while it is, 0 before. No errors. */
rocprofiler_status_t rocprofiler_is_finalized(int *status) ROCPROFILER_API ROCPROFILER_NONNULL(1);

/*
 * Not of the library: the tool defines it, and it is called when the first ROCm runtime starts. It
 * must make no call of a runtime. `version` is the library's as in ROCPROFILER_SDK_VERSION,
 * `runtime_version` the same as a string, `priority` how many tools were called before. Returns
 * what the tool needs, or NULL if it does not want to be active.
 */
rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
		      rocprofiler_client_id_t *client_id) ROCPROFILER_PUBLIC_API;

typedef rocprofiler_tool_configure_result_t *(*rocprofiler_configure_func_t)(
	uint32_t version, const char *runtime_version, uint32_t priority,
	rocprofiler_client_id_t *client_id);

/*
 * Calls that function, and those of all tools that there are, and initialises them now: before a
 * runtime starts, contexts can be started.
 * -> CONFIGURATION_LOCKED: that was done, or is being done.
 */
rocprofiler_status_t
rocprofiler_force_configure(rocprofiler_configure_func_t configure_func) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
