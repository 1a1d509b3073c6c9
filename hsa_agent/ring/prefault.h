/* SPDX-License-Identifier: MIT */
/*
 * Pages of shared memory are populated before they are written to. A thread that writes to a
 * missing page waits for the kernel to find and to clear it, which takes as long as a dozen of
 * records.
 */
#ifndef RTRACE_HSA_AGENT_RING_PREFAULT_H
#define RTRACE_HSA_AGENT_RING_PREFAULT_H

#include <stddef.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE /* Linux 5.14; older ones refuse it, which does not matter */
#define MADV_POPULATE_WRITE 23
#endif

#define POPULATE_AHEAD (1u << 20) /* bytes */

/*
 * Of an area of `size` bytes the first `used` are written and `*ready` are populated. Populates at
 * least POPULATE_AHEAD more than are used. By one thread.
 */
static inline void populate(void *area, size_t size, size_t used, size_t *ready)
{
	size_t end = (used + 2 * POPULATE_AHEAD) & ~(size_t)(POPULATE_AHEAD - 1);

	if (used + POPULATE_AHEAD <= *ready || *ready >= size)
		return;
	if (end > size)
		end = size;
	madvise((char *)area + *ready, end - *ready, MADV_POPULATE_WRITE);
	*ready = end;
}

#endif
