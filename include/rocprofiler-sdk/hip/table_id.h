/* SPDX-License-Identifier: MIT */
/* The tables of functions that HIP registers. Numbers are those of librocprofiler-sdk 1.0. */
#ifndef ROCPROFILER_SDK_HIP_TABLE_ID_H
#define ROCPROFILER_SDK_HIP_TABLE_ID_H

typedef enum rocprofiler_hip_table_id_t {
	ROCPROFILER_HIP_TABLE_ID_NONE = -1,
	ROCPROFILER_HIP_TABLE_ID_Compiler = 0,
	ROCPROFILER_HIP_TABLE_ID_Runtime,
	ROCPROFILER_HIP_TABLE_ID_LAST,
} rocprofiler_hip_table_id_t;

#endif
