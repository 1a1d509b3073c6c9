// SPDX-License-Identifier: MIT
/*
 * What the tracer keeps of its capabilities, and which system calls are refused to it; each in a
 * child, as neither is to be had back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/record/privileges.h"
#include "user/record/seccomp_filter.h"

#define BIT(cap) (1ULL << (cap))
#define X32_BIT	 0x40000000

/* True if the function returns true in a child. */
static bool in_child(bool (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn() ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && !status;
}

/* ---- capabilities ---- */

static struct __user_cap_data_struct data[2];

static uint64_t permitted(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

static bool lose(int cap)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};

	permitted();
	data[cap / 32].effective &= ~(1u << cap % 32);
	data[cap / 32].permitted &= ~(1u << cap % 32);
	return !syscall(SYS_capset, &header, data);
}

/* Debian's and Ubuntu's kernels want it for events, where Linux does not. */
static bool kernel_wants_admin(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	struct utsname name;
	int paranoid = 0;

	if (!file)
		return false;
	if (fscanf(file, "%d", &paranoid) != 1)
		paranoid = 0;
	fclose(file);
	return !uname(&name) && paranoid > 2 &&
	       (strstr(name.version, "Debian") || strstr(name.version, "Ubuntu"));
}

static bool admin_is_lost(void)
{
	return !privileges__reduce(false) && permitted() & BIT(CAP_BPF) &&
	       !(permitted() & BIT(CAP_SYS_ADMIN)) == !kernel_wants_admin();
}

static bool admin_stands_in(void)
{
	return lose(CAP_BPF) && !privileges__reduce(false) && permitted() & BIT(CAP_SYS_ADMIN) &&
	       !(permitted() & BIT(CAP_SYS_MODULE));
}

static bool nothing_is_gained(void)
{
	return lose(CAP_DAC_OVERRIDE) && !privileges__reduce(true) &&
	       !(permitted() & BIT(CAP_DAC_OVERRIDE));
}

static void more_is_kept_where_less_will_not_do(void **state)
{
	const uint64_t all = BIT(CAP_SYS_ADMIN) | BIT(CAP_BPF) | BIT(CAP_PERFMON) |
			     BIT(CAP_SYS_PTRACE) | BIT(CAP_CHECKPOINT_RESTORE) |
			     BIT(CAP_DAC_OVERRIDE);

	if ((permitted() & all) != all)
		skip();
	assert_true(in_child(admin_is_lost));
	assert_true(in_child(admin_stands_in));
	assert_true(in_child(nothing_is_gained));
}

/* ---- system calls ---- */

static bool refused(long result)
{
	return result < 0 && errno == EPERM;
}

/* None of them would fail like that by itself. */
static bool the_rest_is_refused(void)
{
	char *const none[] = {NULL};

	return refused(execve("/nonexistent", none, none)) &&
	       refused(syscall(SYS_execveat, -1, "/nonexistent", none, none, 0)) &&
	       refused(syscall(SYS_process_vm_writev, getpid(), NULL, 0, NULL, 0, 0)) &&
	       refused(syscall(SYS_pidfd_getfd, -1, 0, 0)) && refused(syscall(SYS_unshare, 0)) &&
	       refused(syscall(SYS_setns, -1, 0)) && refused(syscall(SYS_keyctl, -1)) &&
	       refused(syscall(SYS_io_uring_setup, 0, NULL)) &&
	       refused(syscall(X32_BIT | SYS_getpid)) &&
#ifndef __SANITIZE_ADDRESS__
	       refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)) &&
#endif
	       getpid() > 0;
}

static bool install(bool sockets)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return false;
	seccomp_filter__install(sockets);
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == 2;
}

static bool without_sockets(void)
{
	return install(false) && refused(syscall(SYS_socket, 1, 1, 0)) && the_rest_is_refused();
}

static bool with_sockets(void)
{
	return install(true) && syscall(SYS_socket, 1, 1, 0) >= 0 && the_rest_is_refused();
}

static void what_tracing_takes_none_of_is_refused(void **state)
{
	assert_true(in_child(without_sockets));
	assert_true(in_child(with_sockets));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_is_kept_where_less_will_not_do),
		cmocka_unit_test(what_tracing_takes_none_of_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
