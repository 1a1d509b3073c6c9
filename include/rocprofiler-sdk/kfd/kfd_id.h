/* SPDX-License-Identifier: MIT */
/*
 * Operations of the kinds ROCPROFILER_BUFFER_TRACING_KFD_...: what the kernel's driver reports of
 * pages and queues. Numbers are those of kfd/kfd_id.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_KFD_KFD_ID_H
#define ROCPROFILER_SDK_KFD_KFD_ID_H

#include <rocprofiler-sdk/defines.h>

ROCPROFILER_EXTERN_C_INIT

/* A range of pages begins to move, for this reason, or has moved. */
typedef enum rocprofiler_kfd_event_page_migrate_operation_t {
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_NONE = -1,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_PREFETCH,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_PAGEFAULT_GPU,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_PAGEFAULT_CPU,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_TTM_EVICTION,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_END,
	ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_LAST,
} rocprofiler_kfd_event_page_migrate_operation_t;

/* A GPU met a page that it has not, or that is settled: pages have come, or the map has. */
typedef enum rocprofiler_kfd_event_page_fault_operation_t {
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_NONE = -1,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_START,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_START_READ_FAULT,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_START_WRITE_FAULT,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_END_PAGE_MIGRATED,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_END_PAGE_UPDATED,
	ROCPROFILER_KFD_EVENT_PAGE_FAULT_LAST,
} rocprofiler_kfd_event_page_fault_operation_t;

/* All queues of the process on a GPU are taken off it, for this reason, or are put back. */
typedef enum rocprofiler_kfd_event_queue_operation_t {
	ROCPROFILER_KFD_EVENT_QUEUE_NONE = -1,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_SVM,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_USERPTR,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_TTM,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_SUSPEND,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_CRIU_CHECKPOINT,
	ROCPROFILER_KFD_EVENT_QUEUE_EVICT_CRIU_RESTORE,
	ROCPROFILER_KFD_EVENT_QUEUE_RESTORE_RESCHEDULED,
	ROCPROFILER_KFD_EVENT_QUEUE_RESTORE,
	ROCPROFILER_KFD_EVENT_QUEUE_LAST,
} rocprofiler_kfd_event_queue_operation_t;

/* A range is no longer mapped on a GPU, for this reason. */
typedef enum rocprofiler_kfd_event_unmap_from_gpu_operation_t {
	ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_NONE = -1,
	ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_MMU_NOTIFY,
	ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_MMU_NOTIFY_MIGRATE,
	ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_UNMAP_FROM_CPU,
	ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_LAST,
} rocprofiler_kfd_event_unmap_from_gpu_operation_t;

/* The driver had more events than room. */
typedef enum rocprofiler_kfd_event_dropped_events_operation_t {
	ROCPROFILER_KFD_EVENT_DROPPED_EVENTS_NONE = -1,
	ROCPROFILER_KFD_EVENT_DROPPED_EVENTS,
	ROCPROFILER_KFD_EVENT_DROPPED_EVENTS_LAST,
} rocprofiler_kfd_event_dropped_events_operation_t;

/* A range of pages moved, for this reason. */
typedef enum rocprofiler_kfd_page_migrate_operation_t {
	ROCPROFILER_KFD_PAGE_MIGRATE_NONE = -1,
	ROCPROFILER_KFD_PAGE_MIGRATE_PREFETCH,
	ROCPROFILER_KFD_PAGE_MIGRATE_PAGEFAULT_GPU,
	ROCPROFILER_KFD_PAGE_MIGRATE_PAGEFAULT_CPU,
	ROCPROFILER_KFD_PAGE_MIGRATE_TTM_EVICTION,
	ROCPROFILER_KFD_PAGE_MIGRATE_LAST,
} rocprofiler_kfd_page_migrate_operation_t;

/* A fault of a GPU, from begin to end: of what access, and how it was settled. */
typedef enum rocprofiler_kfd_page_fault_operation_t {
	ROCPROFILER_KFD_PAGE_FAULT_NONE = -1,
	ROCPROFILER_KFD_PAGE_FAULT_READ_FAULT_MIGRATED,
	ROCPROFILER_KFD_PAGE_FAULT_READ_FAULT_UPDATED,
	ROCPROFILER_KFD_PAGE_FAULT_WRITE_FAULT_MIGRATED,
	ROCPROFILER_KFD_PAGE_FAULT_WRITE_FAULT_UPDATED,
	ROCPROFILER_KFD_PAGE_FAULT_LAST,
} rocprofiler_kfd_page_fault_operation_t;

/* The queues of the process were off a GPU, for this reason. */
typedef enum rocprofiler_kfd_queue_operation_t {
	ROCPROFILER_KFD_QUEUE_NONE = -1,
	ROCPROFILER_KFD_QUEUE_EVICT_SVM,
	ROCPROFILER_KFD_QUEUE_EVICT_USERPTR,
	ROCPROFILER_KFD_QUEUE_EVICT_TTM,
	ROCPROFILER_KFD_QUEUE_EVICT_SUSPEND,
	ROCPROFILER_KFD_QUEUE_EVICT_CRIU_CHECKPOINT,
	ROCPROFILER_KFD_QUEUE_EVICT_CRIU_RESTORE,
	ROCPROFILER_KFD_QUEUE_LAST,
} rocprofiler_kfd_queue_operation_t;

ROCPROFILER_EXTERN_C_FINI

#endif
