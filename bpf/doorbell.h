/* SPDX-License-Identifier: MIT */
/*
 * Dispatches without the agent: what an application submits to its queues, read from its memory at
 * the doorbell.
 *
 * The handle of a doorbell is the address of an amd_signal_t, which names its queue; a queue's
 * packets are in a ring below its write index. The probe runs before the store. So the packet that
 * a thread submits itself is there and no GPU has seen it, unless another thread has submitted a
 * later packet meanwhile. Then the GPU may have taken the packet; only the packet's type is lost.
 *
 * Several threads may write to one queue, and store to its doorbell in another order than that of
 * their packets. A packet named by a doorbell store belongs to the thread that stores. The packets
 * between the highest submitted one and this one are sent as well (RT_DISPATCH_PASSED). They may be
 * of the same thread, which stores once for several packets, or of a thread that has yet to store.
 * User space finds out: it knows packets by their index.
 *
 * Under a tool that intercepts queues, doorbells of applications are ordinary memory and not of
 * these kinds: nothing is sent. For a process with our agent, user space drops these records: the
 * agent reports all dispatches.
 */
#ifndef RTRACE_BPF_DOORBELL_H
#define RTRACE_BPF_DOORBELL_H

#include "abi/amd_signal.h"
#include "calls.h"

/* Packets that are looked at for one doorbell; more are counted. */
#define PASSED_MAX 256

/* How far below a packet that was skipped before, others of the same thread may be. */
#define LATE_MAX 16

struct queue_key {
	__u64 queue, id;
	__u64 born; /* the process is known by its start too, ... */
	__u32 pid;
	__u32 exec; /* ... and by the program that it runs */
};

struct queue_state {
	__u64 next;    /* above all submitted packets */
	__u64 missing; /* above the last packet that was skipped while still missing */
	__u64 mapped;  /* rt_rec_dispatch.mapped */
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct queue_key);
	__type(value, struct queue_state);
} queues SEC(".maps");

struct signal_key {
	__u64 signal;
	__u32 pid;
	__u32 _pad;
};

/* Signals of packets that were sent, for the exit of their process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct signal_key);
	__type(value, __u8);
} signals SEC(".maps");

/* A doorbell store in progress. */
struct ring_call {
	__u64 ts, queue, queue_id, doorbell, mapped;
	__u64 base, mask;
	__u64 read_index, write_index;
	__u64 missing; /* out: above the last packet that is not there */
	__u64 unloaded;
	__u32 properties;
	__u32 pid, tid;
	__u32 _pad;
};

static __always_inline void count_packets(__u32 which, __u64 n)
{
	__u64 *sum = bpf_map_lookup_elem(&counts, &which);

	if (sum)
		__sync_fetch_and_add(sum, n);
}

static __always_inline bool read_signal(const __u64 handle, __u64 words[SIGNAL_WORDS])
{
	return handle &&
	       !bpf_probe_read_user(words, SIGNAL_WORDS * sizeof(*words), (const void *)handle);
}

/* false: it is no doorbell of a queue that the GPU reads, or its queue makes no sense. */
static __always_inline bool read_queue(struct ring_call *r, __u64 handle)
{
	__u64 signal[SIGNAL_WORDS], queue[QUEUE_WORDS];
	__u32 size;

	if (!read_signal(handle, signal) ||
	    ((__s64)signal[0] != KIND_DOORBELL && (__s64)signal[0] != KIND_LEGACY_DOORBELL))
		return false;
	r->queue = signal[SIGNAL_QUEUE];
	r->doorbell = signal[SIGNAL_VALUE];
	if (bpf_probe_read_user(queue, sizeof(queue), (const void *)r->queue) ||
	    bpf_probe_read_user(&r->read_index, 8, (const void *)r->queue + QUEUE_READ_INDEX) ||
	    bpf_probe_read_user(&r->write_index, 8, (const void *)r->queue + QUEUE_WRITE_INDEX) ||
	    bpf_probe_read_user(&r->properties, 4, (const void *)r->queue + QUEUE_PROPERTIES))
		return false;
	r->base = queue[1];
	size = queue[3];
	r->mask = (__u64)size - 1;
	r->queue_id = queue[4];
	return size && !(size & (size - 1)) && queue[2] == handle;
}

static __always_inline bool is_profiled(const struct ring_call *r)
{
	return r->properties & RT_QUEUE_PROFILED;
}

/* Is a packet with that header reported? One that completes no signal and runs no kernel is not. */
static __always_inline bool is_told(const struct ring_call *r, __u8 type, __u64 at)
{
	__u64 signal;

	if (type == TYPE_DISPATCH)
		return true;
	if (!is_profiled(r) ||
	    bpf_probe_read_user(&signal, sizeof(signal), (const void *)at + PACKET_BYTES - 8))
		return false;
	return signal;
}

static __always_inline void remember_signal(__u64 signal, __u32 pid)
{
	struct signal_key key = {signal, pid};
	__u8 one = 1;

	if (!bpf_map_lookup_elem(&signals, &key))
		bpf_map_update_elem(&signals, &key, &one, BPF_ANY);
}

/* The signal holds the times of the operation that used it before, if that has completed. */
static __always_inline void fill_signal(struct rt_rec_dispatch *rec)
{
	__u64 signal[SIGNAL_WORDS];

	rec->value = 0;
	rec->start_ticks = rec->end_ticks = 0;
	if (rec->h.flags & RT_DISPATCH_MISSING || !read_signal(rec->packet[7], signal))
		return;
	rec->value = signal[SIGNAL_VALUE];
	rec->start_ticks = signal[SIGNAL_START];
	rec->end_ticks = signal[SIGNAL_END];
	rec->h.flags |= RT_DISPATCH_SIGNAL;
	if (rec->properties & RT_QUEUE_PROFILED)
		remember_signal(rec->packet[7], rec->h.pid);
}

static __always_inline void fill_dispatch(struct rt_rec_dispatch *rec, const struct ring_call *r,
					  __u64 index, __u32 flags)
{
	fill_header(&rec->h, RT_REC_DISPATCH, sizeof(*rec), r->ts, r->pid, r->tid);
	rec->h.flags = flags;
	rec->queue = r->queue;
	rec->queue_id = r->queue_id;
	rec->doorbell = r->doorbell;
	rec->mapped = r->mapped;
	rec->index = index;
	rec->read_index = r->read_index;
	rec->unloaded = r->unloaded;
	rec->properties = r->properties;
	rec->_pad = 0;
	fill_signal(rec);
}

/* Has the GPU taken it? Then it may have completed the signal before that was read. */
static __always_inline bool is_taken(__u64 at)
{
	__u16 header;

	return !bpf_probe_read_user(&header, sizeof(header), (const void *)at) &&
	       (__u8)header == TYPE_INVALID;
}

/*
 * Sends the packet, if it is of a reported kind. `flags`: RT_DISPATCH_PASSED. With `late` the index
 * has been skipped before: user space waits for the packet, of whatever kind.
 */
__noinline int send_packet(struct ring_call *r, __u64 index, __u32 flags, __u32 late)
{
	struct rt_rec_dispatch *rec;
	__u16 header;
	__u64 at;

	if (!r)
		return 0;
	at = r->base + (index & r->mask) * PACKET_BYTES;
	if (bpf_probe_read_user(&header, sizeof(header), (const void *)at)) {
		count_packets(RT_COUNT_LOST_DISPATCH, 1);
		return 0;
	}
	if ((__u8)header != TYPE_INVALID) {
		if (!late && !is_told(r, header, at))
			return 0;
	} else if (flags & RT_DISPATCH_PASSED) {
		if (late) /* that is known */
			return 0;
		flags |= RT_DISPATCH_MISSING;
		r->missing = index + 1;
	} else {
		flags |= RT_DISPATCH_TAKEN;
	}
	rec = reserve(sizeof(*rec));
	if (!rec) {
		count_packets(RT_COUNT_LOST_DISPATCH, 1);
		return 0;
	}
	if (bpf_probe_read_user(rec->packet, sizeof(rec->packet), (const void *)at)) {
		bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
		count_packets(RT_COUNT_LOST_DISPATCH, 1);
		return 0;
	}
	fill_dispatch(rec, r, index, flags);
	if (!(flags & RT_DISPATCH_MISSING) && is_taken(at))
		rec->h.flags |= RT_DISPATCH_TAKEN;
	submit(rec);
	return 0;
}

/* The thread that submits `to` skipped the packets [from, to). */
__noinline int send_passed(struct ring_call *r, __u64 from, __u64 to, __u32 late)
{
	if (!r)
		return 0;
	for (__u64 i = 0; i < PASSED_MAX; i++) {
		if (from >= to)
			break;
		send_packet(r, from, RT_DISPATCH_PASSED, late);
		from++;
	}
	return 0;
}

static __always_inline void fill_key(struct queue_key *key, const struct ring_call *r,
				     struct task_struct *task)
{
	key->queue = r->queue;
	key->id = r->queue_id;
	key->born = BPF_CORE_READ(task, group_leader, start_time);
	key->pid = r->pid;
	key->exec = BPF_CORE_READ(task, self_exec_id);
}

/*
 * Where to begin in a queue that is seen for the first time. All packets are new if the process is
 * new. In an older process, packets that the GPU has not taken yet are left out: the time of their
 * submission is unknown.
 */
static __always_inline __u64 first_packet(const struct ring_call *r, const struct queue_key *key,
					  __u64 index)
{
	if (key->born > traced_since)
		return 0;
	if (index > r->read_index)
		count_packets(RT_COUNT_OLD_DISPATCH, index - r->read_index);
	return index;
}

/* The first packet not submitted before; `index` + 1 if that was skipped already. */
static __always_inline __u64 advance(struct queue_state *q, __u64 index)
{
	for (__u64 i = 0; i < 16; i++) {
		__u64 old = *(volatile __u64 *)&q->next;

		if (old > index)
			return index + 1;
		if (__sync_val_compare_and_swap(&q->next, old, index + 1) == old)
			return old;
	}
	return index; /* 16 threads store at once: they submit the packets below */
}

/*
 * The file offset of a doorbell's mapping shows which GPU it belongs to. The probe reads it in the
 * process: that may have ended when user space learns of the queue.
 */
static long note_mapping(struct task_struct *task, struct vm_area_struct *vma, __u64 *offset)
{
	*offset = vma->vm_pgoff << 12;
	return 0;
}

static __always_inline struct queue_state *get_queue(struct task_struct *task,
						     const struct ring_call *r, __u64 index)
{
	struct queue_state *q, fresh = {};
	struct queue_key key = {};

	fill_key(&key, r, task);
	q = bpf_map_lookup_elem(&queues, &key);
	if (q)
		return q;
	fresh.next = first_packet(r, &key, index);
	bpf_find_vma(task, r->doorbell, note_mapping, &fresh.mapped, 0);
	bpf_map_update_elem(&queues, &key, &fresh, BPF_NOEXIST);
	return bpf_map_lookup_elem(&queues, &key);
}

/*
 * When its process last began to unload code. If the thread itself did that last, it has done it:
 * it stores to a doorbell now.
 */
static __always_inline __u64 unloaded(struct task_struct *task, __u32 tid)
{
	struct rt_program_state *p = bpf_task_storage_get(&programs, task->group_leader, NULL, 0);

	if (!p)
		return 0;
	if (p->unloader == tid)
		__sync_val_compare_and_swap(&p->unloader, tid, 0);
	return p->unloaded;
}

/* Does the library itself store to the doorbell? See is_internal() in api.bpf.c. */
static __always_inline bool rings_itself(struct pt_regs *ctx)
{
	__u32 number = RT_COOKIE_BEHIND_OF(bpf_get_attach_cookie(ctx));
	const struct rt_behind *b;
	__u64 ret_addr;

	if (!number)
		return false;
	b = bpf_map_lookup_elem(&behinds, &number);
	if (!b || bpf_probe_read_user(&ret_addr, sizeof(ret_addr), (const void *)PT_REGS_SP(ctx)))
		return false;
	return ret_addr - (PT_REGS_IP(ctx) - b->before) < b->before + b->after;
}

/*
 * hsa_signal_store_*(signal, value): of a doorbell the value is the index of the last packet.
 * Packets submitted while tracing is off are skipped.
 */
SEC("uprobe")
int doorbell(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 pid_tgid = bpf_get_current_pid_tgid(), index = PT_REGS_PARM2(ctx), from;
	struct ring_call r = {.pid = pid_tgid >> 32, .tid = pid_tgid};
	struct queue_state *q;
	bool off;

	if (!read_queue(&r, PT_REGS_PARM1(ctx)) || rings_itself(ctx))
		return 0;
	if (!caller(task, &off))
		return 0;
	r.unloaded = unloaded(task, r.tid);
	/* No packet is beyond the write index, whatever value is stored. */
	if (index >= r.write_index || r.write_index - index > r.mask + 1)
		return 0;
	q = get_queue(task, &r, index);
	if (!q) {
		count_packets(RT_COUNT_LOST_DISPATCH, 1);
		return 0;
	}
	/* A packet still missing below `index` can start only after a later doorbell store. */
	r.ts = bpf_ktime_get_boot_ns();
	from = advance(q, index);
	if (off)
		return 0;
	r.mapped = q->mapped;
	if (from > index) {
		if (q->missing + LATE_MAX > index)
			send_passed(&r, index > LATE_MAX ? index - LATE_MAX : 0, index, 1);
		send_packet(&r, index, 0, 1);
		return 0;
	}
	if (index - from > PASSED_MAX) {
		count_packets(RT_COUNT_LOST_DISPATCH, index - from - PASSED_MAX);
		from = index - PASSED_MAX;
	}
	send_passed(&r, from, index, 0);
	if (r.missing)
		q->missing = r.missing;
	send_packet(&r, index, 0, 0);
	return 0;
}

/* What the signal says is of the packet that had it last, for the last time. */
static __always_inline void send_signal(__u64 handle, __u32 flags)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), signal[SIGNAL_WORDS];
	struct rt_rec_signal *rec;
	bool off;

	if (!read_signal(handle, signal) || (__s64)signal[0] != KIND_USER || !signal[SIGNAL_END] ||
	    !caller(bpf_get_current_task_btf(), &off))
		return;
	rec = reserve(sizeof(*rec));
	if (!rec) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	fill_header(&rec->h, RT_REC_SIGNAL, sizeof(*rec), bpf_ktime_get_boot_ns(), pid_tgid >> 32,
		    pid_tgid);
	rec->h.flags = flags;
	rec->signal = handle;
	rec->value = signal[SIGNAL_VALUE];
	rec->start_ticks = signal[SIGNAL_START];
	rec->end_ticks = signal[SIGNAL_END];
	submit(rec);
}

/* hsa_signal_destroy(signal): the times in it go with it. */
SEC("uprobe")
int signal_end(struct pt_regs *ctx)
{
	send_signal(PT_REGS_PARM1(ctx), 0);
	return 0;
}

static long send_last(struct bpf_map *map, struct signal_key *key, __u8 *value, __u32 *pid)
{
	if (key->pid == *pid)
		send_signal(key->signal, 0);
	return 0;
}

/* The times in all signals of the process go with it. */
SEC("tracepoint/syscalls/sys_enter_exit_group")
int exit_group_enter(struct trace_event_raw_sys_enter *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	if (!only_listed || listed(pid))
		bpf_for_each_map_elem(&signals, send_last, &pid, 0);
	return 0;
}

/*
 * A copy that completes a signal, which the runtime may carry out by a kernel of its own. `word`:
 * where the signal is above the return address.
 */
static __always_inline void send_copy_signal(struct pt_regs *ctx, __u32 word)
{
	__u64 handle;

	if (!bpf_probe_read_user(&handle, sizeof(handle),
				 (const void *)PT_REGS_SP(ctx) + 8 + word * 8))
		send_signal(handle, RT_SIGNAL_USED);
}

/* hsa_amd_memory_async_copy, hsa_amd_memory_async_copy_on_engine: the eighth argument */
SEC("uprobe")
int copy_start(struct pt_regs *ctx)
{
	send_copy_signal(ctx, 1);
	return 0;
}

/* hsa_amd_memory_async_copy_rect: the tenth */
SEC("uprobe")
int copy_rect_start(struct pt_regs *ctx)
{
	send_copy_signal(ctx, 3);
	return 0;
}

/* The thread begins to unload code. See rt_program_state, and for the order of stores, too. */
static __always_inline void note_unload(struct task_struct *task)
{
	struct rt_program_state *p = new_storage_of(&programs, task->group_leader);
	__u32 tid = task->pid, other;

	if (!p) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	other = __sync_val_compare_and_swap(&p->unloader, 0, tid);
	if (other && other != tid)
		p->unloader = RT_UNLOADERS;
	__sync_lock_test_and_set(&p->unloaded, bpf_ktime_get_boot_ns());
}

/* hsa_executable_destroy, hsa_shut_down: addresses of kernels may mean others from now on. */
SEC("uprobe")
int code_unload(struct pt_regs *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	bool off;

	if (caller(task, &off))
		note_unload(task);
	return 0;
}

#endif
