/* SPDX-License-Identifier: MIT */
/*
 * What all programs of the capture share: settings, maps, and the sending of records.
 */
#ifndef RTRACE_BPF_MAPS_H
#define RTRACE_BPF_MAPS_H

#include "kernel.h"
#include "events.h"

/* Set before the object is loaded. */
const volatile __u32 nr_cpus = 1;	  /* possible CPUs */
const volatile bool only_listed = false;  /* capture only the processes in `pids` */
const volatile bool follow_forks = false; /* children of listed processes are listed too */
const volatile bool stop_on_open = false; /* SIGSTOP who opens a ROCm library, see RT_REC_LIBRARY */
const volatile __u32 tracer_pid = 0;

struct frame {
	__u64 sp; /* address of the return address */
	__u64 begin;
	__u64 corr;
	__u64 func; /* function id, or address if by_ip */
	__u64 args[RT_ARGS];
	__u32 has_str; /* args[0] is a C string to copy */
	__u32 by_ip;
};

struct task_state {
	__u32 depth;
	__u16 named;   /* RT_REC_TASK was sent */
	__u16 ignored; /* a thread of our own agent */
	__u32 opening; /* record kind to send when the system call in progress has succeeded */
	__u32 lib_fd1; /* descriptor + 1 of the ROCm library opened last, 0 none */
	struct frame frames[RT_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* One ring a CPU: a shared one costs six times as much with 15 threads. Filled by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* Keys: process ids. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u8);
} pids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RT_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} last_corr SEC(".maps");

/* Programs can be preempted on their CPU by others of the same kind, hence the atomics. */
static __always_inline void count(__u32 which)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &which);

	if (n)
		__sync_fetch_and_add(n, 1);
}

/* Unique on the node while the trace runs, and small: every CPU takes every nr_cpus-th number. */
static __always_inline __u64 new_corr(void)
{
	__u32 zero = 0;
	__u64 *n = bpf_map_lookup_elem(&last_corr, &zero);

	if (!n)
		return 0;
	return (__sync_fetch_and_add(n, 1) + 1) * nr_cpus + bpf_get_smp_processor_id();
}

static __always_inline bool listed(__u32 pid)
{
	return bpf_map_lookup_elem(&pids, &pid) != NULL;
}

static __always_inline void *reserve(__u64 size)
{
	__u32 cpu = bpf_get_smp_processor_id();
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	return ring ? bpf_ringbuf_reserve(ring, size, 0) : NULL;
}

static __always_inline void fill_header(struct rt_rec *h, __u16 kind, __u16 size, __u64 ts,
					__u32 pid, __u32 tid)
{
	h->kind = kind;
	h->size = size;
	h->flags = 0;
	h->ts = ts;
	h->pid = pid;
	h->tid = tid;
}

/* The consumer looks every millisecond by itself: waking it up would cost more than the record. */
#define submit(rec) bpf_ringbuf_submit(rec, BPF_RB_NO_WAKEUP)

/* Sends what needs no body of its own: RT_REC_EXEC, RT_REC_EXIT. */
static __always_inline void send_note(__u16 kind, __u32 flags, __u32 pid, __u32 tid)
{
	struct rt_rec *h = reserve(sizeof(*h));

	if (!h) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	fill_header(h, kind, sizeof(*h), bpf_ktime_get_boot_ns(), pid, tid);
	h->flags = flags;
	submit(h);
}

#endif
