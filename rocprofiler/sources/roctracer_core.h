/* SPDX-License-Identifier: MIT */
/*
 * libroctracer64, to which the runtimes report calls (abi/roctracer_subscriber.h). It is loaded,
 * not linked against, so that another library of that name does no harm.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_ROCTRACER_CORE_H
#define RTRACE_ROCPROFILER_SOURCES_ROCTRACER_CORE_H

#include "abi/roctracer_subscriber.h"

struct roctracer_core {
	rtrace_want_fn *want;
	rtrace_want_operations_fn *want_operations;
	const char *(*op_string)(uint32_t domain, uint32_t op, uint32_t kind);
	/* As the HSA runtime calls it. */
	bool (*on_load)(HsaApiTable *table, uint64_t version, uint64_t failed_count,
			const char *const *failed_names);
	void (*on_unload)(void);
};

/* NULL: there is none of ours, which was logged. A subscription is never ended. From any thread. */
const struct roctracer_core *roctracer_core__subscribe(const struct rtrace_subscriber *subscriber);

#endif
