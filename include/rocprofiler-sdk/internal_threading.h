/* SPDX-License-Identifier: MIT */
/*
 * Threads that the library makes, and which of them passes on a buffer. Names are those of
 * internal_threading.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_INTERNAL_THREADING_H
#define ROCPROFILER_SDK_INTERNAL_THREADING_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* Called for a library that is about to make a thread, or has; on the thread that makes it. */
ROCPROFILER_SDK_EXPERIMENTAL
typedef void (*rocprofiler_internal_thread_library_cb_t)(rocprofiler_runtime_library_t, void *);

/*
 * These functions, either may be NULL, are called before and after each thread that one of `libs`
 * makes, rocprofiler_runtime_library_t or-ed. That cannot be taken back. No errors.
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
				      rocprofiler_internal_thread_library_cb_t postcreate, int libs,
				      void *data) ROCPROFILER_API;

typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_callback_thread_t {
	uint64_t handle;
} rocprofiler_callback_thread_t;

/*
 * Makes a thread that can pass on buffers; it lives until the library is finalised.
 * -> CONFIGURATION_LOCKED: tools have been initialised; ERROR: it cannot be made, or there are 256.
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_create_callback_thread(rocprofiler_callback_thread_t *cb_thread_id) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/*
 * That thread passes on the buffer. Those that have none share one.
 * -> CONFIGURATION_LOCKED, THREAD_NOT_FOUND, BUFFER_NOT_FOUND
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
				   rocprofiler_callback_thread_t cb_thread_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
