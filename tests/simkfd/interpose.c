/* SPDX-License-Identifier: MIT */
/*
 * The functions of libc that stand between a program and the driver: what concerns the device files
 * or the topology goes to the simulator, everything else on to libc.
 *
 * The libraries of ROCm get by with open, fopen, opendir and ioctl; tools use the others as well.
 * Reading, mapping and closing need no help (see device.c).
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/simkfd/simkfd.h"

#define KFD_IOCTL_TYPE 'K'

EXPORT int __open_2(const char *path, int flags);
EXPORT int __open64_2(const char *path, int flags);

/* libc's own function of that name; looked up at each call: none of these is hot but ioctl. */
#define LIBC(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

/* The GPU that has this path as its render node, or -1. */
static int render_node(const char *path)
{
	int minor, used = 0;

	if (sscanf(path, "/dev/dri/renderD%d%n", &minor, &used) != 1 || path[used])
		return -1;
	minor -= RENDER_MINOR;
	return minor >= 0 && minor < config.gpus ? minor : -1;
}

static bool is_device(const char *path)
{
	if (!path || strncmp(path, "/dev/", 5))
		return false;
	process__start();
	return !strcmp(path, "/dev/kfd") || render_node(path) >= 0;
}

/* As openat; straight to the kernel, so that it works before other libraries are set up. */
static int do_open(int dir, const char *path, int flags, mode_t mode)
{
	char buffer[PATH_MAX];
	const char *redirected;

	if (is_device(path))
		return device__open(flags);
	redirected = topology__redirect(path, buffer, sizeof(buffer));
	return syscall(SYS_openat, dir, redirected ? redirected : path, flags, mode);
}

static mode_t optional_mode(int flags, va_list args)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0;
}

#define OPEN(dir)                                       \
	do {                                            \
		va_list args;                           \
		mode_t mode;                            \
                                                        \
		va_start(args, flags);                  \
		mode = optional_mode(flags, args);      \
		va_end(args);                           \
		return do_open(dir, path, flags, mode); \
	} while (0)

EXPORT int open(const char *path, int flags, ...)
{
	OPEN(AT_FDCWD);
}

EXPORT int open64(const char *path, int flags, ...)
{
	OPEN(AT_FDCWD);
}

EXPORT int openat(int dir, const char *path, int flags, ...)
{
	OPEN(dir);
}

EXPORT int openat64(int dir, const char *path, int flags, ...)
{
	OPEN(dir);
}

EXPORT int __open_2(const char *path, int flags)
{
	return do_open(AT_FDCWD, path, flags, 0);
}

EXPORT int __open64_2(const char *path, int flags)
{
	return do_open(AT_FDCWD, path, flags, 0);
}

/* The place of a topology file, or the path itself. */
static const char *real_path(const char *path, char *buffer, size_t size)
{
	const char *redirected = topology__redirect(path, buffer, size);

	return redirected ? redirected : path;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	char buffer[PATH_MAX];

	return LIBC(fopen)(real_path(path, buffer, sizeof(buffer)), mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return fopen(path, mode);
}

EXPORT DIR *opendir(const char *path)
{
	char buffer[PATH_MAX];

	return LIBC(opendir)(real_path(path, buffer, sizeof(buffer)));
}

EXPORT int access(const char *path, int mode)
{
	char buffer[PATH_MAX];

	if (is_device(path))
		return 0;
	return LIBC(access)(real_path(path, buffer, sizeof(buffer)), mode);
}

static int stat_device(struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFCHR | 0666;
	return 0;
}

EXPORT int stat(const char *path, struct stat *st)
{
	char buffer[PATH_MAX];

	if (is_device(path))
		return stat_device(st);
	return LIBC(stat)(real_path(path, buffer, sizeof(buffer)), st);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	return stat(path, (struct stat *)st);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	char buffer[PATH_MAX];

	if (is_device(path))
		return stat_device(st);
	return LIBC(lstat)(real_path(path, buffer, sizeof(buffer)), st);
}

/*
 * SIMKFD_SYSCALLS: the kernel refuses it (ENOTTY), but whoever traces system calls has seen it, and
 * the struct as it is when the driver has done its work.
 */
static int device_ioctl(int fd, unsigned long command, void *arg, int owner)
{
	int err;

	err = owner > 0 ? kfd__ioctl(command, arg) : -EBADF;
	if (config.syscalls)
		syscall(SYS_ioctl, fd, command, arg);
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

EXPORT int ioctl(int fd, unsigned long command, ...)
{
	static int (*libc_ioctl)(int, unsigned long, ...);
	va_list args;
	void *arg;
	int owner;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (_IOC_TYPE(command) == KFD_IOCTL_TYPE && _IOC_SIZE(command)) {
		owner = device__owns(fd);
		if (owner)
			return device_ioctl(fd, command, arg, owner);
	}
	if (!libc_ioctl)
		libc_ioctl = LIBC(ioctl);
	return libc_ioctl(fd, command, arg);
}
