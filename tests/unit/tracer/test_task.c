// SPDX-License-Identifier: MIT
/*
 * The table of processes and threads, where numbers are used again; and whether two files are one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/base/same_file.h"
#include "user/merge/processes.h"

#define PID 4194300 /* beyond what a machine is likely to have */

static void a_process_that_has_ended_is_not_its_successor(void **state)
{
	struct tasks *t = processes__new();
	struct process *first = processes__running_process(t, PID), *second;

	assert_ptr_equal(processes__process(t, PID), first);
	processes__end_process(t, PID, 1);
	assert_null(processes__find_running(t, PID));
	second = processes__running_process(t, PID);
	assert_ptr_not_equal(second, first);
	/* Records that come before its end are of the first one. */
	assert_ptr_equal(processes__process(t, PID), first);
	assert_ptr_equal(processes__find_process(t, PID), first);
	processes__remove_process(t, PID);
	assert_ptr_equal(processes__process(t, PID), second);
	assert_ptr_equal(processes__running_process(t, PID), second);
	processes__free(t);
}

static void many_of_one_number_end_in_their_order(void **state)
{
	struct tasks *t = processes__new();
	struct process *p[3];

	for (int i = 0; i < 3; i++) {
		p[i] = processes__running_process(t, PID);
		processes__end_process(t, PID, 1);
	}
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(processes__process(t, PID), p[i]);
		processes__remove_process(t, PID);
	}
	assert_null(processes__find_process(t, PID));
	/* The end of an unknown process is kept, too: later records are of another process. */
	processes__end_process(t, PID, 1);
	assert_non_null(processes__find_process(t, PID));
	assert_null(processes__find_running(t, PID));
	processes__free(t);
}

/* The rings of several CPUs are read one after the other. */
static void what_is_heard_behind_the_end_is_of_the_process_that_was(void **state)
{
	static const char args[] = "./job\0-n\0a b";
	struct tasks *t = processes__new();
	struct process *first = processes__process_at(t, PID, 10), *second;

	processes__end_process(t, PID, 20);
	second = processes__process_at(t, PID, 21);
	assert_ptr_not_equal(second, first);
	assert_ptr_equal(processes__process_at(t, PID, 20), first);
	processes__end_process(t, PID, 30);
	assert_ptr_equal(processes__process_at(t, PID, 19), first);
	assert_ptr_equal(processes__process_at(t, PID, 29), second);
	process__named(first, "job", args, sizeof(args));
	assert_string_equal(first->comm, "job");
	assert_string_equal(first->cmdline, "./job -n a b");
	/*
	 * Names stay if they could not be read, or were reported already; from a hostile size
	 * nothing is read.
	 */
	process__named(first, "other", args, 0);
	process__named(first, "other", args, sizeof(first->cmdline));
	first->told = true;
	process__named(first, "other", "x", 2);
	assert_string_equal(first->comm, "job");
	processes__free(t);
}

/* Neither is there to be asked. */
static void a_child_that_is_gone_has_its_parents_names(void **state)
{
	struct tasks *t = processes__new();
	struct process *parent = processes__process_at(t, PID, 10), *child;

	process__named(parent, "a name of 15 by", "job\0-x", 7);
	child = processes__process_at(t, PID + 1, 12);
	processes__end_process(t, PID + 1, 20);
	processes__fork(t, PID, PID, PID + 1);
	assert_string_equal(child->comm, "a name of 15 by");
	assert_string_equal(child->cmdline, "job -x");
	processes__free(t);
}

static void threads_go_by_their_own_numbers(void **state)
{
	struct tasks *t = processes__new();
	struct thread *a = processes__thread(t, PID, PID), *b = processes__thread(t, PID, PID + 1);

	processes__set_ns_tid(t, a, 1);
	processes__set_ns_tid(t, b, 2);
	assert_ptr_equal(processes__thread_by_ns_tid(t, PID, 1), a);
	assert_ptr_equal(processes__thread_by_ns_tid(t, PID, 2), b);
	/* A number that is not known stays what it is. */
	assert_int_equal(processes__thread_by_ns_tid(t, PID, 3)->tid, 3);
	processes__remove_thread(t, b);
	assert_null(processes__find_thread(t, PID, PID + 1));
	b = processes__thread(t, PID, PID + 2);
	processes__set_ns_tid(t, b, 2);
	assert_ptr_equal(processes__thread_by_ns_tid(t, PID, 2), b);
	processes__free(t);
}

static void threads_that_are_not_there_are_few(void **state)
{
	struct tasks *t = processes__new();
	unsigned int made = 0;

	processes__running_process(t, PID);
	for (uint32_t tid = 1; tid <= 10000; tid++)
		made += processes__thread_by_ns_tid(t, PID, PID + tid) != NULL;
	assert_int_equal(made, 256);
	/* Those that are known are known. */
	assert_non_null(processes__thread_by_ns_tid(t, PID, PID + 1));
	processes__free(t);
}

static int file_of(const char *text)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return fd;
}

static void files_are_one_if_their_memory_is(void **state)
{
	int fd = file_of("text"), copy = file_of("text"), empty = file_of(""), again;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(again >= 0);
	if (!geteuid())
		assert_true(same_file__shares_memory(fd, again));
	assert_false(same_file__shares_memory(fd, copy));
	assert_false(same_file__shares_memory(empty, empty));
	assert_false(same_file__shares_memory(fd, -1));
	close(again);
	close(empty);
	close(copy);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_has_ended_is_not_its_successor),
		cmocka_unit_test(many_of_one_number_end_in_their_order),
		cmocka_unit_test(what_is_heard_behind_the_end_is_of_the_process_that_was),
		cmocka_unit_test(a_child_that_is_gone_has_its_parents_names),
		cmocka_unit_test(threads_go_by_their_own_numbers),
		cmocka_unit_test(threads_that_are_not_there_are_few),
		cmocka_unit_test(files_are_one_if_their_memory_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
