// SPDX-License-Identifier: MIT
/*
 * Tests that calls of a real library, libroctx64, are led to the stubs
 * (hsa_agent/calls/bind_stubs.c): of the program, of what is loaded later, whenever its calls are
 * bound, and that forks do no harm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hsa_agent/calls/bind_stubs.h"
#include "hsa_agent/calls/call_stubs.h"
#include "roctracer/roctx.h"
#include "user/agent/agent_calls.h"
#include "user/api/span_items.h"

static char *memory;
static struct agent_spans *reader;
static struct function mark = {
	.id = 1, .registers = 1, .plan = {.reads = 1, .read = {{RT_READ_STRING, 0, 64}}}};
static char heard[64]; /* of the last call */
static size_t n_heard;

static void hear(const struct rt_rec *rec, void *arg)
{
	const struct rt_item *item;

	if (rec->kind != RT_REC_SPAN)
		return;
	item = span_items__next((const void *)rec, NULL);
	n_heard++;
	snprintf(heard, sizeof(heard), "%.*s", item ? item->len : 0,
		 item ? (const char *)span_items__data(item) : "");
}

/* What was captured since the last time. */
static size_t hear_all(void)
{
	n_heard = 0;
	assert_true(agent_calls__drain(reader, hear, NULL));
	return n_heard;
}

static int set_up(void **state)
{
	void *entry = dlsym(RTLD_DEFAULT, "roctxMarkA");
	/* It begins with push %rbp, register 5 (roctx/entry.inc). */
	struct agent_span_way way = {RT_SPAN_WAY_PUSH, 5, (uintptr_t)entry, (uintptr_t)entry + 1,
				     0};
	struct spans_area area;

	memory = mmap(NULL, RT_SPANS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	area = call_spans__area_at(memory);
	call_spans__use(&area);
	call_stubs__use(&area);
	bind_stubs__init();
	reader = agent_calls__new(memory, 0);
	if (agent_calls__add(reader, &mark, &way))
		return -1;
	agent_calls__want(reader, true);
	return !call_stubs__follow(true);
}

#define PATIENCE_MS 120000

/* Until it has led that many places more to the stubs. */
static void look(bool changed, uint64_t more)
{
	uint64_t before = agent_calls__places(reader);

	for (int i = 0; i < PATIENCE_MS && agent_calls__places(reader) < before + more; i++) {
		bind_stubs__look(changed && !i, call_stubs__places());
		usleep(1000);
	}
	assert_int_equal(agent_calls__places(reader), before + more);
}

static void calls_of_the_program(void **state)
{
	roctxMarkA("before");
	assert_int_equal(hear_all(), 0);
	look(true, 1);
	roctxMarkA("after");
	assert_int_equal(hear_all(), 1);
	assert_string_equal(heard, "after");
}

typedef void (*mark_fn)(const char *message);

static char path[512];

/* From where the test is. */
static void *load(const char *plugin)
{
	char *slash;
	void *handle;

	path[readlink("/proc/self/exe", path, sizeof(path) - 64)] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash + 1, 64, "%s", plugin);
	handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	assert_non_null(handle);
	return handle;
}

/* The library at the path, which the agent's look may hold just now. */
static bool is_let_go_of(void)
{
	for (int i = 0; i < PATIENCE_MS; i++) {
		void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);

		if (!handle)
			return true;
		dlclose(handle);
		usleep(1000);
	}
	return false;
}

static void calls_of_what_is_loaded_later(const char *plugin, bool called)
{
	void *handle = load(plugin);
	mark_fn call;

	call = dlsym(handle, "plugin_mark");
	if (called) {
		call("not yet");
		assert_int_equal(hear_all(), 0);
	}
	look(false, 1);
	call(plugin);
	assert_int_equal(hear_all(), 1);
	assert_string_equal(heard, plugin);
	dlclose(handle);
	assert_true(is_let_go_of());
}

static void calls_that_are_bound_at_once(void **state)
{
	calls_of_what_is_loaded_later("bind_now.so", false);
}

static void calls_that_are_bound_by_the_first(void **state)
{
	calls_of_what_is_loaded_later("bind_lazy.so", false);
	calls_of_what_is_loaded_later("bind_lazy.so", true);
}

static void calls_by_an_address_stay(void **state)
{
	mark_fn call = dlsym(RTLD_DEFAULT, "roctxMarkA");

	call("by an address");
	assert_int_equal(hear_all(), 0);
}

/* Where calls go by the address that is taken, both stay as they are. */
static void an_address_is_the_same_in_all_objects(void **state)
{
	void *handle = load("bind_address.so");
	void *(*address)(void) = dlsym(handle, "plugin_address");
	mark_fn call = dlsym(handle, "plugin_mark");

	bind_stubs__look(true, call_stubs__places());
	usleep(200000);
	assert_ptr_equal(address(), dlsym(RTLD_DEFAULT, "roctxMarkA"));
	call("by the address");
	assert_int_equal(hear_all(), 0);
	dlclose(handle);
}

static int stop;

static void *look_often(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		bind_stubs__look(true, call_stubs__places());
		usleep(50);
	}
	return NULL;
}

/* A child finds the loader as it should be, whatever is going on in its parent. */
static void forks(void **state)
{
	pthread_t thread;

	pthread_create(&thread, NULL, look_often, NULL);
	for (int i = 0; i < 300; i++) {
		int status;
		pid_t child = fork();

		if (!child) {
			alarm(250);
			_exit(!dlopen("libm.so.6", RTLD_NOW));
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

static void look_once(void)
{
	bind_stubs__look(true, call_stubs__places());
	usleep(200000);
}

/*
 * While a process runs the destructors of its libraries, glibc takes one for new that is opened for
 * the first time, having been loaded with another: see imports__stop().
 */
static void the_end_of_a_process(void **state)
{
	int status;
	pid_t child = fork();

	if (!child) {
		void (**at_end)(void) = dlsym(load("bind_outer.so"), "plugin_at_end");

		alarm(250);
		*at_end = look_once;
		exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_the_program),
		cmocka_unit_test(calls_that_are_bound_at_once),
		cmocka_unit_test(calls_that_are_bound_by_the_first),
		cmocka_unit_test(calls_by_an_address_stay),
		cmocka_unit_test(an_address_is_the_same_in_all_objects),
		cmocka_unit_test(the_end_of_a_process),
		cmocka_unit_test(forks),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
