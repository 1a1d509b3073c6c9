/* SPDX-License-Identifier: MIT */
/*
 * Values of arguments as strings.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_VALUES_H
#define RTRACE_ROCPROFILER_SUPPORT_VALUES_H

#include <stddef.h>

#include "rocprofiler/support/tables.h"

#define VALUES_STRING_MAX 4096 /* bytes of a string; after them "..." */
#define VALUES_TARGET_MAX 1024 /* bytes that a pointer is followed to */
#define VALUES_MAX	  8192 /* room for any value of the tables */

/*
 * Writes the value as librocprofiler-sdk 1.0 does, following no more than `max` pointers; those to
 * strings do not count. What cannot be read is shown as its address. Returns how many pointers were
 * followed.
 */
int values__write(char *text, size_t room, const struct sdk_type *type, const void *value, int max);

#endif
