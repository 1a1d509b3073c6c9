// SPDX-License-Identifier: MIT
/*
 * What GPUs did: a line for each record.
 *
 * Those without a call are left out: rocprof's scripts do not take them.
 */
#include <string.h>

#include "roctracer/roctracer.h"
#include "roctracer/tool/tool_internal.h"
#include "roctracer/tool/kernels.h"
#include "roctracer/tool/pending_kernels.h"
#include "roctracer/tool/lines.h"
#include "common/kernel_short_name.h"

/* Of HIP_OPS and HSA_OPS. */
enum { DISPATCH = 0, COPY = 1 };

static void put_times(struct textbuf *t, const activity_record_t *r)
{
	text_buffer__uint(t, r->begin_ns);
	text_buffer__char(t, ':');
	text_buffer__uint(t, r->end_ns);
	text_buffer__char(t, ' ');
}

static void put_cause(struct textbuf *t, const activity_record_t *r)
{
	text_buffer__char(t, ':');
	text_buffer__uint(t, r->correlation_id);
	text_buffer__char(t, ':');
	text_buffer__uint(t, tool__pid());
	text_buffer__char(t, '\n');
}

static const char *kernel_of(const activity_record_t *r)
{
	return r->op == DISPATCH && r->kernel_name ? kernels__plain(r->kernel_name) : NULL;
}

static void put_name(struct textbuf *t, const activity_record_t *r)
{
	const char *kernel = kernel_of(r);
	const char *command = roctracer_op_string(r->domain, r->op, r->kind);

	if (kernel)
		kernel_short_name__put_last(t, kernel);
	else
		text_buffer__str(t, command ? command : "?");
}

/* BEGIN:END DEVICE:QUEUE NAME:CORR:PID */
static void put_of_hip(const activity_record_t *r)
{
	struct textbuf *t = lines__begin(lines__shared(), FILE_OPS);

	put_times(t, r);
	text_buffer__int(t, r->device_id);
	text_buffer__char(t, ':');
	text_buffer__uint(t, r->queue_id);
	text_buffer__char(t, ' ');
	put_name(t, r);
	put_cause(t, r);
	lines__end(lines__shared(), FILE_OPS);
	if (r->op == DISPATCH)
		launched__done(r->correlation_id);
}

/* BEGIN:END async-copy:CORR:PID */
static void put_of_hsa(const activity_record_t *r)
{
	struct textbuf *t = lines__begin(lines__shared(), FILE_COPIES);

	put_times(t, r);
	text_buffer__str(t, "async-copy");
	put_cause(t, r);
	lines__end(lines__shared(), FILE_COPIES);
}

void operations__on_records(const char *begin, const char *end, void *arg)
{
	const activity_record_t *r = (const void *)begin;

	while (r < (const activity_record_t *)end && out__goes_on()) {
		if (r->domain == ACTIVITY_DOMAIN_HIP_OPS && r->correlation_id)
			put_of_hip(r);
		else if (r->domain == ACTIVITY_DOMAIN_HSA_OPS && r->op == COPY)
			put_of_hsa(r);
		if (roctracer_next_record(r, &r) != ROCTRACER_STATUS_SUCCESS)
			return;
	}
}
