// SPDX-License-Identifier: MIT
// Kinds, operations and codes by number. Those that are functions are made of
// rocprofiler/prototypes.

#include "rocprofiler/support/tables.h"

#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/kfd/kfd_id.h>

#define SIZE_OF(type, member) sizeof(((type *)NULL)->member)
#define COUNT(array)	      (sizeof(array) / sizeof((array)[0]))

#include "rocprofiler/type_names.inc"
#include "rocprofiler/operations.inc"

// ---- operations that are no functions: their names are those of the enum ----

#define OPERATION(id)	  [ROCPROFILER_##id] = {.name = #id}
#define KFD_OPERATION(id) [ROCPROFILER_KFD_##id] = {.name = "ROCPROFILER_KFD_" #id}

static const struct sdk_operation code_object_operations[] = {
	OPERATION(CODE_OBJECT_NONE),
	OPERATION(CODE_OBJECT_LOAD),
	OPERATION(CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER),
	OPERATION(CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER),
};

static const struct sdk_operation hip_stream_operations[] = {
	OPERATION(HIP_STREAM_NONE),
	OPERATION(HIP_STREAM_CREATE),
	OPERATION(HIP_STREAM_DESTROY),
	OPERATION(HIP_STREAM_SET),
};

static const struct sdk_operation memory_copy_operations[] = {
	OPERATION(MEMORY_COPY_NONE),
	OPERATION(MEMORY_COPY_HOST_TO_HOST),
	OPERATION(MEMORY_COPY_HOST_TO_DEVICE),
	OPERATION(MEMORY_COPY_DEVICE_TO_HOST),
	OPERATION(MEMORY_COPY_DEVICE_TO_DEVICE),
};

static const struct sdk_operation memory_allocation_operations[] = {
	OPERATION(MEMORY_ALLOCATION_NONE),	    OPERATION(MEMORY_ALLOCATION_ALLOCATE),
	OPERATION(MEMORY_ALLOCATION_VMEM_ALLOCATE), OPERATION(MEMORY_ALLOCATION_FREE),
	OPERATION(MEMORY_ALLOCATION_VMEM_FREE),
};

static const struct sdk_operation kernel_dispatch_operations[] = {
	OPERATION(KERNEL_DISPATCH_NONE),
	OPERATION(KERNEL_DISPATCH_ENQUEUE),
	OPERATION(KERNEL_DISPATCH_COMPLETE),
};

static const struct sdk_operation scratch_memory_operations[] = {
	OPERATION(SCRATCH_MEMORY_NONE),
	OPERATION(SCRATCH_MEMORY_ALLOC),
	OPERATION(SCRATCH_MEMORY_FREE),
	OPERATION(SCRATCH_MEMORY_ASYNC_RECLAIM),
};

static const struct sdk_operation runtime_initialization_operations[] = {
	OPERATION(RUNTIME_INITIALIZATION_NONE),	   OPERATION(RUNTIME_INITIALIZATION_HSA),
	OPERATION(RUNTIME_INITIALIZATION_HIP),	   OPERATION(RUNTIME_INITIALIZATION_MARKER),
	OPERATION(RUNTIME_INITIALIZATION_RCCL),	   OPERATION(RUNTIME_INITIALIZATION_ROCDECODE),
	OPERATION(RUNTIME_INITIALIZATION_ROCJPEG),
};

static const struct sdk_operation kfd_event_page_migrate_operations[] = {
	KFD_OPERATION(EVENT_PAGE_MIGRATE_PREFETCH),
	KFD_OPERATION(EVENT_PAGE_MIGRATE_PAGEFAULT_GPU),
	KFD_OPERATION(EVENT_PAGE_MIGRATE_PAGEFAULT_CPU),
	KFD_OPERATION(EVENT_PAGE_MIGRATE_TTM_EVICTION),
	KFD_OPERATION(EVENT_PAGE_MIGRATE_END),
};

static const struct sdk_operation kfd_event_page_fault_operations[] = {
	KFD_OPERATION(EVENT_PAGE_FAULT_START),
	KFD_OPERATION(EVENT_PAGE_FAULT_START_READ_FAULT),
	KFD_OPERATION(EVENT_PAGE_FAULT_START_WRITE_FAULT),
	KFD_OPERATION(EVENT_PAGE_FAULT_END_PAGE_MIGRATED),
	KFD_OPERATION(EVENT_PAGE_FAULT_END_PAGE_UPDATED),
};

static const struct sdk_operation kfd_event_queue_operations[] = {
	KFD_OPERATION(EVENT_QUEUE_EVICT_SVM),
	KFD_OPERATION(EVENT_QUEUE_EVICT_USERPTR),
	KFD_OPERATION(EVENT_QUEUE_EVICT_TTM),
	KFD_OPERATION(EVENT_QUEUE_EVICT_SUSPEND),
	KFD_OPERATION(EVENT_QUEUE_EVICT_CRIU_CHECKPOINT),
	KFD_OPERATION(EVENT_QUEUE_EVICT_CRIU_RESTORE),
	KFD_OPERATION(EVENT_QUEUE_RESTORE_RESCHEDULED),
	KFD_OPERATION(EVENT_QUEUE_RESTORE),
};

static const struct sdk_operation kfd_event_unmap_from_gpu_operations[] = {
	KFD_OPERATION(EVENT_UNMAP_FROM_GPU_MMU_NOTIFY),
	KFD_OPERATION(EVENT_UNMAP_FROM_GPU_MMU_NOTIFY_MIGRATE),
	KFD_OPERATION(EVENT_UNMAP_FROM_GPU_UNMAP_FROM_CPU),
};

static const struct sdk_operation kfd_event_dropped_events_operations[] = {
	KFD_OPERATION(EVENT_DROPPED_EVENTS),
};

static const struct sdk_operation kfd_page_migrate_operations[] = {
	KFD_OPERATION(PAGE_MIGRATE_PREFETCH),
	KFD_OPERATION(PAGE_MIGRATE_PAGEFAULT_GPU),
	KFD_OPERATION(PAGE_MIGRATE_PAGEFAULT_CPU),
	KFD_OPERATION(PAGE_MIGRATE_TTM_EVICTION),
};

static const struct sdk_operation kfd_page_fault_operations[] = {
	KFD_OPERATION(PAGE_FAULT_READ_FAULT_MIGRATED),
	KFD_OPERATION(PAGE_FAULT_READ_FAULT_UPDATED),
	KFD_OPERATION(PAGE_FAULT_WRITE_FAULT_MIGRATED),
	KFD_OPERATION(PAGE_FAULT_WRITE_FAULT_UPDATED),
};

static const struct sdk_operation kfd_queue_operations[] = {
	KFD_OPERATION(QUEUE_EVICT_SVM),
	KFD_OPERATION(QUEUE_EVICT_USERPTR),
	KFD_OPERATION(QUEUE_EVICT_TTM),
	KFD_OPERATION(QUEUE_EVICT_SUSPEND),
	KFD_OPERATION(QUEUE_EVICT_CRIU_CHECKPOINT),
	KFD_OPERATION(QUEUE_EVICT_CRIU_RESTORE),
};

// ---- kinds ----

#define KIND(which, kind, array) \
	[ROCPROFILER_##which##_TRACING_##kind] = {#kind, array, COUNT(array)}
#define CALLBACK(kind, array) KIND(CALLBACK, kind, array##_operations)
#define BUFFER(kind, array)   KIND(BUFFER, kind, array##_operations)
#define WITHOUT(which, kind)  [ROCPROFILER_##which##_TRACING_##kind] = {#kind, NULL, 0}

static const struct sdk_kind callback_kinds[ROCPROFILER_CALLBACK_TRACING_LAST] = {
	WITHOUT(CALLBACK, NONE),
	CALLBACK(HSA_CORE_API, hsa_core_api),
	CALLBACK(HSA_AMD_EXT_API, hsa_amd_ext_api),
	CALLBACK(HSA_IMAGE_EXT_API, hsa_image_ext_api),
	CALLBACK(HSA_FINALIZE_EXT_API, hsa_finalize_ext_api),
	CALLBACK(HIP_RUNTIME_API, hip_runtime_api),
	CALLBACK(HIP_COMPILER_API, hip_compiler_api),
	CALLBACK(MARKER_CORE_API, marker_core_api),
	CALLBACK(MARKER_CONTROL_API, marker_control_api),
	CALLBACK(MARKER_NAME_API, marker_name_api),
	CALLBACK(CODE_OBJECT, code_object),
	CALLBACK(SCRATCH_MEMORY, scratch_memory),
	CALLBACK(KERNEL_DISPATCH, kernel_dispatch),
	CALLBACK(MEMORY_COPY, memory_copy),
	CALLBACK(RCCL_API, rccl_api),
	CALLBACK(OMPT, ompt),
	CALLBACK(MEMORY_ALLOCATION, memory_allocation),
	CALLBACK(RUNTIME_INITIALIZATION, runtime_initialization),
	CALLBACK(ROCDECODE_API, rocdecode_api),
	CALLBACK(ROCJPEG_API, rocjpeg_api),
	CALLBACK(HIP_STREAM, hip_stream),
	CALLBACK(MARKER_CORE_RANGE_API, marker_core_range_api),
};

static const struct sdk_kind buffer_kinds[ROCPROFILER_BUFFER_TRACING_LAST] = {
	WITHOUT(BUFFER, NONE),
	BUFFER(HSA_CORE_API, hsa_core_api),
	BUFFER(HSA_AMD_EXT_API, hsa_amd_ext_api),
	BUFFER(HSA_IMAGE_EXT_API, hsa_image_ext_api),
	BUFFER(HSA_FINALIZE_EXT_API, hsa_finalize_ext_api),
	BUFFER(HIP_RUNTIME_API, hip_runtime_api),
	BUFFER(HIP_COMPILER_API, hip_compiler_api),
	BUFFER(MARKER_CORE_API, marker_core_api),
	BUFFER(MARKER_CONTROL_API, marker_control_api),
	BUFFER(MARKER_NAME_API, marker_name_api),
	BUFFER(MEMORY_COPY, memory_copy),
	BUFFER(KERNEL_DISPATCH, kernel_dispatch),
	BUFFER(SCRATCH_MEMORY, scratch_memory),
	WITHOUT(BUFFER, CORRELATION_ID_RETIREMENT),
	BUFFER(RCCL_API, rccl_api),
	BUFFER(OMPT, ompt),
	BUFFER(MEMORY_ALLOCATION, memory_allocation),
	BUFFER(RUNTIME_INITIALIZATION, runtime_initialization),
	BUFFER(ROCDECODE_API, rocdecode_api),
	BUFFER(ROCJPEG_API, rocjpeg_api),
	BUFFER(HIP_STREAM, hip_stream),
	BUFFER(HIP_RUNTIME_API_EXT, hip_runtime_api),
	BUFFER(HIP_COMPILER_API_EXT, hip_compiler_api),
	BUFFER(ROCDECODE_API_EXT, rocdecode_api),
	BUFFER(KFD_EVENT_PAGE_MIGRATE, kfd_event_page_migrate),
	BUFFER(KFD_EVENT_PAGE_FAULT, kfd_event_page_fault),
	BUFFER(KFD_EVENT_QUEUE, kfd_event_queue),
	BUFFER(KFD_EVENT_UNMAP_FROM_GPU, kfd_event_unmap_from_gpu),
	BUFFER(KFD_EVENT_DROPPED_EVENTS, kfd_event_dropped_events),
	BUFFER(KFD_PAGE_MIGRATE, kfd_page_migrate),
	BUFFER(KFD_PAGE_FAULT, kfd_page_fault),
	BUFFER(KFD_QUEUE, kfd_queue),
	BUFFER(MARKER_CORE_RANGE_API, marker_core_range_api),
};

const struct sdk_kind *tables__callback_kind(rocprofiler_callback_tracing_kind_t kind)
{
	return (unsigned int)kind < COUNT(callback_kinds) ? &callback_kinds[kind] : NULL;
}

const struct sdk_kind *tables__buffer_kind(rocprofiler_buffer_tracing_kind_t kind)
{
	return (unsigned int)kind < COUNT(buffer_kinds) ? &buffer_kinds[kind] : NULL;
}

const struct sdk_operation *tables__operation(const struct sdk_kind *kind,
					      rocprofiler_tracing_operation_t operation)
{
	if (!kind || operation < 0 || (uint32_t)operation >= kind->count)
		return NULL;
	return &kind->operations[operation];
}

// ---- requests for external correlation ids, tables of functions ----

#define REQUEST(kind) [ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_##kind] = #kind

static const char *const requests[ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST] = {
	REQUEST(NONE),
	REQUEST(HSA_CORE_API),
	REQUEST(HSA_AMD_EXT_API),
	REQUEST(HSA_IMAGE_EXT_API),
	REQUEST(HSA_FINALIZE_EXT_API),
	REQUEST(HIP_RUNTIME_API),
	REQUEST(HIP_COMPILER_API),
	REQUEST(MARKER_CORE_API),
	REQUEST(MARKER_CONTROL_API),
	REQUEST(MARKER_NAME_API),
	REQUEST(MEMORY_COPY),
	REQUEST(KERNEL_DISPATCH),
	REQUEST(SCRATCH_MEMORY),
	REQUEST(RCCL_API),
	REQUEST(OMPT),
	REQUEST(MEMORY_ALLOCATION),
	REQUEST(ROCDECODE_API),
	REQUEST(ROCJPEG_API),
	REQUEST(MARKER_CORE_RANGE_API),
};

const char *tables__request_name(int kind)
{
	return (unsigned int)kind < COUNT(requests) ? requests[kind] : NULL;
}

const char *tables__intercept_name(int table)
{
	switch (table) {
	case ROCPROFILER_HSA_TABLE:
		return "HSA";
	case ROCPROFILER_HIP_RUNTIME_TABLE:
		return "HIP (runtime)";
	case ROCPROFILER_HIP_COMPILER_TABLE:
		return "HIP (compiler)";
	case ROCPROFILER_MARKER_CORE_TABLE:
		return "MARKER (ROCTx)";
	case ROCPROFILER_MARKER_CONTROL_TABLE:
		return "MARKER (ROCTx Control)";
	case ROCPROFILER_MARKER_NAME_TABLE:
		return "MARKER (ROCTx Name)";
	case ROCPROFILER_RCCL_TABLE:
		return "RCCL";
	case ROCPROFILER_ROCDECODE_TABLE:
		return "rocDecode";
	case ROCPROFILER_ROCJPEG_TABLE:
		return "rocJPEG";
	default:
		return NULL;
	}
}

// ---- status codes ----

#define STATUS(code, message) [ROCPROFILER_STATUS_##code] = {"ROCPROFILER_STATUS_" #code, message}

static const struct {
	const char *name;
	const char *string;
} statuses[ROCPROFILER_STATUS_LAST] = {
	STATUS(SUCCESS, "Success"),
	STATUS(ERROR, "An error without a code of its own"),
	STATUS(ERROR_CONTEXT_NOT_FOUND, "There is no such context"),
	STATUS(ERROR_BUFFER_NOT_FOUND, "There is no such buffer"),
	STATUS(ERROR_KIND_NOT_FOUND, "There is no such kind"),
	STATUS(ERROR_OPERATION_NOT_FOUND, "The kind has no such operation"),
	STATUS(ERROR_THREAD_NOT_FOUND, "There is no such thread"),
	STATUS(ERROR_AGENT_NOT_FOUND, "There is no such agent"),
	STATUS(ERROR_COUNTER_NOT_FOUND, "There is no such counter"),
	STATUS(ERROR_CONTEXT_ERROR, "The context could not be made"),
	STATUS(ERROR_CONTEXT_INVALID, "The context's services cannot be in one context"),
	STATUS(ERROR_CONTEXT_NOT_STARTED, "The context is not started"),
	STATUS(ERROR_CONTEXT_CONFLICT, "Another context has what this one needs"),
	STATUS(ERROR_CONTEXT_ID_NOT_ZERO, "The handle of the context to be made is not 0"),
	STATUS(ERROR_BUFFER_BUSY, "The buffer is being flushed"),
	STATUS(ERROR_SERVICE_ALREADY_CONFIGURED, "The context has this service already"),
	STATUS(ERROR_CONFIGURATION_LOCKED, "Only allowed while tools are initialised"),
	STATUS(ERROR_NOT_IMPLEMENTED, "Not implemented"),
	STATUS(ERROR_INCOMPATIBLE_ABI, "The caller's struct is of another version"),
	STATUS(ERROR_INVALID_ARGUMENT, "An argument is invalid"),
	STATUS(ERROR_METRIC_NOT_VALID_FOR_AGENT, "The agent does not have this counter"),
	STATUS(ERROR_FINALIZED, "The library is finalised"),
	STATUS(ERROR_HSA_NOT_LOADED, "HSA is not loaded yet"),
	STATUS(ERROR_DIM_NOT_FOUND, "The counter has no such dimension"),
	STATUS(ERROR_PROFILE_COUNTER_NOT_FOUND, "A counter of the set is not on the GPU"),
	STATUS(ERROR_AST_GENERATION_FAILED, "The counter's expression does not parse"),
	STATUS(ERROR_AST_NOT_FOUND, "The counter has no expression"),
	STATUS(ERROR_AQL_NO_EVENT_COORD, "A counter's place in the hardware is unknown"),
	STATUS(ERROR_INCOMPATIBLE_KERNEL, "The kernel's driver is too old for the service"),
	STATUS(ERROR_OUT_OF_RESOURCES, "Not enough memory or other resources"),
	STATUS(ERROR_PROFILE_NOT_FOUND, "There is no such set of counters"),
	STATUS(ERROR_AGENT_DISPATCH_CONFLICT, "A context counts by agent or by dispatch, not both"),
	STATUS(INTERNAL_NO_AGENT_CONTEXT, "No context counts on the agent"),
	STATUS(ERROR_SAMPLE_RATE_EXCEEDED, "The last sample is not done yet"),
	STATUS(ERROR_NO_PROFILE_QUEUE, "There is no queue for the agent's counters"),
	STATUS(ERROR_NO_HARDWARE_COUNTERS, "The set has no counter of the hardware"),
	STATUS(ERROR_AGENT_MISMATCH, "The set of counters is of another agent"),
	STATUS(ERROR_NOT_AVAILABLE, "The service is not available here"),
	STATUS(ERROR_EXCEEDS_HW_LIMIT, "More than the hardware can count at once"),
	STATUS(ERROR_AGENT_ARCH_NOT_SUPPORTED, "Nothing is known of agents of this architecture"),
	STATUS(ERROR_PERMISSION_DENIED, "Permission denied"),
};

const char *tables__status_name(int status)
{
	return (unsigned int)status < COUNT(statuses) ? statuses[status].name : NULL;
}

const char *tables__status_string(int status)
{
	return (unsigned int)status < COUNT(statuses) ? statuses[status].string : NULL;
}
