// SPDX-License-Identifier: MIT
/*
 * Status codes by name and in words.
 */
#include <rocprofiler-sdk/rocprofiler.h>

#include "rocprofiler/support/tables.h"

const char *rocprofiler_get_status_name(rocprofiler_status_t status)
{
	return tables__status_name(status);
}

const char *rocprofiler_get_status_string(rocprofiler_status_t status)
{
	return tables__status_string(status);
}
