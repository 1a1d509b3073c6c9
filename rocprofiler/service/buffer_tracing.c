// SPDX-License-Identifier: MIT
/*
 * The buffer service: which operations go to which buffer, and the names of those.
 */
#include <rocprofiler-sdk/buffer_tracing.h>

#include "rocprofiler/service/buffer.h"
#include "rocprofiler/service/context.h"
#include "rocprofiler/support/names.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/support/tables.h"

/*
 * False: libraries of which only the tables are known, streams, for which nothing is reported, and
 * the events of the kernel's driver.
 */
static bool is_traced(rocprofiler_buffer_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_BUFFER_TRACING_RCCL_API:
	case ROCPROFILER_BUFFER_TRACING_OMPT:
	case ROCPROFILER_BUFFER_TRACING_ROCDECODE_API:
	case ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT:
	case ROCPROFILER_BUFFER_TRACING_ROCJPEG_API:
	case ROCPROFILER_BUFFER_TRACING_HIP_STREAM:
		return false;
	default:
		return kind < ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE ||
		       kind > ROCPROFILER_BUFFER_TRACING_KFD_QUEUE;
	}
}

rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
	rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
	const rocprofiler_tracing_operation_t *operations, size_t operations_count,
	rocprofiler_buffer_id_t buffer_id)
{
	const struct sdk_kind *k = tables__buffer_kind(kind);
	struct service s = {
		.context = context__find(context_id),
		.kind = kind,
		.buffer = buffer__find(buffer_id),
	};
	rocprofiler_status_t status = context__can_have(s.context, k && kind, is_traced(kind));

	if (status)
		return status;
	if (!s.buffer)
		return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
	if (kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT)
		retirement__want();
	return context__add_service(buffer_services, &s, operations, operations_count, k->count);
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
					   const char **name, uint64_t *name_len)
{
	const struct sdk_kind *k = tables__buffer_kind(kind);

	return names__give(k ? k->name : NULL, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND, name,
			   name_len);
}

rocprofiler_status_t
rocprofiler_query_buffer_tracing_kind_operation_name(rocprofiler_buffer_tracing_kind_t kind,
						     rocprofiler_tracing_operation_t operation,
						     const char **name, uint64_t *name_len)
{
	return names__give_operation(tables__buffer_kind(kind), kind, operation, name, name_len);
}

rocprofiler_status_t
rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback, void *data)
{
	for (int kind = 0; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++)
		if (callback(kind, data))
			break;
	return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
	rocprofiler_buffer_tracing_kind_t kind,
	rocprofiler_buffer_tracing_kind_operation_cb_t callback, void *data)
{
	const struct sdk_kind *k = tables__buffer_kind(kind);
	rocprofiler_status_t status = names__check_kind(k, kind);

	for (uint32_t i = 0; !status && i < k->count; i++)
		if (tables__operation(k, i) && callback(kind, i, data))
			break;
	return status;
}
