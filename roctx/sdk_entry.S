/* SPDX-License-Identifier: MIT */
/* The public entry points of librocprofiler-sdk-roctx. */
#include "roctx/entry.inc"

	entry	roctxMarkA, sdk__mark
	entry	roctxRangePushA, sdk__range_push
	entry	roctxRangePop, sdk__range_pop
	entry	roctxRangeStartA, sdk__range_start
	entry	roctxRangeStop, sdk__range_stop
	entry	roctxGetThreadId, sdk__get_thread_id
	entry	roctxProfilerPause, sdk__profiler_pause
	entry	roctxProfilerResume, sdk__profiler_resume
	entry	roctxNameOsThread, sdk__name_os_thread
	entry	roctxNameHsaAgent, sdk__name_hsa_agent
	entry	roctxNameHipDevice, sdk__name_hip_device
	entry	roctxNameHipStream, sdk__name_hip_stream
	entry	rocprofiler_register_import_roctx, sdk__version
