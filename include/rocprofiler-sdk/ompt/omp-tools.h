/* SPDX-License-Identifier: MIT */
/*
 * The types of OpenMP's tools interface that ompt/api_args.h needs, for programs that do not
 * include the OpenMP runtime's own omp-tools.h. One that does includes it first. Names and layouts
 * are those of OpenMP 5.2; enums, all of 4 bytes, are here without their values.
 */
#ifndef __OMPT__
#define __OMPT__

#include <stdint.h>

typedef int ompt_thread_t;
typedef int ompt_task_status_t;
typedef int ompt_scope_endpoint_t;
typedef int ompt_sync_region_t;
typedef int ompt_mutex_t;
typedef int ompt_work_t;
typedef int ompt_dispatch_t;
typedef int ompt_target_t;
typedef int ompt_target_data_op_t;
typedef int ompt_severity_t;
typedef int ompt_dependence_type_t;

typedef uint64_t ompt_wait_id_t;
typedef void ompt_device_t;

typedef union ompt_data_t {
	uint64_t value;
	void *ptr;
} ompt_data_t;

typedef struct ompt_frame_t {
	ompt_data_t exit_frame;
	ompt_data_t enter_frame;
	int exit_frame_flags;
	int enter_frame_flags;
} ompt_frame_t;

typedef struct ompt_dependence_t {
	ompt_data_t variable;
	ompt_dependence_type_t dependence_type;
} ompt_dependence_t;

/* Functions of the runtime that a tool asks for by name. */
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *interface_function_name);
typedef int (*ompt_initialize_t)(ompt_function_lookup_t lookup, int initial_device_num,
				 ompt_data_t *tool_data);
typedef void (*ompt_finalize_t)(ompt_data_t *tool_data);

typedef struct ompt_start_tool_result_t {
	ompt_initialize_t initialize;
	ompt_finalize_t finalize;
	ompt_data_t tool_data;
} ompt_start_tool_result_t;

typedef int (*ompt_enumerate_states_t)(int current_state, int *next_state,
				       const char **next_state_name);
typedef int (*ompt_enumerate_mutex_impls_t)(int current_impl, int *next_impl,
					    const char **next_impl_name);
typedef ompt_data_t *(*ompt_get_thread_data_t)(void);
typedef int (*ompt_get_num_places_t)(void);
typedef int (*ompt_get_place_proc_ids_t)(int place_num, int ids_size, int *ids);
typedef int (*ompt_get_place_num_t)(void);
typedef int (*ompt_get_partition_place_nums_t)(int place_nums_size, int *place_nums);
typedef int (*ompt_get_proc_id_t)(void);
typedef int (*ompt_get_state_t)(ompt_wait_id_t *wait_id);
typedef int (*ompt_get_parallel_info_t)(int ancestor_level, ompt_data_t **parallel_data,
					int *team_size);
typedef int (*ompt_get_task_info_t)(int ancestor_level, int *flags, ompt_data_t **task_data,
				    ompt_frame_t **task_frame, ompt_data_t **parallel_data,
				    int *thread_num);
typedef int (*ompt_get_task_memory_t)(void **addr, uint64_t *size, int block);
typedef int (*ompt_get_num_devices_t)(void);
typedef int (*ompt_get_num_procs_t)(void);
typedef int (*ompt_get_target_info_t)(uint64_t *device_num, uint64_t *target_id,
				      uint64_t *host_op_id);
typedef uint64_t (*ompt_get_unique_id_t)(void);

#endif
