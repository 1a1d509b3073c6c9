/* SPDX-License-Identifier: MIT */
/*
 * The callback service: a function of the tool is called on the thread that makes a call, or for
 * which something is done, at its begin and its end. Names and layouts are those of
 * callback_tracing.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_CALLBACK_TRACING_H
#define ROCPROFILER_SDK_CALLBACK_TRACING_H

#include <stdint.h>

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/rccl.h>
#include <rocprofiler-sdk/rocdecode.h>
#include <rocprofiler-sdk/rocjpeg.h>

#include <hsa/hsa_ven_amd_loader.h>

ROCPROFILER_EXTERN_C_INIT

/* ---- what a callback's payload is, by kind; `size` is that of the struct in bytes ---- */

/* _HSA_..._API */
typedef struct rocprofiler_callback_tracing_hsa_api_data_t {
	uint64_t size;
	rocprofiler_hsa_api_args_t args;     /* by the function's name */
	rocprofiler_hsa_api_retval_t retval; /* by its type; at EXIT */
} rocprofiler_callback_tracing_hsa_api_data_t;

/*
 * _HIP_RUNTIME_API, _HIP_COMPILER_API. HIP reports no results to a tool. The results of a HIP that
 * was built with rocprofiler-register are known. Those of another HIP are known where the calling
 * object is linked against it. Else, if the function's address came from dlsym(), as for calls that
 * configure a launch, the result is hipErrorUnknown. Of such a HIP __hipRegister...() and
 * __hipUnregisterFatBinary() are only seen in such objects, see HOST_KERNEL_SYMBOL_REGISTER below.
 * Calls that a program makes at exit (__hipUnregisterFatBinary()), when tools have been finalised,
 * are not reported.
 */
typedef struct rocprofiler_callback_tracing_hip_api_data_t {
	uint64_t size;
	rocprofiler_hip_api_args_t args;
	rocprofiler_hip_api_retval_t retval;
} rocprofiler_callback_tracing_hip_api_data_t;

/* _OMPT */
typedef struct rocprofiler_callback_tracing_ompt_data_t {
	uint64_t size;
	rocprofiler_ompt_args_t args;
} rocprofiler_callback_tracing_ompt_data_t;

/*
 * _MARKER_..._API. Of _MARKER_CORE_RANGE_API a range is one operation: ENTER where it begins, EXIT
 * where it ends, which from start to stop may be on another thread, though the record has that of
 * the begin. What a thread calls between push and pop has the range as its ancestor.
 */
typedef struct rocprofiler_callback_tracing_marker_api_data_t {
	uint64_t size;
	rocprofiler_marker_api_args_t args;
	rocprofiler_marker_api_retval_t retval;
} rocprofiler_callback_tracing_marker_api_data_t;

/* _RCCL_API */
typedef struct rocprofiler_callback_tracing_rccl_api_data_t {
	uint64_t size;
	rocprofiler_rccl_api_args_t args;
	rocprofiler_rccl_api_retval_t retval;
} rocprofiler_callback_tracing_rccl_api_data_t;

/* _ROCDECODE_API */
typedef struct rocprofiler_callback_tracing_rocdecode_api_data_t {
	uint64_t size;
	rocprofiler_rocdecode_api_args_t args;
	rocprofiler_rocdecode_api_retval_t retval;
} rocprofiler_callback_tracing_rocdecode_api_data_t;

/* _ROCJPEG_API */
typedef struct rocprofiler_callback_tracing_rocjpeg_api_data_t {
	uint64_t size;
	rocprofiler_rocjpeg_api_args_t args;
	rocprofiler_rocjpeg_api_retval_t retval;
} rocprofiler_callback_tracing_rocjpeg_api_data_t;

/* What a code object was loaded from; the numbers are HSA's. */
typedef enum rocprofiler_code_object_storage_type_t {
	ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_NONE =
		HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_NONE,
	ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE =
		HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE,
	ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY =
		HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
	ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_LAST,
} rocprofiler_code_object_storage_type_t;

/* _CODE_OBJECT, ROCPROFILER_CODE_OBJECT_LOAD; phase LOAD and, as it goes, UNLOAD */
typedef struct rocprofiler_callback_tracing_code_object_load_data_t {
	uint64_t size;
	uint64_t code_object_id; /* from 1, never used twice */
	union {
		rocprofiler_agent_id_t rocp_agent; /* the name of before 1.0 */
		rocprofiler_agent_id_t agent_id;
	};
	hsa_agent_t hsa_agent;
	const char *uri;    /* where it is from, as HSA's loader has it */
	uint64_t load_base; /* address */
	uint64_t load_size; /* bytes */
	int64_t load_delta; /* from addresses in the code object to those in memory */
	rocprofiler_code_object_storage_type_t storage_type;
	union {
		struct {
			int storage_file; /* its descriptor */
		};
		struct {
			uint64_t memory_base; /* of the code object that was loaded */
			uint64_t memory_size; /* bytes */
		};
	};
} rocprofiler_callback_tracing_code_object_load_data_t;

#define ROCPROFILER_CODE_OBJECT_ID_NONE ROCPROFILER_UINT64_C(0)

/* _CODE_OBJECT, ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER */
typedef struct rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t {
	uint64_t size;
	uint64_t kernel_id; /* from 1, never used twice */
	uint64_t code_object_id;
	const char *kernel_name; /* mangled, with ".kd"; valid until the library is finalised */
	uint64_t kernel_object;	 /* as in packets */
	uint32_t kernarg_segment_size; /* bytes, as the next four */
	uint32_t kernarg_segment_alignment;
	uint32_t group_segment_size;   /* static LDS a workgroup */
	uint32_t private_segment_size; /* static scratch memory a work-item */
	uint32_t sgpr_count;
	uint32_t arch_vgpr_count;
	uint32_t accum_vgpr_count;
	int64_t kernel_code_entry_byte_offset; /* from kernel_object to the first instruction */
	rocprofiler_address_t kernel_address;  /* of the first instruction */
} rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;

/*
 * _CODE_OBJECT, ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER: what a program launches the
 * kernel by, as it was registered by __hipRegisterFunction(). Phase LOAD, after the kernel's, and
 * UNLOAD, before the kernel's; librocprofiler-sdk 1.0 does not report UNLOAD.
 *
 * Of a HIP that was built without rocprofiler-register, registrations are seen of the program and
 * of libraries that are loaded and initialised after this library is; not those of libraries that
 * are loaded later, by dlopen(), nor of what calls HIP by addresses from dlsym().
 */
typedef struct rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t {
	uint64_t size;
	uint64_t host_function_id; /* from 1 */
	uint64_t kernel_id;
	uint64_t code_object_id;
	rocprofiler_address_t host_function; /* what programs launch */
	rocprofiler_address_t modules;	     /* what __hipRegisterFatBinary() returned */
	const char *device_function;	     /* the kernel's name */
	uint32_t thread_limit;
	rocprofiler_dim3_t thread_ids;
	rocprofiler_dim3_t block_ids;
	rocprofiler_dim3_t block_dims;
	rocprofiler_dim3_t grid_dims;
	uint64_t workgroup_size;
} rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t;

/*
 * _KERNEL_DISPATCH: ENQUEUE with both phases, COMPLETE, with times, with none. At ENQUEUE the queue
 * is locked: HIP and HSA may be called, but a GPU must not be waited for, nor a thread that
 * submits, and no stream or queue be created or destroyed. COMPLETE is reported on a thread of the
 * library, and not if the kernel never ran; its times are 0 where they are not known.
 */
typedef struct rocprofiler_callback_tracing_kernel_dispatch_data_t {
	uint64_t size;
	rocprofiler_timestamp_t start_timestamp; /* 0 unless COMPLETE */
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_callback_tracing_kernel_dispatch_data_t;

/*
 * _MEMORY_COPY: ENTER as it is submitted, EXIT, with times, when it is done. What is said of
 * ENQUEUE and COMPLETE holds for them.
 */
typedef struct rocprofiler_callback_tracing_memory_copy_data_t {
	uint64_t size;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_agent_id_t dst_agent_id;
	rocprofiler_agent_id_t src_agent_id;
	uint64_t bytes;
	rocprofiler_address_t dst_address;
	rocprofiler_address_t src_address;
} rocprofiler_callback_tracing_memory_copy_data_t;

/* _MEMORY_ALLOCATION; at EXIT times, address and size are known */
typedef struct rocprofiler_callback_tracing_memory_allocation_data_t {
	uint64_t size;
	rocprofiler_timestamp_t start_timestamp;
	rocprofiler_timestamp_t end_timestamp;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_address_t address;
	uint64_t allocation_size; /* bytes; 0 when it is freed */
} rocprofiler_callback_tracing_memory_allocation_data_t;

/* _SCRATCH_MEMORY */
typedef struct rocprofiler_callback_tracing_scratch_memory_data_t {
	uint64_t size;
	rocprofiler_agent_id_t agent_id;
	rocprofiler_queue_id_t queue_id;
	rocprofiler_scratch_alloc_flag_t flags;
	hsa_amd_tool_event_kind_t args_kind;
	rocprofiler_scratch_memory_args_t args;
} rocprofiler_callback_tracing_scratch_memory_data_t;

/* _RUNTIME_INITIALIZATION */
typedef struct rocprofiler_callback_tracing_runtime_initialization_data_t {
	uint64_t size;
	uint64_t version;  /* 10000 major + 100 minor + patch */
	uint64_t instance; /* how often it was initialised before */
} rocprofiler_callback_tracing_runtime_initialization_data_t;

/* _HIP_STREAM */
typedef struct rocprofiler_callback_tracing_hip_stream_data_t {
	uint64_t size;
	rocprofiler_stream_id_t stream_id;  /* 0: the null stream */
	rocprofiler_address_t stream_value; /* its hipStream_t */
} rocprofiler_callback_tracing_hip_stream_data_t;

/* ---- functions ---- */

/*
 * Receives an operation. *user_data is this operation's: what ENTER puts there, EXIT finds. An
 * external correlation id that is pushed at ENTER is that of what follows from the call. Runs on
 * several threads at once.
 */
typedef void (*rocprofiler_callback_tracing_cb_t)(rocprofiler_callback_tracing_record_t record,
						  rocprofiler_user_data_t *user_data,
						  void *callback_data) ROCPROFILER_NONNULL(2);

/* The next three return 0, or another number to end the iteration. */
typedef int (*rocprofiler_callback_tracing_kind_cb_t)(rocprofiler_callback_tracing_kind_t kind,
						      void *data);
typedef int (*rocprofiler_callback_tracing_kind_operation_cb_t)(
	rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	void *data);

/*
 * Is given an argument: its number, from 0; where the library holds it; how many pointers its type
 * is (2 for char **); the type's name, as typeid(type).name() of C++ has it; its name; its value as
 * a string, for which `arg_dereference_count` pointers were followed. All is valid until it
 * returns.
 */
typedef int (*rocprofiler_callback_tracing_operation_args_cb_t)(
	rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	uint32_t arg_number, const void *const arg_value_addr, int32_t arg_indirection_count,
	const char *arg_type, const char *arg_name, const char *arg_value_str,
	int32_t arg_dereference_count, void *data);

/*
 * While the context runs, `callback` is called for these operations of the kind; with `operations`
 * NULL and a count of 0, for all.
 * -> CONFIGURATION_LOCKED: not inside of a tool's initialize function; CONTEXT_NOT_FOUND;
 * SERVICE_ALREADY_CONFIGURED: the context has this kind; KIND_NOT_FOUND, OPERATION_NOT_FOUND;
 * INVALID_ARGUMENT: no function, or no operations but a count; NOT_IMPLEMENTED: RCCL, OpenMP,
 * rocDecode, rocJPEG.
 */
rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
	rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
	const rocprofiler_tracing_operation_t *operations, size_t operations_count,
	rocprofiler_callback_tracing_cb_t callback, void *callback_args) ROCPROFILER_API;

/* The kind's name, as HIP_RUNTIME_API, and its length; each if not NULL. -> KIND_NOT_FOUND */
rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
					     const char **name, uint64_t *name_len) ROCPROFILER_API;

/*
 * The operation's name, which is the function's for calls, and its length; each if not NULL.
 * -> KIND_NOT_FOUND, OPERATION_NOT_FOUND; INVALID_ARGUMENT: the kind is NONE.
 */
rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(
	rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation,
	const char **name, uint64_t *name_len) ROCPROFILER_API;

/* Calls `callback` for every kind, NONE too, in ascending order. No errors. */
rocprofiler_status_t
rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
					   void *data) ROCPROFILER_API ROCPROFILER_NONNULL(1);

/*
 * Calls `callback` for every operation of the kind, in ascending order.
 * -> KIND_NOT_FOUND; INVALID_ARGUMENT: the kind is NONE.
 */
rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
	rocprofiler_callback_tracing_kind_t kind,
	rocprofiler_callback_tracing_kind_operation_cb_t callback, void *data) ROCPROFILER_API
	ROCPROFILER_NONNULL(2);

/*
 * Calls `callback` for every argument of the call that the record describes, inside of its
 * callback; until it returns another number than 0. To make the values' strings no more than
 * `max_dereference_count` pointers are followed, and those to strings: at ENTER more than 1 may
 * meet one that the function has not set yet. What cannot be read is shown as its address; of a
 * string the first 4096 bytes are shown.
 * -> INVALID_ARGUMENT: kind NONE or LAST, or no payload; KIND_NOT_FOUND, OPERATION_NOT_FOUND;
 * NOT_IMPLEMENTED: the kind's operations have no arguments, or they are not described.
 */
rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
	rocprofiler_callback_tracing_record_t record,
	rocprofiler_callback_tracing_operation_args_cb_t callback, int32_t max_dereference_count,
	void *user_data) ROCPROFILER_API ROCPROFILER_NONNULL(2);

ROCPROFILER_EXTERN_C_FINI

#endif
