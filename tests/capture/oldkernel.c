// SPDX-License-Identifier: MIT
/*
 * Plays a kernel that lacks something, for the tracer that it is preloaded into. OLDKERNEL=bpf: no
 * bpf() system call; OLDKERNEL=uprobes: no uprobe_events in tracefs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int lacks(const char *what)
{
	const char *set = getenv("OLDKERNEL");

	return set && !strcmp(set, what);
}

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static long (*real)(long number, ...);
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_bpf && lacks("bpf")) {
		errno = ENOSYS;
		return -1;
	}
	if (!real)
		real = dlsym(RTLD_NEXT, "syscall");
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
