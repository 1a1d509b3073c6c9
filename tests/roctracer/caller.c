// SPDX-License-Identifier: MIT
/*
 * An object that calls libhsakmt; CALLER is the name of what it exports. If HIDES is defined it has
 * one of the functions itself, that for all others comes before the thunk's.
 */
#include "tests/roctracer/fakekmt.h"

#ifdef HIDES
HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *event)
{
	return FAKE_HIDDEN;
}
#endif

static HSAKMT_STATUS call_open(void)
{
	return hsaKmtOpenKFD();
}

static HSAKMT_STATUS call_set(HsaEvent *event)
{
	return hsaKmtSetEvent(event);
}

static HSAKMT_STATUS call_wait(HsaEvent *event, HSAuint32 milliseconds)
{
	return hsaKmtWaitOnEvent(event, milliseconds);
}

static HSAKMT_STATUS call_reset(HsaEvent *event)
{
	return hsaKmtResetEvent(event);
}

extern const struct caller CALLER;
const struct caller CALLER = {call_open, call_set, call_wait, call_reset};
