// SPDX-License-Identifier: MIT
/*
 * Tests that what libraries import is replaced (inprocess/got_patch.h) whatever another tool in the
 * process makes of the pages with it, and that those pages are as they were then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inprocess/got_patch.h"

#define PAGE   4096UL
#define ROUNDS 300

typedef void (*mark_fn)(const char *message);

static int marked; /* by which of ours the last call has gone */

static void first(const char *message)
{
	marked = 1;
}

static void second(const char *message)
{
	marked = 2;
}

/* ---- a library that calls roctxMarkA ---- */

static struct library {
	void *handle;
	mark_fn call;
	void **place; /* where it has the function's address */
} lib;

static void load(const char *name)
{
	char path[512], *slash;

	path[readlink("/proc/self/exe", path, sizeof(path) - 64)] = '\0';
	slash = strrchr(path, '/');
	snprintf(slash + 1, 64, "%s", name);
	lib.handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	assert_non_null(lib.handle);
	lib.call = dlsym(lib.handle, "plugin_mark");
}

static int load_now(void **state)
{
	load("bind_now.so");
	return 0;
}

static int load_lazy(void **state)
{
	load("bind_lazy.so");
	return 0;
}

static int unload(void **state)
{
	lib.place = NULL;
	return dlclose(lib.handle);
}

/* ---- replacing ---- */

static const char *const libraries[] = {"libroctx64.so", NULL};

static bool is_mark(const char *name)
{
	return !strcmp(name, "roctxMarkA");
}

static void *instead_first(const char *name, void *function)
{
	return first;
}

static void *instead_second(const char *name, void *function)
{
	return second;
}

static const struct imports by_first = {
	.libraries = libraries, .wants = is_mark, .instead = instead_first};
static const struct imports by_second = {
	.libraries = libraries, .wants = is_mark, .instead = instead_second};

static void assert_calls(int which)
{
	marked = 0;
	lib.call("mark");
	assert_int_equal(marked, which);
}

/* ---- its pages ---- */

static void *page_of(const void *address)
{
	return (void *)((uintptr_t)address & -PAGE);
}

/* The address of ours is where it was put. */
static void find_place(const struct link_map *map)
{
	for (uintptr_t at = map->l_addr;; at += sizeof(void *))
		if (*(void **)at == first) {
			lib.place = (void **)at;
			return;
		}
}

static void assert_protection(const char *want)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], protection[5];
	uintptr_t begin, end;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s", &begin, &end, protection) == 3 &&
		    (uintptr_t)lib.place >= begin && (uintptr_t)lib.place < end)
			break;
	fclose(f);
	assert_string_equal(protection, want);
}

static void protect(int protection)
{
	assert_int_equal(mprotect(page_of(lib.place), PAGE, protection), 0);
}

/* Replaces for the first time, which shows where. */
static void replace_and_find(void)
{
	const struct link_map *map;

	assert_int_equal(imports__replace(&by_first), 1);
	assert_calls(1);
	assert_int_equal(dlinfo(lib.handle, RTLD_DI_LINKMAP, &map), 0);
	find_place(map);
}

/* ---- tests ---- */

static void a_page_that_was_read_only_is_so_again(void **state)
{
	replace_and_find();
	assert_protection("r--p");
	assert_int_equal(imports__replace(&by_second), 1);
	assert_calls(2);
	assert_protection("r--p");
	assert_int_equal(imports__replace(&by_second), 0);
}

static void a_page_that_another_has_made_writable_stays_so(void **state)
{
	replace_and_find();
	protect(PROT_READ | PROT_WRITE);
	assert_int_equal(imports__replace(&by_second), 1);
	assert_calls(2);
	assert_protection("rw-p");
	*(void *volatile *)lib.place = first;
	assert_calls(1);
}

static void a_page_that_another_has_locked_is_left_alone(void **state)
{
	replace_and_find();
	assert_protection("rw-p");
	protect(PROT_READ);
	assert_int_equal(imports__replace(&by_second), 0);
	assert_calls(1);
	assert_protection("r--p");
	protect(PROT_READ | PROT_WRITE);
	assert_int_equal(imports__replace(&by_second), 1);
	assert_calls(2);
}

/* Unlocks the page, writes to it and locks it again, as often as it can. */
static void *write_often(void *stop)
{
	void *volatile *other = page_of(lib.place);

	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED)) {
		protect(PROT_READ | PROT_WRITE);
		*other = *other;
		protect(PROT_READ);
	}
	return NULL;
}

static void another_writes_to_the_page_all_the_time(void **state)
{
	const struct imports *im[] = {&by_second, &by_first};
	uint32_t replaced = 0;
	pthread_t thread;
	bool stop = false;

	replace_and_find();
	assert_int_equal(pthread_create(&thread, NULL, write_often, &stop), 0);
	for (int i = 0; i < ROUNDS; i++) {
		uint32_t done = imports__replace(im[i % 2]);

		replaced += done;
		if (done)
			assert_calls(2 - i % 2);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_protection("r--p");
	assert_true(replaced > ROUNDS / 2);
}

/* A thread that calls meanwhile reaches one of the two, or the library. */
static void *call_often(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		lib.call("mark");
	return NULL;
}

static void another_calls_all_the_time(void **state)
{
	const struct imports *im[] = {&by_second, &by_first};
	pthread_t thread;
	bool stop = false;

	replace_and_find();
	assert_int_equal(pthread_create(&thread, NULL, call_often, &stop), 0);
	for (int i = 0; i < ROUNDS; i++)
		assert_int_equal(imports__replace(im[i % 2]), 1);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

/* A process with a seccomp filter, as in most containers, is not asked by process_vm_readv(). */
static int filter_calls(void **state)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog program = {1, &allow};

	load("bind_now.so");
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_page_that_was_read_only_is_so_again, load_now,
						unload),
		cmocka_unit_test_setup_teardown(a_page_that_another_has_made_writable_stays_so,
						load_now, unload),
		cmocka_unit_test_setup_teardown(a_page_that_another_has_locked_is_left_alone,
						load_lazy, unload),
		cmocka_unit_test_setup_teardown(another_writes_to_the_page_all_the_time, load_now,
						unload),
		cmocka_unit_test_setup_teardown(another_calls_all_the_time, load_now, unload),
		cmocka_unit_test_setup_teardown(a_page_that_was_read_only_is_so_again, filter_calls,
						unload),
		cmocka_unit_test_setup_teardown(another_writes_to_the_page_all_the_time, load_now,
						unload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
