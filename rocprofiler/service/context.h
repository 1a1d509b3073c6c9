/* SPDX-License-Identifier: MIT */
/*
 * Contexts: the services that a tool starts and stops together. They are never freed.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_CONTEXT_H
#define RTRACE_ROCPROFILER_SERVICE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/context.h>

#include "rocprofiler/service/external_correlation.h"
#include "rocprofiler/service/service.h"

struct tool;

struct context {
	rocprofiler_context_id_t id;
	struct tool *tool;
	uint32_t runs;
	bool ignored; /* its tool could not be initialised */
	struct service *services;
	struct external external;
};

static inline bool context__runs(const struct context *c)
{
	return __atomic_load_n(&c->runs, __ATOMIC_ACQUIRE);
}

/* NULL: there is no such context. */
struct context *context__find(rocprofiler_context_id_t id);

/* Whether a tool may give the context, NULL if there is none, a service of such a kind now. */
rocprofiler_status_t context__can_have(const struct context *c, bool is_kind, bool is_traced);

/*
 * Gives a context a service: for the lists of callbacks or of buffers, with the kind and the
 * context filled in. All operations, if none is named.
 */
rocprofiler_status_t context__add_service(struct service_list *lists, const struct service *service,
					  const rocprofiler_tracing_operation_t *operations,
					  size_t count, uint32_t operations_end);

/* Those of a tool: stops them; makes that they cannot be found any more, too. */
void contexts__stop(const struct tool *tool);
void contexts__ignore(const struct tool *tool);

#endif
