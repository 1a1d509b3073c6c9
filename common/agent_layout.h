/* SPDX-License-Identifier: MIT */
/*
 * Which build's shared memory this is: a number made from the text of the headers that declare it.
 */
#ifndef RTRACE_COMMON_AGENT_LAYOUT_H
#define RTRACE_COMMON_AGENT_LAYOUT_H

#include <stdint.h>

/* Agent and tracer work together only if both have the same. */
uint64_t agent_layout__number(void);

#endif
