// SPDX-License-Identifier: MIT
/*
 * Tests librocprofiler-sdk-roctx where there is no librocprofiler-register, but a
 * librocprofiler-sdk, which is this program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "rocprofiler-sdk-roctx/api_trace.h"
#include "rocprofiler-sdk-roctx/roctx.h"
#include "rocprofiler-sdk-roctx/version.h"

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

static char asked_for[64];

/* There may be a librocprofiler-register on this machine. */
void *dlopen(const char *file, int flags)
{
	strncpy(asked_for, file ? file : "", sizeof(asked_for) - 1);
	return NULL;
}

static struct {
	int times;
	char name[16];
	uint64_t version, instance, count;
	roctxCoreApiTable_t *core;
	roctxRangePushA_fn_t push;
} set;

static int tools_push(const char *message)
{
	return 100 + set.push(message);
}

/* ---- what goes on while the tables are being set ---- */

static struct {
	pthread_t thread;
	int calls, level, forked;
} other;

static void have_a_child_push(void)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(250);
		_exit(roctxRangePush("of a child"));
	}
	waitpid(pid, &other.forked, 0);
}

static void *push_on_thread(void *arg)
{
	have_a_child_push();
	__atomic_store_n(&other.calls, 1, __ATOMIC_RELEASE);
	other.level = roctxRangePush("of another thread");
	roctxRangePop();
	return NULL;
}

static void have_another_thread_push(void)
{
	other.level = -1;
	pthread_create(&other.thread, NULL, push_on_thread, NULL);
	while (!__atomic_load_n(&other.calls, __ATOMIC_ACQUIRE))
		usleep(1000);
	usleep(50000);
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count)
{
	have_another_thread_push();
	set.times++;
	strncpy(set.name, name, sizeof(set.name) - 1);
	set.version = version;
	set.instance = instance;
	set.count = count;
	set.core = tables[0];
	set.push = set.core->roctxRangePushA_fn;
	set.core->roctxRangePushA_fn = tools_push;
	roctxMark("a tool's own call, while it is being asked");
	errno = ENOSYS;
	return 1;
}

static void tables_are_set_once(void **state)
{
	errno = 0;
	assert_int_equal(roctxRangePush("first"), 100);
	assert_int_equal(roctxRangePop(), 0);
	roctxMark("second");
	assert_int_equal(errno, 0);
	assert_int_equal(set.times, 1);
	assert_string_equal(set.name, "roctx");
	assert_int_equal(set.version, ROCTX_VERSION);
	assert_int_equal(set.instance, 0);
	assert_int_equal(set.count, 3);
	assert_int_equal(set.core->size, sizeof(*set.core));
	assert_string_equal(asked_for, "librocprofiler-register.so.0");
}

/* The first call of the program, on this thread, was above. */
static void who_calls_meanwhile_waits_but_in_a_child(void **state)
{
	pthread_join(other.thread, NULL);
	assert_int_equal(other.level, 100);
	assert_int_equal(other.forked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_set_once),
		cmocka_unit_test(who_calls_meanwhile_waits_but_in_a_child),
	};

	return cmocka_run_group_tests_name("sdk_roctx_direct", tests, NULL, NULL);
}
