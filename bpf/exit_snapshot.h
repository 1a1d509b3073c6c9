/* SPDX-License-Identifier: MIT */
/*
 * The last look into a process that is being killed: the times of the GPU operations that have
 * ended and that its agent had no time to record.
 *
 * The times are in the operations' signals, in private memory that ends with the process. A process
 * dies thread by thread, and each thread runs this program while the memory still exists: on
 * SIGKILL from any sender, and on anything that makes other threads end the process. A table in the
 * agent's shared memory lists the operations in flight (abi/agent_ring.h). We read it at the
 * address at which the process has it. An end that one thread sees is not sent again by those that
 * follow; each looks because the GPU goes on meanwhile.
 *
 * Nothing that is read there can do harm here: addresses are read by bpf_probe_read_user alone, and
 * an agent that writes false values falsifies only its own process's records.
 */
#ifndef RTRACE_BPF_EXIT_SNAPSHOT_H
#define RTRACE_BPF_EXIT_SNAPSHOT_H

#include "abi/agent_ring.h"
#include "abi/amd_signal.h"
#include "maps.h"

#define SIGKILL 9

/* Where each process with an agent that we read has the agent's memory. Filled by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, __u64);
} agents SEC(".maps");

struct end_key {
	__u64 born; /* the process */
	__u64 op;
};

/* Ends that were sent. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct end_key);
	__type(value, __u8);
} ends SEC(".maps");

struct look {
	__u64 flights; /* address of the table */
	__u64 oldest;
	__u64 born;
	__u64 pid_tgid;
};

static __always_inline void send_end(const struct look *l, const struct rt_agent_flight *f,
				     const __u64 signal[SIGNAL_WORDS], __u64 begin, __u64 end)
{
	struct rt_rec_ended *rec = reserve(sizeof(*rec));

	if (!rec) {
		count(RT_COUNT_LOST_END);
		return;
	}
	fill_header(&rec->h, RT_REC_ENDED, sizeof(*rec), bpf_ktime_get_boot_ns(), l->pid_tgid >> 32,
		    l->pid_tgid);
	rec->op = f->op;
	rec->begin_ticks = begin;
	rec->end_ticks = end;
	rec->value = signal[SIGNAL_VALUE];
	rec->agent = f->agent;
	rec->_pad = 0;
	submit(rec);
}

/* The times of a copy, which an SDMA engine stores after the amd_signal_t. */
static __always_inline void read_sdma_times(__u64 signal, __u64 *begin, __u64 *end)
{
	__u64 more[SHARED_WORDS];

	if (bpf_probe_read_user(more, sizeof(more), (const void *)signal + SIGNAL_BYTES) ||
	    more[SHARED_ID] != SHARED_ID_VALUE || !more[SHARED_END])
		return;
	*begin = more[SHARED_START];
	*end = more[SHARED_END];
}

static __always_inline bool has_ended(const struct rt_agent_flight *f,
				      const __u64 signal[SIGNAL_WORDS])
{
	if (f->flags & RT_FLIGHT_OWN)
		return signal[SIGNAL_END];
	return (__s64)signal[SIGNAL_VALUE] < 1;
}

/* The agent may be at work: what was read of the signal counts if it still is of the operation. */
static __always_inline bool is_still(const struct rt_agent_flight *f, __u64 at)
{
	__u64 op;

	return !bpf_probe_read_user(&op, sizeof(op), (const void *)at) && op == f->op;
}

static long look_at_flight(__u64 i, struct look *l)
{
	__u64 op = l->oldest + i, signal[SIGNAL_WORDS], begin, end, at;
	struct end_key key = {l->born, op};
	struct rt_agent_flight f;
	__u8 one = 1;

	at = l->flights + op % RT_AGENT_FLIGHT_SLOTS * sizeof(f);
	if (bpf_probe_read_user(&f, sizeof(f), (const void *)at))
		return 1;
	if (f.op != op || bpf_probe_read_user(signal, sizeof(signal), (const void *)f.signal) ||
	    !has_ended(&f, signal))
		return 0;
	begin = signal[SIGNAL_START];
	end = signal[SIGNAL_END];
	if (f.flags & RT_FLIGHT_COPY)
		read_sdma_times(f.signal, &begin, &end);
	if (is_still(&f, at) && !bpf_map_update_elem(&ends, &key, &one, BPF_NOEXIST))
		send_end(l, &f, signal, begin, end);
	return 0;
}

static __always_inline void look_once_more(__u64 base)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct look l = {
		.flights = base + RT_AGENT_FLIGHTS,
		.born = BPF_CORE_READ(task, group_leader, start_time),
		.pid_tgid = bpf_get_current_pid_tgid(),
	};
	struct rt_agent_state state;
	__u64 n;

	if (bpf_probe_read_user(&state, sizeof(state), (const void *)base + RT_AGENT_STATE))
		return;
	l.oldest = state.oldest;
	n = state.ops + 1 - state.oldest;
	if (n > RT_AGENT_FLIGHT_SLOTS) { /* the oldest are not in the table any more */
		l.oldest = state.ops + 1 - RT_AGENT_FLIGHT_SLOTS;
		n = RT_AGENT_FLIGHT_SLOTS;
	}
	bpf_loop(n, look_at_flight, &l, 0);
}

/* On a thread that is about to end because its process is to end. */
SEC("tp_btf/signal_deliver")
int BPF_PROG(last_look, int sig)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	const __u64 *base;

	if (sig != SIGKILL)
		return 0;
	base = bpf_map_lookup_elem(&agents, &pid);
	if (base)
		look_once_more(*base);
	return 0;
}

#endif
