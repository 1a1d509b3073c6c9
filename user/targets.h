/* SPDX-License-Identifier: MIT */
/*
 * Which library files are probed, and for whom: finds the ROCm libraries that processes map or
 * open, reads their functions once a file, and attaches them.
 */
#ifndef RTRACE_TARGETS_H
#define RTRACE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/attach.h"
#include "user/function.h"
#include "user/library.h"

struct targets;

/*
 * `node_wide`: a library is probed in every process that maps it; otherwise in each process alone,
 * and no other process on the node ever meets a breakpoint.
 */
struct targets *targets__new(struct functions *fns, struct attach *attach, bool node_wide);
void targets__free(struct targets *t);

/* How many ROCm libraries the process maps, without probing them; or -errno. */
int targets__count_libraries(pid_t pid);

/* Probes the ROCm libraries that the process maps. Returns how many it maps, or -errno. */
int targets__add_process(struct targets *t, pid_t pid);

/* Probes what the process has mapped since. */
void targets__rescan(struct targets *t, pid_t pid);

/* Calls `fn` for each process that was added and maps a ROCm library. */
void targets__each_process(struct targets *t, void (*fn)(pid_t pid, void *arg), void *arg);

/*
 * The process has opened a file named like a ROCm library, as descriptor `fd`: probes it. If it has
 * closed that already, probes what it maps now. Negative: try again a little later.
 */
int targets__opened(struct targets *t, pid_t pid, int fd);

/* The process has mapped a library: remembers where, for targets__resolve. */
void targets__mapped(struct targets *t, pid_t pid);

/* The function probed at an address of a process; NULL if unknown. */
const struct function *targets__resolve(struct targets *t, uint32_t pid, uint64_t address);

/* A process has forked. */
void targets__fork(struct targets *t, pid_t parent, pid_t child);

/* The process runs another program: its addresses mean something else. */
void targets__exec(struct targets *t, pid_t pid);

/* Functions probed in all library files. */
size_t targets__function_count(const struct targets *t);

#endif
