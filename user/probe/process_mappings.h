/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions at addresses of processes, and remembers where their libraries are mapped:
 * the last records of a process are read when it may have ended already.
 */
#ifndef RTRACE_PROBE_PROCESS_MAPPINGS_H
#define RTRACE_PROBE_PROCESS_MAPPINGS_H

#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct addresses;
struct library;

/* The library of that inode, or NULL. */
typedef const struct library *(*find_library_fn)(const struct stat *st, void *arg);

struct addresses *process_mappings__new(find_library_fn find, void *arg);
void process_mappings__free(struct addresses *a);

/* Remembers what the process maps now. */
void process_mappings__learn(struct addresses *a, pid_t pid);

/* A process has forked: the child maps what the parent does. */
void process_mappings__fork(struct addresses *a, pid_t parent, pid_t child);

/* The library that maps that address, and the offset in its file; NULL if unknown. */
const struct library *process_mappings__find(struct addresses *a, pid_t pid, uint64_t address,
					     uint64_t *offset);

/* The process runs another program. */
void process_mappings__forget(struct addresses *a, pid_t pid);

#endif
