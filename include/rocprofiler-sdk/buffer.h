/* SPDX-License-Identifier: MIT */
/*
 * Buffers: records are collected in them and passed on together, on a thread of the library. Names
 * are those of buffer.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_BUFFER_H
#define ROCPROFILER_SDK_BUFFER_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * Is given `num_headers` records of a buffer. They, and what they point to, are the library's and
 * valid until the function returns. `drop_count` records were discarded so far. Runs on the
 * buffer's callback thread (internal_threading.h), for one buffer at a time.
 */
typedef void (*rocprofiler_buffer_tracing_cb_t)(rocprofiler_context_id_t context,
						rocprofiler_buffer_id_t buffer_id,
						rocprofiler_record_header_t **headers,
						size_t num_headers, void *data,
						uint64_t drop_count);

/*
 * Makes a buffer of `size` bytes, which is passed on when `watermark` bytes are filled, and with
 * policy LOSSLESS before a record would not fit.
 * -> CONFIGURATION_LOCKED: not inside of a tool's initialize function; CONTEXT_NOT_FOUND;
 * INVALID_ARGUMENT: no such policy; SERVICE_ALREADY_CONFIGURED: *buffer_id is a buffer;
 * OUT_OF_RESOURCES: no memory, or too many.
 */
rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
					       size_t watermark, rocprofiler_buffer_policy_t policy,
					       rocprofiler_buffer_tracing_cb_t callback,
					       void *callback_data,
					       rocprofiler_buffer_id_t *buffer_id) ROCPROFILER_API
	ROCPROFILER_NONNULL(5, 7);

/* Frees it, with the records that are in it. -> BUFFER_NOT_FOUND; BUFFER_BUSY: it is being flushed
 */
rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

/*
 * Passes on what is in it, and returns when that is done; from inside of a buffer's callback
 * without waiting. -> BUFFER_NOT_FOUND; BUFFER_BUSY; FINALIZED
 */
rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
