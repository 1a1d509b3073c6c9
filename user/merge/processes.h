/* SPDX-License-Identifier: MIT */
/*
 * What the tracer knows of the processes and threads that it has met.
 */
#ifndef RTRACE_MERGE_PROCESSES_H
#define RTRACE_MERGE_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "common/hash.h"
#include "user/merge/trace_control.h"
#include "user/event/event.h"
#include "user/merge/external_ids.h"
#include "user/merge/call_nesting.h"
#include "user/merge/hip_streams.h"
#include "user/merge/open_ranges.h"

struct agent_view;
struct birth;
struct gpu_op;

/* A finished call, remembered for GPU operations with late records. */
struct recent_span {
	uint64_t begin, end, corr, root;
	uint32_t stream;
};

#define OPEN_CAUSES	 16
#define RECENT_SPANS	 1024
#define RECENT_SPANS_MAX 65536 /* where more calls end in a second */

struct thread {
	uint64_t key; /* pid << 32 | tid */
	uint32_t pid, tid;
	uint64_t ns_key; /* pid << 32 | the id in its own pid namespace, 0 unknown */
	bool told;	 /* to the sinks */
	bool renamed;	 /* since it was reported */
	bool named;	 /* by roctx: what the kernel calls it does not matter */
	bool unknown;	 /* it was not there when it was named */
	char comm[64];
	struct recent_span recent[RECENT_SPANS]; /* a ring */
	struct recent_span *more_recent;	 /* in its place, NULL: it is enough */
	uint32_t more_spans;			 /* size of that, a power of two */
	uint64_t recent_count;
	struct gpu_op *unsettled; /* submitted, waiting for the call that did it; oldest first */
	struct gpu_op *found;	  /* that is known: waiting for the outermost call to end */
	uint64_t causes[OPEN_CAUSES]; /* open calls that their agent has named as causes; 0: none */
	uint32_t last_cause;
	struct range_stack ranges;
	struct external_stack external;
	struct off_times off;
	struct nesting *nesting;     /* NULL: no call of it is captured by an agent */
	bool makes_calls, calls_hip; /* that are captured */
	uint32_t device;	     /* that hipSetDevice has set */
	uint64_t caused_root;	     /* the outermost call of the last operation ... */
	uint32_t caused_last;	     /* ... and the operation's number in it, from 0 */
	uint64_t launched_root; /* the outermost call of the last dispatch that was settled ... */
	const char *launched_kernel;  /* ... and what it was of */
	uint64_t launching_corr;      /* the launch with operations being settled ... */
	const char *launching_kernel; /* ... and its kernel, as the call has it; NULL: unknown */
	UT_hash_handle hh;
	UT_hash_handle hh_ns;
};

struct process {
	uint32_t pid;
	bool told;
	bool renamed; /* since it was reported */
	char comm[16];
	char cmdline[RT_CMDLINE_MAX + 1];
	char cgroup[512];
	uint32_t unknown_threads; /* that it named, and that are remembered */
	uint64_t looked;	  /* when one was last looked for in /proc */
	/* Programs that it ran before: as far as records were drained, and as far as released. */
	uint32_t programs_drained, programs;
	bool captured;	     /* it made a call that passed the filters */
	uint32_t ns_pid;     /* its id in its own pid namespace, 0: ours */
	char libraries[512]; /* base names of the files that it was probed in, with ", " between */
	struct started_range *started; /* ranges by start/stop */
	struct off_times off;
	bool calls_hip;
	struct streams streams;
	struct birth *births; /* its threads: runtime_threads.c's */
	uint32_t birth_count, worker_op_count;
	struct gpu_op *worker_ops; /* submitted by threads of the runtime; oldest first */
	const struct agent_view *devices_told; /* the agent with devices that the sinks know */
	UT_hash_handle hh;
	uint64_t ended;		     /* when; 0: it runs */
	struct process *prev, *next; /* among those that have ended */
};

struct tasks;

struct tasks *processes__new(void);
void processes__free(struct tasks *t);

/*
 * The process or thread of that id, made if new; NULL only if out of memory. For callers that go
 * through the records in the order of time: the id means an ended process until that is removed,
 * even if another process has the number by now.
 */
struct process *processes__process(struct tasks *t, uint32_t pid);
struct thread *processes__thread(struct tasks *t, uint32_t pid, uint32_t tid);

/* The same, but NULL if not known. */
struct process *processes__find_process(struct tasks *t, uint32_t pid);
struct thread *processes__find_thread(struct tasks *t, uint32_t pid, uint32_t tid);

/* The process that has the number now, made if new, which reads its names while it is there. */
struct process *processes__running_process(struct tasks *t, uint32_t pid);

struct process *processes__find_running(struct tasks *t, uint32_t pid);

/* The running process has ended: it is kept until its last record is seen. */
void processes__end_process(struct tasks *t, uint32_t pid, uint64_t ts);

/*
 * The process that had the number at that time, made if new: for callers that take records in the
 * order of the rings, where a process's end may come before its records of another CPU.
 */
struct process *processes__process_at(struct tasks *t, uint32_t pid, uint64_t ts);

/*
 * What the kernel saw of a process's names when it was there: `comm` has 16 bytes, or ends before
 * that with a NUL; `args` are its arguments, each ended by a NUL; none if they could not be read,
 * which changes nothing.
 */
void process__named(struct process *p, const char *comm, const char *args, size_t size);

/*
 * The thread that has that id in the pid namespace of its process, as programs and agents in
 * containers report it. A thread unknown by such an id is looked for in /proc, if the process is in
 * another namespace than ours; else `ns_tid` is taken as it is.
 */
struct thread *processes__thread_by_ns_tid(struct tasks *t, uint32_t pid, uint32_t ns_tid);
void processes__set_ns_tid(struct tasks *t, struct thread *th, uint32_t ns_tid);

/* How tracing begins in processes: RT_OFF_*. */
void processes__set_initially_off(struct tasks *t, uint32_t off);

/*
 * The thread has started a process of that id, which begins as its parent is: switched on or off,
 * with the thread's external IDs.
 */
void processes__fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t child);

/* The process runs another program, in that thread: it begins as every program does. */
void processes__exec(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t now);

/* Calls `fn` for all. `fn` may not add any, nor remove another than it is called for. */
void processes__each_process(struct tasks *t, void (*fn)(struct process *, void *arg), void *arg);
void processes__each_thread(struct tasks *t, void (*fn)(struct thread *, void *arg), void *arg);

/* Forgets a thread that ended. */
void processes__remove_thread(struct tasks *t, struct thread *thread);

/* Forgets the process that processes__process gives for that id. Its threads are not its business.
 */
void processes__remove_process(struct tasks *t, uint32_t pid);

#endif
