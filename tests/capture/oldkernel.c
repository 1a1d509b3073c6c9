// SPDX-License-Identifier: MIT
/*
 * Plays a kernel that lacks or refuses something, for the tracer that it is preloaded into.
 * OLDKERNEL=
 *   bpf        there is no bpf() system call
 *   sandbox    it is refused, as container runtimes do
 *   verifier   programs are refused
 *   lockdown   so they are where the kernel is locked down
 *   uprobes    there is no uprobe_events in tracefs
 *   paranoid   events are for CAP_SYS_ADMIN, as in Ubuntu's kernels
 *   misses     programs at the end of functions do not run, and the kernel counts that
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int lacks(const char *what)
{
	const char *set = getenv("OLDKERNEL");

	return set && !strcmp(set, what);
}

/* The errno that bpf() fails with, 0: it does not. */
static int bpf_fails(long command)
{
	if (lacks("bpf"))
		return ENOSYS;
	if (lacks("sandbox"))
		return EPERM;
	if (command != BPF_PROG_LOAD)
		return 0;
	return lacks("verifier") ? EACCES : lacks("lockdown") ? EINVAL : 0;
}

static int is_admin(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {};

	return !syscall(SYS_capget, &header, data) && data[0].effective & 1u << CAP_SYS_ADMIN;
}

/* As the kernel does with a program that has preempted itself. */
static void add_misses(const union bpf_attr *attr)
{
	static unsigned long misses;
	struct bpf_prog_info *info = (void *)(unsigned long)attr->info.info;

	if (attr->info.info_len >= sizeof(*info))
		info->recursion_misses = ++misses;
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	const union bpf_attr *attr;
	long a[6], result;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf && bpf_fails(a[0])) {
		errno = bpf_fails(a[0]);
		return -1;
	}
	if (number == SYS_perf_event_open && lacks("paranoid") && !is_admin()) {
		errno = EACCES;
		return -1;
	}
	attr = (const void *)a[1];
	if (number == SYS_bpf && lacks("misses") && a[0] == BPF_LINK_CREATE &&
	    attr->link_create.attach_type == BPF_TRACE_FEXIT)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!real)
		real = dlsym(RTLD_NEXT, "syscall");
	result = real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_bpf && lacks("misses") && a[0] == BPF_OBJ_GET_INFO_BY_FD && !result)
		add_misses(attr);
	return result;
}

__attribute__((visibility("default"))) int access(const char *path, int mode)
{
	static int (*real)(const char *path, int mode);

	if (lacks("uprobes") && strstr(path, "uprobe_events")) {
		errno = ENOENT;
		return -1;
	}
	if (!real)
		real = dlsym(RTLD_NEXT, "access");
	return real(path, mode);
}

__attribute__((visibility("default"))) FILE *fopen(const char *path, const char *mode)
{
	static char locked[] = "none integrity [confidentiality]\n";
	static FILE *(*real)(const char *path, const char *mode);

	if (lacks("lockdown") && !strcmp(path, "/sys/kernel/security/lockdown"))
		return fmemopen(locked, strlen(locked), "r");
	if (!real)
		real = dlsym(RTLD_NEXT, "fopen");
	return real(path, mode);
}
