/* SPDX-License-Identifier: MIT */
/* The tables of functions that ROC-TX registers; CoreRange is made of Core. Numbers are those of
 * librocprofiler-sdk 1.0. */
#ifndef ROCPROFILER_SDK_MARKER_TABLE_ID_H
#define ROCPROFILER_SDK_MARKER_TABLE_ID_H

typedef enum rocprofiler_marker_table_id_t {
	ROCPROFILER_MARKER_TABLE_ID_NONE = -1,
	ROCPROFILER_MARKER_TABLE_ID_RoctxCore = 0,
	ROCPROFILER_MARKER_TABLE_ID_RoctxControl,
	ROCPROFILER_MARKER_TABLE_ID_RoctxName,
	ROCPROFILER_MARKER_TABLE_ID_RoctxCoreRange,
	ROCPROFILER_MARKER_TABLE_ID_LAST,
} rocprofiler_marker_table_id_t;

#endif
