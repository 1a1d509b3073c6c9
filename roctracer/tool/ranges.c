// SPDX-License-Identifier: MIT
/*
 * Marks and ranges: a line for each call of ROC-TX, of all threads in the order of the calls, as a
 * range may be stopped by another thread than the one that started it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/peek.h"
#include "roctracer/roctracer_roctx.h"
#include "roctracer/tool/tool_internal.h"
#include "roctracer/tool/tool_thread.h"

#define UNREADABLE "(unreadable)"

static void put_line(struct textbuf *t, uint32_t tid, uint32_t op, const roctx_api_data_t *data)
{
	char *message = data->args.message ? peek__strdup(data->args.message) : NULL;
	const char *text = message ? message : data->args.message ? UNREADABLE : "";

	text_buffer__uint(t, tool__now());
	text_buffer__char(t, ' ');
	text_buffer__uint(t, tool__pid());
	text_buffer__char(t, ':');
	text_buffer__uint(t, tid);
	text_buffer__char(t, ' ');
	text_buffer__uint(t, op);
	text_buffer__char(t, ':');
	text_buffer__uint(t, data->args.id);
	text_buffer__str(t, ":\"");
	text_buffer__escaped(t, text, strlen(text), '\0');
	text_buffer__str(t, "\"\n");
	free(message);
}

/* Of the thread's pushed ranges. */
static bool has_pushed(struct own *o, uint32_t op)
{
	if (op == ROCTX_API_ID_roctxRangePushA)
		o->ranges++;
	else if (op == ROCTX_API_ID_roctxRangePop)
		return o->ranges && o->ranges--;
	return true;
}

/* Ids are counted up. With the lines held. */
static bool was_started(uint32_t op, roctx_range_id_t id)
{
	static roctx_range_id_t first;

	if (op == ROCTX_API_ID_roctxRangeStartA && (!first || id < first))
		first = id;
	return op != ROCTX_API_ID_roctxRangeStop || (first && id >= first);
}

void ranges__on_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	struct own *o = out__goes_on() ? own__get() : NULL;
	const roctx_api_data_t *call = data;
	struct lines *l = lines__shared();
	int err = errno;
	struct textbuf *t;

	if (!o || !has_pushed(o, op))
		return;
	t = lines__begin(l, FILE_ROCTX);
	if (was_started(op, call->args.id))
		put_line(t, o->tid, op, call);
	lines__end(l, FILE_ROCTX);
	errno = err;
}
