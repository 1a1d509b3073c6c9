// SPDX-License-Identifier: MIT
/*
 * The callback service: which operations go to which callback, and the names of those.
 */
#include <rocprofiler-sdk/callback_tracing.h>

#include "rocprofiler/service/context.h"
#include "rocprofiler/support/names.h"
#include "rocprofiler/support/tables.h"

/* False: libraries of which only the tables are known, and streams, which are not reported. */
static bool is_traced(rocprofiler_callback_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_CALLBACK_TRACING_RCCL_API:
	case ROCPROFILER_CALLBACK_TRACING_OMPT:
	case ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API:
	case ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API:
	case ROCPROFILER_CALLBACK_TRACING_HIP_STREAM:
		return false;
	default:
		return true;
	}
}

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
	rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
	const rocprofiler_tracing_operation_t *operations, size_t operations_count,
	rocprofiler_callback_tracing_cb_t callback, void *callback_args)
{
	const struct sdk_kind *k = tables__callback_kind(kind);
	struct service s = {
		.context = context__find(context_id),
		.kind = kind,
		.callback = {callback, callback_args},
	};
	rocprofiler_status_t status = context__can_have(s.context, k && kind, is_traced(kind));

	if (status)
		return status;
	if (!callback)
		return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
	return context__add_service(callback_services, &s, operations, operations_count, k->count);
}

rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
					     const char **name, uint64_t *name_len)
{
	const struct sdk_kind *k = tables__callback_kind(kind);

	return names__give(k ? k->name : NULL, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND, name,
			   name_len);
}

rocprofiler_status_t
rocprofiler_query_callback_tracing_kind_operation_name(rocprofiler_callback_tracing_kind_t kind,
						       rocprofiler_tracing_operation_t operation,
						       const char **name, uint64_t *name_len)
{
	return names__give_operation(tables__callback_kind(kind), kind, operation, name, name_len);
}

rocprofiler_status_t
rocprofiler_iterate_callback_tracing_kinds(rocprofiler_callback_tracing_kind_cb_t callback,
					   void *data)
{
	for (int kind = 0; kind < ROCPROFILER_CALLBACK_TRACING_LAST; kind++)
		if (callback(kind, data))
			break;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
	rocprofiler_callback_tracing_kind_t kind,
	rocprofiler_callback_tracing_kind_operation_cb_t callback, void *data)
{
	const struct sdk_kind *k = tables__callback_kind(kind);
	rocprofiler_status_t status = names__check_kind(k, kind);

	for (uint32_t i = 0; !status && i < k->count; i++)
		if (tables__operation(k, i) && callback(kind, i, data))
			break;
	return status;
}
