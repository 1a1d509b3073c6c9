// SPDX-License-Identifier: MIT
/*
 * The functions of fakekmt.h.
 */
#include "tests/roctracer/fakekmt.h"

#include <stddef.h>

struct fakekmt_counts fakekmt_counts;
void (*fakekmt_inside)(void);

HSAKMT_STATUS hsaKmtOpenKFD(void)
{
	__atomic_add_fetch(&fakekmt_counts.opens, 1, __ATOMIC_RELAXED);
	return FAKE_OPENED;
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *event)
{
	__atomic_add_fetch(&fakekmt_counts.sets, 1, __ATOMIC_RELAXED);
	if (fakekmt_inside)
		fakekmt_inside();
	return FAKE_SET;
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
	__atomic_add_fetch(&fakekmt_counts.waits, 1, __ATOMIC_RELAXED);
	hsaKmtSetEvent(event);
	return FAKE_WAITED;
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *event)
{
	__atomic_add_fetch(&fakekmt_counts.resets, 1, __ATOMIC_RELAXED);
	return FAKE_RESET;
}
