// SPDX-License-Identifier: MIT
/*
 * Tests librocprofiler-sdk-roctx: what the functions do, and a tool that takes them over through a
 * librocprofiler-register, which is this program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rocprofiler-sdk-roctx/api_trace.h"
#include "rocprofiler-sdk-roctx/roctx.h"
#include "tests/unit/inprocess/exports.h"

static const char *const entry_points[] = {
	"roctxMarkA",
	"roctxRangePushA",
	"roctxRangePop",
	"roctxRangeStartA",
	"roctxRangeStop",
	"roctxGetThreadId",
	"roctxProfilerPause",
	"roctxProfilerResume",
	"roctxNameOsThread",
	"roctxNameHsaAgent",
	"roctxNameHipDevice",
	"roctxNameHipStream",
	"rocprofiler_register_import_roctx",
};

/* ---- librocprofiler-register ---- */

uint32_t rocprofiler_register_import_roctx(void);
int rocprofiler_register_library_api_table(const char *name, uint32_t (*import)(void),
					   uint32_t version, void **tables, uint64_t count,
					   uint64_t *id);

static struct {
	int times;
	char name[16];
	uint32_t import, version;
	uint64_t count;
	roctxCoreApiTable_t *core;
	roctxControlApiTable_t *control;
	roctxNameApiTable_t *names;
} registered;

int rocprofiler_register_library_api_table(const char *name, uint32_t (*import)(void),
					   uint32_t version, void **tables, uint64_t count,
					   uint64_t *id)
{
	registered.times++;
	strncpy(registered.name, name, sizeof(registered.name) - 1);
	registered.import = import();
	registered.version = version;
	registered.count = count;
	registered.core = tables[0];
	registered.control = tables[1];
	registered.names = tables[2];
	*id = 1;
	roctxMark("a tool's own call, while it is being asked");
	errno = ENOSYS;
	return 6;
}

/* ---- tests ---- */

static void test_registers_once(void **state)
{
	errno = 0;
	roctxMark("first");
	roctxMark("second");
	assert_int_equal(errno, 0);
	assert_int_equal(registered.times, 1);
	assert_string_equal(registered.name, "roctx");
	assert_int_equal(registered.version, 10000);
	assert_int_equal(registered.import, 10000);
	assert_int_equal(registered.count, 3);
}

/* As the compiler lays out the tables of ROCm's header, on x86-64. */
static void test_layouts(void **state)
{
	assert_int_equal(registered.core->size, 56);
	assert_int_equal(registered.control->size, 24);
	assert_int_equal(registered.names->size, 40);
	assert_int_equal(offsetof(roctxCoreApiTable_t, roctxGetThreadId_fn), 48);
	assert_int_equal(offsetof(roctxControlApiTable_t, roctxProfilerResume_fn), 16);
	assert_int_equal(offsetof(roctxNameApiTable_t, roctxNameHipStream_fn), 32);
}

static void test_levels_and_ids(void **state)
{
	roctx_range_id_t id;

	assert_int_equal(roctxRangePop(), -1);
	assert_int_equal(roctxRangePush("outer"), 0);
	assert_int_equal(roctxRangePush(NULL), 1);
	assert_int_equal(roctxRangePop(), 1);
	assert_int_equal(roctxRangePop(), 0);
	id = roctxRangeStart("one");
	assert_int_equal(id, 1);
	assert_int_equal(roctxRangeStart("two"), 2);
	roctxRangeStop(id);
	roctxRangeStop(77);
}

static void *level_of_new_thread(void *arg)
{
	roctx_thread_id_t *tid = arg;

	assert_int_equal(roctxGetThreadId(tid), 0);
	assert_int_equal(*tid, gettid());
	return (void *)(intptr_t)roctxRangePush("its first");
}

static void test_threads(void **state)
{
	roctx_thread_id_t tid = 0, other = 0;
	pthread_t thread;
	void *level;

	assert_int_equal(roctxRangePush("main"), 0);
	assert_int_equal(pthread_create(&thread, NULL, level_of_new_thread, &other), 0);
	assert_int_equal(pthread_join(thread, &level), 0);
	assert_int_equal((intptr_t)level, 0);
	assert_int_equal(roctxRangePop(), 0);
	assert_int_equal(roctxGetThreadId(&tid), 0);
	assert_int_equal(tid, getpid());
	assert_int_not_equal(other, tid);
	assert_int_equal(roctxGetThreadId(NULL), EINVAL);
}

static void test_without_a_tool_nothing_fails(void **state)
{
	assert_int_equal(roctxProfilerPause(0), 0);
	assert_int_equal(roctxProfilerResume(1), 0);
	assert_int_equal(roctxNameOsThread("t"), 0);
	assert_int_equal(roctxNameHsaAgent("a", NULL), 0);
	assert_int_equal(roctxNameHipDevice("d", 0), 0);
	assert_int_equal(roctxNameHipStream("s", NULL), 0);
}

static roctx_thread_id_t paused;

static int tools_pause(roctx_thread_id_t tid)
{
	paused = tid;
	return -7;
}

static int tools_name(const char *name, int device_id)
{
	return device_id + (int)strlen(name);
}

static void test_a_tool_takes_over(void **state)
{
	roctxProfilerPause_fn_t pause = registered.control->roctxProfilerPause_fn;

	registered.control->roctxProfilerPause_fn = tools_pause;
	registered.names->roctxNameHipDevice_fn = tools_name;
	assert_int_equal(roctxProfilerPause(42), -7);
	assert_int_equal(paused, 42);
	assert_int_equal(roctxNameHipDevice("abc", 4), 7);
	registered.control->roctxProfilerPause_fn = pause;
	assert_int_equal(roctxProfilerPause(42), 0);
}

static void test_exports(void **state)
{
	const char *library = library_of("roctxMarkA"), *slash = strrchr(library, '/');

	assert_string_equal(slash + 1, "librocprofiler-sdk-roctx.so.1");
	check_exports(library, entry_points, sizeof(entry_points) / sizeof(entry_points[0]));
}

int main(void)
{
	/* Nobody may have called before. */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers_once),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_levels_and_ids),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_without_a_tool_nothing_fails),
		cmocka_unit_test(test_a_tool_takes_over),
		cmocka_unit_test(test_exports),
	};

	return cmocka_run_group_tests_name("sdk_roctx", tests, NULL, NULL);
}
