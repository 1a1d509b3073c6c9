/* SPDX-License-Identifier: MIT */
/*
 * What the running kernel can attach programs to.
 */
#ifndef RTRACE_PROBE_KERNEL_SUPPORT_H
#define RTRACE_PROBE_KERNEL_SUPPORT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* Does it have uprobe links of that attach type, ATTACH_UPROBE_*? */
bool kernel_support__has_links(int attach_type);

/*
 * Probes a place of the file in the calling process, with a program that does nothing, by such a
 * link. Returns a descriptor, with which the probe goes, or -errno.
 */
int kernel_support__probe(const char *path, uint64_t offset);

/*
 * Can an event be handed on to the processes that a process starts, and stay with each? The kernel
 * exchanges the events of a process and its child, or of two children, where it switches between
 * them, as long as they have the same. An event of a uprobe is for the memory of the process that
 * it was made for: when that one ends, the other's breakpoints go. Linux 6.12 does not exchange
 * events of this sample_type, which it alone takes with `inherit`.
 */
#define KERNEL_SUPPORT_KEEPS_EVENTS (PERF_SAMPLE_READ | PERF_SAMPLE_TID)

bool kernel_support__keeps_events(void);

/* Can programs run at the end of its own functions? Some kernels are built or set without that. */
bool kernel_support__has_fexit(void);

#endif
