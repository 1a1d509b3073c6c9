/* SPDX-License-Identifier: MIT */
/*
 * Tests libroctracer_tool with a HIP library of our own, of a release that it has no tables of:
 * lines have no arguments. Kernels have names where HIP's records have them.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hsa_tables.h"
#include "tests/roctracer/fakehip.h"

#define THREADS 4
#define CALLS	5000

static char folder[] = "/tmp/test_roctracer_tool.XXXXXX";
static void (*unload)(void);

/* All that was reported is in the files then. */
static void flush(void)
{
	unload();
}

static FILE *open_file(const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%d_%s", folder, getpid(), name);
	f = fopen(path, "r");
	assert_non_null(f);
	return f;
}

/* The last line of the file, from its second word on. */
static void last_line(const char *name, char *line, size_t size)
{
	FILE *f = open_file(name);
	const char *blank;

	*line = '\0';
	while (fgets(line, size, f))
		;
	fclose(f);
	blank = strchr(line, ' ');
	assert_non_null(blank);
	memmove(line, blank + 1, strlen(blank));
}

/* ---- */

static struct fake_command kernel = {
	.op = 0,
	.kind = 0x11F0,
	.begin = 1000,
	.end = 1007,
	.device = 3,
	.queue = 9,
	.kernel_name = "_ZN5space3addIiEEvPT_",
};
static struct fake_command copy = {
	.op = 1, .kind = 0x11F3, .begin = 2000, .end = 2020, .device = 1};

static void submit(void *arg)
{
	fakehip_submit(arg);
}

static void calls_without_arguments(void **state)
{
	unsigned int pid, tid;
	char line[512];
	uint64_t id;

	fakehip_call(FAKE_ONE, 0, 0, NULL, NULL);
	fakehip_call(FAKE_TWO, 1, 2, NULL, NULL);
	flush();
	last_line("hip_api_trace.txt", line, sizeof(line));
	assert_int_equal(sscanf(line, "%u:%u hipTwo() :%" SCNu64 "\n", &pid, &tid, &id), 3);
	assert_int_equal(pid, getpid());
	assert_int_equal(tid, gettid());
}

static void operations(void **state)
{
	char line[512], want[512], name[64];
	uint64_t id;

	fakehip_call(FAKE_ONE, 0, 0, submit, &kernel);
	fakehip_done(&kernel);
	flush();
	last_line("hip_api_trace.txt", line, sizeof(line));
	assert_int_equal(sscanf(line, "%*u:%*u hipOne() :%" SCNu64 "\n", &id), 1);
#ifdef TRACER
	strcpy(name, "add");
#else
	strcpy(name, "KernelExecution");
#endif
	last_line("hcc_ops_trace.txt", line, sizeof(line));
	snprintf(want, sizeof(want), "3:9 %s:%" PRIu64 ":%d\n", name, id, getpid());
	assert_string_equal(line, want);
	fakehip_call(FAKE_THREE, 0, 0, submit, &copy);
	fakehip_done(&copy);
	flush();
	last_line("hcc_ops_trace.txt", line, sizeof(line));
	assert_non_null(strstr(line, "1:0 CopyDeviceToHost:"));
}

static void *make_calls(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		fakehip_call(FAKE_THREE, i, 0, NULL, NULL);
	return NULL;
}

/* Begun and ended while others add to the same files, and while they are written. */
static void *flush_again_and_again(void *arg)
{
	for (int i = 0; i < 50; i++)
		flush();
	return NULL;
}

static void threads(void **state)
{
	pthread_t ids[THREADS + 1];
	int lines = 0, whole = 0;
	uint64_t begin, end;
	char line[512];
	FILE *f;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&ids[i], NULL, make_calls, NULL), 0);
	assert_int_equal(pthread_create(&ids[THREADS], NULL, flush_again_and_again, NULL), 0);
	for (int i = 0; i <= THREADS; i++)
		pthread_join(ids[i], NULL);
	flush();
	f = open_file("hip_api_trace.txt");
	while (fgets(line, sizeof(line), f)) {
		if (!strstr(line, " hipThree() :"))
			continue;
		lines++;
		whole += sscanf(line, "%" SCNu64 ":%" SCNu64 " %*u:%*u hipThree() :%*u\n", &begin,
				&end) == 2 &&
			 begin <= end;
	}
	fclose(f);
	assert_int_equal(lines, THREADS * CALLS + 1 /* of the test before */);
	assert_int_equal(whole, lines);
}

/* ---- */

/*
 * Its folder is beside the folder of this program. Sanitizers hide from dlopen which object's rpath
 * counts.
 */
static void *open_tool(void)
{
	char program[256] = "", path[512];
	void *tool;

	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	*strrchr(program, '/') = '\0';
	snprintf(path, sizeof(path), "%s/../roctracer/libroctracer_tool.so", program);
	tool = dlopen(path, RTLD_NOW);
	if (!tool)
		fail_msg("%s", dlerror());
	return tool;
}

static int load(void **state)
{
	bool (*on_load)(HsaApiTable * table, uint64_t version, uint64_t failed,
			const char *const *names);
	static HsaApiTable table; /* of a version that nobody knows */
	void *tool;

	assert_non_null(mkdtemp(folder));
	setenv("ROCP_OUTPUT_DIR", folder, 1);
	setenv("ROCTRACER_DOMAIN", "hip", 1);
	tool = open_tool();
	on_load = (__typeof__(on_load))dlsym(tool, "OnLoad");
	unload = (void (*)(void))dlsym(tool, "OnUnload");
	assert_true(on_load(&table, 1, 0, NULL));
	return 0;
}

static int clean_up(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_without_arguments),
		cmocka_unit_test(operations),
		cmocka_unit_test(threads),
	};

	return cmocka_run_group_tests_name("libroctracer_tool", tests, load, clean_up);
}
