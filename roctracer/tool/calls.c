// SPDX-License-Identifier: MIT
/*
 * Calls of HIP and HSA: a line for each, when it ends.
 *
 * Arguments are read where the callback finds them. What pointers lead to is copied when the call
 * has returned (peek.h). HIP does not report whether the call succeeded. If it failed, the memory
 * that it was to write is shown as it is. A pointer that leads nowhere is shown itself.
 */
#include <errno.h>
#include <string.h>

#include "inprocess/peek.h"
#include "roctracer/hip_arguments.h"
#include "roctracer/roctracer.h"
#include "roctracer/tool/tool_internal.h"
#include "inprocess/api_argument_tables.h"
#include "inprocess/hip_release.h"
#include "roctracer/tool/kernels.h"
#include "roctracer/tool/pending_kernels.h"
#include "roctracer/tool/tool_thread.h"
#include "roctracer/tool/settings.h"
#include "common/kernel_short_name.h"
#include "common/api_value.h"

#define FIRST_ADDRESS 4096 /* what is below is no pointer */
#define BEHIND_MAX    256  /* bytes that are shown of what a pointer leads to */

/* How hip_api_data_t and hsa_api_data_t begin; HIP's arguments follow. */
struct data {
	uint64_t correlation_id;
	uint32_t phase;
};

/* ---- arguments ---- */

static void put_string(struct textbuf *t, const char *text, size_t max)
{
	char copy[BEHIND_MAX + 1];
	long length = -1;

	if ((uintptr_t)text >= FIRST_ADDRESS && max <= BEHIND_MAX)
		length = peek__string(copy, text, max);
	if (length < 0)
		api_value__put_address(t, (uintptr_t)text);
	else
		api_value__put_string(t, (const unsigned char *)copy,
				      (size_t)length < max ? (size_t)length : max, false);
}

/* What a pointer leads to is shown in its place. */
static void put_behind(struct textbuf *t, const struct tool_arg *arg, const void *pointer)
{
	char copy[BEHIND_MAX];
	const char *text;

	if (arg->type->kind == API_STRING) {
		put_string(t, pointer, arg->behind);
	} else if (arg->type->target->kind == API_STRING) {
		if (peek__all(&text, pointer, sizeof(text)))
			put_string(t, text, arg->behind);
		else
			api_value__put_address(t, (uintptr_t)pointer);
	} else if (arg->behind <= sizeof(copy) && peek__all(copy, pointer, arg->behind)) {
		api_value__put(t, arg->type->target, copy, arg->behind);
	} else {
		api_value__put_address(t, (uintptr_t)pointer);
	}
}

static void put_arg(struct textbuf *t, const struct tool_arg *arg, const void *data, bool behind)
{
	const char *at = (const char *)data + arg->offset;
	const void *pointer = NULL;

	if (behind && arg->behind)
		memcpy(&pointer, at, sizeof(pointer));
	if ((uintptr_t)pointer >= FIRST_ADDRESS)
		put_behind(t, arg, pointer);
	else
		api_value__put(t, arg->type, at, arg->type->size);
}

/* ---- functions; NULL: nothing is known of it ---- */

static const struct tool_function *find_function(const struct tool_function *functions,
						 size_t count, uint32_t op, const char *name)
{
	const struct tool_function *fn = op < count ? &functions[op] : NULL;

	return fn && fn->name && !strcmp(fn->name, name) ? fn : NULL;
}

static const struct tool_function *hip_function(uint32_t op, const char *name)
{
	if (!hip_release__is_known())
		return NULL;
	return find_function(tool_hip_functions, tool_hip_function_count, op, name);
}

static const struct tool_function *hsa_function(uint32_t op, const char *name)
{
	return find_function(tool_hsa_functions, tool_hsa_function_count, op, name);
}

/* ---- lines ---- */

struct ended {
	struct open_call call;
	uint64_t end;
	const char *name;
	const void *data;
};

static void put_begin(struct textbuf *t, const struct own *o, const struct ended *e)
{
	text_buffer__uint(t, e->call.begin);
	text_buffer__char(t, ':');
	text_buffer__uint(t, e->end);
	text_buffer__char(t, ' ');
	text_buffer__uint(t, tool__pid());
	text_buffer__char(t, ':');
	text_buffer__uint(t, o->tid);
	text_buffer__char(t, ' ');
	text_buffer__str(t, e->name);
	text_buffer__char(t, '(');
}

static void put_end(struct textbuf *t, const struct ended *e)
{
	text_buffer__str(t, " :");
	text_buffer__uint(t, e->call.correlation_id);
	text_buffer__char(t, '\n');
}

static void put_kernel(struct textbuf *t, const char *mangled)
{
	const char *name = kernels__plain(mangled);

	text_buffer__str(t, " kernel=");
	if (settings__get()->truncate_names)
		kernel_short_name__put_last(t, name);
	else
		text_buffer__escaped(t, name, strlen(name), '\0');
}

/* FUNCTION(NAME=VALUE, ...) kernel=NAME */
static void put_hip(struct own *o, const struct ended *e, const struct tool_function *fn)
{
	struct textbuf *t = lines__begin(o->lines, FILE_HIP);

	put_begin(t, o, e);
	for (uint32_t i = 0; fn && i < fn->arg_count; i++) {
		text_buffer__str(t, i ? ", " : "");
		text_buffer__str(t, fn->args[i].name);
		text_buffer__char(t, '=');
		put_arg(t, &fn->args[i], e->data, true);
	}
	text_buffer__char(t, ')');
	if (e->call.kernel)
		put_kernel(t, e->call.kernel);
	put_end(t, e);
	lines__end(o->lines, FILE_HIP);
}

/* Every hsa_status_t but HSA_STATUS_SUCCESS and HSA_STATUS_INFO_BREAK. */
static bool failed(const struct tool_function *fn, const void *data)
{
	const unsigned char *result = (const unsigned char *)data + fn->result_offset;

	return fn->result && fn->result->kind == API_ENUM &&
	       api_value__load(result, fn->result->size) > 1;
}

static void put_result(struct textbuf *t, const struct tool_function *fn, const void *data)
{
	if (fn && fn->result)
		api_value__put(t, fn->result, (const char *)data + fn->result_offset,
			       fn->result->size);
	else
		text_buffer__str(t, "void");
}

/* FUNCTION(VALUE, ...) = RESULT */
static void put_hsa(struct own *o, const struct ended *e, const struct tool_function *fn)
{
	struct textbuf *t = lines__begin(o->lines, FILE_HSA);
	bool behind = fn && !failed(fn, e->data);

	put_begin(t, o, e);
	for (uint32_t i = 0; fn && i < fn->arg_count; i++) {
		text_buffer__str(t, i ? ", " : "");
		put_arg(t, &fn->args[i], e->data, behind);
	}
	text_buffer__str(t, ") = ");
	put_result(t, fn, e->data);
	put_end(t, e);
	lines__end(o->lines, FILE_HSA);
}

/* ---- callbacks ---- */

/* NULL: the call is not recorded. */
static struct own *enter(void)
{
	struct own *o = out__goes_on() ? own__get() : NULL;

	return o && !o->busy ? o : NULL;
}

static const char *name_of(uint32_t domain, uint32_t op)
{
	const char *name = roctracer_op_string(domain, op, 0);

	return name ? name : "unknown";
}

/* The kernel that the call is about to launch; NULL: none. */
static const char *launch_begins(struct own *o, uint32_t op, const struct data *d)
{
	const char *kernel = hip_arguments__work(op, d + 1).kernel_name;

	if (kernel)
		launched__begin(o, d->correlation_id);
	return kernel;
}

static void begins(struct own *o, uint32_t domain, uint32_t op, const struct data *d)
{
	const char *kernel = NULL;
	struct open_call *call;

	if (domain == ACTIVITY_DOMAIN_HIP_API)
		kernel = launch_begins(o, op, d);
	call = own__push(o, d->correlation_id);
	if (call)
		call->kernel = kernel;
}

static void ends(struct own *o, uint32_t domain, uint32_t op, const struct data *d)
{
	struct ended e = {.end = tool__now(), .name = name_of(domain, op), .data = d};

	if (!own__pop(o, d->correlation_id, &e.call))
		return;
	if (domain == ACTIVITY_DOMAIN_HIP_API)
		put_hip(o, &e, hip_function(op, e.name));
	else
		put_hsa(o, &e, hsa_function(op, e.name));
	if (e.call.kernel)
		launched__end();
}

void calls__on_set_device(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct data *d = data;
	struct own *o = enter();

	if (o && d->phase == ACTIVITY_API_PHASE_ENTER)
		o->device = *(const int *)(d + 1);
	if (o && arg)
		calls__on_call(domain, op, data, NULL);
}

void calls__on_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct data *d = data;
	struct own *o = enter();
	int err = errno;

	if (!o)
		return;
	if (d->phase == ACTIVITY_API_PHASE_ENTER)
		begins(o, domain, op, d);
	else
		ends(o, domain, op, d);
	errno = err;
}
