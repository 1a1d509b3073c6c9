/* SPDX-License-Identifier: MIT */
/*
 * How uprobe_multi links are asked for: what the headers of Debian 12 do not have.
 */
#ifndef RTRACE_PROBE_UPROBE_MULTI_H
#define RTRACE_PROBE_UPROBE_MULTI_H

#include <linux/bpf.h>
#include <linux/types.h>

#define UPROBE_MULTI_RETURN 1 /* BPF_F_UPROBE_MULTI_RETURN */

/*
 * The member uprobe_multi of union bpf_attr's link_create, as in the header of Linux 6.6. Written
 * out here because the header of Debian 12 does not have it.
 */
struct link_create_uprobe_multi {
	__u32 prog_fd, target_fd, attach_type, link_flags;
	__u64 path;
	__u64 offsets;
	__u64 ref_ctr_offsets;
	__u64 cookies;
	__u32 cnt, flags;
	__u32 pid;
	__u32 _pad;
};

_Static_assert(sizeof(struct link_create_uprobe_multi) <= sizeof(union bpf_attr),
	       "the kernel's attribute holds it");

#endif
