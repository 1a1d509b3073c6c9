// SPDX-License-Identifier: MIT
/*
 * Calls of HIP and HSA: a line for each, when it ends.
 *
 * Arguments are read where the callback finds them. What pointers lead to is read when the call has
 * returned: HIP does not tell whether it succeeded, and what a call that failed was to write is
 * shown as it is.
 */
#include <errno.h>
#include <string.h>

#include "roctracer/hip_arguments.h"
#include "roctracer/roctracer.h"
#include "roctracer/tool/core.h"
#include "roctracer/tool/functions.h"
#include "roctracer/tool/hip_release.h"
#include "roctracer/tool/kernels.h"
#include "roctracer/tool/launched.h"
#include "roctracer/tool/own.h"
#include "roctracer/tool/settings.h"
#include "user/kernel_name.h"
#include "user/value.h"

#define FIRST_ADDRESS 4096 /* what is below is no pointer */

/* How hip_api_data_t and hsa_api_data_t begin; HIP's arguments are behind that. */
struct data {
	uint64_t correlation_id;
	uint32_t phase;
};

/* ---- arguments ---- */

static void put_string(struct textbuf *t, const char *text, size_t max)
{
	if ((uintptr_t)text < FIRST_ADDRESS)
		value__put_address(t, (uintptr_t)text);
	else
		value__put_string(t, (const unsigned char *)text, strnlen(text, max), false);
}

/* What a pointer leads to stands in its place. */
static void put_behind(struct textbuf *t, const struct tool_arg *arg, const void *pointer)
{
	const char *text;

	if (arg->type->kind == API_STRING) {
		put_string(t, pointer, arg->behind);
	} else if (arg->type->target->kind == API_STRING) {
		memcpy(&text, pointer, sizeof(text));
		put_string(t, text, arg->behind);
	} else {
		value__put(t, arg->type->target, pointer, arg->behind);
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
		value__put(t, arg->type, at, arg->type->size);
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
	textbuf__uint(t, e->call.begin);
	textbuf__char(t, ':');
	textbuf__uint(t, e->end);
	textbuf__char(t, ' ');
	textbuf__uint(t, tool_pid());
	textbuf__char(t, ':');
	textbuf__uint(t, o->tid);
	textbuf__char(t, ' ');
	textbuf__str(t, e->name);
	textbuf__char(t, '(');
}

static void put_end(struct textbuf *t, const struct ended *e)
{
	textbuf__str(t, " :");
	textbuf__uint(t, e->call.correlation_id);
	textbuf__char(t, '\n');
}

static void put_kernel(struct textbuf *t, const char *mangled)
{
	const char *name = kernels__plain(mangled);

	textbuf__str(t, " kernel=");
	if (settings__get()->truncate_names)
		kernel_name__put_last(t, name);
	else
		textbuf__escaped(t, name, strlen(name), '\0');
}

/* FUNCTION(NAME=VALUE, ...) kernel=NAME */
static void put_hip(struct own *o, const struct ended *e, const struct tool_function *fn)
{
	struct textbuf *t = lines__begin(o->lines, FILE_HIP);

	put_begin(t, o, e);
	for (uint32_t i = 0; fn && i < fn->arg_count; i++) {
		textbuf__str(t, i ? ", " : "");
		textbuf__str(t, fn->args[i].name);
		textbuf__char(t, '=');
		put_arg(t, &fn->args[i], e->data, true);
	}
	textbuf__char(t, ')');
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
	       value__load(result, fn->result->size) > 1;
}

static void put_result(struct textbuf *t, const struct tool_function *fn, const void *data)
{
	if (fn && fn->result)
		value__put(t, fn->result, (const char *)data + fn->result_offset, fn->result->size);
	else
		textbuf__str(t, "void");
}

/* FUNCTION(VALUE, ...) = RESULT */
static void put_hsa(struct own *o, const struct ended *e, const struct tool_function *fn)
{
	struct textbuf *t = lines__begin(o->lines, FILE_HSA);
	bool behind = fn && !failed(fn, e->data);

	put_begin(t, o, e);
	for (uint32_t i = 0; fn && i < fn->arg_count; i++) {
		textbuf__str(t, i ? ", " : "");
		put_arg(t, &fn->args[i], e->data, behind);
	}
	textbuf__str(t, ") = ");
	put_result(t, fn, e->data);
	put_end(t, e);
	lines__end(o->lines, FILE_HSA);
}

/* ---- callbacks ---- */

/* NULL: the call is not told. */
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
	struct ended e = {.end = tool_now(), .name = name_of(domain, op), .data = d};

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
