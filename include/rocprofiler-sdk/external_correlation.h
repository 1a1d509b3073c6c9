/* SPDX-License-Identifier: MIT */
/*
 * External correlation ids: a tool's own value that goes with the library's in all records. Names
 * are those of external_correlation.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_EXTERNAL_CORRELATION_H
#define ROCPROFILER_SDK_EXTERNAL_CORRELATION_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* For what a tool can be asked for a value. */
typedef enum ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_external_correlation_id_request_kind_t {
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_NONE = 0,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_CORE_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_AMD_EXT_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_IMAGE_EXT_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HSA_FINALIZE_EXT_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_RUNTIME_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_HIP_COMPILER_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CONTROL_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_NAME_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_COPY,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_SCRATCH_MEMORY,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_RCCL_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_OMPT,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MEMORY_ALLOCATION,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCDECODE_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_ROCJPEG_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_RANGE_API,
	ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST,
} rocprofiler_external_correlation_id_request_kind_t;

/*
 * Puts the value for this operation there and returns 0; any other number: none, the one that was
 * pushed last is taken. Runs on the thread that does the operation.
 */
ROCPROFILER_SDK_EXPERIMENTAL
typedef int (*rocprofiler_external_correlation_id_request_cb_t)(
	rocprofiler_thread_id_t thread_id, rocprofiler_context_id_t context_id,
	rocprofiler_external_correlation_id_request_kind_t kind,
	rocprofiler_tracing_operation_t operation, uint64_t internal_corr_id_value,
	rocprofiler_user_data_t *external_corr_id_value, void *data);

/*
 * `callback` is asked for the operations of these kinds; `kinds` NULL: of all.
 * -> CONFIGURATION_LOCKED: not inside of a tool's initialize function; CONTEXT_NOT_FOUND;
 * SERVICE_ALREADY_CONFIGURED: in this context; KIND_NOT_FOUND; INVALID_ARGUMENT: kinds, but a count
 * of 0.
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
	rocprofiler_context_id_t context_id,
	const rocprofiler_external_correlation_id_request_kind_t *kinds, size_t kinds_count,
	rocprofiler_external_correlation_id_request_cb_t callback,
	void *callback_args) ROCPROFILER_API ROCPROFILER_NONNULL(4);

/*
 * The kind's name, without what all have in front, and its length; each if not NULL. The string
 * stays. -> KIND_NOT_FOUND
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
	rocprofiler_external_correlation_id_request_kind_t kind, const char **name,
	uint64_t *name_len) ROCPROFILER_API;

/*
 * From now on the value goes with what thread `tid` does, until it is popped. A thread that pushed
 * none has what the main thread pushed last.
 * -> CONTEXT_NOT_FOUND; INVALID_ARGUMENT: there is no such thread.
 */
rocprofiler_status_t rocprofiler_push_external_correlation_id(
	rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
	rocprofiler_user_data_t external_correlation_id) ROCPROFILER_API;

/*
 * Takes back what was pushed last, and puts it there if not NULL.
 * -> CONTEXT_NOT_FOUND; INVALID_ARGUMENT: there is no such thread.
 */
rocprofiler_status_t rocprofiler_pop_external_correlation_id(
	rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
	rocprofiler_user_data_t *external_correlation_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
