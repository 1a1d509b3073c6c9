/* SPDX-License-Identifier: MIT */
/*
 * The buffer service: records of what has happened, written to a buffer (buffer.h) and passed on in
 * batches. Names and layouts are those of buffer_tracing.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_BUFFER_TRACING_H
#define ROCPROFILER_SDK_BUFFER_TRACING_H

#include <stdint.h>

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip/api_args.h>
#include <rocprofiler-sdk/hsa/scratch_memory_id.h>
#include <rocprofiler-sdk/kfd/kfd_id.h>
#include <rocprofiler-sdk/rocdecode/api_args.h>
#include <rocprofiler-sdk/rocdecode/api_id.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * ---- records, by kind ----
 *
 * In each, `size` is that of the struct in bytes; `operation` is in the enum of the kind; begin and
 * end of what a GPU did are the GPU's, of calls those of the call.
 */

/* _HSA_..._API */
typedef struct rocprofiler_buffer_tracing_hsa_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_hsa_api_record_t;

/* _HIP_RUNTIME_API, _HIP_COMPILER_API */
typedef struct rocprofiler_buffer_tracing_hip_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_hip_api_record_t;

/* _HIP_RUNTIME_API_EXT, _HIP_COMPILER_API_EXT: with arguments and result */
typedef struct rocprofiler_buffer_tracing_hip_api_ext_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
	rocprofiler_hip_api_args_t args;
	rocprofiler_hip_api_retval_t retval;
} rocprofiler_buffer_tracing_hip_api_ext_record_t;

/* What a record of OMPT reports about regions on devices, copies and kernels. */
typedef struct rocprofiler_buffer_tracing_ompt_target_t {
	int32_t kind; /* ompt_target_t */
	int32_t device_num;
	uint64_t task_id;
	uint64_t target_id;
	const void *codeptr_ra; /* return address in the program */
} rocprofiler_buffer_tracing_ompt_target_t;

typedef struct rocprofiler_buffer_tracing_ompt_target_data_op_t {
	uint64_t host_op_id;
	int32_t optype; /* ompt_target_data_op_t */
	int32_t src_device_num;
	int32_t dst_device_num;
	int32_t reserved;
	uint64_t bytes;
	const void *codeptr_ra;
} rocprofiler_buffer_tracing_ompt_target_data_op_t;

typedef struct rocprofiler_buffer_tracing_ompt_target_kernel_t {
	uint64_t host_op_id;
	int32_t device_num;
	uint32_t requested_num_teams;
} rocprofiler_buffer_tracing_ompt_target_kernel_t;

/* _OMPT */
typedef struct rocprofiler_buffer_tracing_ompt_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
	union { /* by operation: target_emi, target_data_op_emi, target_submit_emi */
		rocprofiler_buffer_tracing_ompt_target_t target;
		rocprofiler_buffer_tracing_ompt_target_data_op_t target_data_op;
		rocprofiler_buffer_tracing_ompt_target_kernel_t target_kernel;
		uint64_t reserved[5];
	};
} rocprofiler_buffer_tracing_ompt_record_t;

/* _MARKER_..._API; a range of _MARKER_CORE_RANGE_API is from its begin to its end */
typedef struct rocprofiler_buffer_tracing_marker_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_marker_api_record_t;

/* _RCCL_API */
typedef struct rocprofiler_buffer_tracing_rccl_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_rccl_api_record_t;

/* _ROCDECODE_API */
typedef struct rocprofiler_buffer_tracing_rocdecode_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_rocdecode_api_id_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_rocdecode_api_record_t;

/* _ROCDECODE_API_EXT: with arguments and result */
typedef struct rocprofiler_buffer_tracing_rocdecode_api_ext_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_rocdecode_api_id_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
	rocprofiler_rocdecode_api_args_t args;
	rocprofiler_rocdecode_api_retval_t retval;
} rocprofiler_buffer_tracing_rocdecode_api_ext_record_t;

/* _ROCJPEG_API */
typedef struct rocprofiler_buffer_tracing_rocjpeg_api_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_thread_id_t thread_id;
} rocprofiler_buffer_tracing_rocjpeg_api_record_t;

/* _MEMORY_COPY */
typedef struct rocprofiler_buffer_tracing_memory_copy_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_memory_copy_operation_t operation;
	rocprofiler_async_correlation_id_t correlation_id;
	rocprofiler_thread_id_t thread_id; /* that submitted it */
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_agent_id_t dst_agent_id;
	rocprofiler_agent_id_t src_agent_id;
	uint64_t bytes;
	rocprofiler_address_t dst_address;
	rocprofiler_address_t src_address;
} rocprofiler_buffer_tracing_memory_copy_record_t;

/* _MEMORY_ALLOCATION */
typedef struct rocprofiler_buffer_tracing_memory_allocation_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_memory_allocation_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_thread_id_t thread_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_address_t address;
	uint64_t allocation_size; /* bytes; 0 when it is freed */
} rocprofiler_buffer_tracing_memory_allocation_record_t;

/* _KERNEL_DISPATCH; operation COMPLETE */
typedef struct rocprofiler_buffer_tracing_kernel_dispatch_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kernel_dispatch_operation_t operation;
	rocprofiler_async_correlation_id_t correlation_id;
	rocprofiler_thread_id_t thread_id; /* that submitted it */
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_buffer_tracing_kernel_dispatch_record_t;

/* _KFD_EVENT_PAGE_MIGRATE; addresses are of a range, its end excluded */
typedef struct rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_event_page_migrate_operation_t operation;
	rocprofiler_timestamp_t timestamp;
	uint32_t pid;
	rocprofiler_address_t start_address;
	rocprofiler_address_t end_address;
	rocprofiler_agent_id_t src_agent;
	rocprofiler_agent_id_t dst_agent;
	rocprofiler_agent_id_t prefetch_agent;
	rocprofiler_agent_id_t preferred_agent;
	int32_t error_code; /* at the end; 0: it was moved */
} rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t;

/* _KFD_EVENT_PAGE_FAULT */
typedef struct rocprofiler_buffer_tracing_kfd_event_page_fault_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_event_page_fault_operation_t operation;
	rocprofiler_timestamp_t timestamp;
	uint32_t pid;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_address_t address;
} rocprofiler_buffer_tracing_kfd_event_page_fault_record_t;

/* _KFD_EVENT_QUEUE */
typedef struct rocprofiler_buffer_tracing_kfd_event_queue_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_event_queue_operation_t operation;
	rocprofiler_timestamp_t timestamp;
	uint32_t pid;
	rocprofiler_agent_id_t agent_id;
} rocprofiler_buffer_tracing_kfd_event_queue_record_t;

/* _KFD_EVENT_UNMAP_FROM_GPU */
typedef struct rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_event_unmap_from_gpu_operation_t operation;
	rocprofiler_timestamp_t timestamp;
	uint32_t pid;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_address_t start_address;
	rocprofiler_address_t end_address;
} rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t;

/* _KFD_EVENT_DROPPED_EVENTS */
typedef struct rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_event_dropped_events_operation_t operation;
	rocprofiler_timestamp_t timestamp;
	uint32_t pid;
	uint32_t count;
} rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t;

/* _KFD_PAGE_MIGRATE */
typedef struct rocprofiler_buffer_tracing_kfd_page_migrate_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_page_migrate_operation_t operation;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	uint32_t pid;
	rocprofiler_address_t start_address;
	rocprofiler_address_t end_address;
	rocprofiler_agent_id_t src_agent;
	rocprofiler_agent_id_t dst_agent;
	rocprofiler_agent_id_t prefetch_agent;
	rocprofiler_agent_id_t preferred_agent;
	int32_t error_code; /* 0: it was moved */
} rocprofiler_buffer_tracing_kfd_page_migrate_record_t;

/* _KFD_PAGE_FAULT */
typedef struct rocprofiler_buffer_tracing_kfd_page_fault_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_page_fault_operation_t operation;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	uint32_t pid;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_address_t address;
} rocprofiler_buffer_tracing_kfd_page_fault_record_t;

/* _KFD_QUEUE */
typedef struct rocprofiler_buffer_tracing_kfd_queue_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_kfd_queue_operation_t operation;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	uint32_t pid;
	rocprofiler_agent_id_t agent_id;
} rocprofiler_buffer_tracing_kfd_queue_record_t;

/* _SCRATCH_MEMORY */
typedef struct rocprofiler_buffer_tracing_scratch_memory_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_scratch_memory_operation_t operation;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_queue_id_t queue_id;
	rocprofiler_thread_id_t thread_id;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_scratch_alloc_flag_t flags;
	uint64_t allocation_size; /* bytes */
} rocprofiler_buffer_tracing_scratch_memory_record_t;

/* _CORRELATION_ID_RETIREMENT: the call and all that it asked for is done, no record follows */
typedef struct rocprofiler_buffer_tracing_correlation_id_retirement_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_timestamp_t timestamp; /* when that was noticed */
	uint64_t internal_correlation_id;
} rocprofiler_buffer_tracing_correlation_id_retirement_record_t;

/* _RUNTIME_INITIALIZATION */
typedef struct rocprofiler_buffer_tracing_runtime_initialization_record_t {
	uint64_t size;
	rocprofiler_buffer_tracing_kind_t kind;
	rocprofiler_runtime_initialization_operation_t operation;
	rocprofiler_correlation_id_t correlation_id; /* 0 */
	rocprofiler_thread_id_t thread_id;
	rocprofiler_timestamp_t timestamp;
	uint64_t version;  /* 10000 major + 100 minor + patch */
	uint64_t instance; /* how often it was initialised before */
} rocprofiler_buffer_tracing_runtime_initialization_record_t;

/* ---- functions ---- */

/* The next three return 0, or another number to end the iteration. */
typedef int (*rocprofiler_buffer_tracing_kind_cb_t)(rocprofiler_buffer_tracing_kind_t kind,
						    void *data);
typedef int (*rocprofiler_buffer_tracing_kind_operation_cb_t)(
	rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	void *data);

/* Is given an argument, as rocprofiler_callback_tracing_operation_args_cb_t is. */
typedef int (*rocprofiler_buffer_tracing_operation_args_cb_t)(
	rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	uint32_t arg_number, const void *const arg_value_addr, int32_t arg_indirection_count,
	const char *arg_type, const char *arg_name, const char *arg_value_str, void *data);

/*
 * While the context runs, these operations of the kind are recorded in the buffer; with
 * `operations` NULL and a count of 0, all.
 * -> CONFIGURATION_LOCKED: not inside of a tool's initialize function; CONTEXT_NOT_FOUND,
 * BUFFER_NOT_FOUND; SERVICE_ALREADY_CONFIGURED: the context has this kind; KIND_NOT_FOUND,
 * OPERATION_NOT_FOUND; INVALID_ARGUMENT: no operations but a count; NOT_IMPLEMENTED: RCCL, OpenMP,
 * rocDecode, rocJPEG, the events of the kernel's driver.
 */
rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
	const rocprofiler_tracing_operation_t *operations, size_t operations_count,
	rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

/* The kind's name, as HIP_RUNTIME_API, and its length; each if not NULL. -> KIND_NOT_FOUND */
rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
					   const char **name, uint64_t *name_len) ROCPROFILER_API;

/*
 * The operation's name, which is the function's for calls, and its length; each if not NULL.
 * -> KIND_NOT_FOUND, OPERATION_NOT_FOUND; INVALID_ARGUMENT: the kind is NONE; NOT_IMPLEMENTED: it
 * has no operations.
 */
rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_operation_name(
	rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	const char **name, uint64_t *name_len) ROCPROFILER_API;

/* Calls `callback` for every kind, NONE too, in ascending order. No errors. */
rocprofiler_status_t
rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback,
					 void *data) ROCPROFILER_API ROCPROFILER_NONNULL(1);

/*
 * Calls `callback` for every operation of the kind, in ascending order.
 * -> KIND_NOT_FOUND; INVALID_ARGUMENT: the kind is NONE; NOT_IMPLEMENTED: it has no operations.
 */
rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
	rocprofiler_buffer_tracing_kind_t kind,
	rocprofiler_buffer_tracing_kind_operation_cb_t callback, void *data) ROCPROFILER_API
	ROCPROFILER_NONNULL(2);

/*
 * Calls `callback` for every argument in a record of a kind ..._EXT; until it returns another
 * number than 0. No pointer is followed but those to strings, which may have changed since.
 * -> INVALID_ARGUMENT: not a record of tracing, kind NONE or LAST, or no payload; KIND_NOT_FOUND,
 * OPERATION_NOT_FOUND; NOT_IMPLEMENTED: the kind has no arguments, or they are not described.
 */
rocprofiler_status_t rocprofiler_iterate_buffer_tracing_record_args(
	rocprofiler_record_header_t record, rocprofiler_buffer_tracing_operation_args_cb_t callback,
	void *user_data) ROCPROFILER_API ROCPROFILER_NONNULL(2);

ROCPROFILER_EXTERN_C_FINI

#endif
