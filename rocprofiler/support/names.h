/* SPDX-License-Identifier: MIT */
/*
 * Giving tools the names of kinds and operations.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_NAMES_H
#define RTRACE_ROCPROFILER_SUPPORT_NAMES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rocprofiler-sdk/fwd.h>

#include "rocprofiler/support/tables.h"

/* Puts name and length, each if not NULL, there; NULL and 0 if there is none, which is the error.
 */
static inline rocprofiler_status_t names__give(const char *found, rocprofiler_status_t error,
					       const char **name, uint64_t *length)
{
	if (name)
		*name = found;
	if (length)
		*length = found ? strlen(found) : 0;
	return found ? ROCPROFILER_STATUS_SUCCESS : error;
}

/* Whether there can be operations of that kind, a number in either of the enums. */
static inline rocprofiler_status_t names__check_kind(const struct sdk_kind *k, int kind)
{
	if (!k)
		return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
	if (!kind)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	return k->operations ? ROCPROFILER_STATUS_SUCCESS
			     : ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

static inline rocprofiler_status_t names__give_operation(const struct sdk_kind *k, int kind,
							 rocprofiler_tracing_operation_t operation,
							 const char **name, uint64_t *length)
{
	rocprofiler_status_t status = names__check_kind(k, kind);
	const struct sdk_operation *o = status ? NULL : tables__operation(k, operation);

	if (status)
		return status;
	return names__give(o ? o->name : NULL, ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND, name,
			   length);
}

#endif
