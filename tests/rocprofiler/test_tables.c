// SPDX-License-Identifier: MIT
// The tables of kinds, operations and arguments, against what librocprofiler-sdk 1.0.0 and its
// headers have.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "rocprofiler/support/tables.h"

#define CALLBACK(kind) tables__callback_kind(ROCPROFILER_CALLBACK_TRACING_##kind)
#define BUFFER(kind)   tables__buffer_kind(ROCPROFILER_BUFFER_TRACING_##kind)

// What 1.0 has: how many, and FNV-1a of all names, a line each, in the order of their numbers; the
// same of arguments, as FUNCTION.ARGUMENT OFFSET SIZE, of those kinds that have them here.
static const struct {
	rocprofiler_callback_tracing_kind_t kind;
	const char *name;
	unsigned int count;
	uint64_t names;
	unsigned int argument_count;
	uint64_t arguments;
} released[] = {
	{ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, "HSA_CORE_API", 125, 0x3959d8e8472d0263, 344,
	 0x4c04938e68c5ee09},
	{ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API, "HSA_AMD_EXT_API", 74, 0xbe3adfbffab7d150,
	 261, 0xb8334ead5864ba15},
	{ROCPROFILER_CALLBACK_TRACING_HSA_IMAGE_EXT_API, "HSA_IMAGE_EXT_API", 13,
	 0x19bb5182c64e3c05, 62, 0x6b5b90d9af333c82},
	{ROCPROFILER_CALLBACK_TRACING_HSA_FINALIZE_EXT_API, "HSA_FINALIZE_EXT_API", 6,
	 0xcdf4700cf885e510, 21, 0xe04dbaba68c89e1a},
	{ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, "HIP_RUNTIME_API", 477, 0x899ee637edf591f1,
	 1500, 0xc69c6254b530e4db},
	{ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API, "HIP_COMPILER_API", 9, 0xad280ad90738770c,
	 47, 0x07f704b7f93aecfc},
	{ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API, "MARKER_CORE_API", 6, 0xcc54bffa0d24c841, 5,
	 0xfb33abeffccc86f8},
	{ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, "MARKER_CONTROL_API", 2,
	 0xf06d74def65e22fe, 2, 0xb3d72a94b886b782},
	{ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API, "MARKER_NAME_API", 4, 0x8b92df87f6ceb762, 7,
	 0xc5fa954790d4247d},
	{ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, "MARKER_CORE_RANGE_API", 4,
	 0xd390ab4b006080b1, 4, 0xa41caaa3e21ca271},
	{ROCPROFILER_CALLBACK_TRACING_RCCL_API, "RCCL_API", 37, 0xa408d660390d7b0c, 0, 0},
	{ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API, "ROCDECODE_API", 16, 0x71f34d6b46d811da, 0, 0},
	{ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API, "ROCJPEG_API", 9, 0xb4e10f3bb2cc390b, 0, 0},
	{ROCPROFILER_CALLBACK_TRACING_OMPT, "OMPT", 31, 0x42c4de80cc0fba02, 0, 0},
};
#define RELEASED (sizeof(released) / sizeof(released[0]))

static void fnv(uint64_t *hash, const char *text)
{
	for (; *text; text++)
		*hash = (*hash ^ (unsigned char)*text) * 0x100000001b3;
}

static void operations_are_as_released(void **state)
{
	for (size_t i = 0; i < RELEASED; i++) {
		const struct sdk_kind *kind = tables__callback_kind(released[i].kind);
		uint64_t hash = 0xcbf29ce484222325;

		assert_non_null(kind);
		assert_string_equal(kind->name, released[i].name);
		assert_int_equal(kind->count, released[i].count);
		for (uint32_t n = 0; n < kind->count; n++) {
			fnv(&hash, kind->operations[n].name);
			fnv(&hash, "\n");
		}
		if (hash != released[i].names)
			fail_msg("names of %s: %#llx", kind->name, (unsigned long long)hash);
	}
}

static unsigned int hash_arguments(const struct sdk_operation *op, uint64_t *hash)
{
	char line[200];

	for (unsigned int i = 0; i < op->argument_count; i++) {
		const struct sdk_argument *arg = &op->arguments[i];

		snprintf(line, sizeof(line), "%s.%s %u %u\n", op->name, arg->name, arg->offset,
			 arg->size);
		fnv(hash, line);
	}
	return op->argument_count;
}

static void arguments_are_as_released(void **state)
{
	for (size_t i = 0; i < RELEASED; i++) {
		const struct sdk_kind *kind = tables__callback_kind(released[i].kind);
		uint64_t hash = 0xcbf29ce484222325;
		unsigned int count = 0;

		for (uint32_t n = 0; n < kind->count; n++)
			count += hash_arguments(&kind->operations[n], &hash);
		assert_int_equal(count, released[i].argument_count);
		if (count && hash != released[i].arguments)
			fail_msg("arguments of %s: %#llx", kind->name, (unsigned long long)hash);
	}
}

static void numbers_are_those_of_the_enums(void **state)
{
	static const struct {
		int number, released;
		const char *name;
	} hip[] = {
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipApiName, 0, "hipApiName"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDevicePropertiesR0600, 105,
		 "hipGetDevicePropertiesR0600"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel, 214, "hipLaunchKernel"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc, 215, "hipMalloc"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpyAsync, 268, "hipMemcpyAsync"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipModuleLaunchKernel, 308,
		 "hipModuleLaunchKernel"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipSetDevice, 327, "hipSetDevice"},
		{ROCPROFILER_HIP_RUNTIME_API_ID_hipMemGetHandleForAddressRange, 476,
		 "hipMemGetHandleForAddressRange"},
	};
	const struct sdk_kind *amd = CALLBACK(HSA_AMD_EXT_API);

	for (size_t i = 0; i < sizeof(hip) / sizeof(hip[0]); i++) {
		assert_int_equal(hip[i].number, hip[i].released);
		assert_string_equal(
			tables__operation(CALLBACK(HIP_RUNTIME_API), hip[i].number)->name,
			hip[i].name);
	}
	assert_int_equal(ROCPROFILER_HSA_CORE_API_ID_hsa_queue_create, 7);
	assert_int_equal(ROCPROFILER_HSA_CORE_API_ID_hsa_executable_freeze, 86);
	assert_int_equal(ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_memory_async_copy, 15);
	assert_string_equal(tables__operation(amd, 73)->name, "hsa_amd_portable_export_dmabuf_v2");
	assert_int_equal(ROCPROFILER_HSA_IMAGE_EXT_API_ID_hsa_ext_image_create_with_layout, 12);
	assert_string_equal(tables__operation(CALLBACK(OMPT), 30)->name, "omp_callback_functions");
}

static void what_is_not_there_is_not_found(void **state)
{
	assert_null(tables__callback_kind(ROCPROFILER_CALLBACK_TRACING_LAST));
	assert_null(tables__callback_kind((rocprofiler_callback_tracing_kind_t)-1));
	assert_null(tables__buffer_kind(ROCPROFILER_BUFFER_TRACING_LAST));
	assert_null(tables__operation(NULL, 0));
	assert_null(tables__operation(CALLBACK(NONE), 0));
	assert_null(tables__operation(CALLBACK(HIP_RUNTIME_API), 477));
	assert_null(tables__operation(CALLBACK(HIP_RUNTIME_API), -1));
	assert_null(tables__operation(BUFFER(CORRELATION_ID_RETIREMENT), 0));
}

static void all_kinds_and_operations_have_names(void **state)
{
	for (int i = 0; i < ROCPROFILER_CALLBACK_TRACING_LAST; i++) {
		const struct sdk_kind *kind = tables__callback_kind(i);

		assert_non_null(kind->name);
		for (uint32_t n = 0; n < kind->count; n++)
			assert_non_null(kind->operations[n].name);
	}
	for (int i = 0; i < ROCPROFILER_BUFFER_TRACING_LAST; i++) {
		const struct sdk_kind *kind = tables__buffer_kind(i);

		assert_non_null(kind->name);
		for (uint32_t n = 0; n < kind->count; n++)
			assert_non_null(kind->operations[n].name);
	}
	assert_string_equal(CALLBACK(NONE)->name, "NONE");
	assert_string_equal(BUFFER(HIP_RUNTIME_API_EXT)->name, "HIP_RUNTIME_API_EXT");
	assert_ptr_equal(BUFFER(HIP_RUNTIME_API_EXT)->operations,
			 CALLBACK(HIP_RUNTIME_API)->operations);
}

static void operations_that_are_no_functions(void **state)
{
	assert_string_equal(tables__operation(CALLBACK(MEMORY_COPY), 2)->name,
			    "MEMORY_COPY_HOST_TO_DEVICE");
	assert_string_equal(tables__operation(CALLBACK(CODE_OBJECT), 0)->name, "CODE_OBJECT_NONE");
	assert_string_equal(tables__operation(CALLBACK(CODE_OBJECT), 2)->name,
			    "CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER");
	assert_string_equal(tables__operation(CALLBACK(KERNEL_DISPATCH), 2)->name,
			    "KERNEL_DISPATCH_COMPLETE");
	assert_string_equal(tables__operation(CALLBACK(RUNTIME_INITIALIZATION), 3)->name,
			    "RUNTIME_INITIALIZATION_MARKER");
	assert_string_equal(tables__operation(BUFFER(KFD_EVENT_PAGE_MIGRATE), 4)->name,
			    "ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_END");
	assert_int_equal(BUFFER(KFD_EVENT_QUEUE)->count, 8);
	assert_int_equal(BUFFER(KFD_EVENT_DROPPED_EVENTS)->count, 1);
	assert_int_equal(CALLBACK(SCRATCH_MEMORY)->count, 4);
	assert_int_equal(CALLBACK(MEMORY_ALLOCATION)->count, 5);
	assert_int_equal(CALLBACK(HIP_STREAM)->count, 4);
}

// ---- types ----

static void assert_argument(const struct sdk_argument *arg, const char *name, const char *type,
			    enum sdk_value kind, int indirections)
{
	assert_string_equal(arg->name, name);
	assert_string_equal(arg->type_name, type);
	assert_int_equal(arg->type->kind, kind);
	assert_int_equal(arg->indirections, indirections);
}

static void arguments_of_a_launch(void **state)
{
	const struct sdk_operation *op =
		tables__operation(CALLBACK(HIP_RUNTIME_API), 214 /* hipLaunchKernel */);
	const struct sdk_type *dim;

	assert_int_equal(op->argument_count, 6);
	assert_int_equal(op->result_size, 4);
	assert_argument(&op->arguments[0], "function_address", "PKv", SDK_ADDRESS, 1);
	assert_argument(&op->arguments[1], "numBlocks", "18rocprofiler_dim3_t", SDK_STRUCT, 0);
	assert_argument(&op->arguments[3], "args", "PPv", SDK_POINTER, 2);
	assert_null(op->arguments[3].type->target);
	assert_argument(&op->arguments[4], "sharedMemBytes", "m", SDK_UNSIGNED, 0);
	assert_argument(&op->arguments[5], "stream", "P12ihipStream_t", SDK_ADDRESS, 1);

	dim = op->arguments[1].type;
	assert_int_equal(dim->count, 3);
	assert_string_equal(dim->fields[0].name, "z");
	assert_int_equal(dim->fields[0].offset, 8);
	assert_string_equal(dim->fields[2].name, "x");
	assert_false(dim->bare);
}

static void arguments_of_a_copy(void **state)
{
	const struct sdk_operation *op =
		tables__operation(CALLBACK(HIP_RUNTIME_API), 268 /* hipMemcpyAsync */);
	const struct sdk_type *kind = op->arguments[3].type;

	assert_argument(&op->arguments[0], "dst", "Pv", SDK_ADDRESS, 1);
	assert_argument(&op->arguments[3], "kind", "13hipMemcpyKind", SDK_ENUM, 0);
	assert_string_equal(kind->constants[2].name, "DeviceToHost");
	assert_int_equal(kind->constants[2].value, 2);
	assert_string_equal(kind->unknown, "hipMemcpy_UNKNOWN=");
}

static void arguments_of_hsa(void **state)
{
	const struct sdk_operation *op =
		tables__operation(CALLBACK(HSA_CORE_API), 7 /* hsa_queue_create */);
	const struct sdk_type *agent = op->arguments[0].type;

	assert_argument(&op->arguments[0], "agent", "11hsa_agent_s", SDK_STRUCT, 0);
	assert_true(agent->bare);
	assert_string_equal(agent->fields[0].name, "handle");
	assert_argument(&op->arguments[3], "callback", "PFv12hsa_status_tP11hsa_queue_sPvE",
			SDK_ADDRESS, 1);
	assert_argument(&op->arguments[7], "queue", "PP11hsa_queue_s", SDK_POINTER, 2);
	assert_int_equal(op->arguments[7].type->target->kind, SDK_POINTER);

	op = tables__operation(CALLBACK(HSA_CORE_API), 86 /* hsa_executable_freeze */);
	assert_argument(&op->arguments[1], "options", "PKc", SDK_STRING, 1);
	assert_false(op->arguments[0].type->bare);
}

static void arguments_of_markers(void **state)
{
	const struct sdk_operation *op = tables__operation(CALLBACK(MARKER_CORE_API), 0);

	assert_argument(&op->arguments[0], "message", "PKc", SDK_STRING, 1);
	assert_int_equal(op->result_size, 0);
	assert_int_equal(tables__operation(CALLBACK(MARKER_CORE_API), 1)->result_size, 4);
	assert_int_equal(tables__operation(CALLBACK(MARKER_CORE_API), 3)->result_size, 8);
	assert_int_equal(tables__operation(CALLBACK(MARKER_CORE_API), 2)->argument_count, 0);
}

static void check_type(const struct sdk_type *type, unsigned int depth)
{
	assert_true(depth < 8);
	assert_true(type->kind <= SDK_STRUCT);
	if (type->kind == SDK_POINTER && type->target)
		check_type(type->target, depth + 1);
	for (unsigned int i = 1; type->kind == SDK_ENUM && i < type->count; i++)
		assert_true(type->constants[i - 1].value < type->constants[i].value);
	for (unsigned int i = 0; type->kind == SDK_STRUCT && i < type->count; i++) {
		assert_true(type->fields[i].offset + type->fields[i].type->size <= type->size);
		check_type(type->fields[i].type, depth + 1);
	}
}

static void check_kind(const struct sdk_kind *kind, size_t size)
{
	for (uint32_t n = 0; n < kind->count; n++) {
		const struct sdk_operation *op = &kind->operations[n];

		for (unsigned int i = 0; i < op->argument_count; i++) {
			const struct sdk_argument *arg = &op->arguments[i];

			assert_true(arg->offset + arg->size <= size);
			assert_int_equal(arg->size, arg->type->size);
			assert_true(arg->type_name[0]);
			assert_true(arg->indirections || arg->type_name[0] != 'P');
			check_type(arg->type, 0);
		}
	}
}

static void arguments_lie_in_their_unions(void **state)
{
	check_kind(CALLBACK(HIP_RUNTIME_API), sizeof(rocprofiler_hip_api_args_t));
	check_kind(CALLBACK(HIP_COMPILER_API), sizeof(rocprofiler_hip_api_args_t));
	check_kind(CALLBACK(HSA_CORE_API), sizeof(rocprofiler_hsa_api_args_t));
	check_kind(CALLBACK(HSA_AMD_EXT_API), sizeof(rocprofiler_hsa_api_args_t));
	check_kind(CALLBACK(HSA_IMAGE_EXT_API), sizeof(rocprofiler_hsa_api_args_t));
	check_kind(CALLBACK(HSA_FINALIZE_EXT_API), sizeof(rocprofiler_hsa_api_args_t));
	check_kind(CALLBACK(MARKER_CORE_API), sizeof(rocprofiler_marker_api_args_t));
	check_kind(CALLBACK(MARKER_CONTROL_API), sizeof(rocprofiler_marker_api_args_t));
	check_kind(CALLBACK(MARKER_NAME_API), sizeof(rocprofiler_marker_api_args_t));
	check_kind(CALLBACK(MARKER_CORE_RANGE_API), sizeof(rocprofiler_marker_api_args_t));
}

// ---- other names ----

static void names_of_codes(void **state)
{
	for (int i = 0; i < ROCPROFILER_STATUS_LAST; i++) {
		assert_non_null(tables__status_name(i));
		assert_non_null(tables__status_string(i));
	}
	assert_string_equal(tables__status_name(0), "ROCPROFILER_STATUS_SUCCESS");
	assert_string_equal(tables__status_name(40), "ROCPROFILER_STATUS_ERROR_PERMISSION_DENIED");
	assert_null(tables__status_name(41));
	assert_null(tables__status_string(-1));
}

static void names_of_requests_and_tables(void **state)
{
	for (int i = 0; i < ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST; i++)
		assert_non_null(tables__request_name(i));
	assert_string_equal(tables__request_name(10), "MEMORY_COPY");
	assert_null(tables__request_name(ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_LAST));
	for (int i = 1; i <= ROCPROFILER_TABLE_LAST; i <<= 1)
		assert_non_null(tables__intercept_name(i));
	assert_string_equal(tables__intercept_name(ROCPROFILER_HIP_RUNTIME_TABLE), "HIP (runtime)");
	assert_null(tables__intercept_name(0));
	assert_null(tables__intercept_name(3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_are_as_released),
		cmocka_unit_test(arguments_are_as_released),
		cmocka_unit_test(numbers_are_those_of_the_enums),
		cmocka_unit_test(what_is_not_there_is_not_found),
		cmocka_unit_test(all_kinds_and_operations_have_names),
		cmocka_unit_test(operations_that_are_no_functions),
		cmocka_unit_test(arguments_of_a_launch),
		cmocka_unit_test(arguments_of_a_copy),
		cmocka_unit_test(arguments_of_hsa),
		cmocka_unit_test(arguments_of_markers),
		cmocka_unit_test(arguments_lie_in_their_unions),
		cmocka_unit_test(names_of_codes),
		cmocka_unit_test(names_of_requests_and_tables),
	};

	return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
