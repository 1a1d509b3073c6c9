// SPDX-License-Identifier: MIT
/*
 * The last error of each thread, and the version.
 */
#include "roctracer/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __thread char last[256];

roctracer_status_t fail(roctracer_status_t status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(last, sizeof(last), fmt, args);
	va_end(args);
	return status;
}

const char *roctracer_error_string(void)
{
	return strdup(last);
}

uint32_t roctracer_version_major(void)
{
	return ROCTRACER_VERSION_MAJOR;
}

uint32_t roctracer_version_minor(void)
{
	return ROCTRACER_VERSION_MINOR;
}
