/* SPDX-License-Identifier: MIT */
/*
 * Which files are probed, and in which processes: finds the ROCm libraries that processes map, and
 * programs that have them linked in, reads their functions once a file, and attaches them.
 */
#ifndef RTRACE_PROBE_TARGETS_H
#define RTRACE_PROBE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "user/probe/attach_links.h"
#include "user/api/functions.h"
#include "user/probe/holds.h"
#include "user/probe/kept_off.h"
#include "user/probe/library_probes.h"

struct targets;

struct targets_callbacks {
	/* The process uses that file, which is probed; called once. */
	void (*uses)(pid_t pid, const struct library *lib, void *arg);
	/*
	 * Calls of it may be missing, from `begin` to `end` (CLOCK_BOOTTIME); `what` is the reason.
	 * Called after `uses`.
	 */
	void (*gap)(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg);
	/* Is the process traced? */
	bool (*takes)(pid_t pid, void *arg);
	void *arg;
};

/* Where a library is probed. */
enum targets_reach {
	/*
	 * In each process alone; no other process on the node meets a breakpoint, unless a
	 * process's first thread has ended.
	 */
	REACH_PROCESSES,
	REACH_TREE, /* in a command and all that it starts; see attach_tracefs.h */
	REACH_NODE, /* in every process that maps it */
};

/* All that is given must live as long. */
struct targets *targets__new(struct functions *fns, struct attach *attach, enum targets_reach reach,
			     const struct kept_off *kept_off, struct holds *holds,
			     const struct targets_callbacks *callbacks);
void targets__free(struct targets *t);

/* How many files with API functions the process maps, without probing them; or -errno. */
int targets__count(struct functions *fns, pid_t pid);

/*
 * Probes what the process maps; the trace has not begun yet. Returns how many files with API
 * functions that are, or -errno.
 */
int targets__add_process(struct targets *t, pid_t pid);

/* Calls `fn` for each file that is probed and that the process has mapped, and where. */
void targets__each_library(struct targets *t, pid_t pid,
			   void (*fn)(const struct library *lib, uint64_t base, void *arg),
			   void *arg);

/* Calls `fn` for each process that was added and maps such a file. */
void targets__each_process(struct targets *t, void (*fn)(pid_t pid, void *arg), void *arg);

/*
 * Probes a file before a process uses it: a library, or a program that may have one linked in.
 * Takes over fd. 0 or -errno. Not for REACH_PROCESSES.
 */
int targets__add_file(struct targets *t, int fd, const char *name, bool program);

/* The process has mapped a library's code: probes what it maps, and remembers where. */
void targets__mapped(struct targets *t, pid_t pid, const struct rt_rec_mapped *rec);

/*
 * The process runs another program: probes it if it has ROCm linked in. The time since `since`, in
 * which it may have made calls, is reported as a gap. `by_thread`: a thread other than the first
 * has executed it, and is the first now.
 */
void targets__exec(struct targets *t, pid_t pid, bool by_thread, uint64_t since);

/*
 * Takes the probes out of what the process has mapped, if it is one that probes keep off, and tells
 * that its calls are missing. It should be held.
 */
void targets__keep_off(struct targets *t, pid_t pid);

/* A traced process has started that one, at `since`. */
void targets__forked(struct targets *t, pid_t child, uint64_t since);

/*
 * The process's first thread has ended, at `since`, and others go on: its libraries are probed in
 * all processes from now on. A gap is reported if probes were taken out meanwhile.
 */
void targets__first_thread_ended(struct targets *t, pid_t pid, uint64_t since);

/*
 * The process has made its first call, at `ts`: finds and probes its files, which a child has
 * without records of them.
 */
void targets__called(struct targets *t, pid_t pid, uint64_t ts);

/* All records up to that time were handed in. */
void targets__drained(struct targets *t, uint64_t until);

/*
 * Finds and probes the files of a process as records are missing. Of files that are new to it calls
 * since `since` may be missing.
 */
void targets__look(struct targets *t, pid_t pid, uint64_t since);

/* The process has ended. */
void targets__exit(struct targets *t, pid_t pid);

/* Functions probed in all files. */
size_t targets__function_count(const struct targets *t);

#endif
