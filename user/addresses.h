/* SPDX-License-Identifier: MIT */
/*
 * Tells the functions at addresses of processes, and remembers where their libraries are mapped:
 * the last records of a process are read when it may be gone already.
 */
#ifndef RTRACE_ADDRESSES_H
#define RTRACE_ADDRESSES_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct addresses;
struct library;

/* The library of that inode, or NULL. */
typedef const struct library *(*find_library_fn)(const struct stat *st, void *arg);

struct addresses *addresses__new(find_library_fn find, void *arg);
void addresses__free(struct addresses *a);

/* Remembers what the process maps now. */
void addresses__learn(struct addresses *a, pid_t pid);

/* A process has forked: the child maps what the parent does. */
void addresses__fork(struct addresses *a, pid_t parent, pid_t child);

/* The library that maps that address, and the offset in its file; NULL if unknown. */
const struct library *addresses__find(struct addresses *a, pid_t pid, uint64_t address,
				      uint64_t *offset);

/* The process runs another program. */
void addresses__forget(struct addresses *a, pid_t pid);

#endif
