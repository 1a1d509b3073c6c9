/* SPDX-License-Identifier: MIT */
/*
 * Makes the messages that are handed to a roctx library resident while its entry points are probed.
 *
 * A probe in the kernel cannot read a page that the process has not used yet: a string literal that
 * no code has read, or any literal in a process just forked. The functions here need not read their
 * messages either. So while a probe is on the entry point, the kernel is asked to map the message.
 * That reads nothing here and cannot fault: a pointer that leads nowhere is the caller's business.
 */
#ifndef ROCTX_RESIDENT_H
#define ROCTX_RESIDENT_H

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14 */
#endif

#define RESIDENT_PAGE 4096
#define RESIDENT_SEEN 64
#define RESIDENT_READ 256  /* bytes of a message that tracers read */
#define RESIDENT_TRAP 0xcc /* what a probe makes of the first byte of an instruction */

/* Pages that were mapped already: a page is asked for once. */
static uintptr_t resident_seen[RESIDENT_SEEN];

static inline uintptr_t *resident__slot(uintptr_t page)
{
	return &resident_seen[page / RESIDENT_PAGE % RESIDENT_SEEN];
}

/* errno stays as it is. */
static __attribute__((noinline, cold)) void resident__map(const char *message)
{
	uintptr_t first = (uintptr_t)message & -RESIDENT_PAGE;
	uintptr_t last = ((uintptr_t)message + RESIDENT_READ - 1) & -RESIDENT_PAGE;
	int error = errno;

	for (uintptr_t page = first; page == first || page == last; page += RESIDENT_PAGE)
		if (__atomic_load_n(resident__slot(page), __ATOMIC_RELAXED) != page &&
		    !madvise((void *)page, RESIDENT_PAGE, MADV_POPULATE_READ))
			__atomic_store_n(resident__slot(page), page, __ATOMIC_RELAXED);
	errno = error;
}

/* `entry`: the code of the public entry point (entry.inc). NULL is no message. */
static inline void resident__make(const char *message, const volatile unsigned char *entry)
{
	if (__builtin_expect(*entry == RESIDENT_TRAP, 0) && message)
		resident__map(message);
}

/* A child has the memory, but has not mapped what comes from files. */
static void resident__forked(void)
{
	for (size_t i = 0; i < RESIDENT_SEEN; i++)
		resident_seen[i] = 0;
}

/* Once, before the first message. */
static inline void resident__init(void)
{
	pthread_atfork(NULL, NULL, resident__forked);
}

#endif
