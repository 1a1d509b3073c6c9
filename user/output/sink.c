// SPDX-License-Identifier: MIT
/*
 * The table of the sinks, and what they share.
 */
#include "user/output/sink.h"

#include <errno.h>
#include <string.h>

static const struct sink_ops *const sinks[] = {
	&sink_text,    &sink_json,  &sink_pftrace, &sink_rtrace,    &sink_html,
	&sink_csv,     &sink_rocpd, &sink_otf2,	   &sink_roctracer, &sink_folded,
	&sink_summary, &sink_stats, NULL,
};

const struct sink_ops *const *sink__all(void)
{
	return sinks;
}

const struct sink_ops *sink__find(const char *name)
{
	for (const struct sink_ops *const *ops = sinks; *ops; ops++)
		if (!strcmp((*ops)->name, name))
			return *ops;
	return NULL;
}

char *sink__path(const struct sink_ops *ops, const char *base, size_t len)
{
	char *path;
	int n;

	if (ops->suffix)
		n = asprintf(&path, "%.*s%s", (int)len, base, ops->suffix);
	else
		n = asprintf(&path, "%.*s.%s", (int)len, base, ops->name);
	return n < 0 ? NULL : path;
}

void sink__fail(struct sink *sink, int error)
{
	if (!sink->error)
		sink->error = error;
}

void sink__check(struct sink *sink)
{
	if (ferror(sink->out))
		sink__fail(sink, errno ? -errno : -EIO);
}

int sink__finish(struct sink *sink)
{
	if (fflush(sink->out))
		sink__fail(sink, errno ? -errno : -EIO);
	else if (ferror(sink->out))
		sink__fail(sink, -EIO);
	return sink->error;
}

void sink__ignore_process(struct sink *sink, const struct process_info *info)
{
}

void sink__ignore_thread(struct sink *sink, const struct thread_info *info)
{
}

void sink__ignore_device(struct sink *sink, const struct device_info *info)
{
}
