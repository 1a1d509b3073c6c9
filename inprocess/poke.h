/* SPDX-License-Identifier: MIT */
/*
 * Writing a pointer to a page of which other threads may change the protection.
 *
 * A plain store faults where a page is read-only. To ask first does not help: another tool in the
 * process may unlock and lock the same page at any moment. So the kernel stores, which says
 * that it cannot instead of raising a signal. No function here faults, raises a signal or changes
 * errno; each may be called from any thread. The page must stay mapped meanwhile.
 */
#ifndef RTRACE_INPROCESS_POKE_H
#define RTRACE_INPROCESS_POKE_H

#include <stdbool.h>

/*
 * Puts `value`, the address of a function or of data, where `before` is. The eight bytes, aligned,
 * change at once: a thread that calls by them goes to the one or the other. False: something else
 * is there, or the page is read-only. What another thread stores within the microsecond between the
 * look and the store is lost.
 */
bool poke__pointer(void **place, void *before, void *value);

/* A page that was read-only, and is writable for a while. */
struct poke_page {
	void *at; /* NULL: none is */
};

/*
 * Makes the page writable that the place is in, one that the loader has made read-only (RELRO).
 * Another that is open is closed. False: it cannot be made writable.
 */
bool poke__open(struct poke_page *page, void *place);

/*
 * Makes it read-only again, a millisecond later, but not if another thread has changed its
 * protection meanwhile: that one may rely on it.
 */
void poke__close(struct poke_page *page);

#endif
