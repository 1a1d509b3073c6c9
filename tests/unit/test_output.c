// SPDX-License-Identifier: MIT
/*
 * Tests where output goes: names of files, and errors.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/args.h"
#include "user/output.h"

static const struct output_keys keys = {.pid = 4711};

static void expands_to(const char *pattern, const char *want)
{
	char *path = output__expand(pattern, &keys);

	assert_string_equal(path, want);
	free(path);
}

static void keys_are_replaced(void **state)
{
	char host[256], want[600];

	gethostname(host, sizeof(host));
	snprintf(want, sizeof(want), "a-4711-%s.4711", host);
	expands_to("a-%pid%-%hostname%.%pid%", want);
	expands_to("", "");
	expands_to("100%", "100%");
	expands_to("%pid", "%pid");
	expands_to("%%pid%%", "%4711%");
	expands_to("%unknown%", "%unknown%");
}

static void a_file_that_cannot_be_written_is_refused_at_the_start(void **state)
{
	struct tasks *tasks = tasks__new();
	struct output *o = output__new(tasks);

	assert_int_equal(output__add(o, &sink_text, "/nonexistent/x", &keys), -ENOENT);
	assert_int_equal(output__add(o, &sink_text, "/", &keys), -EISDIR);
	assert_int_equal(output__close(o, &(struct trace_stats){}), 0);
	tasks__free(tasks);
}

static void a_full_disk_is_an_error_at_the_end(void **state)
{
	struct tasks *tasks = tasks__new();
	struct output *o = output__new(tasks);
	const struct call_values values = {};
	struct event ev = {
		.kind = EV_SPAN, .values = &values, .name = "hipMalloc", .pid = 1, .tid = 1};

	assert_int_equal(output__add(o, &sink_text, "/dev/full", &keys), 0);
	output__event(o, &ev);
	assert_int_equal(output__close(o, &(struct trace_stats){}), -ENOSPC);
	tasks__free(tasks);
}

static void files_are_their_owners_alone(void **state)
{
	char path[] = "/tmp/rtrace-test-XXXXXX";
	struct tasks *tasks = tasks__new();
	struct output *o = output__new(tasks);
	struct stat st;

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(output__add(o, &sink_text, path, &keys), 0);
	assert_int_equal(output__close(o, &(struct trace_stats){}), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(path);
	tasks__free(tasks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_replaced),
		cmocka_unit_test(a_file_that_cannot_be_written_is_refused_at_the_start),
		cmocka_unit_test(a_full_disk_is_an_error_at_the_end),
		cmocka_unit_test(files_are_their_owners_alone),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
