// SPDX-License-Identifier: MIT
/*
 * Asks the page that the kernel maps into each process (vDSO, some 30 ns); where there is none, as
 * under valgrind, by a system call (some 150 ns). Function and version: vdso(7).
 */
#include "inprocess/kernel_clock.h"

#include <dlfcn.h>
#include <stddef.h>

#include "inprocess/raw_syscall.h"

#define SECOND 1000000000ULL

typedef int get_time_fn(clockid_t clock, struct timespec *time);

static get_time_fn *get_time; /* NULL: there is none */

/* Before the constructors of this library, which may ask. The page stays as long as the process. */
__attribute__((constructor(101))) static void find_page(void)
{
	void *page = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD);

	if (page)
		get_time = (get_time_fn *)dlvsym(page, "__vdso_clock_gettime", "LINUX_2.6");
}

static struct timespec now(clockid_t clock)
{
	struct timespec ts = {0};

	if (!get_time || get_time(clock, &ts))
		raw_syscall(SYS_clock_gettime, clock, (long)&ts, 0, 0, 0, 0);
	return ts;
}

uint64_t kernel_clock__boot_ns(void)
{
	struct timespec ts = now(CLOCK_BOOTTIME);

	return ts.tv_sec * SECOND + ts.tv_nsec;
}

struct timespec kernel_clock__in(uint64_t ns)
{
	struct timespec ts = now(CLOCK_REALTIME);

	ns += ts.tv_nsec;
	ts.tv_sec += ns / SECOND;
	ts.tv_nsec = ns % SECOND;
	return ts;
}
