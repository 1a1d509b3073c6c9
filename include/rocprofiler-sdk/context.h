/* SPDX-License-Identifier: MIT */
/*
 * Contexts: each is a set of services that a tool starts and stops together. Names are those of
 * context.h of librocprofiler-sdk 1.0. All functions may be called from any thread.
 */
#ifndef ROCPROFILER_SDK_CONTEXT_H
#define ROCPROFILER_SDK_CONTEXT_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

#define ROCPROFILER_CONTEXT_NONE ROCPROFILER_HANDLE_LITERAL(rocprofiler_context_id_t, 0UL)

/*
 * Makes a context without services and puts its handle, which must be 0 before, there. It lives
 * until the library is finalised.
 * -> CONTEXT_ID_NOT_ZERO; CONFIGURATION_LOCKED: not inside of a tool's initialize function;
 * CONTEXT_ERROR: there are 4096.
 */
rocprofiler_status_t
rocprofiler_create_context(rocprofiler_context_id_t *context_id) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/*
 * From now on its services run. To start one that runs is no error.
 * -> CONTEXT_NOT_FOUND; CONFIGURATION_LOCKED: the library, or its tool, is finalised, or about to
 * be.
 */
rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id) ROCPROFILER_API;

/*
 * What begins from now on is not traced. Buffers keep what they hold. No error after the end.
 * -> CONTEXT_NOT_FOUND: there is none, or it does not run.
 */
rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id) ROCPROFILER_API;

/* *status: 1 if it runs, else 0. -> CONTEXT_NOT_FOUND */
rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id,
						   int *status) ROCPROFILER_API
	ROCPROFILER_NONNULL(2);

/*
 * *status: 1 if its services can be together in a context, else 0. All that there are can.
 * -> CONTEXT_NOT_FOUND
 */
rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id,
						  int *status) ROCPROFILER_API
	ROCPROFILER_NONNULL(2);

ROCPROFILER_EXTERN_C_FINI

#endif
