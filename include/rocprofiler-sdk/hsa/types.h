/* SPDX-License-Identifier: MIT */
/*
 * HSA's headers, and the types that those of older releases lack, so that hsa/api_args.h has the
 * same layout with all of them: a pointer's target may stay incomplete, and an enum has its name
 * and size, but no values. HSA_AMD_INTERFACE_VERSION_MINOR says what a release has: 2 copies on
 * engines, 4 virtual memory, 6 what there is to know of queues.
 */
#ifndef ROCPROFILER_SDK_HSA_TYPES_H
#define ROCPROFILER_SDK_HSA_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR < 2
typedef enum hsa_amd_sdma_engine_id { HSA_AMD_SDMA_ENGINE_UNKNOWN } hsa_amd_sdma_engine_id_t;
#endif

#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR < 4
typedef struct hsa_amd_vmem_alloc_handle_s {
	uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;
typedef enum { MEMORY_TYPE_NONE, MEMORY_TYPE_PINNED } hsa_amd_memory_type_t;
typedef struct hsa_amd_memory_access_desc_s hsa_amd_memory_access_desc_t;
#endif

/* Releases of version 5 may have hsa_queue_info_attribute_t, or not. */
#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR < 6
typedef uint32_t rocprofiler_hsa_queue_info_attribute_t;
#else
typedef hsa_queue_info_attribute_t rocprofiler_hsa_queue_info_attribute_t;
#endif

/*
 * Functions that HSA's tables take, and that its headers for C have no names for. Packets are those
 * of the queue, 64 bytes each.
 */
typedef hsa_status_t (*hsa_ext_program_iterate_modules_cb_t)(hsa_ext_program_t program,
							     hsa_ext_module_t module, void *data);
typedef void (*hsa_amd_queue_intercept_packet_writer)(const void *pkts, uint64_t pkt_count);
typedef void (*hsa_amd_queue_intercept_handler)(const void *pkts, uint64_t pkt_count,
						uint64_t user_pkt_index, void *data,
						hsa_amd_queue_intercept_packet_writer writer);
typedef void (*hsa_amd_runtime_queue_notifier)(const hsa_queue_t *queue, hsa_agent_t agent,
					       void *data);

#endif
