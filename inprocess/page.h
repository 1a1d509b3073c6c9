/* SPDX-License-Identifier: MIT */
/*
 * Pages of x86-64: sysconf() may be the application's.
 */
#ifndef RTRACE_INPROCESS_PAGE_H
#define RTRACE_INPROCESS_PAGE_H

#include <stdint.h>

#define PAGE 4096UL

/* Where the page begins that has the address. */
static inline uintptr_t page__of(uintptr_t address)
{
	return address & -PAGE;
}

#endif
