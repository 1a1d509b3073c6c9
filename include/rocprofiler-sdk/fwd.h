/* SPDX-License-Identifier: MIT */
/*
 * Types that several of the other headers use: status codes, kinds and operations, identifiers, the
 * records that callbacks get and those of buffers. Numbers and layouts are those of fwd.h of
 * librocprofiler-sdk 1.0.
 *
 * In enums NONE is no value of its own and LAST the number after the last one, where nothing else
 * is said.
 */
#ifndef ROCPROFILER_SDK_FWD_H
#define ROCPROFILER_SDK_FWD_H

#include <stddef.h>
#include <stdint.h>

#include <rocprofiler-sdk/defines.h>

ROCPROFILER_EXTERN_C_INIT

/* ---- enums ---- */

/* What functions return; rocprofiler_get_status_string() has a sentence for each. */
typedef enum rocprofiler_status_t {
	ROCPROFILER_STATUS_SUCCESS = 0,
	ROCPROFILER_STATUS_ERROR, /* any that has no code of its own */
	ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND, /* the kind has none of that number */
	ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR,
	ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID, /* what it is configured for cannot be */
	ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED,
	ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT,    /* another context has what this one needs */
	ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO, /* the handle to be filled in is not 0 */
	ROCPROFILER_STATUS_ERROR_BUFFER_BUSY,	      /* it is being flushed */
	ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED,
	ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED, /* only allowed while tools initialise */
	ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED,
	ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI, /* the size of a caller's struct is unknown */
	ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT,
	ROCPROFILER_STATUS_ERROR_METRIC_NOT_VALID_FOR_AGENT,
	ROCPROFILER_STATUS_ERROR_FINALIZED,
	ROCPROFILER_STATUS_ERROR_HSA_NOT_LOADED,
	ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND, /* the counter has no such dimension */
	ROCPROFILER_STATUS_ERROR_PROFILE_COUNTER_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED, /* a counter's expression does not parse */
	ROCPROFILER_STATUS_ERROR_AST_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_AQL_NO_EVENT_COORD,
	ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_KERNEL, /* the kernel's driver is too old */
	ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES,
	ROCPROFILER_STATUS_ERROR_PROFILE_NOT_FOUND,
	ROCPROFILER_STATUS_ERROR_AGENT_DISPATCH_CONFLICT, /* counting of an agent and by dispatch */
	ROCPROFILER_STATUS_INTERNAL_NO_AGENT_CONTEXT,	  /* which need not be an error */
	ROCPROFILER_STATUS_ERROR_SAMPLE_RATE_EXCEEDED,
	ROCPROFILER_STATUS_ERROR_NO_PROFILE_QUEUE,
	ROCPROFILER_STATUS_ERROR_NO_HARDWARE_COUNTERS,
	ROCPROFILER_STATUS_ERROR_AGENT_MISMATCH,
	ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE, /* the service, on this machine */
	ROCPROFILER_STATUS_ERROR_EXCEEDS_HW_LIMIT,
	ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED,
	ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED,
	ROCPROFILER_STATUS_LAST,
} rocprofiler_status_t;

/* What a record in a buffer is of: rocprofiler_record_header_t.category. */
typedef enum rocprofiler_buffer_category_t {
	ROCPROFILER_BUFFER_CATEGORY_NONE = 0,
	ROCPROFILER_BUFFER_CATEGORY_TRACING,	 /* kind: rocprofiler_buffer_tracing_kind_t */
	ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING, /* rocprofiler_pc_sampling_record_kind_t */
	ROCPROFILER_BUFFER_CATEGORY_COUNTERS,	 /* rocprofiler_counter_record_kind_t */
	ROCPROFILER_BUFFER_CATEGORY_LAST,
} rocprofiler_buffer_category_t;

typedef enum rocprofiler_agent_type_t {
	ROCPROFILER_AGENT_TYPE_NONE = 0,
	ROCPROFILER_AGENT_TYPE_CPU,
	ROCPROFILER_AGENT_TYPE_GPU,
	ROCPROFILER_AGENT_TYPE_LAST,
} rocprofiler_agent_type_t;

/* When in an operation a callback is called; NONE: the operation has one moment only. */
typedef enum rocprofiler_callback_phase_t {
	ROCPROFILER_CALLBACK_PHASE_NONE = 0,
	ROCPROFILER_CALLBACK_PHASE_ENTER, /* before the function does anything */
	ROCPROFILER_CALLBACK_PHASE_LOAD =
		ROCPROFILER_CALLBACK_PHASE_ENTER, /* a code object is there */
	ROCPROFILER_CALLBACK_PHASE_EXIT,	  /* the function is done, its result is known */
	ROCPROFILER_CALLBACK_PHASE_UNLOAD =
		ROCPROFILER_CALLBACK_PHASE_EXIT, /* a code object is about to go */
	ROCPROFILER_CALLBACK_PHASE_LAST,
} rocprofiler_callback_phase_t;

/* What callbacks can be had of; after each kind the enum of its operations. */
typedef enum rocprofiler_callback_tracing_kind_t {
	ROCPROFILER_CALLBACK_TRACING_NONE = 0,
	ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,	   /* rocprofiler_hsa_core_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,	   /* rocprofiler_hsa_amd_ext_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API,	   /* ..._hsa_image_ext_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API, /* ..._hsa_finalize_ext_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,	   /* rocprofiler_hip_runtime_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API,	   /* rocprofiler_hip_compiler_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API,	   /* rocprofiler_marker_core_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API,   /* ..._marker_control_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API,	   /* rocprofiler_marker_name_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,	   /* rocprofiler_code_object_operation_t */
	ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY,  /* rocprofiler_scratch_memory_operation_t */
	ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, /* rocprofiler_kernel_dispatch_operation_t */
	ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY,     /* rocprofiler_memory_copy_operation_t */
	ROCPROFILER_CALLBACK_TRACING_RCCL_API,	      /* rocprofiler_rccl_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_OMPT,	      /* rocprofiler_ompt_operation_t */
	ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION,	     /* ..._memory_allocation_operation_t */
	ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION, /* ..._runtime_initialization_... */
	ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API,	     /* rocprofiler_rocdecode_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API,	     /* rocprofiler_rocjpeg_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_HIP_STREAM,	    /* rocprofiler_hip_stream_operation_t */
	ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, /* ..._marker_core_range_api_id_t */
	ROCPROFILER_CALLBACK_TRACING_LAST,
} rocprofiler_callback_tracing_kind_t;

/* What records can be had of; operations are those of the callback kind of the same name. */
typedef enum rocprofiler_buffer_tracing_kind_t {
	ROCPROFILER_BUFFER_TRACING_NONE = 0,
	ROCPROFILER_BUFFER_TRACING_HSA_CORE_API,
	ROCPROFILER_BUFFER_TRACING_HSA_AMD_EXT_API,
	ROCPROFILER_BUFFER_TRACING_HSA_IMAGE_EXT_API,
	ROCPROFILER_BUFFER_TRACING_HSA_FINALIZE_EXT_API,
	ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API,
	ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API,
	ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API,
	ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API,
	ROCPROFILER_BUFFER_TRACING_MARKER_NAME_API,
	ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
	ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
	ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY,
	ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, /* an id is used no more */
	ROCPROFILER_BUFFER_TRACING_RCCL_API,
	ROCPROFILER_BUFFER_TRACING_OMPT,
	ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION,
	ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION,
	ROCPROFILER_BUFFER_TRACING_ROCDECODE_API,
	ROCPROFILER_BUFFER_TRACING_ROCJPEG_API,
	ROCPROFILER_BUFFER_TRACING_HIP_STREAM,
	/* Calls with their arguments and results. */
	ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT,
	ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT,
	ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT,
	/* What the kernel's driver reports, one record an event; operations: kfd/kfd_id.h. */
	ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE,
	ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_FAULT,
	ROCPROFILER_BUFFER_TRACING_KFD_EVENT_QUEUE,
	ROCPROFILER_BUFFER_TRACING_KFD_EVENT_UNMAP_FROM_GPU,
	ROCPROFILER_BUFFER_TRACING_KFD_EVENT_DROPPED_EVENTS,
	/* The same, one record for a begin and its end. */
	ROCPROFILER_BUFFER_TRACING_KFD_PAGE_MIGRATE,
	ROCPROFILER_BUFFER_TRACING_KFD_PAGE_FAULT,
	ROCPROFILER_BUFFER_TRACING_KFD_QUEUE,
	ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API,
	ROCPROFILER_BUFFER_TRACING_LAST,
} rocprofiler_buffer_tracing_kind_t;

typedef enum rocprofiler_code_object_operation_t {
	ROCPROFILER_CODE_OBJECT_NONE = 0,
	ROCPROFILER_CODE_OBJECT_LOAD,
	ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER, /* a kernel in it */
	ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER,   /* its function of the host */
	ROCPROFILER_CODE_OBJECT_LAST,
} rocprofiler_code_object_operation_t;

/* SET: what the thread submits from here (ENTER) to there (EXIT) is of that stream. */
typedef enum rocprofiler_hip_stream_operation_t {
	ROCPROFILER_HIP_STREAM_NONE = 0,
	ROCPROFILER_HIP_STREAM_CREATE,
	ROCPROFILER_HIP_STREAM_DESTROY,
	ROCPROFILER_HIP_STREAM_SET,
	ROCPROFILER_HIP_STREAM_LAST,
} rocprofiler_hip_stream_operation_t;

typedef enum rocprofiler_memory_copy_operation_t {
	ROCPROFILER_MEMORY_COPY_NONE = 0,
	ROCPROFILER_MEMORY_COPY_HOST_TO_HOST,
	ROCPROFILER_MEMORY_COPY_HOST_TO_DEVICE,
	ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST,
	ROCPROFILER_MEMORY_COPY_DEVICE_TO_DEVICE,
	ROCPROFILER_MEMORY_COPY_LAST,
} rocprofiler_memory_copy_operation_t;

typedef enum rocprofiler_memory_allocation_operation_t {
	ROCPROFILER_MEMORY_ALLOCATION_NONE = 0,
	ROCPROFILER_MEMORY_ALLOCATION_ALLOCATE,
	ROCPROFILER_MEMORY_ALLOCATION_VMEM_ALLOCATE, /* a handle of virtual memory */
	ROCPROFILER_MEMORY_ALLOCATION_FREE,
	ROCPROFILER_MEMORY_ALLOCATION_VMEM_FREE,
	ROCPROFILER_MEMORY_ALLOCATION_LAST,
} rocprofiler_memory_allocation_operation_t;

typedef enum rocprofiler_kernel_dispatch_operation_t {
	ROCPROFILER_KERNEL_DISPATCH_NONE = 0,
	ROCPROFILER_KERNEL_DISPATCH_ENQUEUE = 1,
	ROCPROFILER_KERNEL_DISPATCH_COMPLETE,
	ROCPROFILER_KERNEL_DISPATCH_LAST,
} rocprofiler_kernel_dispatch_operation_t;

typedef enum rocprofiler_pc_sampling_method_t {
	ROCPROFILER_PC_SAMPLING_METHOD_NONE = 0,
	ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC,
	ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
	ROCPROFILER_PC_SAMPLING_METHOD_LAST,
} rocprofiler_pc_sampling_method_t;

/* Of the interval between samples. */
typedef enum rocprofiler_pc_sampling_unit_t {
	ROCPROFILER_PC_SAMPLING_UNIT_NONE = 0,
	ROCPROFILER_PC_SAMPLING_UNIT_INSTRUCTIONS,
	ROCPROFILER_PC_SAMPLING_UNIT_CYCLES,
	ROCPROFILER_PC_SAMPLING_UNIT_TIME, /* us */
	ROCPROFILER_PC_SAMPLING_UNIT_LAST,
} rocprofiler_pc_sampling_unit_t;

/* What becomes of a record when the buffer is full. */
typedef enum rocprofiler_buffer_policy_t {
	ROCPROFILER_BUFFER_POLICY_NONE = 0,
	ROCPROFILER_BUFFER_POLICY_DISCARD,  /* it is dropped, and counted */
	ROCPROFILER_BUFFER_POLICY_LOSSLESS, /* its writer waits */
	ROCPROFILER_BUFFER_POLICY_LAST,
} rocprofiler_buffer_policy_t;

typedef enum rocprofiler_scratch_memory_operation_t {
	ROCPROFILER_SCRATCH_MEMORY_NONE = 0,
	ROCPROFILER_SCRATCH_MEMORY_ALLOC,
	ROCPROFILER_SCRATCH_MEMORY_FREE,
	ROCPROFILER_SCRATCH_MEMORY_ASYNC_RECLAIM,
	ROCPROFILER_SCRATCH_MEMORY_LAST,
} rocprofiler_scratch_memory_operation_t;

/* Libraries, as bits. LAST is the highest of them. */
typedef enum rocprofiler_runtime_library_t {
	ROCPROFILER_LIBRARY = (1 << 0),
	ROCPROFILER_HSA_LIBRARY = (1 << 1),
	ROCPROFILER_HIP_LIBRARY = (1 << 2),
	ROCPROFILER_MARKER_LIBRARY = (1 << 3), /* ROC-TX */
	ROCPROFILER_RCCL_LIBRARY = (1 << 4),
	ROCPROFILER_ROCDECODE_LIBRARY = (1 << 5),
	ROCPROFILER_ROCJPEG_LIBRARY = (1 << 6),
	ROCPROFILER_LIBRARY_LAST = ROCPROFILER_ROCJPEG_LIBRARY,
} rocprofiler_runtime_library_t;

/* Tables of functions, as bits. LAST is the highest of them. */
typedef enum rocprofiler_intercept_table_t {
	ROCPROFILER_HSA_TABLE = (1 << 0),
	ROCPROFILER_HIP_RUNTIME_TABLE = (1 << 1),
	ROCPROFILER_HIP_COMPILER_TABLE = (1 << 2),
	ROCPROFILER_MARKER_CORE_TABLE = (1 << 3),
	ROCPROFILER_MARKER_CONTROL_TABLE = (1 << 4),
	ROCPROFILER_MARKER_NAME_TABLE = (1 << 5),
	ROCPROFILER_RCCL_TABLE = (1 << 6),
	ROCPROFILER_ROCDECODE_TABLE = (1 << 7),
	ROCPROFILER_ROCJPEG_TABLE = (1 << 8),
	ROCPROFILER_TABLE_LAST = ROCPROFILER_ROCJPEG_TABLE,
} rocprofiler_intercept_table_t;

typedef enum rocprofiler_runtime_initialization_operation_t {
	ROCPROFILER_RUNTIME_INITIALIZATION_NONE = 0,
	ROCPROFILER_RUNTIME_INITIALIZATION_HSA,
	ROCPROFILER_RUNTIME_INITIALIZATION_HIP,
	ROCPROFILER_RUNTIME_INITIALIZATION_MARKER,
	ROCPROFILER_RUNTIME_INITIALIZATION_RCCL,
	ROCPROFILER_RUNTIME_INITIALIZATION_ROCDECODE,
	ROCPROFILER_RUNTIME_INITIALIZATION_ROCJPEG,
	ROCPROFILER_RUNTIME_INITIALIZATION_LAST,
} rocprofiler_runtime_initialization_operation_t;

/* Which struct rocprofiler_query_counter_info() fills in. */
typedef enum rocprofiler_counter_info_version_id_t {
	ROCPROFILER_COUNTER_INFO_VERSION_NONE,
	ROCPROFILER_COUNTER_INFO_VERSION_0, /* rocprofiler_counter_info_v0_t */
	ROCPROFILER_COUNTER_INFO_VERSION_1, /* rocprofiler_counter_info_v1_t */
	ROCPROFILER_COUNTER_INFO_VERSION_LAST,
} rocprofiler_counter_info_version_id_t;

/* Records of ROCPROFILER_BUFFER_CATEGORY_COUNTERS. */
typedef enum rocprofiler_counter_record_kind_t {
	ROCPROFILER_COUNTER_RECORD_NONE = 0,
	/* rocprofiler_dispatch_counting_service_record_t; the values of the dispatch follow */
	ROCPROFILER_COUNTER_RECORD_PROFILE_COUNTING_DISPATCH_HEADER,
	ROCPROFILER_COUNTER_RECORD_VALUE, /* rocprofiler_counter_record_t */
	ROCPROFILER_COUNTER_RECORD_LAST,
} rocprofiler_counter_record_kind_t;

typedef enum rocprofiler_counter_flag_t {
	ROCPROFILER_COUNTER_FLAG_NONE = 0,
	ROCPROFILER_COUNTER_FLAG_ASYNC,		    /* do not wait for the values */
	ROCPROFILER_COUNTER_FLAG_APPEND_DEFINITION, /* besides the definitions that are there */
	ROCPROFILER_COUNTER_FLAG_LAST,
} rocprofiler_counter_flag_t;

/* Records of ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING; their types: pc_sampling.h. */
typedef enum rocprofiler_pc_sampling_record_kind_t {
	ROCPROFILER_PC_SAMPLING_RECORD_NONE = 0,
	ROCPROFILER_PC_SAMPLING_RECORD_INVALID_SAMPLE,
	ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE,
	ROCPROFILER_PC_SAMPLING_RECORD_STOCHASTIC_V0_SAMPLE,
	ROCPROFILER_PC_SAMPLING_RECORD_LAST,
} rocprofiler_pc_sampling_record_kind_t;

/* ---- identifiers ---- */

typedef uint64_t rocprofiler_timestamp_t;	    /* ns of CLOCK_BOOTTIME */
typedef uint64_t rocprofiler_thread_id_t;	    /* as gettid() has it */
typedef int32_t rocprofiler_tracing_operation_t;    /* a number in the enum of its kind */
typedef uint64_t rocprofiler_kernel_id_t;	    /* of a kernel on one agent; from 1 */
typedef uint64_t rocprofiler_dispatch_id_t;	    /* of one launch; from 1 */
typedef uint64_t rocprofiler_counter_instance_id_t; /* a counter and the place it counts at */
typedef uint64_t rocprofiler_counter_dimension_id_t;

/* What a tool likes to keep; the library does not look at it. */
typedef union rocprofiler_user_data_t {
	uint64_t value;
	void *ptr;
} rocprofiler_user_data_t;

/* An address, by three names. */
typedef union rocprofiler_address_t {
	uint64_t handle;
	uint64_t value;
	const void *ptr;
} rocprofiler_address_t;

typedef struct rocprofiler_uuid_t {
	uint8_t bytes[16];
} rocprofiler_uuid_t;

typedef struct rocprofiler_version_triplet_t {
	uint32_t major;
	uint32_t minor;
	uint32_t patch;
} rocprofiler_version_triplet_t;

/* Handles mean nothing but to the library; 0 is none. */
typedef struct rocprofiler_context_id_t {
	uint64_t handle;
} rocprofiler_context_id_t;

typedef struct rocprofiler_queue_id_t {
	uint64_t handle;
} rocprofiler_queue_id_t;

typedef struct rocprofiler_stream_id_t {
	uint64_t handle;
} rocprofiler_stream_id_t;

typedef struct rocprofiler_buffer_id_t {
	uint64_t handle;
} rocprofiler_buffer_id_t;

typedef struct rocprofiler_agent_id_t {
	uint64_t handle;
} rocprofiler_agent_id_t;

typedef struct rocprofiler_counter_id_t {
	uint64_t handle;
} rocprofiler_counter_id_t;

typedef struct rocprofiler_counter_config_id_t {
	uint64_t handle;
} rocprofiler_counter_config_id_t;

/* What belongs together: a call, and all that was done for it. */
typedef struct rocprofiler_correlation_id_t {
	uint64_t internal;		  /* of a call; unique in the process, from 1 */
	rocprofiler_user_data_t external; /* what the tool pushed or was asked for; 0 none */
	uint64_t ancestor;		  /* `internal` of the call that this one was made in */
} rocprofiler_correlation_id_t;

/* The same for what a GPU did: of the call that asked for it. */
typedef struct rocprofiler_async_correlation_id_t {
	uint64_t internal;
	rocprofiler_user_data_t external;
} rocprofiler_async_correlation_id_t;

#define ROCPROFILER_CORRELATION_ID_INTERNAL_NONE ROCPROFILER_UINT64_C(0)
#define ROCPROFILER_CORRELATION_ID_ANCESTOR_NONE ROCPROFILER_UINT64_C(0)

/* Sizes of grids and workgroups. */
typedef struct rocprofiler_dim3_t {
	uint32_t x;
	uint32_t y;
	uint32_t z;
} rocprofiler_dim3_t;

/* ---- records ---- */

/* What a callback receives. */
typedef struct rocprofiler_callback_tracing_record_t {
	rocprofiler_context_id_t context_id; /* the context that it is called for */
	rocprofiler_thread_id_t thread_id;
	rocprofiler_correlation_id_t correlation_id;
	rocprofiler_callback_tracing_kind_t kind;
	rocprofiler_tracing_operation_t operation;
	rocprofiler_callback_phase_t phase;
	void *payload; /* of the kind's own type; the library's, valid inside of the callback */
} rocprofiler_callback_tracing_record_t;

/* A record in a buffer: what it is and where. */
typedef struct rocprofiler_record_header_t {
	union {
		struct {
			uint32_t category; /* rocprofiler_buffer_category_t */
			uint32_t kind;	   /* in the category */
		};
		uint64_t hash; /* both: rocprofiler_record_header_compute_hash() */
	};
	void *payload; /* of the kind's own type; valid inside of the buffer's callback */
} rocprofiler_record_header_t;

static inline uint64_t rocprofiler_record_header_compute_hash(uint32_t category, uint32_t kind)
{
	return (uint64_t)category | (uint64_t)kind << 32;
}

/* Which kernel is launched, where and how. */
typedef struct rocprofiler_kernel_dispatch_info_t {
	uint64_t size; /* bytes of this struct that are filled in, without the padding */
	rocprofiler_agent_id_t agent_id;
	rocprofiler_queue_id_t queue_id;
	rocprofiler_kernel_id_t kernel_id;
	rocprofiler_dispatch_id_t dispatch_id;
	uint32_t private_segment_size; /* bytes of scratch memory a work-item */
	uint32_t group_segment_size;   /* bytes of LDS a workgroup, static and dynamic */
	rocprofiler_dim3_t workgroup_size;
	rocprofiler_dim3_t grid_size; /* work-items */
	uint8_t reserved_padding[56];
} rocprofiler_kernel_dispatch_info_t;

/* One of the dimensions that the instances of a counter are ordered in. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_record_dimension_info_t {
	const char *name;
	size_t instance_size; /* its length */
	rocprofiler_counter_dimension_id_t id;
} rocprofiler_counter_record_dimension_info_t;

/* The value of one instance of a counter. */
typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_counter_record_t {
	rocprofiler_counter_instance_id_t id;
	double counter_value;
	rocprofiler_dispatch_id_t dispatch_id; /* 0: not of a dispatch */
	rocprofiler_user_data_t user_data;
	rocprofiler_agent_id_t agent_id;
} rocprofiler_counter_record_t;

/* Names of before 1.0. */
ROCPROFILER_SDK_DEPRECATED("it is rocprofiler_counter_record_dimension_info_t now")
typedef rocprofiler_counter_record_dimension_info_t rocprofiler_record_dimension_info_t;
ROCPROFILER_SDK_DEPRECATED("it is rocprofiler_counter_record_t now")
typedef rocprofiler_counter_record_t rocprofiler_record_counter_t;
#if ROCPROFILER_SDK_BETA_COMPAT > 0
ROCPROFILER_SDK_DEPRECATED("it is rocprofiler_counter_config_id_t now")
typedef rocprofiler_counter_config_id_t rocprofiler_profile_config_id_t;
#endif

ROCPROFILER_EXTERN_C_FINI

#endif
