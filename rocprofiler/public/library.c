// SPDX-License-Identifier: MIT
/*
 * The library's version, its clock, and the calling thread's number.
 */
#include <rocprofiler-sdk/rocprofiler.h>

#include "inprocess/kernel_clock.h"
#include "rocprofiler/service/thread.h"

rocprofiler_status_t rocprofiler_get_version(uint32_t *major, uint32_t *minor, uint32_t *patch)
{
	if (major)
		*major = ROCPROFILER_SDK_VERSION_MAJOR;
	if (minor)
		*minor = ROCPROFILER_SDK_VERSION_MINOR;
	if (patch)
		*patch = ROCPROFILER_SDK_VERSION_PATCH;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t *info)
{
	return rocprofiler_get_version(&info->major, &info->minor, &info->patch);
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ts)
{
	*ts = kernel_clock__boot_ns();
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t *tid)
{
	*tid = thread__tid();
	return ROCPROFILER_STATUS_SUCCESS;
}
