/* SPDX-License-Identifier: MIT */
/*
 * What the handles of processes mean: the host functions and hipFunction_t that launches name for
 * kernels, the streams that were given names.
 *
 * The calls that register a process's kernels, or get one from a module, give the names. If a
 * process made them before the trace began, the symbol at the host function's address is read from
 * it. The kernel that the agent reports for a launch's dispatch holds for later launches.
 */
#ifndef RTRACE_MERGE_KERNEL_HANDLES_H
#define RTRACE_MERGE_KERNEL_HANDLES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/string_pool.h"
#include "user/elf/symbols.h"

struct handles;

/* Both must live as long. */
struct handles *kernel_handles__new(struct strings *strings, struct symbols *symbols);
void kernel_handles__free(struct handles *h);

/* In that process the handle means `name`, which must live as long. */
void kernel_handles__learn(struct handles *h, pid_t pid, uint64_t handle, const char *name);

/* The meaning of the handle; NULL: unknown. */
const char *kernel_handles__find(struct handles *h, pid_t pid, uint64_t handle);

/* Looks for the kernel's symbol at the host function's address, once, while the process is there.
 */
void kernel_handles__look_up(struct handles *h, pid_t pid, uint64_t address);

/* The child has what the parent had. */
void kernel_handles__fork(struct handles *h, pid_t parent, pid_t child);

/* The process has ended or runs another program: its handles mean nothing now. */
void kernel_handles__forget(struct handles *h, pid_t pid);

#endif
