// SPDX-License-Identifier: MIT
/*
 * Stores that do not fault.
 *
 * arch_prctl(ARCH_GET_GS) has the kernel store a value of our choice, the base of the segment GS,
 * of which no program of 64 bits makes use: with one instruction, and EFAULT if it cannot. (A write
 * to /proc/self/mem needs no protection changed, but copies with `rep movsb` on newer processors,
 * which may show a part of a pointer to another thread.)
 *
 * While a page is open it is writable, but not readable by its protection: to the processor
 * nothing is writable that is not readable. So it differs from what another thread makes of it that
 * unlocks it, too, or locks it again.
 */
#include "inprocess/poke.h"

#include <asm/prctl.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "inprocess/peek.h"
#include "inprocess/page.h"
#include "inprocess/raw_syscall.h"

#define CLOSE_AFTER_NS 1000000L

static long arch_prctl(int what, const void *value)
{
	return raw_syscall(SYS_arch_prctl, what, (long)value, 0, 0, 0, 0);
}

bool poke__pointer(void **place, void *before, void *value)
{
	void *own;
	bool done;

	if (__atomic_load_n(place, __ATOMIC_ACQUIRE) != before || arch_prctl(ARCH_GET_GS, &own) ||
	    arch_prctl(ARCH_SET_GS, value))
		return false;
	done = !arch_prctl(ARCH_GET_GS, place);
	arch_prctl(ARCH_SET_GS, own);
	return done;
}

static bool protect(void *page, int protection)
{
	return !raw_syscall(SYS_mprotect, (long)page, PAGE, protection, 0, 0, 0);
}

bool poke__open(struct poke_page *page, void *place)
{
	void *at = (void *)page__of((uintptr_t)place);

	if (page->at != at)
		poke__close(page);
	if (!protect(at, PROT_WRITE))
		return false;
	page->at = at;
	return true;
}

/*
 * Another may unlock it between our look and our locking. If one does so often, it has done so
 * while we waited, and the page stays as that one has left it.
 */
void poke__close(struct poke_page *page)
{
	const struct timespec wait = {.tv_nsec = CLOSE_AFTER_NS};

	if (!page->at)
		return;
	raw_syscall(SYS_nanosleep, (long)&wait, 0, 0, 0, 0, 0);
	if (peek__is_write_only(page->at))
		protect(page->at, PROT_READ);
	page->at = NULL;
}
