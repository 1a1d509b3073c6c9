// SPDX-License-Identifier: MIT
/*
 * The words for what is in an event.
 */
#include "user/event.h"

#include <stddef.h>

const char *ev_domain_name(enum ev_domain domain)
{
	static const char *const names[DOMAIN_COUNT] = {
		[DOMAIN_HIP] = "hip",
		[DOMAIN_HSA] = "hsa",
		[DOMAIN_KFD] = "kfd",
		[DOMAIN_ROCTX] = "roctx",
		[DOMAIN_ROCTRACER] = "roctracer",
		[DOMAIN_GPU] = "gpu",
	};

	return (unsigned int)domain < DOMAIN_COUNT ? names[domain] : "?";
}

const char *ev_copy_name(enum copy_dir dir)
{
	switch (dir) {
	case COPY_H2D:
		return "HtoD";
	case COPY_D2H:
		return "DtoH";
	case COPY_D2D:
		return "DtoD";
	case COPY_H2H:
		return "HtoH";
	default:
		return "copy";
	}
}

const char *ev_name(const struct event *ev)
{
	if (ev->kind == EV_COPY)
		return ev_copy_name(ev->gpu.dir);
	return ev->name ? ev->name : "?";
}

const char *trace_stats_field(const struct trace_stats *stats, unsigned int n, uint64_t *value)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {
#define FIELD(name) {#name, offsetof(struct trace_stats, name)}
		FIELD(spans),	   FIELD(ranges),	FIELD(marks),	   FIELD(dispatches),
		FIELD(copies),	   FIELD(uncorrelated), FIELD(unfinished), FIELD(no_times),
		FIELD(lost_spans), FIELD(lost_depth),	FIELD(lost_gpu),   FIELD(lost_other),
		FIELD(gaps),
#undef FIELD
	};

	if (n >= sizeof(fields) / sizeof(fields[0]))
		return NULL;
	*value = *(const uint64_t *)((const char *)stats + fields[n].offset);
	return fields[n].name;
}
