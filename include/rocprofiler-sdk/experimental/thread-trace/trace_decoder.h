/* SPDX-License-Identifier: MIT */
/*
 * Thread traces: what the data mean, by a decoder that is a library of its own. Names and layouts
 * are those of experimental/thread-trace/trace_decoder.h of librocprofiler-sdk 1.0. This library
 * does not look for one.
 */
#ifndef ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_TRACE_DECODER_H
#define ROCPROFILER_SDK_EXPERIMENTAL_THREAD_TRACE_TRACE_DECODER_H

#include <rocprofiler-sdk/experimental/thread-trace/trace_decoder_types.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef struct rocprofiler_thread_trace_decoder_id_t {
	uint64_t handle;
} rocprofiler_thread_trace_decoder_id_t;

/* Makes a decoder of the library in the directory `path`. -> NOT_IMPLEMENTED */
rocprofiler_status_t
rocprofiler_thread_trace_decoder_create(rocprofiler_thread_trace_decoder_id_t *handle,
					const char *path) ROCPROFILER_API ROCPROFILER_NONNULL(1, 2);

/* Frees it. */
void rocprofiler_thread_trace_decoder_destroy(rocprofiler_thread_trace_decoder_id_t handle)
	ROCPROFILER_API;

/* Passes it a code object, by an id and where it was loaded. -> NOT_IMPLEMENTED */
rocprofiler_status_t rocprofiler_thread_trace_decoder_codeobj_load(
	rocprofiler_thread_trace_decoder_id_t handle, uint64_t load_id, uint64_t load_addr,
	uint64_t load_size, const void *data, uint64_t size) ROCPROFILER_API ROCPROFILER_NONNULL(5);

/* The same: it was unloaded. -> NOT_IMPLEMENTED */
rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_unload(rocprofiler_thread_trace_decoder_id_t handle,
						uint64_t load_id) ROCPROFILER_API;

/* Is given `trace_size` records of a type; they are the library's, valid until it returns. */
typedef void (*rocprofiler_thread_trace_decoder_callback_t)(
	rocprofiler_thread_trace_decoder_record_type_t record_type_id, void *trace_events,
	uint64_t trace_size, void *userdata);

/*
 * Decodes data of a shader engine, and calls `callback` for what is in them, on this thread.
 * -> NOT_IMPLEMENTED
 */
rocprofiler_status_t rocprofiler_trace_decode(rocprofiler_thread_trace_decoder_id_t handle,
					      rocprofiler_thread_trace_decoder_callback_t callback,
					      void *data, uint64_t size,
					      void *userdata) ROCPROFILER_API
	ROCPROFILER_NONNULL(2, 3);

/* What the information means; the string stays. */
const char *rocprofiler_thread_trace_decoder_info_string(
	rocprofiler_thread_trace_decoder_id_t handle,
	rocprofiler_thread_trace_decoder_info_t info) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
