/* SPDX-License-Identifier: MIT */
/*
 * Reads a process's files in /proc. Everything in them may come from a hostile process: names are
 * taken as bytes, sizes are bounded, and a process may end at any moment (-ESRCH, -ENOENT).
 */
#ifndef RTRACE_BASE_PROCFS_H
#define RTRACE_BASE_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The id by which /proc, process_vm_readv(2) and others know the process: its own, or that of a
 * thread that lives, if its first thread has ended (main() may call pthread_exit). An ended thread
 * has no mappings, files, folders or environment. As is, if no thread lives.
 */
pid_t procfs__living(pid_t pid);

/* Is each of its threads stopped, or in a wait of the kernel's that no signal ends? */
bool procfs__is_stopped(pid_t pid);

/* Is it stopped by a signal or by a debugger? */
bool procfs__is_suspended(pid_t pid);

/* The process that has a thread of that id; 0: there is none. */
pid_t procfs__process_of(pid_t tid);

#define PROCFS_PATH 96

/* The path of a file that /proc has of the process, of a thread that lives. `name`: "exe". */
void procfs__path(char path[PROCFS_PATH], pid_t pid, const char *name);

/*
 * Such a file's bytes, the first MiB, with a NUL after them; 0: there are none. `*text` is the
 * caller's to free.
 */
size_t procfs__read_all(pid_t pid, const char *name, char **text);

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

/* Opens the very file that is mapped at [start, end), whatever its mount namespace. */
int procfs__open_mapping(pid_t pid, const struct mapping *m, int flags);

/*
 * Opens the regular file that the process has as descriptor `fd`. -EBADF if it has none such,
 * -EINVAL if it is no regular file: opening a FIFO, for example, could block the tracer for ever.
 */
int procfs__open_fd(pid_t pid, int fd, int flags);

/*
 * Opens a file for reading if it is a regular one, without opening it if it is anything else: that
 * may block, or do something to a device. -errno.
 */
int procfs__open_regular(const char *path);

/* Calls `fn` for every process id until it returns non-zero; returns that, 0, or -errno. */
int procfs__processes(int (*fn)(pid_t pid, void *arg), void *arg);

/* First line of /proc/PID/comm, or "?" if the process has ended. */
void procfs__comm(pid_t pid, char *buf, size_t size);
void procfs__thread_comm(pid_t pid, pid_t tid, char *buf, size_t size);

/* The control group of control_group.h, "/user.slice/...". "" if it is not known. */
void procfs__cgroup(pid_t pid, char *buf, size_t size);

/* The process's id in its own pid namespace; 0 if that is the tracer's, or the process ended. */
pid_t procfs__ns_pid(pid_t pid);

/* When the process was started, at the earliest: ns after boot. 0: it has ended. */
uint64_t procfs__started_ns(pid_t pid);

/*
 * Is what it takes for CLOCK_MONOTONIC or CLOCK_BOOTTIME another time than the kernel's, by a time
 * namespace?
 */
bool procfs__has_own_clock(pid_t pid);

/* The thread of a process that has that id in its own pid namespace; 0: there is none. */
pid_t procfs__tid_by_ns_tid(pid_t pid, pid_t ns_tid);

/*
 * A variable of the environment that its program was started with: 1, 0 if it has none of that
 * name, -1 if the environment cannot be read.
 */
int procfs__variable(pid_t pid, const char *name, char *buf, size_t size);

/* The variable's value in such an environment, of `len` bytes and a NUL; NULL: it is not there. */
const char *procfs__find_variable(const char *env, size_t len, const char *name, size_t name_len);

/* Was its program started with other rights than its parent had (AT_SECURE)? */
bool procfs__is_secure(pid_t pid);

/* Is there a regular file of that absolute path, as the process sees files, which its user may
 * read? */
bool procfs__has_file(pid_t pid, const char *file);

/* Arguments joined by spaces, cut at size. "" if there is none. */
void procfs__cmdline(pid_t pid, char *buf, size_t size);

/* Those that fill all the room there was, `size` bytes: the last is marked as cut, unless its NUL
 * is there. */
void procfs__mark_cut(char *args, size_t size);

/* The same of arguments that each end in a NUL; there is room for size + 1. */
void procfs__join_arguments(char *args, size_t size);

/* Reads up to `size` bytes of the process's memory; fewer at the end of a mapping. Count or -errno.
 */
ssize_t procfs__read_memory(pid_t pid, uint64_t address, void *buf, size_t size);

/* The last component of a path, without " (deleted)". */
void procfs__basename(const char *path, char *buf, size_t size);

#endif
