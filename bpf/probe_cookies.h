/* SPDX-License-Identifier: MIT */
/*
 * Which function a probe is of, where probes have no cookies of their own (tracefs events).
 *
 * While the kernel dispatches a probe of such an event, its task leads to the kernel's own struct
 * of the probe. That has the file and the offset that the tracer has defined the probe by.
 */
#ifndef RTRACE_BPF_PROBE_COOKIES_H
#define RTRACE_BPF_PROBE_COOKIES_H

#include "maps.h"

static __always_inline __u64 cookie_of(const struct trace_uprobe *probe)
{
	struct rt_probe key = {};
	const __u64 *cookie;

	bpf_probe_read_kernel_str(key.file, sizeof(key.file), BPF_CORE_READ(probe, filename));
	key.offset = BPF_CORE_READ(probe, offset);
	cookie = bpf_map_lookup_elem(&probes, &key);
	return cookie ? *cookie : 0;
}

/* The cookie of the probe that the task has hit; 0: it is none of the tracer's. */
static __always_inline __u64 cookie_of_hit(struct task_struct *task)
{
	const struct uprobe_dispatch_data *hit;
	const struct trace_uprobe *probe;
	__u64 key, cookie;
	const __u64 *known;

	if (!use_probes)
		return 0;
	hit = (const void *)BPF_CORE_READ(task, utask, vaddr);
	probe = BPF_CORE_READ(hit, tu);
	key = (__u64)probe;
	known = bpf_map_lookup_elem(&hit_probes, &key);
	if (known)
		return *known;
	cookie = cookie_of(probe);
	if (cookie)
		bpf_map_update_elem(&hit_probes, &key, &cookie, BPF_ANY);
	return cookie;
}

#endif
