/* SPDX-License-Identifier: MIT */
/*
 * What the running kernel can attach programs to.
 */
#ifndef RTRACE_PROBE_KERNEL_SUPPORT_H
#define RTRACE_PROBE_KERNEL_SUPPORT_H

#include <stdbool.h>

/* Does it have uprobe links of that attach type, ATTACH_UPROBE_*? */
bool kernel_support__has_links(int attach_type);

/* Can programs run at the end of its own functions? Some kernels are built or set without that. */
bool kernel_support__has_fexit(void);

#endif
