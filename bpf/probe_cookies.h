/* SPDX-License-Identifier: MIT */
/*
 * Which function a probe is of, where probes have no cookies of their own (tracefs events): by the
 * place of the instruction in its file.
 */
#ifndef RTRACE_BPF_PROBE_COOKIES_H
#define RTRACE_BPF_PROBE_COOKIES_H

#include "call_stack.h"

#define PLACE_TRIES 64 /* of some 50 ns */

static long note_place(struct task_struct *task, struct vm_area_struct *vma, struct rt_place *p)
{
	p->ino = BPF_CORE_READ(vma, vm_file, f_inode, i_ino);
	p->dev = BPF_CORE_READ(vma, vm_file, f_inode, i_sb, s_dev);
	p->offset += (vma->vm_pgoff << 12) - vma->vm_start;
	return 0;
}

static __always_inline __u64 cookie_of_place(const struct rt_place *p)
{
	const __u64 *found = bpf_map_lookup_elem(&places, p);

	return found ? *found : 0;
}

/* That fails while another thread changes what is mapped. */
static __always_inline bool find_place(struct task_struct *task, struct rt_place *p, int tries)
{
	__u64 ip = p->offset;

	for (int i = 0; i < tries; i++)
		if (!bpf_find_vma(task, ip, note_place, p, 0))
			return true;
	return false;
}

/*
 * The cookie of the probe at that address, where probes have none of their own; 0: unknown. If its
 * place cannot be found at the moment, it is what this process had at that address before.
 */
static __always_inline __u64 cookie_at(struct task_struct *task, __u64 ip)
{
	struct seen_place seen = {.ip = ip, .pid = task->tgid};
	struct rt_place p = {.offset = ip};
	const __u32 *times;
	const __u64 *known;
	__u64 cookie;
	bool found;

	if (!use_places)
		return 0;
	times = bpf_map_lookup_elem(&mapped, &seen.pid);
	seen.mapped = times ? *times : 0;
	known = bpf_map_lookup_elem(&seen_places, &seen);
	found = find_place(task, &p, known ? 1 : PLACE_TRIES);
	if (!found)
		return known ? *known : 0;
	cookie = cookie_of_place(&p);
	if (cookie && !(known && *known == cookie))
		bpf_map_update_elem(&seen_places, &seen, &cookie, BPF_ANY);
	return cookie;
}

/*
 * What could not be found at the entry may be by now. The call lacks no more then than what is read
 * at an entry alone: floating-point arguments.
 */
static __always_inline void name_late(struct task_struct *task, struct frame *f)
{
	const struct rt_plan *plan;
	__u64 cookie;

	if (!use_places || !(f->flags & FRAME_BY_IP))
		return;
	cookie = cookie_at(task, f->func);
	if (!RT_COOKIE_ID1(cookie))
		return;
	f->func = RT_COOKIE_ID1(cookie) - 1;
	f->flags &= ~FRAME_BY_IP;
	plan = plan_of(f->func);
	if (!plan)
		f->words = 0;
	else if (f->words > plan->stack_words)
		f->words = plan->stack_words;
}

#endif
