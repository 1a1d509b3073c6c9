/* SPDX-License-Identifier: MIT */
/*
 * Where calls of HIP, HSA and roctx that are captured inside of the process go: the part of the
 * agent's memory (agent_ring.h) that threads write spans to, and the tracer reads.
 *
 *   RT_SPANS_CONTROL  struct rt_spans_control   written by the tracer, read by the agent
 *   RT_SPANS_STATE    struct rt_spans_state     written by the agent
 *   RT_SPANS_THREADS  struct rt_span_thread[]   each written by the thread that has it
 *   RT_SPANS_CHUNKS   struct rt_span_chunk[]    each written by the thread that has taken it
 *   RT_SPANS_OWNED    enum rt_span_chunk_state[], a byte each, of the chunks
 *
 * offsets from header.spans_off.
 *
 * The tracer numbers the functions and states how a call of each goes on after the probed
 * instruction: calls that the agent captures take no trap, all others do, so each call is seen
 * once, whichever way it takes. Numbers are given for as long as the process lives. So a record
 * means the same to each tracer, though the function may be one that only the tracer before it has
 * wanted.
 *
 * A thread that makes its first call takes a place among the threads and a chunk. Each call that
 * returns appends one record to its thread's chunk and then moves `used` on, so the tracer sees
 * whole records only; when the next one does not fit the thread takes another chunk and lists it.
 * The tracer reads a thread's chunks in the order of its list and sets them free; when the thread
 * has ended and all is read, its place, too. Nothing is shared between threads but the search for a
 * free chunk, once in some hundred calls. If there is none the record is dropped and counted.
 *
 * The calls that a thread is in are stored in rt_span_thread.open. So they can be reported for a
 * thread that was killed, or is in a call when the trace ends; and the kernel finds the call that
 * encloses the calls it captures itself.
 *
 * All wanted calls are captured: whether tracing is on at the moment the tracer finds out, by when
 * they began.
 *
 * Correlation ids are the process's own, from 1 on; the tracer adds a number that makes them unique
 * on the node. Times are CLOCK_BOOTTIME ns. Nothing here is to be trusted by the tracer, see
 * agent_ring.h.
 */
#ifndef RTRACE_ABI_SPAN_RING_H
#define RTRACE_ABI_SPAN_RING_H

#include <linux/types.h>

#include "abi/bpf_records.h"

#define RT_SPANS_FUNCTIONS   1024 /* that can be captured in a process */
#define RT_SPANS_THREADS_MAX 1024 /* that make calls, at a time */
#define RT_SPANS_DEPTH	     64	  /* calls of a thread inside each other */
#define RT_SPANS_WORDS	     256  /* that these share for arguments on the stack */
#define RT_SPANS_LIST	     2048 /* chunks that a thread can be ahead of the tracer */
#define RT_SPANS_CHUNK_SIZE  32768
#define RT_SPANS_CHUNK_COUNT 2048

/* How a call goes on that has been captured: past the instruction that is probed. */
enum rt_span_way {
	RT_SPAN_WAY_NONE, /* it is not captured */
	RT_SPAN_WAY_JUMP, /* at `next`: what was passed does nothing */
	RT_SPAN_WAY_PUSH, /* pushes the register on the stack, then as above */
	/*
	 * Where the variable at `next` leads to, or the table that this leads to, at `offset`: it
	 * is a function that jumps on to there.
	 */
	RT_SPAN_WAY_VARIABLE,
	RT_SPAN_WAY_TABLE,
};

/* What is to be captured of a function; it is wanted while the tracer is there. */
struct rt_spans_function {
	__u32 way;	  /* enum rt_span_way, stored last; it and the following stay */
	__u8 pushed;	  /* register, by its number in instructions */
	__u8 registers;	  /* that may hold arguments, at most RT_ARGS */
	__u8 stack_words; /* that do, at most RT_STACK_WORDS */
	__u8 instant;	  /* takes no time, if it calls no tool: begin is end */
	__u64 entry;	  /* where it begins, in the process */
	__u64 next, offset;
	/* These are as the tracer wants them that is there. */
	__u32 wanted;
	__u32 _pad;
	struct rt_plan plan; /* as in abi/bpf_records.h */
};

struct rt_spans_control {
	__u32 wanted;	  /* 1: calls are to be captured by the agent; with control.active */
	__u32 generation; /* counted up when something else here has changed */
	__u32 count;	  /* functions that have numbers */
	__u32 _pad;
	__u64 freed; /* chunks that were set free so far */
	/* By number, the first `count`. Those that an agent knows at its start are there then. */
	struct rt_spans_function functions[RT_SPANS_FUNCTIONS];
};

struct rt_spans_state {
	__u64 since;	  /* calls that begin are captured (0: never), CLOCK_BOOTTIME in ns, ... */
	__u64 until;	  /* ... until then; they still are if that is not after it */
	__u32 generation; /* of the control that it goes by */
	__u32 _pad;
	__u64 corr;    /* ids given to threads so far */
	__u64 taken;   /* chunks so far */
	__u32 threads; /* places that were ever taken are below that */
	__u32 count;   /* functions of the control that are known */
	/* From where a thread's pointer (fs) leads to, to the address of its rt_span_thread. */
	__s64 thread_offset;
	__u64 places; /* how many that call these functions lead to the agent now */
};

/* A call that a thread is in, or was. */
struct rt_span_frame {
	__u64 begin;
	__u64 corr;
	__u64 sp; /* address of the return address: a call is left when the stack is shorter */
	__u16 func;
	__u16 first_word; /* on the stack, from there in rt_span_thread.words */
	__u8 word_count;
	__u8 arg_count;
	__u16 _pad;
	__u64 args[RT_ARGS];
};

/* rt_span_thread.state */
enum rt_span_thread_state {
	RT_SPAN_THREAD_FREE,
	RT_SPAN_THREAD_TAKEN,
	RT_SPAN_THREAD_ENDED, /* free as soon as the tracer has read it */
};

struct rt_span_thread {
	__u32 state;
	__u32 tid; /* gettid(): in the process's own pid namespace; like name and times, its own */
	char name[16];
	__u64 joined, ended; /* when it made its first call, and when it ended */
	__u64 busy;   /* not 0: it is writing, so a record may be older than it comes to be seen */
	__u64 depth;  /* frames in `open` */
	__u64 lost;   /* calls, for lack of a chunk, deeper than RT_SPANS_DEPTH, or in a signal
		       * handler that has interrupted the writing of another */
	__u64 listed; /* chunks so far; that of number n is in list[n % RT_SPANS_LIST] */
	__u64 _pad[7];
	__u64 read; /* chunks that were read; written by the tracer */
	__u64 _pad2[7];
	__u16 list[RT_SPANS_LIST];
	struct rt_span_frame open[RT_SPANS_DEPTH];
	__u64 words[RT_SPANS_WORDS];
};

/* Of those that are free the first is taken: its pages are there, most likely. */
enum rt_span_chunk_state {
	RT_SPAN_CHUNK_FREE, /* set by the tracer */
	RT_SPAN_CHUNK_TAKEN,
};

struct rt_span_chunk {
	__u64 closed; /* nothing is added any more */
	__u64 used;   /* bytes of `data`, whole records */
	char data[RT_SPANS_CHUNK_SIZE - 16];
};

struct rt_span_rec {
	__u16 size; /* of the whole record, a multiple of 8 */
	__u16 func;
	__u8 flags; /* RT_SPAN_* of abi/bpf_records.h */
	__u8 depth;
	__u8 arg_count; /* at most RT_ARGS */
	__u8 _pad;
	__u64 begin, end;
	__u64 corr, parent, root;
	__u64 ret;
	__u64 args[]; /* then struct rt_item, as after a struct rt_rec_span */
};

/* The largest record: of all arguments, and RT_DATA_MAX bytes of items whatever the number of
 * arguments. */
#define RT_SPAN_REC_MAX (sizeof(struct rt_span_rec) + RT_ARGS * sizeof(__u64) + RT_DATA_MAX)

#define RT_SPANS_CONTROL 0
#define RT_SPANS_STATE	 98304
#define RT_SPANS_OWNED	 102400
#define RT_SPANS_THREADS 106496
#define RT_SPANS_CHUNKS \
	((RT_SPANS_THREADS + RT_SPANS_THREADS_MAX * sizeof(struct rt_span_thread) + 4095) & ~4095UL)
#define RT_SPANS_SIZE (RT_SPANS_CHUNKS + (__u64)RT_SPANS_CHUNK_COUNT * RT_SPANS_CHUNK_SIZE)

_Static_assert(sizeof(struct rt_spans_control) <= RT_SPANS_STATE, "control pages");
_Static_assert(sizeof(struct rt_spans_function) == 88, "no holes");
_Static_assert(RT_SPANS_OWNED + RT_SPANS_CHUNK_COUNT <= RT_SPANS_THREADS, "a byte each");
_Static_assert(sizeof(struct rt_span_frame) == 80, "no holes");
_Static_assert(sizeof(struct rt_span_thread) % 64 == 0, "a thread has cache lines of its own");
_Static_assert(sizeof(struct rt_span_chunk) == RT_SPANS_CHUNK_SIZE, "chunks are pages");
_Static_assert(sizeof(struct rt_span_rec) == 56, "no holes");

#endif
