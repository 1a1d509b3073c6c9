/* SPDX-License-Identifier: MIT */
/*
 * What all programs of the capture share: settings, maps, and the sending of records.
 */
#ifndef RTRACE_BPF_MAPS_H
#define RTRACE_BPF_MAPS_H

#include "kernel_types.h"
#include "abi/bpf_records.h"
#include "abi/executable_name.h"

/* Set before the object is loaded. */
const volatile __u32 nr_cpus = 1;	  /* possible CPUs */
const volatile bool only_listed = false;  /* capture only the processes in `pids` */
const volatile bool follow_forks = false; /* children of listed processes are listed too */
const volatile bool hold_unknown =
	false; /* SIGSTOP a process that maps an unknown library, see library_mappings.h */
const volatile bool by_process = false; /* a known library is probed in covered processes alone */
const volatile bool node_wide = false;	/* files are probed in all processes */
const volatile bool tell_exec = false;	/* RT_REC_EXEC for every process */
const volatile __u32 kept_off_count = 0;
const volatile struct rt_exe_name kept_off[RT_EXE_NAMES] = {}; /* see library_mappings.h */
const volatile __u32 tracer_pid = 0;
const volatile __u64 traced_since =
	0; /* CLOCK_MONOTONIC: the probes are older than later processes */
const volatile __u32 initially_off = 0; /* RT_OFF_*: how tracing starts in a process */
const volatile bool use_probes = false; /* cookies do not name the function: look in `probes` */

/* Filters: a call passes if it fits one value of each kind that has values. */
const volatile __u32 uid_count = 0, comm_count = 0, cgroup_count = 0;
const volatile __u32 uids[RT_FILTERS] = {};
const volatile __u64 comms[RT_FILTERS][2] = {}; /* of the process, filled up with zeros */
const volatile __u64 min_duration = 0;		/* ns */
const volatile bool errors_only = false;

/* Changed while tracing. */
volatile bool all_off = false;	  /* collection periods, SIGUSR1 */
volatile bool controlled = false; /* some process has switched tracing on or off */
volatile bool programs_probed = false;
volatile __u32 held_off = 0; /* how often a process that is kept off was held */

/* frame.flags */
#define FRAME_SYSCALL	 0x1 /* a system call, not a function: nothing is called inside it */
#define FRAME_QUIET	 0x2 /* tracing was off when it was entered */
#define FRAME_EVERYWHERE 0x4 /* seen by a link for all processes */

struct frame {
	__u64 sp; /* address of the return address; SYSCALL: the stack pointer */
	__u64 begin;
	__u64 corr;
	__u64 func;
	__u64 args[RT_ARGS];
	__u8 flags;
	__u8 words;	 /* stack arguments: how many, ... */
	__u8 first_word; /* ... from there in task_state.words */
	__u8 sse;	 /* floating-point arguments: how many, after those */
	__u32 _pad;
};

/* Stack arguments are rare: the frames share these. */
#define TASK_WORDS 80

#define OUT_MAX (sizeof(struct rt_rec_span) + RT_DATA_MAX)

/* Local storage beyond 8 KiB may become impossible to allocate in a probe: stay below. */
struct task_state {
	__u32 depth;
	__u32 words_used;
	__u16 named;  /* RT_REC_TASK was sent */
	__u8 ignored; /* a thread of our own agent */
	__u8 counted; /* in rt_program_state.callers */
	__u32 ns_tid;
	/* The last entry without a frame that was seen by a link for all processes. */
	__u32 entry_id1;
	__u64 entry_sp;
	struct frame frames[RT_DEPTH];
	__u64 words[TASK_WORDS];
	__u64 callers[RT_STACK_DEPTH]; /* of the call that returns */
	__u32 callers_size;	       /* bytes */
	__u32 _pad;
	__u64 out[OUT_MAX / 8]; /* a record is put together here */
};

_Static_assert(sizeof(struct task_state) < 8192 - 256, "see above");

/*
 * The frame at that depth. The mask is for the verifier, and clang, which may know that it is not
 * needed, must not drop it: the verifier of Linux 6.1 knows less.
 */
static __always_inline struct frame *frame_at(const struct task_state *t, __u64 depth)
{
	barrier_var(depth);
	return (struct frame *)&t->frames[depth & (RT_DEPTH - 1)];
}

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} tasks SEC(".maps");

/* NULL: the thread has made no call. */
static __always_inline struct task_state *state_of(struct task_struct *task)
{
	return bpf_task_storage_get(&tasks, task, NULL, 0);
}

#define STORAGE_TRIES 4

/*
 * Makes what a map keeps of a task, if it is not there. The kernel refuses (-EAGAIN, which shows
 * as NULL) if another map of the task goes away or comes to be at that moment on another CPU:
 * that of a tracer that ends, that of another thread for its group leader. So it is tried again.
 */
static __always_inline void *new_storage_of(void *map, struct task_struct *task)
{
	void *kept = NULL;

	for (int i = 0; i < STORAGE_TRIES && !kept; i++)
		kept = bpf_task_storage_get(map, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return kept;
}

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

/* Kept with the leader of a process. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct rt_program_state);
} programs SEC(".maps");

/* Keys: process ids. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct rt_process_state);
} pids SEC(".maps");

struct thread_key {
	__u32 pid;
	__u32 ns_tid;
};

struct thread_pause {
	__u32 after; /* counts if rt_process_state.pauses still is this */
	__u32 paused;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct thread_key);
	__type(value, struct thread_pause);
} thread_pauses SEC(".maps");

/* By function id. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RT_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct rt_plan);
} plans SEC(".maps");

/* The probes of tracefs events: their cookies. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct rt_probe);
	__type(value, __u64);
} probes SEC(".maps");

/* The same by the kernel's own struct of a probe, of those that were hit. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u64);
	__type(value, __u64);
} hit_probes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RT_BEHINDS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct rt_behind);
} behinds SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct rt_spills);
} spills SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, RT_FILTERS);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* Files that are probed: their group. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct rt_file);
	__type(value, __u8);
} known_files SEC(".maps");

/* By process id: the groups of files that are probed there, a bit each; see by_process. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, __u64);
} covered SEC(".maps");

/*
 * By process id: was sent SIGSTOP and waits for SIGCONT; the value: it is kept off. Programs enter
 * them here, user space moves them to letting_go.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, bool);
} held SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, bool);
} letting_go SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RT_COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* Calls that were lost, by process, of the first ones that lose any; counts has all. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u64);
} lost_of SEC(".maps");

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

/* A call of the calling process is lost; `which` is the reason. */
static __always_inline void count_lost(__u32 which)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 none = 0, *n;

	count(which);
	n = bpf_map_lookup_elem(&lost_of, &pid);
	if (!n) {
		bpf_map_update_elem(&lost_of, &pid, &none, BPF_NOEXIST);
		n = bpf_map_lookup_elem(&lost_of, &pid);
	}
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

static __always_inline struct rt_plan *plan_of(__u64 func)
{
	__u32 id = func;

	return bpf_map_lookup_elem(&plans, &id);
}

static __always_inline void *this_ring(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rings, &cpu);
}

static __always_inline void *reserve(__u64 size)
{
	void *ring = this_ring();

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
