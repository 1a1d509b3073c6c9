/* SPDX-License-Identifier: MIT */
/* How a name is stored in a record of the agent's log: whole, or marked as cut. */
#ifndef RTRACE_HSA_AGENT_RING_META_NAME_H
#define RTRACE_HSA_AGENT_RING_META_NAME_H

#include <stddef.h>
#include <string.h>

#include "abi/agent_ring.h"

/* Puts a name of `len` bytes into a record with room for RT_META_NAME_MAX; returns its length
 * there. */
static inline __u32 rt_meta_put_name(char *to, const char *name, size_t len)
{
	if (len <= RT_META_NAME_MAX) {
		memcpy(to, name, len);
		return len;
	}
	memcpy(to, name, RT_META_NAME_MAX);
	memcpy(to + RT_META_NAME_MAX - strlen(RT_META_CUT), RT_META_CUT, strlen(RT_META_CUT));
	return RT_META_NAME_MAX;
}

#endif
