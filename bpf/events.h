/* SPDX-License-Identifier: MIT */
/*
 * The records that cross from the kernel to user space, and the numbers both sides share.
 *
 * Every record starts with struct rt_rec. Times are CLOCK_BOOTTIME ns. Process and thread ids are
 * those of the initial pid namespace.
 */
#ifndef RTRACE_BPF_EVENTS_H
#define RTRACE_BPF_EVENTS_H

#include <linux/types.h>

enum rt_rec_kind {
	RT_REC_SPAN = 1, /* struct rt_rec_span: a call returned, or was cut off */
	RT_REC_SPAN_STR, /* struct rt_rec_span_str: the same with a string argument */
	RT_REC_TASK,	 /* struct rt_rec_task: a thread made its first traced call */
	RT_REC_FORK,	 /* struct rt_rec_fork: a traced process started another */
	RT_REC_EXEC,	 /* struct rt_rec: a traced process runs another program */
	RT_REC_EXIT,	 /* struct rt_rec: a thread that had made traced calls ended */
	RT_REC_LIBRARY,	 /* struct rt_rec_open: a file named like a ROCm library was opened */
	RT_REC_AGENT,	 /* struct rt_rec_open: an agent created its shared memory */
	RT_REC_MAPPED,	 /* struct rt_rec_open: such a library's code was mapped */
};

struct rt_rec {
	__u16 kind;
	__u16 size; /* of the whole record */
	__u32 flags;
	__u64 ts; /* SPAN: end */
	__u32 pid, tid;
};

/* rt_rec.flags of spans */
#define RT_SPAN_UNFINISHED 0x1 /* the task or the trace ended inside the call */
#define RT_SPAN_UNWOUND	   0x2 /* the call was left without returning */
#define RT_SPAN_BY_IP	   0x4 /* func is the probed address, not a function id */
#define RT_SPAN_STR_FAULT  0x8 /* the string's page was not resident: read it from outside */
#define RT_SPAN_STR_CUT	   0x10

/* rt_rec.flags of RT_REC_EXIT */
#define RT_EXIT_LAST 0x1 /* of its process: that has ended too */

/* rt_rec.flags of struct rt_rec_open */
#define RT_OPEN_STOPPED 0x1 /* the process was sent SIGSTOP and waits for SIGCONT */

#define RT_ARGS 6

struct rt_rec_span {
	struct rt_rec h;
	__u64 begin;
	__u64 corr;
	__u64 parent; /* corr of the enclosing span, 0 none */
	__u64 root;   /* corr of the outermost span of this thread: own corr at depth 0 */
	__u64 func;   /* function id, or an address with RT_SPAN_BY_IP */
	__u64 ret;
	__u64 args[RT_ARGS];
	__u32 depth;
	__u32 str_len; /* SPAN_STR: bytes without NUL */
};

#define RT_STR_MAX 256

struct rt_rec_span_str {
	struct rt_rec_span span;
	char str[RT_STR_MAX];
};

#define RT_COMM_LEN 16

struct rt_rec_task {
	struct rt_rec h;
	char comm[RT_COMM_LEN];
};

struct rt_rec_fork {
	struct rt_rec h; /* the parent */
	__u32 child;
	__u32 _pad;
};

struct rt_rec_open {
	struct rt_rec h;
	__s32 fd; /* LIBRARY, AGENT */
	__u32 _pad;
};

/*
 * The cookie of a probe: the low 32 bits are the function id + 1, or 0 if one cookie serves many
 * functions, which are then told by their address. RT_COOKIE_STR: the first argument is a C string
 * worth copying.
 */
#define RT_COOKIE(id)	 ((__u64)(id) + 1)
#define RT_COOKIE_ID1(c) ((__u32)(c))
#define RT_COOKIE_STR	 (1ULL << 32)

/* Calls of one thread inside each other that can be followed; deeper ones are counted. */
#define RT_DEPTH 64

/* Counters, per CPU. */
enum rt_count {
	RT_COUNT_SPANS,	     /* sent */
	RT_COUNT_LOST_RING,  /* spans lost: ring full */
	RT_COUNT_LOST_DEPTH, /* spans lost: nested deeper than RT_DEPTH */
	RT_COUNT_LOST_TASK,  /* spans lost: no memory for a thread's call stack */
	RT_COUNT_LOST_NOTE,  /* records of other kinds lost: ring full */
	RT_COUNTS,
};

_Static_assert(sizeof(struct rt_rec) == 24, "record header");
_Static_assert(sizeof(struct rt_rec_span) == 128, "a span is two cache lines");
_Static_assert(sizeof(struct rt_rec_open) % 8 == 0 && sizeof(struct rt_rec_fork) % 8 == 0,
	       "records keep 8-byte alignment");

#endif
