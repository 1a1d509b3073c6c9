// SPDX-License-Identifier: MIT
/*
 * libfailing.so: preloaded, has what the agent asks of the C library fail, and no one else.
 *
 *   FAILING=WHAT:N          the Nth call fails that the agent makes of a function WHAT
 *   FAILING=WHAT:N+         that one and all after it
 *   FAILING_ERRNO=NUMBER    with this error (default ENOMEM)
 *   FAILING_LOG=FILE        gets a byte for each call that has failed
 *
 * WHAT is `memory` (malloc, calloc, realloc, aligned_alloc), `memfd`, `truncate`, `seal`, `map` or
 * `thread`. The agent is known by the place that a call comes from.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* The allocator by other names: dlsym would allocate. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static uintptr_t agent_from, agent_to;
static unsigned long calls;

static int find_agent(struct dl_phdr_info *info, size_t size, void *unused)
{
	if (!strstr(info->dlpi_name, "librtrace-agent"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			agent_from = info->dlpi_addr + p->p_vaddr;
			agent_to = agent_from + p->p_memsz;
		}
	}
	return 1;
}

static void note_failure(void)
{
	const char *path = getenv("FAILING_LOG"), *error = getenv("FAILING_ERRNO");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd >= 0 && write(fd, "x", 1) != 1)
		abort();
	if (fd >= 0)
		close(fd);
	errno = error ? atoi(error) : ENOMEM;
}

static bool fails(const char *what, const void *caller)
{
	const char *wish = getenv("FAILING");
	size_t len = strlen(what);
	unsigned long n, call;
	char *end;

	if ((uintptr_t)caller - agent_from >= agent_to - agent_from || !wish ||
	    strncmp(wish, what, len) || wish[len] != ':')
		return false;
	n = strtoul(wish + len + 1, &end, 10);
	call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (call < n || (call > n && *end != '+'))
		return false;
	note_failure();
	return true;
}

#define FAILS(what) fails(what, __builtin_return_address(0))

/* The function that would have been called without us. */
#define NEXT(fn)                                                  \
	({                                                        \
		static __typeof__(&fn) next_;                     \
		if (!next_)                                       \
			*(void **)&next_ = dlsym(RTLD_NEXT, #fn); \
		next_;                                            \
	})

EXPORT void *dlopen(const char *path, int flags)
{
	void *handle = NEXT(dlopen)(path, flags);

	if (handle && path && strstr(path, "librtrace-agent"))
		dl_iterate_phdr(find_agent, NULL);
	return handle;
}

EXPORT void *malloc(size_t size)
{
	return FAILS("memory") ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t n, size_t size)
{
	return FAILS("memory") ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return FAILS("memory") ? NULL : __libc_realloc(old, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return FAILS("memory") ? NULL : __libc_memalign(alignment, size);
}

EXPORT int memfd_create(const char *name, unsigned int flags)
{
	return FAILS("memfd") ? -1 : NEXT(memfd_create)(name, flags);
}

EXPORT int ftruncate(int fd, off_t size)
{
	return FAILS("truncate") ? -1 : NEXT(ftruncate)(fd, size);
}

EXPORT int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	return FAILS("seal") ? -1 : NEXT(fcntl)(fd, command, arg);
}

EXPORT void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	return FAILS("map") ? MAP_FAILED : NEXT(mmap)(at, size, prot, flags, fd, offset);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg)
{
	return FAILS("thread") ? EAGAIN : NEXT(pthread_create)(thread, attr, start, arg);
}
