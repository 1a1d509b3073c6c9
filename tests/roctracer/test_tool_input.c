/* SPDX-License-Identifier: MIT */
/*
 * Tests how libroctracer_tool reads the file that ROCP_INPUT names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "roctracer/tool/tool_internal.h"
#include "roctracer/tool/input.h"

static struct wanted wanted;
static char said[512];
static int lines;

void tool__warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
	lines++;
}

static int fresh(void **state)
{
	free(wanted.hip_functions);
	free(wanted.hsa_functions);
	memset(&wanted, 0, sizeof(wanted));
	said[0] = '\0';
	lines = 0;
	return 0;
}

static void read_text(const char *text)
{
	char path[] = "/tmp/test_tool_input.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	input__read(path, &wanted);
	unlink(path);
}

static void nothing(void **state)
{
	read_text("");
	read_text("<metric></metric>\n");
	read_text("# made <by> \"something\n<metric name=SQ:4,SQ_WAVES ></metric>\n"
		  "<metric range=\"1 : 4\" kernel=\"a b>c\" gpu_index=\"\"></metric>");
	assert_int_equal(lines, 0);
	assert_false(wanted.hip || wanted.hsa || wanted.roctx || wanted.hsa_ops);
}

static void functions(void **state)
{
	read_text("<trace name=\"HIP\"><parameters api=\"hipFree, hipMalloc "
		  "hipMemcpy\"></parameters></trace>\n"
		  "<trace name=\"HSA\">\n\t<parameters "
		  "api=\"hsa_agent_get_info\">\n\t</parameters>\n</trace>\n");
	assert_int_equal(lines, 0);
	assert_true(wanted.hip && wanted.hsa);
	assert_false(wanted.roctx || wanted.hsa_ops);
	assert_string_equal(wanted.hip_functions, "hipFree, hipMalloc hipMemcpy");
	assert_string_equal(wanted.hsa_functions, "hsa_agent_get_info");
	read_text("<trace name=\"HIP\"><parameters api=\"hipInit\"></parameters></trace>");
	assert_string_equal(wanted.hip_functions, "hipInit");
}

static void all_functions(void **state)
{
	read_text("<trace name=HIP></trace><trace name=\"HSA\"><parameters api=\" , "
		  "\"></parameters></trace>"
		  "<trace name=rocTX></trace> # and\n<trace\n  name=\"GPU\"\n></trace>");
	assert_int_equal(lines, 0);
	assert_true(wanted.hip && wanted.hsa && wanted.roctx && wanted.hsa_ops);
	assert_null(wanted.hip_functions);
	assert_null(wanted.hsa_functions);
}

/* The functions are those of the trace that they stand in. */
static void of_its_own(void **state)
{
	read_text("<parameters api=\"hipInit\"></parameters><trace name=\"HIP\"></trace>");
	assert_true(wanted.hip);
	assert_null(wanted.hip_functions);
}

static void unknown(void **state)
{
	read_text("<trace name=\"KFD\"></trace><trace name=\"rocTX\"></trace>");
	assert_int_equal(lines, 1);
	assert_non_null(strstr(said, "\"KFD\" cannot be traced"));
	assert_true(wanted.roctx);
}

static void cut_off(void **state)
{
	static const char whole[] =
		"# c\n<trace name=\"HIP\"><parameters api=\"hipFree\"></parameters></trace>";

	for (size_t len = strlen("# c\n<"); len < strlen(whole); len++) {
		char text[sizeof(whole)];

		fresh(NULL);
		snprintf(text, sizeof(text), "%.*s", (int)len, whole);
		read_text(text);
		assert_false(wanted.hip);
		assert_int_equal(lines, whole[len - 1] != '>');
	}
}

static void not_understood(void **state)
{
	read_text("hip: hipMalloc\n");
	assert_int_equal(lines, 1);
	assert_non_null(strstr(said, "not understood from byte"));
	fresh(NULL);
	input__read("/nonexistent/input.xml", &wanted);
	assert_int_equal(lines, 1);
	assert_non_null(strstr(said, "ROCP_INPUT=/nonexistent/input.xml: No such file"));
	fresh(NULL);
	input__read("/", &wanted);
	assert_int_equal(lines, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing, fresh),
		cmocka_unit_test_setup(functions, fresh),
		cmocka_unit_test_setup(all_functions, fresh),
		cmocka_unit_test_setup(of_its_own, fresh),
		cmocka_unit_test_setup(unknown, fresh),
		cmocka_unit_test_setup(cut_off, fresh),
		cmocka_unit_test_setup(not_understood, fresh),
	};

	return cmocka_run_group_tests_name("libroctracer_tool's input", tests, NULL, fresh);
}
