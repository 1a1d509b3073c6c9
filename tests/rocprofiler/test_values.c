// SPDX-License-Identifier: MIT
// How librocprofiler-sdk writes values, and that it writes no more than there is room for.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "rocprofiler/support/tables.h"
#include "rocprofiler/support/values.h"

static char text[VALUES_MAX];

static const char *write_value(const struct sdk_type *type, const void *value)
{
	values__write(text, sizeof(text), type, value, 0);
	return text;
}

static void numbers(void **state)
{
	static const struct sdk_type i8 = {.kind = SDK_SIGNED, .size = 1};
	static const struct sdk_type i16 = {.kind = SDK_SIGNED, .size = 2};
	static const struct sdk_type i64 = {.kind = SDK_SIGNED, .size = 8};
	static const struct sdk_type u8 = {.kind = SDK_UNSIGNED, .size = 1};
	static const struct sdk_type u64 = {.kind = SDK_UNSIGNED, .size = 8};
	static const struct sdk_type none = {.kind = SDK_SIGNED, .size = 0};
	static const struct sdk_type boolean = {.kind = SDK_BOOL, .size = 1};
	static const struct sdk_type address = {.kind = SDK_ADDRESS, .size = 8};
	static const struct sdk_type other = {.kind = SDK_ADDRESS, .size = 8, .unknown = "0x0"};
	const int64_t minus = -2, least = INT64_MIN, zero = 0;

	assert_string_equal(write_value(&i8, &minus), "-2");
	assert_string_equal(write_value(&i16, &minus), "-2");
	assert_string_equal(write_value(&i64, &least), "-9223372036854775808");
	assert_string_equal(write_value(&u8, &minus), "254");
	assert_string_equal(write_value(&u64, &minus), "18446744073709551614");
	assert_string_equal(write_value(&none, &minus), "0");
	assert_string_equal(write_value(&boolean, &minus), "true");
	assert_string_equal(write_value(&boolean, ""), "false");
	assert_string_equal(write_value(&address, &minus), "0xfffffffffffffffe");
	assert_string_equal(write_value(&address, &zero), "0");
	assert_string_equal(write_value(&other, &zero), "0x0");
	assert_string_equal(write_value(&other, &minus), "0xfffffffffffffffe");
}

static const struct sdk_type f32 = {.kind = SDK_FLOAT, .size = 4};
static const struct sdk_type f64 = {.kind = SDK_FLOAT, .size = 8};

static const char *write_double(double value)
{
	return write_value(&f64, &value);
}

static const char *write_float(float value)
{
	return write_value(&f32, &value);
}

static void doubles(void **state)
{
	assert_string_equal(write_double(0), "0");
	assert_string_equal(write_double(-0.0), "-0");
	assert_string_equal(write_double(1), "1");
	assert_string_equal(write_double(0.1), "0.1");
	assert_string_equal(write_double(-12.5), "-12.5");
	assert_string_equal(write_double(1.0 / 3), "0.3333333333333333");
	assert_string_equal(write_double(100), "100");
	assert_string_equal(write_double(1e15), "1000000000000000");
	assert_string_equal(write_double(1e16), "1e+16");
	assert_string_equal(write_double(1.25e-4), "0.000125");
	assert_string_equal(write_double(1.25e-5), "1.25e-05");
	assert_string_equal(write_double(1.7976931348623157e308), "1.7976931348623157e+308");
	assert_string_equal(write_double(5e-324), "5e-324");
	assert_string_equal(write_double(INFINITY), "inf");
	assert_string_equal(write_double(-INFINITY), "-inf");
	assert_string_equal(write_double(NAN), "nan");
	assert_string_equal(write_float(0.1f), "0.1");
	assert_string_equal(write_float(16777216.f), "16777216");
	assert_string_equal(write_float(3.4028235e38f), "3.4028235e+38");
	if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		assert_string_equal(write_double(-12.5), "-12.5");
	setlocale(LC_NUMERIC, "C");
}

static void what_has_no_room_is_cut(void **state)
{
	const struct sdk_kind *kind =
		tables__callback_kind(ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API);
	const struct sdk_type *type =
		kind->operations[ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel].arguments[1].type;
	const dim3 blocks = {.x = 3, .y = 2, .z = 1};
	char little[8] = "#######";

	values__write(little, 6, type, &blocks, 0);
	assert_string_equal(little, "{z=1,");
	assert_int_equal(little[6], '#');
}

static void strings_in_structs(void **state)
{
	static const struct sdk_type chars = {.kind = SDK_CHARS, .size = 8};
	static const struct sdk_type string = {.kind = SDK_STRING, .size = 8};
	static const struct sdk_field fields[] = {{"name", &chars, 0}, {"path", &string, 8}};
	static const struct sdk_type type = {
		.kind = SDK_STRUCT, .size = 16, .count = 2, .fields = fields};
	struct {
		char name[8];
		const char *path;
	} value = {"\"\\\n\x01\xff", "a\tb"};

	assert_string_equal(write_value(&type, &value),
			    "{name=\"\\\"\\\\\\\n\\x01\\xff\", path=\"a\\\tb\"}");
	memset(value.name, 'x', sizeof(value.name));
	value.path = NULL;
	assert_string_equal(write_value(&type, &value), "{name=\"xxxxxxxx\", path=(null)}");
	value.path = (void *)0xdead000000000000;
	assert_string_equal(write_value(&type, &value),
			    "{name=\"xxxxxxxx\", path=0xdead000000000000}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
		cmocka_unit_test(doubles),
		cmocka_unit_test(what_has_no_room_is_cut),
		cmocka_unit_test(strings_in_structs),
	};

	return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
