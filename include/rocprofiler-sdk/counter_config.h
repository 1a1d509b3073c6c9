/* SPDX-License-Identifier: MIT */
/*
 * Sets of counters that are collected together. Names are those of counter_config.h of
 * librocprofiler-sdk 1.0. This library has none.
 */
#ifndef ROCPROFILER_SDK_COUNTER_CONFIG_H
#define ROCPROFILER_SDK_COUNTER_CONFIG_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * Makes a set of these counters of the agent. If *config_id is one already, its counters are in the
 * new one too.
 * -> AGENT_NOT_FOUND, NOT_IMPLEMENTED
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
				  rocprofiler_counter_id_t *counters_list, size_t counters_count,
				  rocprofiler_counter_config_id_t *config_id) ROCPROFILER_API
	ROCPROFILER_NONNULL(4);

/* Frees it. -> NOT_IMPLEMENTED */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t config_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
