/* SPDX-License-Identifier: MIT */
/*
 * The shared memory between librtrace-agent.so (inside a traced process) and rtrace-bpf.
 *
 * The agent creates one memfd per process, named RT_AGENT_MEMFD, sizes it, seals its size
 * (F_SEAL_SHRINK | F_SEAL_GROW), maps it and closes the descriptor. A tracer finds the mapping in
 * /proc/PID/maps and opens it through /proc/PID/map_files, so nothing crosses a container border
 * and the memory outlives the process for as long as the tracer has it mapped.
 *
 *   0                 struct rt_agent_header    written once by the agent; `magic` is stored last
 *   RT_AGENT_CONTROL  struct rt_agent_control   written by the tracer, read by the agent
 *   RT_AGENT_STATE    struct rt_agent_state     written by the agent, read by the tracer
 *   RT_AGENT_FLIGHTS  struct rt_agent_flight[]  written by the agent, read by the kernel
 *   header.meta_off   the meta log: append-only records of variable size, kept also while dormant
 *                     (devices, queues, kernels), so that a tracer that comes late knows all names
 *   header.ring_off   the ring: slots of one fixed size, many producers, one consumer
 *   header.spans_off  calls that are captured in the process: span_ring.h
 *
 * The ring. A producer claims slot `pos` by advancing state.head with a compare-and-swap (never
 * past control.tail + ring_slots: a full ring drops the record and counts it in state.lost), fills
 * slot pos % ring_slots and stores seq = pos + 1 with release order. The consumer takes slot `tail`
 * when its seq is tail + 1. Slots have one size and carry their own position, so the consumer never
 * follows a length, needs to erase nothing, and can step over a slot that a killed thread claimed
 * and never finished.
 *
 * Claims. Only one tracer writes into the memory: the one that holds the lock RT_AGENT_CLAIM, an
 * open file description's lock (F_OFD_SETLK) on that byte of the file. It is taken before the first
 * write and kept until the last; the kernel releases it when the tracer dies. A tracer that was
 * started for the process takes RT_AGENT_CLAIM_FIRST before that: a recorder of the whole machine
 * does not claim memory on which another holds that lock, and gives up its claim. control.probing
 * is the one word that every tracer may store to. The agent itself knows nothing of the locks.
 *
 * Builds. What header.version, header.layout and these two locks mean never changes. A tracer looks
 * at them first, by a mapping that it cannot write to, and leaves memory of another version or
 * layout alone.
 *
 * Trust. The agent lives in the application's address space: the tracer must treat every byte as
 * hostile, copy a record once and then check the copy, and bound every loop by sizes that it took
 * from the sealed file, not from the memory. The agent trusts control only as far as: `active` is a
 * flag, `tail` wrong can only make it drop or overwrite records.
 *
 * Times are CLOCK_BOOTTIME nanoseconds, except gpu_begin/gpu_end, which are ticks of a GPU's clock
 * or HSA system timestamps; RT_AGENT_CLOCK records (RT_META_CLOCK the latter) give pairs with boot
 * time.
 */
#ifndef RTRACE_ABI_AGENT_RING_H
#define RTRACE_ABI_AGENT_RING_H

#include <linux/types.h>

#include "abi/span_ring.h"

#define RT_AGENT_MEMFD "rtrace-agent"
#define RT_AGENT_MAGIC 0x31544e4741545252ULL /* "RRTAGNT1" */
/* To be counted up when the meaning of the memory changes, and not its declarations. */
#define RT_AGENT_VERSION 8

/* Bytes of the file for locks, see above. */
#define RT_AGENT_CLAIM	     0
#define RT_AGENT_CLAIM_FIRST 1

#define RT_AGENT_CONTROL 4096
#define RT_AGENT_STATE	 8192
#define RT_AGENT_FLIGHTS 12288
#define RT_AGENT_META	 (RT_AGENT_FLIGHTS + RT_AGENT_FLIGHT_SLOTS * 32)

/* Operations in flight: that of number `op` is in slot op % RT_AGENT_FLIGHT_SLOTS. */
#define RT_AGENT_FLIGHT_SLOTS 65536

/*
 * Environment of the agent (set by `rtrace-bpf -- CMD`, or by the operator):
 *   RTRACE_AGENT=active    record from the first moment, before a tracer has mapped the memory
 *   RTRACE_AGENT_TRACER=N  process number of the tracer that has set the above: a process that
 *                          exits before that has mapped the memory, while it lives, waits
 *                          RT_AGENT_EXIT_NS at most
 *   RTRACE_AGENT=off       do not even wrap anything
 *   RTRACE_AGENT_RING=N    ring slots, a power of two (default RT_AGENT_SLOTS)
 *   RTRACE_AGENT_LOG=1     say on stderr what happens
 */
#define RT_AGENT_SLOTS	   131072u
#define RT_AGENT_SLOTS_MAX (1u << 26)
#define RT_AGENT_META_LEN  (64u << 20) /* sparse: costs what is written */

/*
 * The tracer renews control.heartbeat every 100 ms; unchanged for this long, the agent goes
 * dormant. It is the change that counts: the clocks of tracer and process may differ by a time
 * namespace. A tracer that was only held up finds in state.lost what it has missed: while
 * control.active is set, what the agent does not record it counts.
 */
#define RT_AGENT_HEARTBEAT_TIMEOUT_NS 3000000000ULL
/* After that duration without a change the agent clears control.active itself. */
#define RT_AGENT_ABANDONED_NS 60000000000ULL

#define RT_AGENT_EXIT_NS 1000000000ULL

struct rt_agent_header {
	__u64 magic; /* stored last, with release order */
	__u32 version;
	__u32 pid;	 /* as the process sees itself, in its own pid namespace */
	__u64 layout;	 /* rt_agent_layout of the agent's build, see agent_layout.h */
	__u64 meta_off;	 /* RT_AGENT_META */
	__u64 meta_size; /* bytes */
	__u64 ring_off;
	__u32 ring_slots; /* a power of two */
	__u32 slot_size;  /* sizeof(struct rt_agent_rec) */
	__u32 hsa_major;  /* versions of the HSA API table the agent was loaded with */
	__u32 hsa_minor;
	__u64 address;	 /* of this memory in the process */
	__u64 spans_off; /* 0: there is no room for spans */
	__u32 awaited;	 /* RTRACE_AGENT_TRACER: the tracer that has started it; 0: none */
	__u32 _pad;
};

struct rt_agent_control {
	__u32 active;	 /* 1 record what is wanted, 0 dormant */
	__u32 tracer;	 /* pid of the tracer that has the claim, for messages */
	__u64 heartbeat; /* CLOCK_BOOTTIME ns of the tracer's last sign of life */
	__u64 tail;	 /* next slot the consumer will take */
	__u32 wants;	 /* RT_AGENT_WANT_*: what is only recorded on demand */
	__u32 news;	 /* a futex, on which a dormant agent sleeps: counted up to wake it */
	/*
	 * The last sign of life of any other tracer of the process: calls must take their probes as
	 * long, and are not captured here.
	 */
	__u64 probing;
};

#define RT_AGENT_WANT_BARRIERS	 0x1
#define RT_AGENT_WANT_CALLS_ONLY 0x2 /* no operations: those of them that span_ring.h is for */

/* Kinds of ring records; also the index into state.lost. */
enum rt_agent_kind {
	RT_AGENT_NONE = 0,
	RT_AGENT_DISPATCH = 1, /* a kernel was submitted */
	RT_AGENT_COPY = 2,     /* a copy was submitted */
	RT_AGENT_DONE = 3,     /* an operation has ended: its GPU times */
	RT_AGENT_CLOCK = 4,    /* a pair of clocks */
	RT_AGENT_BARRIER = 5,  /* a barrier packet was submitted; only on demand */
	/* What has happened; their operations need no DONE. */
	RT_AGENT_MEMORY = 6,
	RT_AGENT_SCRATCH = 7,
	RT_AGENT_QUEUE = 8,
	RT_AGENT_CODE = 9,
	RT_AGENT_RUNTIME = 10,
	RT_AGENT_KINDS = 16,
};

/* resource.what */
enum rt_agent_what {
	RT_WHAT_NONE = 0,
	RT_WHAT_ALLOC = 1,	  /* from a pool or region */
	RT_WHAT_FREE = 2,	  /* `bytes` is not known here */
	RT_WHAT_VMEM_RESERVE = 3, /* addresses, without memory */
	RT_WHAT_VMEM_UNRESERVE = 4,
	RT_WHAT_VMEM_CREATE = 5, /* memory, without addresses; `address` is its handle */
	RT_WHAT_VMEM_RELEASE = 6,
	RT_WHAT_VMEM_MAP = 7, /* `other` is the handle of the memory */
	RT_WHAT_VMEM_UNMAP = 8,
	RT_WHAT_SCRATCH_ALLOC = 9, /* `other`: how many waves it is enough for */
	RT_WHAT_SCRATCH_FREE = 10,
	RT_WHAT_SCRATCH_RECLAIM = 11,
	RT_WHAT_QUEUE_CREATE = 12, /* `bytes`: packets */
	RT_WHAT_QUEUE_DESTROY = 13,
	RT_WHAT_CODE_LOAD = 14, /* `other`: how many kernels */
	RT_WHAT_CODE_UNLOAD = 15,
	RT_WHAT_RUNTIME_INIT = 16,
	RT_WHAT_RUNTIME_END = 17,
};

struct rt_agent_state {
	__u64 head;	 /* slots claimed so far */
	__u64 ops;	 /* operations numbered so far, from 1 on */
	__u64 oldest;	 /* operations below that number are not in flight any more */
	__u64 meta_tail; /* bytes of the meta log that are complete; stored with release order */
	__u64 meta_lost; /* meta records that did not fit */
	__u64 lost[RT_AGENT_KINDS]; /* ring records dropped or never made, by kind */
	__u64 skipped; /* queues that are not watched: nothing is known of their operations */
	__u32 active;  /* what the agent is doing now: 1 as it is asked, 0 dormant */
	__u32 failed;  /* the agent switched itself off; it logs that once on stderr too */
	__u64 runtime; /* address of the core API table of the HSA runtime that the agent serves */
	__u64 others; /* more runtimes of the process: their operations are only counted, in lost */
};

/*
 * Where an operation in flight will leave its times. When the process is killed, its memory is
 * freed before the tracer learns of it. With it go the times of the operations that have ended
 * since the reaper last looked. So the kernel reads them as the process' threads die
 * (bpf/exit_snapshot.h).
 */
struct rt_agent_flight {
	__u64 op;     /* 0: none; stored last, and cleared before the signal is used again */
	__u64 signal; /* address of the amd_signal_t that it completes */
	__u32 agent;  /* the times are this agent's ticks */
	__u32 flags;  /* RT_FLIGHT_* */
	__u64 _pad;
};

/*
 * The signal is the application's to set: its end time shows that the operation has ended. Without
 * this flag the signal's value shows it: it is below 1 then.
 */
#define RT_FLIGHT_OWN 0x1
/* A copy: if an SDMA engine has made it, its times are stored after the amd_signal_t. */
#define RT_FLIGHT_COPY 0x2

/* One slot. Every field of a kind that it does not use is zero. */
struct rt_agent_rec {
	__u64 seq; /* position + 1, stored last with release order */
	__u16 kind;
	__u16 flags; /* RT_AGENT_F_* */
	__u32 tid;   /* gettid() of the thread that submitted it (own pid namespace); 0 unknown */
	__u64 time;  /* submitted; CLOCK: boottime; DONE: recorded; of a resource: happened */
	__u64 op;    /* number of the operation in this process, from 1: joins submit and DONE */
	/*
	 * The innermost call that it was submitted in, of those that the agent captures, and the
	 * outermost; 0: none. As in span_ring.h.
	 */
	__u64 corr, root;
	union {
		struct {
			__u32 agent;  /* device: id from RT_META_AGENT */
			__u32 queue;  /* id from RT_META_QUEUE */
			__u32 kernel; /* id from RT_META_KERNEL, 0 unknown */
			__u32 grid[3];
			__u16 workgroup[3];
			__u16 _pad;
			__u32 lds;     /* bytes of group memory a workgroup */
			__u32 scratch; /* bytes of private memory a work-item */
			__u64 kernel_object;
			/*
			 * When another thread passed it on to the GPU, or its own in a later
			 * call; `time` is then that at which its own thread reserved the
			 * packet's place. Else 0.
			 */
			__u64 passed_on;
		} dispatch; /* BARRIER: agent, queue, passed_on */
		struct {
			__u32 src_agent, dst_agent;
			__u64 bytes;
			__u64 src, dst; /* addresses */
			__u32 engine;	/* from 1; 0: left to the runtime */
			__u32 agent;	/* the GPU that does it */
		} copy;			/* the owners of the memory, as the runtime knows them */
		struct {
			/*
			 * With RT_AGENT_F_TICKS ticks of `agent`'s clock, else HSA timestamps. Both
			 * 0: there are none.
			 */
			__u64 gpu_begin, gpu_end;
			__u64 status; /* the completion signal's value when < 0, else 0 */
			__u32 agent;
		} done;
		struct {
			__u64 ticks; /* of the GPU; HSA timestamp for agent 0 */
			__u64 error; /* ns within which both were read, around `time` */
			__u32 agent;
		} clock;
		struct {
			__u32 what;  /* enum rt_agent_what */
			__u32 agent; /* 0 unknown */
			__u32 id;    /* of the queue or code object, 0 none */
			__u32 type;  /* of the queue: hsa_queue_type_t; scratch: flags of the event
				      */
			__u64 begin; /* when it was asked for; `time` is when it was done */
			__u64 address;
			__u64 bytes;
			__u64 other;
		} resource;
		__u8 _size[80];
	};
};

#define RT_AGENT_F_BARRIER 0x1	/* dispatch, barrier: barrier bit set */
#define RT_AGENT_F_RECT	   0x2	/* copy: of a box */
#define RT_AGENT_F_SDMA	   0x4	/* copy: not by a kernel, whatever it costs */
#define RT_AGENT_F_TICKS   0x8	/* done: times are ticks */
#define RT_AGENT_F_AGAIN   0x10 /* done: not by the agent, which may have said it before */
#define RT_AGENT_F_FILL	   0x20 /* copy: has no source */
#define RT_AGENT_F_REFUSED 0x80 /* done: the runtime has not taken it, it has never run */
#define RT_AGENT_F_CALL	   0x40 /* copy: its times will be those of the call that waits for it */

/* ---- meta log: records of variable size, a multiple of 8, header first ---- */

enum rt_meta_kind {
	RT_META_AGENT = 1,
	RT_META_QUEUE = 2,
	RT_META_KERNEL = 3,
	RT_META_CLOCK = 4,
	RT_META_QUEUE_END = 5,
	RT_META_CODE = 6,
	RT_META_CODE_END = 7,
	RT_META_RUNTIME = 8,
	RT_META_RUNTIME_END = 9,
};

struct rt_meta_hdr {
	__u32 kind;
	__u32 size; /* of the whole record, header and padding included */
};

/* Of kernels or code objects, bytes. Longer ones are cut and end with RT_META_CUT then. */
#define RT_META_NAME_MAX 65536
#define RT_META_CUT	 "..."

struct rt_meta_agent {
	struct rt_meta_hdr h;
	__u64 handle; /* hsa_agent_t */
	__u32 id;     /* from 1 */
	__u32 node;   /* driver node */
	__u32 is_gpu;
	__u32 gpu_index; /* 0-based order among the GPUs of the machine */
	__u32 cu_count;
	__u32 bdf;	  /* PCI bus/device/function, HSA_AMD_AGENT_INFO_BDFID */
	char name[64];	  /* gfx906 */
	char product[64]; /* marketing name */
	char uuid[24];	  /* GPU-0123456789abcdef; GPU-XX where the device has none */
	__u32 domain;	  /* PCI */
	__u32 kfd_node;	  /* the driver's number of it, as in /sys/class/kfd */
	__u32 gpu_id;	  /* the driver's other one; 0 not known */
	__u32 chip_id;
	__u32 simds_per_cu, waves_per_cu;
	__u32 hip_index; /* the number that HIP has for it in this process; UINT32_MAX: none */
	__u32 _pad;
};

struct rt_meta_queue {
	struct rt_meta_hdr h;
	__u64 handle; /* hsa_queue_t * */
	__u32 id;     /* from 1, never reused in a process */
	__u32 agent;
	__u32 size;	 /* packets */
	__u32 type;	 /* hsa_queue_type_t */
	__u32 tid;	 /* of the thread that created it */
	__u32 unwatched; /* nothing is known of what it runs */
	__u64 time;
};

struct rt_meta_queue_end {
	struct rt_meta_hdr h;
	__u32 id;
	__u32 tid;
	__u64 time;
};

struct rt_meta_kernel {
	struct rt_meta_hdr h;
	__u64 object; /* kernel object: what a dispatch packet names */
	__u32 id;     /* from 1, never reused in a process: a reload gets a new id */
	__u32 agent;
	__u32 kernarg_size, group_size, private_size;
	__u32 name_len; /* bytes of name[], without NUL; name as in the code object, ".kd" cut */
	__u32 code;	/* id from RT_META_CODE, 0 unknown */
	/* As many as the GPU sets aside for a wave; all 0: not known. */
	__u32 vgprs, accum_vgprs, sgprs;
	char name[];
};

/* A code object that was loaded for one device. */
struct rt_meta_code {
	struct rt_meta_hdr h;
	__u64 base, size; /* where it was loaded to */
	__u64 delta;	  /* what was added to the addresses in its file */
	__u64 time;
	__u32 id; /* from 1, never reused in a process */
	__u32 agent;
	__u32 tid;
	__u32 uri_len; /* bytes of uri[], without NUL */
	char uri[];    /* file://PATH#offset=N&size=N or memory://PID#offset=ADDRESS&size=N */
};

struct rt_meta_code_end {
	struct rt_meta_hdr h;
	__u32 id;
	__u32 tid;
	__u64 time;
};

struct rt_meta_runtime {
	struct rt_meta_hdr h;
	__u64 time;
	__u32 tid;
	__u32 major, minor;   /* of the HSA specification that it implements */
	__u32 interface_size; /* bytes of the table of AMD's functions: differs by release */
	char build[64];
};

struct rt_meta_runtime_end {
	struct rt_meta_hdr h;
	__u64 time;
};

struct rt_meta_clock {
	struct rt_meta_hdr h;
	__u64 boottime;
	__u64 hsa;
	__u64 error;
};

_Static_assert(sizeof(struct rt_agent_rec) == 128, "a slot is two cache lines");
_Static_assert(sizeof(struct rt_agent_flight) == 32, "see RT_AGENT_META");
_Static_assert(sizeof(struct rt_agent_header) <= 4096, "header page");
_Static_assert(sizeof(struct rt_agent_control) <= 4096, "control page");
_Static_assert(sizeof(struct rt_agent_state) <= 4096, "state page");
_Static_assert(sizeof(struct rt_meta_agent) % 8 == 0 && sizeof(struct rt_meta_queue) % 8 == 0 &&
		       sizeof(struct rt_meta_clock) % 8 == 0 &&
		       sizeof(struct rt_meta_queue_end) % 8 == 0 &&
		       sizeof(struct rt_meta_kernel) % 8 == 0 &&
		       sizeof(struct rt_meta_code) % 8 == 0 &&
		       sizeof(struct rt_meta_code_end) % 8 == 0 &&
		       sizeof(struct rt_meta_runtime) % 8 == 0 &&
		       sizeof(struct rt_meta_runtime_end) % 8 == 0,
	       "meta records keep 8-byte alignment");

#endif
