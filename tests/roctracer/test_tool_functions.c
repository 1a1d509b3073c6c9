/* SPDX-License-Identifier: MIT */
/*
 * Tests where libroctracer_tool looks for arguments: where the compiler puts them in the structs of
 * the same headers, all of them. What the members are is read out of the headers by other means
 * (members.awk).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "roctracer/roctracer_hip.h"
#include "roctracer/roctracer_hsa.h"
#include "inprocess/api_argument_tables.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

struct member {
	uint32_t op;
	const char *function, *name;
	size_t offset, size;
};

static const struct member hip_members[] = {
#define MEMBER(fn, arg)                                                     \
	{HIP_API_ID_##fn, #fn, #arg, offsetof(hip_api_data_t, args.fn.arg), \
	 sizeof(((hip_api_data_t *)0)->args.fn.arg)},
#include "tests/roctracer/hip_members.inc"
#undef MEMBER
};

static const struct member hsa_members[] = {
#define MEMBER(fn, arg)                                                     \
	{HSA_API_ID_##fn, #fn, #arg, offsetof(hsa_api_data_t, args.fn.arg), \
	 sizeof(((hsa_api_data_t *)0)->args.fn.arg)},
#include "tests/roctracer/hsa_members.inc"
#undef MEMBER
};

static const struct tool_arg *find(const struct tool_function *fn, const char *name)
{
	for (uint32_t i = 0; i < fn->arg_count; i++)
		if (!strcmp(fn->args[i].name, name))
			return &fn->args[i];
	return NULL;
}

static size_t count_args(const struct tool_function *functions, size_t count)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += functions[i].arg_count;
	return n;
}

static void check(const struct tool_function *functions, size_t function_count,
		  const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct member *m = &members[i];
		const struct tool_arg *arg;

		assert_true(m->op < function_count);
		assert_string_equal(functions[m->op].name, m->function);
		arg = find(&functions[m->op], m->name);
		assert_non_null(arg);
		assert_int_equal(arg->offset, m->offset);
		assert_int_equal(arg->type->size, m->size);
	}
	assert_int_equal(count_args(functions, function_count), count);
}

static void hip(void **state)
{
	assert_int_equal(tool_hip_release[0], HIP_VERSION_MAJOR);
	assert_int_equal(tool_hip_release[1], HIP_VERSION_MINOR);
	assert_true(COUNT(hip_members) > 900);
	check(tool_hip_functions, tool_hip_function_count, hip_members, COUNT(hip_members));
}

static void hsa(void **state)
{
	assert_true(COUNT(hsa_members) > 400);
	check(tool_hsa_functions, tool_hsa_function_count, hsa_members, COUNT(hsa_members));
}

static const struct tool_arg *hip_arg(uint32_t op, const char *name)
{
	return find(&tool_hip_functions[op], name);
}

/* What is shown of pointers. */
static void behind(void **state)
{
	assert_int_equal(hip_arg(HIP_API_ID_hipMalloc, "ptr")->behind, 8);
	assert_int_equal(hip_arg(HIP_API_ID_hipMemcpy, "dst")->behind, 0);
	assert_int_equal(hip_arg(HIP_API_ID_hipStreamSynchronize, "stream")->behind, 0);
	assert_int_equal(hip_arg(HIP_API_ID_hipLaunchKernel, "args")->behind, 0);
	assert_int_equal(hip_arg(HIP_API_ID_hipModuleLaunchKernel, "kernelParams")->behind, 0);
	assert_int_equal(hip_arg(HIP_API_ID_hipModuleLoad, "fname")->type->kind, API_STRING);
	assert_true(hip_arg(HIP_API_ID_hipModuleLoad, "fname")->behind >= 64);
	/* Nobody says whether it was written. */
	assert_int_equal(hip_arg(HIP_API_ID_hipDeviceGetName, "name")->behind, 0);
}

static void results(void **state)
{
	const struct tool_function *fn = &tool_hsa_functions[HSA_API_ID_hsa_signal_load_relaxed];

	assert_int_equal(fn->result->kind, API_INT);
	assert_int_equal(fn->result_offset, offsetof(hsa_api_data_t, hsa_signal_value_t_retval));
	fn = &tool_hsa_functions[HSA_API_ID_hsa_signal_create];
	assert_int_equal(fn->result->kind, API_ENUM);
	assert_int_equal(fn->result_offset, offsetof(hsa_api_data_t, hsa_status_t_retval));
	fn = &tool_hsa_functions[HSA_API_ID_hsa_init];
	assert_int_equal(fn->arg_count, 0);
	assert_non_null(fn->result);
	assert_null(tool_hsa_functions[HSA_API_ID_hsa_signal_store_relaxed].result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hip),
		cmocka_unit_test(hsa),
		cmocka_unit_test(behind),
		cmocka_unit_test(results),
	};

	return cmocka_run_group_tests_name("libroctracer_tool's functions", tests, NULL, NULL);
}
