/* SPDX-License-Identifier: MIT */
/*
 * Counters that the hardware streams at an interval. Names and layouts are those of spm.h of
 * librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_SPM_H
#define ROCPROFILER_SDK_SPM_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef struct ROCPROFILER_SDK_EXPERIMENTAL rocprofiler_spm_record_t {
	rocprofiler_counter_record_t *counters;
	uint64_t counters_count;
} rocprofiler_spm_record_t;

/* -> CONFIGURATION_LOCKED, CONTEXT_NOT_FOUND, BUFFER_NOT_FOUND, NOT_IMPLEMENTED */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_configure_spm_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
	rocprofiler_counter_config_id_t counter_config, uint64_t interval) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
