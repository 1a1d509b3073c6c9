/* SPDX-License-Identifier: MIT */
/*
 * The number of this build's shared memory, in a section of its own, where tests change it.
 */
#include "common/agent_layout.h"

#include "agent_layout_number.h"

static const volatile uint64_t layout __attribute__((used, section(".rtrace_layout"))) =
	RT_AGENT_LAYOUT;

uint64_t agent_layout__number(void)
{
	return layout;
}
