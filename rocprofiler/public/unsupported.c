// SPDX-License-Identifier: MIT
/*
 * What this library does not do: counters, samples of program counters, thread traces, OpenMP.
 * Their functions exist, check their arguments, and return that they are not implemented.
 */
#include <rocprofiler-sdk/experimental/counters.h>
#include <rocprofiler-sdk/experimental/thread_trace.h>
#include <rocprofiler-sdk/rocprofiler.h>
#include <rocprofiler-sdk/spm.h>

#include "rocprofiler/agents/agent.h"
#include "rocprofiler/service/buffer.h"
#include "rocprofiler/service/context.h"

#define EXPORTED ROCPROFILER_PUBLIC_API

/* ---- checks; NOT_IMPLEMENTED is what all end with ---- */

static rocprofiler_status_t configure(rocprofiler_context_id_t context)
{
	return context__can_have(context__find(context), true, false);
}

static rocprofiler_status_t configure_buffer(rocprofiler_context_id_t context,
					     rocprofiler_buffer_id_t buffer)
{
	rocprofiler_status_t status = configure(context);

	if (status == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED && !buffer__find(buffer))
		return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	return status;
}

static rocprofiler_status_t configure_agent(rocprofiler_context_id_t context,
					    rocprofiler_agent_id_t agent)
{
	rocprofiler_status_t status = configure(context);

	if (status == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED && !agent__find(agent))
		return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
	return status;
}

static rocprofiler_status_t of_agent(rocprofiler_agent_id_t agent)
{
	return agent__find(agent) ? ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED
				  : ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
}

/* ---- counters ---- */

rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
							 rocprofiler_counter_id_t *counter_id)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t
rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
					    rocprofiler_counter_dimension_id_t dim, size_t *pos)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
						    rocprofiler_counter_info_version_id_t version,
						    void *info)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(
	rocprofiler_agent_id_t agent_id, rocprofiler_available_counters_cb_t cb, void *user_data)
{
	return of_agent(agent_id);
}

EXPORTED rocprofiler_status_t rocprofiler_create_counter(const char *name, size_t name_len,
							 const char *expr, size_t expr_len,
							 const char *description,
							 size_t description_len,
							 rocprofiler_agent_id_t agent,
							 rocprofiler_counter_id_t *counter_id)
{
	return of_agent(agent);
}

rocprofiler_status_t rocprofiler_iterate_counter_dimensions(
	rocprofiler_counter_id_t id, rocprofiler_available_dimensions_cb_t info_cb, void *user_data)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
							      rocprofiler_counter_id_t counter_id,
							      size_t *instance_count)
{
	return of_agent(agent_id);
}

rocprofiler_status_t rocprofiler_load_counter_definition(const char *yaml, size_t size,
							 rocprofiler_counter_flag_t flags)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
						       rocprofiler_counter_id_t *counters_list,
						       size_t counters_count,
						       rocprofiler_counter_config_id_t *config_id)
{
	return of_agent(agent_id);
}

rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

EXPORTED rocprofiler_status_t rocprofiler_configure_device_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
	rocprofiler_agent_id_t agent_id, rocprofiler_device_counting_service_cb_t cb,
	void *user_data)
{
	return configure_buffer(context_id, buffer_id);
}

rocprofiler_status_t rocprofiler_sample_device_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_user_data_t user_data,
	rocprofiler_counter_flag_t flags, rocprofiler_counter_record_t *output_records,
	size_t *rec_count)
{
	return context__find(context_id) ? ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED
					 : ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
}

rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
	rocprofiler_dispatch_counting_service_cb_t callback, void *callback_data_args)
{
	return configure_buffer(context_id, buffer_id);
}

rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
	rocprofiler_context_id_t context_id,
	rocprofiler_dispatch_counting_service_cb_t dispatch_callback, void *dispatch_callback_args,
	rocprofiler_dispatch_counting_record_cb_t record_callback, void *record_callback_args)
{
	return configure(context_id);
}

rocprofiler_status_t
rocprofiler_configure_spm_service(rocprofiler_context_id_t context_id,
				  rocprofiler_buffer_id_t buffer_id,
				  rocprofiler_counter_config_id_t counter_config, uint64_t interval)
{
	return configure_buffer(context_id, buffer_id);
}

/* ---- samples of program counters ---- */

rocprofiler_status_t rocprofiler_configure_pc_sampling_service(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_pc_sampling_method_t method, rocprofiler_pc_sampling_unit_t unit,
	uint64_t interval, rocprofiler_buffer_id_t buffer_id, int flags)
{
	rocprofiler_status_t status = configure_agent(context_id, agent_id);

	if (status == ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED && !buffer__find(buffer_id))
		return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	return status;
}

rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
	rocprofiler_agent_id_t agent_id, rocprofiler_available_pc_sampling_configurations_cb_t cb,
	void *user_data)
{
	return of_agent(agent_id);
}

#define NAME(id) \
	[ROCPROFILER_PC_SAMPLING_INSTRUCTION_##id] = "ROCPROFILER_PC_SAMPLING_INSTRUCTION_" #id

static const char *const types[ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_LAST] = {
	NAME(TYPE_NONE),	 NAME(TYPE_VALU),      NAME(TYPE_MATRIX),
	NAME(TYPE_SCALAR),	 NAME(TYPE_TEX),       NAME(TYPE_LDS),
	NAME(TYPE_LDS_DIRECT),	 NAME(TYPE_FLAT),      NAME(TYPE_EXPORT),
	NAME(TYPE_MESSAGE),	 NAME(TYPE_BARRIER),   NAME(TYPE_BRANCH_NOT_TAKEN),
	NAME(TYPE_BRANCH_TAKEN), NAME(TYPE_JUMP),      NAME(TYPE_OTHER),
	NAME(TYPE_NO_INST),	 NAME(TYPE_DUAL_VALU),
};

static const char *const reasons[ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_LAST] = {
	NAME(NOT_ISSUED_REASON_NONE),
	NAME(NOT_ISSUED_REASON_NO_INSTRUCTION_AVAILABLE),
	NAME(NOT_ISSUED_REASON_ALU_DEPENDENCY),
	NAME(NOT_ISSUED_REASON_WAITCNT),
	NAME(NOT_ISSUED_REASON_INTERNAL_INSTRUCTION),
	NAME(NOT_ISSUED_REASON_BARRIER_WAIT),
	NAME(NOT_ISSUED_REASON_ARBITER_NOT_WIN),
	NAME(NOT_ISSUED_REASON_ARBITER_WIN_EX_STALL),
	NAME(NOT_ISSUED_REASON_OTHER_WAIT),
	NAME(NOT_ISSUED_REASON_SLEEP_WAIT),
};

const char *rocprofiler_get_pc_sampling_instruction_type_name(
	rocprofiler_pc_sampling_instruction_type_t instruction_type)
{
	unsigned int i = instruction_type;

	return i < ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_LAST ? types[i] : NULL;
}

const char *rocprofiler_get_pc_sampling_instruction_not_issued_reason_name(
	rocprofiler_pc_sampling_instruction_not_issued_reason_t not_issued_reason)
{
	unsigned int i = not_issued_reason;

	return i < ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_LAST ? reasons[i] : NULL;
}

/* ---- thread traces ---- */

rocprofiler_status_t rocprofiler_configure_device_thread_trace_service(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
	rocprofiler_thread_trace_shader_data_callback_t shader_callback,
	rocprofiler_user_data_t callback_userdata)
{
	return configure_agent(context_id, agent_id);
}

rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
	rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
	rocprofiler_thread_trace_parameter_t *parameters, size_t num_parameters,
	rocprofiler_thread_trace_dispatch_callback_t dispatch_callback,
	rocprofiler_thread_trace_shader_data_callback_t shader_callback, void *callback_userdata)
{
	return configure_agent(context_id, agent_id);
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_create(rocprofiler_thread_trace_decoder_id_t *handle,
					const char *path)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

void rocprofiler_thread_trace_decoder_destroy(rocprofiler_thread_trace_decoder_id_t handle)
{
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_load(rocprofiler_thread_trace_decoder_id_t handle,
					      uint64_t load_id, uint64_t load_addr,
					      uint64_t load_size, const void *data, uint64_t size)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t
rocprofiler_thread_trace_decoder_codeobj_unload(rocprofiler_thread_trace_decoder_id_t handle,
						uint64_t load_id)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_trace_decode(rocprofiler_thread_trace_decoder_id_t handle,
					      rocprofiler_thread_trace_decoder_callback_t callback,
					      void *data, uint64_t size, void *userdata)
{
	return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

const char *
rocprofiler_thread_trace_decoder_info_string(rocprofiler_thread_trace_decoder_id_t handle,
					     rocprofiler_thread_trace_decoder_info_t info)
{
	return NULL;
}

/* ---- OpenMP ---- */

rocprofiler_status_t rocprofiler_ompt_is_initialized(int *status)
{
	*status = 0;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_ompt_is_finalized(int *status)
{
	*status = 0;
	return ROCPROFILER_STATUS_SUCCESS;
}

ompt_start_tool_result_t *rocprofiler_ompt_start_tool(unsigned int omp_version,
						      const char *runtime_version)
{
	return NULL;
}
