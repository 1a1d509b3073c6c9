/* SPDX-License-Identifier: MIT */
/*
 * Reads what /proc tells of a process. Everything in it may come from a hostile process: names are
 * taken as bytes, sizes are bounded, and a process may be gone at any moment (-ESRCH, -ENOENT).
 */
#ifndef RTRACE_PROCFS_H
#define RTRACE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	bool exec;
	const char *path; /* "" for anonymous memory; valid during the callback */
};

/*
 * Takes a line of /proc/PID/maps apart; the line is changed, and m->path points into it. false: it
 * is none.
 */
bool procfs__parse_mapping(char *line, struct mapping *m);

/* Calls `fn` for every mapping until it returns non-zero; returns that, 0, or -errno. */
int procfs__mappings(pid_t pid, int (*fn)(const struct mapping *, void *arg), void *arg);

/* Opens the very file that is mapped at [start, end), whatever mount namespace it lies in. */
int procfs__open_mapping(pid_t pid, const struct mapping *m, int flags);

/*
 * Opens the regular file that the process has as descriptor `fd`. -EBADF if it has none such,
 * -EINVAL if it is no regular file: opening a FIFO, say, could block us for ever.
 */
int procfs__open_fd(pid_t pid, int fd, int flags);

/*
 * Opens a file for reading if it is a regular one, without opening it if it is anything else: that
 * may block, or do something to a device. -errno.
 */
int procfs__open_regular(const char *path);

/* Calls `fn` for every process id until it returns non-zero; returns that, 0, or -errno. */
int procfs__processes(int (*fn)(pid_t pid, void *arg), void *arg);

/* First line of /proc/PID/comm, or "?" if the process is gone. */
void procfs__comm(pid_t pid, char *buf, size_t size);
void procfs__thread_comm(pid_t pid, pid_t tid, char *buf, size_t size);

/* The control group of the unified hierarchy, "/user.slice/...". "" if it is not known. */
void procfs__cgroup(pid_t pid, char *buf, size_t size);

/* The id that the process has in its own pid namespace; 0 if that is ours, or it is gone. */
pid_t procfs__ns_pid(pid_t pid);

/*
 * Is what it takes for CLOCK_MONOTONIC or CLOCK_BOOTTIME another time than the kernel's, by a time
 * namespace?
 */
bool procfs__has_own_clock(pid_t pid);

/* The thread of a process that has that id in its own pid namespace; 0: there is none. */
pid_t procfs__tid_by_ns_tid(pid_t pid, pid_t ns_tid);

/* Arguments joined by spaces, cut at size. "" if there is none. */
void procfs__cmdline(pid_t pid, char *buf, size_t size);

/* The same of arguments that each end in a NUL; there is room for size + 1. */
void procfs__join_arguments(char *args, size_t size);

/* Reads up to `size` bytes of the process's memory; fewer at the end of a mapping. Count or -errno.
 */
ssize_t procfs__read_memory(pid_t pid, uint64_t address, void *buf, size_t size);

/* The last component of a path, without " (deleted)". */
void procfs__basename(const char *path, char *buf, size_t size);

#endif
