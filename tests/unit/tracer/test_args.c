// SPDX-License-Identifier: MIT
/*
 * Decoding of calls where something is special: cut off, failed, not readable, malformed, unknown.
 * That every function's values come back right is tested in tests/api.
 */
#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/api_tables.h"
#include "user/api/call_arguments.h"
#include "common/api_value.h"

/* A span record under construction. */
static struct {
	struct rt_rec_span span;
	unsigned char items[4096];
} rec;

static void call(uint64_t ret, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
	memset(&rec, 0, sizeof(rec));
	rec.span.h.kind = RT_REC_SPAN;
	rec.span.h.size = sizeof(rec.span);
	rec.span.ret = ret;
	rec.span.args[0] = a0;
	rec.span.args[1] = a1;
	rec.span.args[2] = a2;
	rec.span.args[3] = a3;
}

static void item(uint8_t kind, uint8_t index, uint32_t flags, const void *data, size_t len)
{
	struct rt_item it = {.kind = kind, .index = index, .len = (uint16_t)len, .flags = flags};
	unsigned char *to = (unsigned char *)&rec + rec.span.h.size;

	memcpy(to, &it, sizeof(it));
	if (len)
		memcpy(to + sizeof(it), data, len);
	rec.span.h.size += (uint16_t)((sizeof(it) + len + 7) & ~7ul);
}

static void read_item(uint8_t index, uint64_t value)
{
	item(RT_ITEM_READ, index, 0, &value, sizeof(value));
}

/* Decodes the record; the text lives until the next call. */
static const char *decoded_kernel(const char *symbol, const char *kernel)
{
	static struct textbuf t;
	const struct api_function *fn = api__find(symbol);
	struct call_values v;

	assert_int_equal(call_values__from_record(&v, &rec, rec.span.h.size), 0);
	v.kernel = kernel;
	text_buffer__free(&t);
	text_buffer__str(&t, symbol);
	text_buffer__char(&t, '(');
	call_arguments__put(&t, fn, &v);
	text_buffer__char(&t, ')');
	call_arguments__put_return(&t, fn, &v);
	return text_buffer__string(&t);
}

static const char *decoded(const char *symbol)
{
	return decoded_kernel(symbol, NULL);
}

static void test_like_strace(void **state)
{
	call(0, 0x7f5c00000000, 0x55d0c0de, 4194304, 1);
	assert_string_equal(decoded("hipMemcpy"),
			    "hipMemcpy(dst=0x7f5c00000000, src=0x55d0c0de, sizeBytes=4194304, "
			    "kind=hipMemcpyHostToDevice) = hipSuccess");
	call(0, 0x7ffd1234, 4096, 0, 0);
	read_item(0, 0x7f5c00000000);
	assert_string_equal(
		decoded("hipMalloc"),
		"hipMalloc(ptr=0x7ffd1234 [*ptr=0x7f5c00000000], size=4096) = hipSuccess");
	call(0, 0, 0, 0, 0);
	assert_string_equal(decoded("hipFree"), "hipFree(ptr=NULL) = hipSuccess");
}

static void test_unknown_function(void **state)
{
	call(0x15, 1, 2, 3, 4);
	rec.span.args[5] = UINT64_MAX;
	assert_string_equal(decoded("hipTestPlain"),
			    "hipTestPlain(0x1, 0x2, 0x3, 0x4, 0x0, 0xffffffffffffffff) = 0x15");
}

static void test_unknown_values(void **state)
{
	call(98765, 0, 0, 0, 0xffffffff);
	assert_string_equal(decoded("hipMemcpy"),
			    "hipMemcpy(dst=NULL, src=NULL, sizeBytes=0, kind=-1) = 98765");
}

static void test_cut_off(void **state)
{
	call(0, 0x1000, 64, 0, 0);
	read_item(0, 0x7f5c00000000);
	rec.span.h.flags = RT_SPAN_UNFINISHED;
	assert_string_equal(decoded("hipMalloc"), "hipMalloc(ptr=0x1000, size=64) = ?");
	assert_string_equal(decoded("hipTestPlain"),
			    "hipTestPlain(0x1000, 0x40, 0x0, 0x0, 0x0, 0x0) = ?");
	rec.span.h.flags = RT_SPAN_UNWOUND;
	assert_string_equal(decoded("roctxMarkA"), "roctxMarkA(message=0x1000) = ?");
}

static void test_no_result(void **state)
{
	call(7, 3, 0, 0, 0);
	assert_string_equal(decoded("roctxRangeStop"), "roctxRangeStop(id=3)");
}

static void test_what_a_failed_call_did_not_write(void **state)
{
	call(1, 0x1000, 64, 0, 0);
	read_item(0, 0xdeadbeef);
	assert_string_equal(decoded("hipMalloc"),
			    "hipMalloc(ptr=0x1000, size=64) = hipErrorInvalidValue");
}

static void test_failures(void **state)
{
	struct call_values v = {.returned = true, .ret = 600};

	assert_false(
		call_arguments__failed(api__find("hipStreamQuery"), &v)); /* hipErrorNotReady */
	v.ret = 1;
	assert_true(call_arguments__failed(api__find("hipStreamQuery"), &v));
	assert_false(call_arguments__failed(api__find("hsa_iterate_agents"), &v)); /* INFO_BREAK */
	v.ret = 0x1000;
	assert_true(call_arguments__failed(api__find("hsa_iterate_agents"), &v));
	assert_false(call_arguments__failed(api__find("roctxRangePushA"), &v));
	v.ret = 0xffffffff;
	assert_true(call_arguments__failed(api__find("roctxRangePop"), &v));
	if (api__find("hsaKmtOpenKFD")) /* a release without the thunk's header does not know it */
		assert_true(call_arguments__failed(api__find("hsaKmtOpenKFD"), &v));
	assert_true(call_arguments__failed(
		api__find("roctracer_activity_pop_external_correlation_id"), &v));
	assert_false(call_arguments__failed(NULL, &v));
	v.returned = false;
	assert_false(call_arguments__failed(api__find("hipStreamQuery"), &v));
}

static void test_strings(void **state)
{
	static const char hostile[] = "a\"b\\c\n\x1b[31m\xff\xe2\x80\xae";

	call(0, 0x1000, 0x2000, 0, 0);
	item(RT_ITEM_READ, 0, 0, hostile, sizeof(hostile) - 1);
	assert_string_equal(
		decoded("roctxMarkA"),
		"roctxMarkA(message=\"a\\\"b\\\\c\\x0a\\x1b[31m\\xff\\xe2\\x80\\xae\")");
	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, RT_ITEM_CUT, "long", 4);
	assert_string_equal(decoded("roctxMarkA"), "roctxMarkA(message=\"long\"...)");
	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, RT_ITEM_FAULT, NULL, 0);
	assert_string_equal(decoded("roctxMarkA"), "roctxMarkA(message=0x1000)");
	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, 0, NULL, 0);
	assert_string_equal(decoded("roctxMarkA"), "roctxMarkA(message=\"\")");
}

static void test_out_string_and_returned_string(void **state)
{
	call(0, 0x1000, 0x2000, 0, 0);
	item(RT_ITEM_READ, 0, 0, "HSA_STATUS_ERROR", 16);
	assert_string_equal(
		decoded("hsa_status_string"),
		"hsa_status_string(status=HSA_STATUS_ERROR, "
		"status_string=0x2000 [*status_string=\"HSA_STATUS_ERROR\"]) = HSA_STATUS_SUCCESS");
	call(0x7f00, 1, 0, 0, 0);
	item(RT_ITEM_READ, 0, 0, "hipErrorInvalidValue", 20);
	assert_string_equal(
		decoded("hipGetErrorName"),
		"hipGetErrorName(hip_error=hipErrorInvalidValue) = \"hipErrorInvalidValue\"");
	call(0x7f00, 1, 0, 0, 0);
	assert_string_equal(decoded("hipGetErrorName"),
			    "hipGetErrorName(hip_error=hipErrorInvalidValue) = 0x7f00");
}

static void test_kernel_name(void **state)
{
	const uint64_t stack[] = {0, 0x5500};

	call(0, 0x5626, (uint64_t)2 << 32 | 1024, 3, (uint64_t)1 << 32 | 256);
	rec.span.args[4] = 1;
	item(RT_ITEM_STACK, 0, 0, stack, sizeof(stack));
	assert_string_equal(decoded_kernel("hipLaunchKernel", "add(float*, int)\n"),
			    "hipLaunchKernel(function_address=0x5626 <add(float*, int)\\x0a>, "
			    "numBlocks={x=1024, "
			    "y=2, z=3}, dimBlocks={x=256, y=1, z=1}, args=NULL, sharedMemBytes=0, "
			    "stream=0x5500) = "
			    "hipSuccess");
}

static void test_words_that_were_not_captured(void **state)
{
	call(0, 0x5626, 0, 0, 0);
	assert_non_null(strstr(decoded("hipLaunchKernel"), "sharedMemBytes=?, stream=?)"));
}

static void test_part_of_a_struct(void **state)
{
	static const char name[] = "gfx";

	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, 0, name, 3);
	assert_string_equal(decoded("hipGetDeviceProperties"),
			    "hipGetDeviceProperties(prop=0x1000 [*prop={name=\"gfx\"..., ...}], "
			    "deviceId=0) = hipSuccess");
	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, 0, name, 3);
	assert_string_equal(decoded("hipMalloc"),
			    "hipMalloc(ptr=0x1000 [*ptr=?], size=0) = hipSuccess");
}

static void test_no_record(void **state)
{
	struct call_values v;

	call(0, 1, 2, 3, 4);
	assert_int_equal(call_values__from_record(&v, &rec, sizeof(rec.span) - 1), -EBADMSG);
	rec.span.h.size = 8;
	assert_int_equal(call_values__from_record(&v, &rec, sizeof(rec)), -EBADMSG);
	rec.span.h.size = sizeof(rec.span) + 8;
	assert_int_equal(call_values__from_record(&v, &rec, sizeof(rec.span)), -EBADMSG);
	rec.span.h.size = sizeof(rec.span);
	rec.span.h.kind = RT_REC_TASK;
	assert_int_equal(call_values__from_record(&v, &rec, sizeof(rec)), -EBADMSG);
}

static void test_items_that_make_no_sense(void **state)
{
	static const unsigned char data[1000];
	struct call_values v;

	call(0, 1, 2, 3, 4);
	item(99, 0, 0, data, 8);
	item(RT_ITEM_READ, RT_READS, 0, data, 8);
	item(RT_ITEM_READ, 1, 0, data, 8);
	item(RT_ITEM_READ, 2, 0, data, sizeof(data));
	rec.span.h.size -= 992; /* less than the item says */
	assert_int_equal(call_values__from_record(&v, &rec, rec.span.h.size), 0);
	assert_null(v.read[0].data);
	assert_non_null(v.read[1].data);
	assert_null(v.read[2].data);
	assert_int_equal(v.stack_words, 0);
}

/* Any bytes after a span: no function's decoder reads outside of them, and the text is bounded. */
static void test_random_items(void **state)
{
	struct call_values v;
	struct textbuf t = {0};

	srandom(1);
	for (size_t n = 0; n < 20 * api_function_count; n++) {
		size_t size = sizeof(rec.span) + (size_t)random() % RT_DATA_MAX;
		unsigned char *copy = malloc(size);

		call((uint64_t)random() % 3, 0, 0, 0, 0);
		for (size_t i = 0; i < sizeof(rec.items); i++)
			rec.items[i] = (unsigned char)(random() % 4 ? random() % 4 : random());
		for (int i = 0; i < RT_ARGS; i++)
			rec.span.args[i] = (uint64_t)random() << 33 ^ (uint64_t)random();
		rec.span.h.size = (uint16_t)size;
		assert_non_null(copy);
		memcpy(copy, &rec, size);
		assert_int_equal(call_values__from_record(&v, copy, size), 0);
		text_buffer__reset(&t);
		call_arguments__put(&t, api__function(n % api_function_count), &v);
		call_arguments__put_return(&t, api__function(n % api_function_count), &v);
		assert_true(t.len < 64 * RT_DATA_MAX);
		free(copy);
	}
	text_buffer__free(&t);
}

static char seen[512];

static void note(const struct arg_value *value, void *arg)
{
	assert_int_equal(strlen(value->text), value->len);
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%s:%s%s%s;", value->name,
		 value->is_string ? "s:" : "", value->text, value->cut ? "+" : "");
}

static const char *each(const char *symbol)
{
	struct textbuf t = {0};
	struct call_values v;

	seen[0] = '\0';
	assert_int_equal(call_values__from_record(&v, &rec, rec.span.h.size), 0);
	call_arguments__each(&t, api__find(symbol), &v, ARGS_TEXTS, note, NULL);
	call_arguments__return(&t, api__find(symbol), &v, note, NULL);
	text_buffer__free(&t);
	return seen;
}

static void test_value_by_value(void **state)
{
	call(0, 0x1000, 64, 0, 0);
	read_item(0, 0xabc);
	assert_string_equal(each("hipMalloc"), "ptr:0x1000;*ptr:0xabc;size:64;return:hipSuccess;");
	call(0, 0x1000, 0, 0, 0);
	item(RT_ITEM_READ, 0, RT_ITEM_CUT, "a\"b", 3);
	assert_string_equal(each("roctxMarkA"), "message:s:a\"b+;");
	call(9, 1, 2, 3, 4);
	assert_string_equal(each("hipTestPlain"),
			    "arg0:0x1;arg1:0x2;arg2:0x3;arg3:0x4;arg4:0x0;arg5:0x0;return:0x9;");
	rec.span.h.flags = RT_SPAN_UNFINISHED;
	assert_string_equal(each("hipFree"), "ptr:0x1;");
}

/* ---- the tables ---- */

static void test_sorted(void **state)
{
	for (size_t i = 0; i < api_function_count; i++)
		assert_ptr_equal(api__find(api_functions[i].name), &api_functions[i]);
	assert_null(api__function(api_function_count));
	assert_null(api__find("hipTestPlain"));
	assert_null(api__find(""));
	assert_null(api__find("_spt"));
}

static void assert_canonical(const char *symbol, const char *name)
{
	char buf[128];

	api__canonical(symbol, buf, sizeof(buf));
	assert_string_equal(buf, name);
}

static void test_variants(void **state)
{
	assert_canonical("hipMemcpy", "hipMemcpy");
	assert_canonical("hipMemcpy_spt", "hipMemcpy");
	assert_canonical("hipGetDevicePropertiesR0600", "hipGetDeviceProperties");
	assert_canonical("hipGetDevicePropertiesR0000", "hipGetDeviceProperties");
	assert_canonical("hipFoo_spt", "hipFoo");
	assert_canonical("_spt", "_spt");
	assert_canonical("hsa_signal_load_acquire", "hsa_signal_load_scacquire");
	assert_canonical("hsa_signal_load_scacquire", "hsa_signal_load_scacquire");
	assert_canonical("hsa_queue_cas_write_index_acq_rel",
			 "hsa_queue_cas_write_index_scacq_screl");
	assert_canonical("hsa_unheard_of_release", "hsa_unheard_of_release");
	assert_canonical("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPP"
			 "vS4_P11ihipEvent_tS6_j",
			 "hipExtModuleLaunchKernel");
	assert_canonical("_Z7hipFreePv", "hipFree"); /* a spelling that no header has */
	assert_canonical("_Z70hipFreePv", "_Z70hipFreePv");
	assert_canonical("_Z7hipFree", "_Z7hipFree");
	assert_canonical("_Z99999999999999999999hipFreePv", "_Z99999999999999999999hipFreePv");
	assert_canonical("_Z-7hipFreePv", "_Z-7hipFreePv");
	assert_ptr_equal(api__find("hipFree_spt"), api__find("hipFree"));
	assert_ptr_equal(api__find("hipFreeR0600"), api__find("hipFree"));
}

static void test_plans(void **state)
{
	static const char *const messages[] = {"roctxMarkA", "roctxRangePushA", "roctxRangeStartA",
					       "roctxNameOsThread"};
	struct rt_plan plan;

	for (size_t i = 0; i < api_function_count; i++) {
		size_t bytes;

		api__plan(&api_functions[i], &plan);
		assert_true(plan.stack_words <= RT_STACK_WORDS && plan.reads <= RT_READS);
		bytes = 8 + 8 * (size_t)plan.stack_words;
		for (int r = 0; r < plan.reads; r++) {
			assert_in_range(plan.read[r].len, 1, RT_READ_MAX);
			assert_true(plan.read[r].word == RT_WORD_RET ||
				    plan.read[r].word < RT_ARGS + RT_STACK_WORDS);
			bytes += sizeof(struct rt_item) + ((plan.read[r].len + 7u) & ~7u);
		}
		assert_true(bytes <= RT_DATA_MAX);
	}
	for (size_t i = 0; i < 4; i++) {
		api__plan(api__find(messages[i]), &plan);
		assert_int_equal(plan.reads, 1);
		assert_int_equal(plan.read[0].kind, RT_READ_STRING);
		assert_int_equal(plan.read[0].word, 0);
		assert_int_equal(plan.read[0].len, RT_READ_MAX);
	}
	api__plan(NULL, &plan);
	assert_int_equal(plan.reads + plan.stack_words + plan.failure, 0);
	api__plan(api__find("roctxProfilerPause"), &plan);
	assert_int_equal(plan.control, RT_CONTROL_PAUSE);
	api__plan(api__find("hipLaunchKernel"), &plan);
	assert_int_equal(plan.stack_words, 2);
	assert_int_equal(plan.reads, 0);
}

static void test_kernel_parameter(void **state)
{
	assert_int_equal(api__kernel_param(api__find("hipLaunchKernel"))->place[0], 0);
	assert_int_equal(api__kernel_param(api__find("hipModuleLaunchKernel"))->place[0], 0);
	assert_int_equal(api__kernel_param(api__find("__hipRegisterFunction"))->place[0], 1);
	assert_null(api__kernel_param(api__find("hipMemcpy")));
}

static void test_ioctls(void **state)
{
	const struct kfd_ioctl_create_event_args args = {
		.event_page_offset = 0x1000,
		.event_trigger_data = 7,
		.event_type = 2,
		.auto_reset = 1,
		.node_id = 3,
		.event_id = 4,
		.event_slot_index = 5,
	};
	const struct api_ioctl *io = api__ioctl(_IOC_NR(AMDKFD_IOC_CREATE_EVENT));
	struct textbuf t = {0};

	assert_non_null(io);
	assert_string_equal(io->name, "AMDKFD_IOC_CREATE_EVENT");
	assert_int_equal(io->type->size, _IOC_SIZE(AMDKFD_IOC_CREATE_EVENT));
	api_value__put_bare(&t, io->type, &args, sizeof(args));
	assert_string_equal(text_buffer__string(&t),
			    "event_page_offset=4096, event_trigger_data=7, event_type=2, "
			    "auto_reset=1, node_id=3, event_id=4, event_slot_index=5");
	text_buffer__reset(&t);
	api_value__put_bare(&t, io->type, &args, 12);
	assert_string_equal(text_buffer__string(&t),
			    "event_page_offset=4096, event_trigger_data=7, ...");
	text_buffer__free(&t);
	assert_string_equal(api__ioctl(_IOC_NR(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU))->name,
			    "AMDKFD_IOC_ALLOC_MEMORY_OF_GPU");
	assert_null(api__ioctl(0xff));
}

static void test_numbers(void **state)
{
	struct textbuf t = {0};

	text_buffer__int(&t, INT64_MIN);
	text_buffer__char(&t, ' ');
	text_buffer__uint(&t, UINT64_MAX);
	text_buffer__char(&t, ' ');
	text_buffer__hex(&t, 0);
	text_buffer__char(&t, ' ');
	text_buffer__float(&t, 0.1f);
	text_buffer__char(&t, ' ');
	text_buffer__float(&t, 16777217.0f);
	text_buffer__char(&t, ' ');
	text_buffer__double(&t, 1.0 / 3);
	assert_string_equal(text_buffer__string(&t),
			    "-9223372036854775808 18446744073709551615 0x0 0.1 "
			    "16777216 0.3333333333333333");
	text_buffer__free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_like_strace),
		cmocka_unit_test(test_unknown_function),
		cmocka_unit_test(test_unknown_values),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_no_result),
		cmocka_unit_test(test_what_a_failed_call_did_not_write),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_out_string_and_returned_string),
		cmocka_unit_test(test_kernel_name),
		cmocka_unit_test(test_words_that_were_not_captured),
		cmocka_unit_test(test_part_of_a_struct),
		cmocka_unit_test(test_no_record),
		cmocka_unit_test(test_items_that_make_no_sense),
		cmocka_unit_test(test_random_items),
		cmocka_unit_test(test_value_by_value),
		cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_variants),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_kernel_parameter),
		cmocka_unit_test(test_ioctls),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
