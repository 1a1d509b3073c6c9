/* SPDX-License-Identifier: MIT */
/*
 * A line on stderr, from code in somebody else's process.
 */
#ifndef HSA_AGENT_SAY_H
#define HSA_AGENT_SAY_H

#include <stdarg.h>

/* "NAME: " and the text, cut after some 500 bytes. Where stderr is slow or closed, nothing. */
void say(const char *name, const char *fmt, va_list args);

#endif
