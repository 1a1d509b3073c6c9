/* SPDX-License-Identifier: MIT */
/*
 * Agents: the CPUs and GPUs of the machine and their properties, as the kernel's driver has them.
 * Names and layouts are those of agent.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_AGENT_H
#define ROCPROFILER_SDK_AGENT_H

#include <stdint.h>

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

/* HsaCacheType, HSA_IOLINKTYPE, ...: where a release has them, or our own of the same layout. */
#if __has_include(<hsakmt/hsakmttypes.h>)
#include <hsakmt/hsakmttypes.h>
#elif __has_include(<hsakmttypes.h>)
#include <hsakmttypes.h>
#else
#include <rocprofiler-sdk/kfd/hsakmt_types.h>
#endif

ROCPROFILER_EXTERN_C_INIT

/* Which struct an agent is. */
typedef enum rocprofiler_agent_version_t {
	ROCPROFILER_AGENT_INFO_VERSION_NONE = 0,
	ROCPROFILER_AGENT_INFO_VERSION_0 = 1, /* rocprofiler_agent_v0_t */
	ROCPROFILER_AGENT_INFO_VERSION_LAST,
} rocprofiler_agent_version_t;

typedef struct rocprofiler_agent_cache_t {
	uint64_t processor_id_low; /* number of the first processor that has it */
	uint64_t size;		   /* kB */
	uint32_t level;		   /* 1, 2, ... */
	uint32_t cache_line_size;  /* bytes */
	uint32_t cache_lines_per_tag;
	uint32_t association;
	uint32_t latency; /* ns */
	HsaCacheType type;
} rocprofiler_agent_cache_t;

/* A connection to another agent. */
typedef struct rocprofiler_agent_io_link_t {
	HSA_IOLINKTYPE type;
	uint32_t version_major;
	uint32_t version_minor;
	uint32_t node_from; /* node_id of agents */
	uint32_t node_to;
	uint32_t weight;		    /* the driver's estimate of the distance */
	uint32_t min_latency;		    /* ns */
	uint32_t max_latency;		    /* ns */
	uint32_t min_bandwidth;		    /* MB/s */
	uint32_t max_bandwidth;		    /* MB/s */
	uint32_t recommended_transfer_size; /* bytes */
	HSA_LINKPROPERTY flags;
} rocprofiler_agent_io_link_t;

typedef struct rocprofiler_agent_mem_bank_t {
	HSA_HEAPTYPE heap_type;
	HSA_MEMORYPROPERTY flags;
	uint32_t width;	      /* bits of the memory's bus */
	uint32_t mem_clk_max; /* MHz */
	uint64_t size_in_bytes;
} rocprofiler_agent_mem_bank_t;

/* Whether the runtimes will see the agent, as far as the environment shows. CPUs: yes. */
typedef struct rocprofiler_agent_runtime_visiblity_t {
	uint32_t hsa : 1;
	uint32_t hip : 1;
	uint32_t rccl : 1;
	uint32_t rocdecode : 1;
	uint32_t reserved : 28;
} rocprofiler_agent_runtime_visiblity_t;

/* 0, or NULL, is what the agent has not, or nobody knows. Agents and their strings stay. */
typedef struct rocprofiler_agent_v0_t {
	uint64_t size; /* bytes of this struct */
	rocprofiler_agent_id_t id;
	rocprofiler_agent_type_t type;
	uint32_t cpu_cores_count;
	uint32_t simd_count;
	uint32_t mem_banks_count;
	uint32_t caches_count;
	uint32_t io_links_count;
	uint32_t cpu_core_id_base; /* number of its first core */
	uint32_t simd_id_base;	   /* number of its first SIMD */
	uint32_t max_waves_per_simd;
	uint32_t lds_size_in_kb; /* of a compute unit */
	uint32_t gds_size_in_kb;
	uint32_t num_gws; /* barriers of all workgroups */
	uint32_t wave_front_size;
	uint32_t num_xcc;
	uint32_t cu_count;
	uint32_t array_count;	   /* SIMD arrays */
	uint32_t num_shader_banks; /* shader engines */
	uint32_t simd_arrays_per_engine;
	uint32_t cu_per_simd_array;
	uint32_t simd_per_cu;
	uint32_t max_slots_scratch_cu;
	uint32_t gfx_target_version; /* 90010 is gfx90a */
	uint16_t vendor_id;	     /* of PCI */
	uint16_t device_id;
	uint32_t location_id; /* bus << 8 | device << 3 | function */
	uint32_t domain;
	uint32_t drm_render_minor; /* /dev/dri/renderD<this> */
	uint32_t num_sdma_engines;
	uint32_t num_sdma_xgmi_engines;
	uint32_t num_sdma_queues_per_engine;
	uint32_t num_cp_queues;
	uint32_t max_engine_clk_ccompute; /* MHz, of the CPU */
	uint32_t max_engine_clk_fcompute; /* MHz, of the GPU */
	HSA_ENGINE_VERSION sdma_fw_version;
	HSA_ENGINE_ID fw_version;
	HSA_CAPABILITY capability;
	uint32_t cu_per_engine;
	uint32_t max_waves_per_cu;
	uint32_t family_id;
	uint32_t workgroup_max_size; /* work-items */
	uint32_t grid_max_size;
	uint64_t local_mem_size; /* bytes */
	uint64_t hive_id;	 /* of GPUs that XGMI connects */
	uint64_t gpu_id;	 /* the driver's */
	rocprofiler_dim3_t workgroup_max_dim;
	rocprofiler_dim3_t grid_max_dim;
	const rocprofiler_agent_mem_bank_t *mem_banks;
	const rocprofiler_agent_cache_t *caches;
	const rocprofiler_agent_io_link_t *io_links;
	const char *name; /* gfx90a; of a CPU as product_name */
	const char *vendor_name;
	const char *product_name;
	const char *model_name;
	uint32_t node_id;	      /* the driver's number of the node, HSA's driver node id */
	int32_t logical_node_id;      /* from 0, among all agents */
	int32_t logical_node_type_id; /* from 0, among those of this type */
	rocprofiler_agent_runtime_visiblity_t runtime_visibility;
	rocprofiler_uuid_t uuid;
} rocprofiler_agent_v0_t;

typedef rocprofiler_agent_v0_t rocprofiler_agent_t;

/* Is given pointers to `num_agents` structs of that version; the array is valid until it returns.
 */
typedef rocprofiler_status_t (*rocprofiler_query_available_agents_cb_t)(
	rocprofiler_agent_version_t version, const void **agents, size_t num_agents,
	void *user_data);

/*
 * Calls `callback` once, on this thread, with all agents, and returns what it returns. HSA need not
 * be initialised. `agent_size`: sizeof(rocprofiler_agent_t).
 * -> INCOMPATIBLE_ABI: the library's struct is smaller; INVALID_ARGUMENT: no such version.
 */
rocprofiler_status_t rocprofiler_query_available_agents(
	rocprofiler_agent_version_t version, rocprofiler_query_available_agents_cb_t callback,
	size_t agent_size, void *user_data) ROCPROFILER_API ROCPROFILER_NONNULL(2);

ROCPROFILER_EXTERN_C_FINI

#endif
