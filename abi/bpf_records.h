/* SPDX-License-Identifier: MIT */
/*
 * The records that cross from the kernel to user space, and the numbers both sides share.
 *
 * Every record starts with struct rt_rec. Times are CLOCK_BOOTTIME ns. Process and thread ids are
 * those of the initial pid namespace.
 */
#ifndef RTRACE_ABI_BPF_RECORDS_H
#define RTRACE_ABI_BPF_RECORDS_H

#include <linux/types.h>

enum rt_rec_kind {
	RT_REC_SPAN = 1, /* struct rt_rec_span: a call returned, or was cut off; items follow */
	RT_REC_TASK,	 /* struct rt_rec_task: a thread made its first traced call */
	RT_REC_FORK,	 /* struct rt_rec_fork: a traced process started another */
	RT_REC_THREAD,	 /* struct rt_rec_fork: a thread was started inside a call */
	RT_REC_EXEC,	 /* struct rt_rec: a process runs another program */
	RT_REC_EXIT,	 /* struct rt_rec: a thread with traced calls ended, or a first thread */
	RT_REC_MAPPED,	 /* struct rt_rec_mapped: the code of a ROCm library was mapped */
	RT_REC_AGENT,	 /* struct rt_rec_agent: an agent created its shared memory */
	RT_REC_DISPATCH, /* struct rt_rec_dispatch: a packet was submitted to a queue */
	RT_REC_SIGNAL,	 /* struct rt_rec_signal: a signal is about to be lost to packets */
	RT_REC_ENDED,	 /* struct rt_rec_ended: an operation of a process that is being killed */
	RT_REC_OPEN,	 /* struct rt_rec_open: a call began where an agent captures others */
	RT_REC_NAME,	 /* struct rt_rec_task, no ns_tid: what a thread is called from now on */
};

struct rt_rec {
	__u16 kind;
	__u16 size; /* of the whole record */
	__u32 flags;
	__u64 ts; /* SPAN: end */
	__u32 pid, tid;
};

/* rt_rec.flags: by an agent, and `tid` is as the process knows it */
#define RT_REC_BY_AGENT 0x80000000

/* rt_rec.flags of spans */
#define RT_SPAN_UNFINISHED 0x1	/* the task or the trace ended inside the call */
#define RT_SPAN_UNWOUND	   0x2	/* the call was left without returning */
#define RT_SPAN_QUIET	   0x8	/* tracing was off here: sent because RT_PLAN_KEEP wants it */
#define RT_SPAN_ENTRY	   0x10 /* only the entry was seen, and is all there is: end == begin */

/* rt_rec.flags of RT_REC_EXIT */
#define RT_EXIT_LAST   0x1 /* of its process: that has ended too */
#define RT_EXIT_KILLED 0x2 /* by a signal */
#define RT_EXIT_FIRST  0x4 /* of its process, which goes on */

/* rt_rec.flags of RT_REC_EXEC */
#define RT_EXEC_BY_THREAD 0x1 /* not by the first thread: the thread has taken its place */

/* rt_rec.flags of struct rt_rec_mapped */
#define RT_MAPPED_STOPPED 0x1 /* the process was sent SIGSTOP and waits for SIGCONT */
#define RT_MAPPED_KNOWN	  0x2 /* the file was probed there before */

#define RT_ARGS 6

struct rt_rec_span {
	struct rt_rec h;
	__u64 begin;
	__u64 corr;
	__u64 parent; /* corr of the enclosing span, 0 none */
	__u64 root;   /* corr of the outermost span of this thread: own corr at depth 0 */
	__u64 func;   /* function id */
	__u64 ret;
	__u64 args[RT_ARGS];
	__u32 depth;
	__u32 _pad;
};

/*
 * After a span, up to its size: what its function's plan asked for, each at a multiple of 8.
 * Nothing is read for calls that did not return (RT_SPAN_UNFINISHED, RT_SPAN_UNWOUND); the stack's
 * words are there always.
 */
struct rt_item {
	__u8 kind;  /* RT_ITEM_* */
	__u8 index; /* READ: of rt_plan.read */
	__u16 len;  /* bytes that follow, without the padding; strings without NUL */
	__u32 flags;
};

enum rt_item_kind {
	RT_ITEM_STACK = 1, /* the words above the return address, as they were at the entry */
	RT_ITEM_READ,	   /* memory of the process at the time of the return */
	RT_ITEM_CALLERS,   /* addresses on the user stack, innermost first, at the return */
	RT_ITEM_SSE,	   /* the low 8 bytes of %xmm0, %xmm1, ... at the entry */
};

/* rt_item.flags */
/* Not readable, or its page not resident: nothing follows, or where a string is, 8 bytes. */
#define RT_ITEM_FAULT 0x1
#define RT_ITEM_CUT   0x2 /* the string is longer */

/*
 * What is to be taken of a function's calls beside the six argument registers, by function id.
 *
 * A word is an argument of up to 8 bytes: 0..5 are the argument registers in order, 6.. the words
 * above the return address, RT_WORD_RET is what the function returned.
 */
#define RT_STACK_WORDS 16 /* at most, of a call */
#define RT_READS       8  /* at most, of a call */
#define RT_READ_MAX    256
#define RT_DATA_MAX    1024 /* bytes of all items of a call: what does not fit is left out */
#define RT_WORD_RET    0xff

enum rt_read_kind {
	RT_READ_BYTES = 1, /* `len` bytes at the word */
	RT_READ_STRING,	   /* the C string at the word, at most `len` bytes without its NUL */
	RT_READ_STRING_AT, /* the C string at the address stored at the word */
};

struct rt_read {
	__u8 kind; /* enum rt_read_kind */
	__u8 word;
	__u16 len; /* at most RT_READ_MAX */
};

/* Which return values mean that the call failed. */
enum rt_failure {
	RT_FAILURE_NONE,
	RT_FAILURE_NONZERO,  /* the low 32 bits are neither 0 nor rt_plan.benign */
	RT_FAILURE_NEGATIVE, /* the low 32 bits are negative */
};

/* Has a call that returned this failed? `benign`: see RT_FAILURE_NONZERO. */
static inline __attribute__((always_inline)) int rt_has_failed(__u8 failure, __u32 benign,
							       __u64 ret)
{
	__u32 low = ret;

	if (failure == RT_FAILURE_NONZERO)
		return low && low != benign;
	return failure == RT_FAILURE_NEGATIVE && (__s32)low < 0;
}

struct rt_plan {
	__u8 stack_words;
	__u8 reads;
	__u8 failure; /* enum rt_failure */
	__u8 control; /* enum rt_control */
	__u32 benign;
	__u32 flags; /* RT_PLAN_* */
	__u32 _pad;
	struct rt_read read[RT_READS];
};

/* rt_plan.flags */
#define RT_PLAN_KEEP  0x1 /* needed to understand other calls: no filter leaves it out */
#define RT_PLAN_STACK 0x2 /* take the user stack */
#define RT_PLAN_THUNK 0x4 /* of the thunk library: system calls inside it add nothing new */
#define RT_PLAN_ENTRY 0x8 /* do not probe the return: an exception may pass through the call */

/* Functions of one number belong together: they may call each other. */
#define RT_PLAN_DOMAIN(d)    ((__u32)(d) << 16)
#define RT_PLAN_DOMAIN_OF(f) ((f) >> 16)

#define RT_FUNCTIONS   8192 /* ids of functions stay below that */
#define RT_STACK_DEPTH 32   /* calls of a user stack */

/* Functions that say what of their process is to be traced. */
enum rt_control {
	RT_CONTROL_NONE,
	RT_CONTROL_START,  /* roctracer_start */
	RT_CONTROL_STOP,   /* roctracer_stop */
	RT_CONTROL_RESUME, /* roctxProfilerResume(thread) */
	RT_CONTROL_PAUSE,  /* roctxProfilerPause(thread) */
};

/* Why tracing is off in a process. */
#define RT_OFF_STOPPED 0x1 /* roctracer_stop, --trace-start off */
#define RT_OFF_PAUSED  0x2 /* roctxProfilerPause, --selected-regions */

/* A process that is to be captured, or that has switched tracing on or off; by its id. */
struct rt_process_state {
	__u32 off;     /* RT_OFF_* */
	__u32 pauses;  /* how often roctxProfilerPause(0) or Resume(0) was called */
	__u32 threads; /* single threads were paused or resumed */
	__u32 _pad;
};

/* Of a process and the program that it executes. */
struct rt_program_state {
	__u32 callers; /* threads that made calls and have not ended */
	__u32 ended;   /* its end was reported */
	/*
	 * With RT_REC_DISPATCH: when it last began to unload code, or executed the program. Before
	 * that changes, `unloader` is set: the thread that unloads, until it stores to a doorbell;
	 * RT_UNLOADERS if there were several at a time. 0: nothing is being unloaded.
	 */
	__u64 unloaded;
	__u32 unloader;
	__u32 _pad;
};

#define RT_UNLOADERS 0xffffffff

/* Files that are probed together: a bit each of what a process has. */
#define RT_FILE_GROUPS 64

/* A file that is probed. */
struct rt_file {
	__u64 ino;
	__u32 dev; /* as in the kernel: major << 20 | minor */
	__u32 _pad;
};

#define RT_PROBE_FILE 32

/* A probe of a tracefs event, as the tracer has defined it. */
struct rt_probe {
	char file[RT_PROBE_FILE]; /* its name there, filled up with zeros */
	__u64 offset;
};

#define RT_FILTERS 16 /* values of one kind of filter */

#define RT_COMM_LEN 16

struct rt_rec_task {
	struct rt_rec h;
	char comm[RT_COMM_LEN];
	__u32 ns_tid; /* the thread's id in its own pid namespace */
	__u32 _pad;
};

struct rt_rec_fork {
	struct rt_rec h; /* the parent */
	__u32 child;	 /* process, or thread */
	__u32 _pad;
	__u64 corr;	  /* THREAD: of the outermost call that is open in the parent */
	__u64 agent_corr; /* ... and of that which an agent captures */
};

/* The innermost call of a thread that an agent captures; all 0: none. */
struct rt_around {
	__u64 corr;
	__u64 root; /* the outermost's */
	__u64 begin;
	__u64 depth; /* how many there are */
};

/* Where the agent of a process has the calls that its threads are in. */
struct rt_agent_calls {
	__s64 thread_offset; /* as in struct rt_spans_state of abi/span_ring.h */
	__u64 first_corr;    /* what is added to the ids of the process */
};

struct rt_rec_open {
	struct rt_rec h; /* ts: when the call began */
	__u64 corr;
	__u64 parent, root; /* as in struct rt_rec_span: of the calls that the kernel captures */
	__u32 depth;	    /* likewise */
	__u32 _pad;
	struct rt_around around;
};

#define RT_CMDLINE_MAX 1024

/* Names the process too: it may have ended before user space can ask. */
struct rt_rec_mapped {
	struct rt_rec h;
	char name[64]; /* of the file, without its folder */
	char comm[16];
	__u32 cmdline_size; /* 0: could not be read */
	__u32 _pad;
	char cmdline[RT_CMDLINE_MAX]; /* the arguments, each ended by a NUL; the last may be cut */
};

struct rt_rec_agent {
	struct rt_rec h;
	__s32 fd; /* of its memory, in the process */
	__u32 _pad;
};

/*
 * A packet of an AQL queue, as it was just before the doorbell store (doorbell.h). Kernel
 * dispatches are sent, and other packets that complete a signal of a queue that takes times.
 */
struct rt_rec_dispatch {
	struct rt_rec h;
	__u64 queue;	  /* address of the queue */
	__u64 queue_id;	  /* unique in its process */
	__u64 doorbell;	  /* address of the word that the GPU looks at, ... */
	__u64 mapped;	  /* ... and the offset at which its device is mapped there; 0: unknown */
	__u64 index;	  /* of the packet in the queue, from 0 */
	__u64 read_index; /* packets below that one were taken by the GPU */
	__u64 packet[8];
	__s64 value;		      /* of the packet's completion signal: ... */
	__u64 start_ticks, end_ticks; /* ... and the times of the packet that used it before */
	__u64 unloaded;		      /* rt_program_state.unloaded */
	__u32 properties;	      /* of the queue: RT_QUEUE_* */
	__u32 _pad;
};

/* rt_rec.flags of struct rt_rec_dispatch */
#define RT_DISPATCH_PASSED 0x1 /* submitted with a later packet: may be another thread's */
#define RT_DISPATCH_TAKEN  0x2 /* the GPU had it already: its type is lost, the rest is there */
#define RT_DISPATCH_MISSING                                                                     \
	0x4		       /* PASSED, and not there yet, or no more: the packet is not sent \
				*/
#define RT_DISPATCH_SIGNAL 0x8 /* value, start_ticks and end_ticks could be read */

#define RT_QUEUE_PROFILED 0x8 /* the GPU writes times into completion signals */

/* rt_rec.flags of struct rt_rec_signal */
#define RT_SIGNAL_USED 0x1 /* by a copy; else it is destroyed */

struct rt_rec_signal {
	struct rt_rec h;
	__u64 signal;
	__s64 value;
	__u64 start_ticks, end_ticks;
};

/* A GPU operation that had ended when its process was killed; its agent may have said it before. */
struct rt_rec_ended {
	struct rt_rec h;
	__u64 op;		      /* its number: the agent's */
	__u64 begin_ticks, end_ticks; /* of the agent's clock; both 0: not known */
	__s64 value;		      /* of its signal */
	__u32 agent;
	__u32 _pad;
};

/*
 * The cookie of a probe: in its low half the function id + 1, or 0 if one cookie serves many
 * functions, which are then known by their address.
 */
#define RT_COOKIE(id)	 ((__u64)(id) + 1)
#define RT_COOKIE_ID1(c) ((__u32)(c))
/* With the number of a struct rt_behind; 0: the probe is where the function begins. */
#define RT_COOKIE_BEHIND(n)    ((__u64)(n) << 32)
#define RT_COOKIE_BEHIND_OF(c) ((__u32)((c) >> 32) & 0x3fffffff)
/*
 * The link is one for all processes. A process may have links of its own beside it: then each entry
 * is seen twice, once with this bit and once without.
 */
#define RT_COOKIE_EVERYWHERE (1ULL << 62)

/* A probe past a trampoline: bytes of the library's code before and after it. */
struct rt_behind {
	__u64 before, after;
};

#define RT_BEHINDS 65536

/*
 * A second probe in a function, where it has put its floating-point arguments on the stack (the
 * cookie has this bit, and the number of a struct rt_spills).
 */
#define RT_COOKIE_SPILLS	(1ULL << 63)
#define RT_COOKIE_SPILLS_NUM(n) (RT_COOKIE_SPILLS | (__u64)(n) << 32)
#define RT_COOKIE_SPILLS_OF(c)	((__u32)((c) >> 32) & 0x3fffffff)
#define RT_SSE			4 /* at most, of a function */

struct rt_spills {
	__u32 count;
	__s32 slot[RT_SSE]; /* bytes from the address of the return address */
};

/* Calls of one thread inside each other that can be followed; deeper ones are counted. */
#define RT_DEPTH 64

/* Counters, per CPU. */
enum rt_count {
	RT_COUNT_LOST_RING,  /* spans lost: ring full */
	RT_COUNT_LOST_DEPTH, /* spans lost: nested deeper than RT_DEPTH */
	RT_COUNT_LOST_TASK,  /* spans lost: no memory for a thread's call stack, or a probe of ours
				that is unknown */
	RT_COUNT_LOST_NOTE,  /* records of other kinds lost: ring full */
	RT_COUNT_LOST_END,   /* ends of GPU operations lost: ring full */
	RT_COUNT_LOST_DISPATCH, /* packets not sent: ring full, not readable, too many at once */
	RT_COUNT_OLD_DISPATCH,	/* packets of queues that were in use before they were first seen */
	RT_COUNTS,
};

_Static_assert(sizeof(struct rt_rec) == 24, "record header");
_Static_assert(sizeof(struct rt_rec_span) == 128, "a span is two cache lines");
_Static_assert(sizeof(struct rt_rec_dispatch) == 176, "no holes");
_Static_assert(sizeof(struct rt_item) == 8 && RT_DATA_MAX % 8 == 0, "items keep 8-byte alignment");
_Static_assert(sizeof(struct rt_rec_mapped) % 8 == 0 && sizeof(struct rt_rec_agent) % 8 == 0 &&
		       sizeof(struct rt_rec_fork) % 8 == 0,
	       "records keep 8-byte alignment");

#endif
