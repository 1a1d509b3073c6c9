// SPDX-License-Identifier: MIT
/*
 * Tests where output goes: names of files, and errors.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/api/call_arguments.h"
#include "user/output/output_set.h"

static const struct output_keys keys = {.pid = 4711};

static void expands_to(const char *pattern, const char *want)
{
	char *path = file_name_keys__expand(pattern, &keys);

	assert_string_equal(path, want);
	free(path);
}

static void keys_are_replaced(void **state)
{
	char host[256], want[600];

	gethostname(host, sizeof(host));
	snprintf(want, sizeof(want), "a-4711-%s.4711-4711.%s", host, host);
	expands_to("a-%pid%-%hostname%.{pid}-%p.%h", want);
	expands_to("", "");
	expands_to("100%", "100%");
	expands_to("%pid", "%pid");
	expands_to("%%pid%%", "%4711%");
	expands_to("%unknown%", "%unknown%");
	expands_to("{pid%%pid}{", "{pid%%pid}{");
	expands_to("%env{%$env{X%", "%env{%$env{X%");
}

static void a_file_that_cannot_be_written_is_refused_at_the_start(void **state)
{
	struct output *o = output_set__new(NULL, NULL);

	assert_int_equal(output_set__add(o, &sink_text, "/nonexistent/x", &keys), -ENOENT);
	assert_int_equal(output_set__add(o, &sink_text, "/", &keys), -EISDIR);
	assert_int_equal(output_set__close(o, &(struct trace_stats){}), 0);
}

static void a_full_disk_is_an_error_at_the_end(void **state)
{
	struct output *o = output_set__new(NULL, NULL);
	const struct call_values values = {};
	struct event ev = {
		.kind = EV_SPAN, .values = &values, .name = "hipMalloc", .pid = 1, .tid = 1};

	assert_int_equal(output_set__add(o, &sink_text, "/dev/full", &keys), 0);
	output_set__event(o, &ev);
	assert_int_equal(output_set__close(o, &(struct trace_stats){}), -ENOSPC);
}

static void files_are_their_owners_alone(void **state)
{
	char path[] = "/tmp/rtrace-test-XXXXXX";
	struct output *o = output_set__new(NULL, NULL);
	struct stat st;

	close(mkstemp(path));
	unlink(path);
	assert_int_equal(output_set__add(o, &sink_text, path, &keys), 0);
	assert_int_equal(output_set__close(o, &(struct trace_stats){}), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	unlink(path);
}

static void links_are_not_followed(void **state)
{
	char path[] = "/tmp/rtrace-test-XXXXXX", link[64];
	struct output *o = output_set__new(NULL, NULL);
	struct stat st;

	close(mkstemp(path));
	snprintf(link, sizeof(link), "%s.link", path);
	assert_int_equal(symlink(path, link), 0);
	assert_int_equal(output_set__add(o, &sink_text, link, &keys), -ELOOP);
	assert_int_equal(output_set__close(o, &(struct trace_stats){}), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	unlink(link);
	unlink(path);
}

/* Whoever else has the file open, or a name of it, does not get to see the trace. */
static void a_file_that_is_there_is_replaced(void **state)
{
	char path[] = "/tmp/rtrace-test-XXXXXX";
	struct output *o = output_set__new(NULL, NULL);
	struct stat before, after;
	int fd = mkstemp(path);

	assert_int_equal(fchmod(fd, 0666), 0);
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(output_set__add(o, &sink_json, path, &keys), 0);
	assert_int_equal(output_set__close(o, &(struct trace_stats){}), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(after.st_mode & 0777, 0600);
	assert_int_equal(fstat(fd, &before), 0);
	assert_int_equal(before.st_size, 0);
	close(fd);
	unlink(path);
}

static void sinks_with_files_of_their_own_need_a_name(void **state)
{
	struct output *o = output_set__new(NULL, NULL);

	assert_int_equal(output_set__add(o, &sink_csv, NULL, &keys), -EINVAL);
	assert_int_equal(output_set__add(o, &sink_csv, "-", &keys), -EINVAL);
	assert_int_equal(output_set__add(o, &sink_rocpd, NULL, &keys), -EINVAL);
	assert_int_equal(output_set__add(o, &sink_csv, "/nonexistent/x", &keys), -ENOENT);
	output_set__discard(o);
}

/* ---- a file for each process ---- */

static void run_process(struct output *o, uint32_t pid, int marks)
{
	const struct process_info info = {
		.pid = pid, .comm = "job", .cmdline = "", .cgroup = "", .libraries = ""};
	struct event ev = {.kind = EV_MARK, .domain = DOMAIN_ROCTX, .pid = pid, .tid = pid};

	ev.name = "mark";
	output_set__process(o, &info);
	for (int i = 0; i < marks; i++)
		output_set__event(o, &ev);
}

/* How many lines of the process are in its file; -1: there is none. */
static int lines_of(const char *dir, const char *name, const char *about)
{
	char path[256], line[256];
	int count = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f))
		count += strstr(line, about) != NULL;
	fclose(f);
	unlink(path);
	return count;
}

static void every_process_has_a_file_of_its_own(void **state)
{
	const struct sink_settings settings = {.each = &sink_text};
	const struct trace_stats stats = {};
	char dir[] = "/tmp/test_output.XXXXXX", path[64];
	struct output *o = output_set__new(NULL, NULL);

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/job.text", dir);
	output_set__set(o, &settings);
	assert_int_equal(output_set__add(o, &sink_split, "/nonexistent/job", NULL), -ENOENT);
	assert_int_equal(output_set__add(o, &sink_split, path, NULL), 0);
	run_process(o, 7, 3);
	run_process(o, 8, 5);
	output_set__ended(o, 7);
	for (int i = 0; i < 6; i++)
		output_set__flush(o, 0, &stats);
	/* Its file is complete. That of another one of its number is another. */
	assert_int_equal(lines_of(dir, "job.7.text", "mark"), 3);
	run_process(o, 7, 2);
	assert_int_equal(output_set__close(o, &stats), 0);
	assert_int_equal(lines_of(dir, "job.7.text", ""), -1);
	assert_int_equal(lines_of(dir, "job.7-2.text", "mark"), 2);
	assert_int_equal(lines_of(dir, "job.8.text", "mark"), 5);
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_replaced),
		cmocka_unit_test(a_file_that_cannot_be_written_is_refused_at_the_start),
		cmocka_unit_test(a_full_disk_is_an_error_at_the_end),
		cmocka_unit_test(files_are_their_owners_alone),
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(a_file_that_is_there_is_replaced),
		cmocka_unit_test(every_process_has_a_file_of_its_own),
		cmocka_unit_test(sinks_with_files_of_their_own_need_a_name),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
