/* SPDX-License-Identifier: MIT */
/*
 * What the handles of processes stand for: the host functions and hipFunction_t that launches name
 * for kernels, the streams that were given names.
 *
 * A process tells it when it registers its kernels or asks a module for one. A process that had
 * done so before the trace began is asked for the symbol at the host function's address; and what
 * the agent says of a launch's dispatch holds for the launches that follow.
 */
#ifndef RTRACE_HANDLES_H
#define RTRACE_HANDLES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/strings.h"
#include "user/symbols.h"

struct handles;

/* Both must live as long. */
struct handles *handles__new(struct strings *strings, struct symbols *symbols);
void handles__free(struct handles *h);

/* In that process the handle stands for that. `name` must live as long. */
void handles__learn(struct handles *h, pid_t pid, uint64_t handle, const char *name);

/* What the handle stands for; NULL: unknown. */
const char *handles__find(struct handles *h, pid_t pid, uint64_t handle);

/* Looks for the kernel's symbol at the host function's address, once, while the process is there.
 */
void handles__look_up(struct handles *h, pid_t pid, uint64_t address);

/* The child has what the parent had. */
void handles__fork(struct handles *h, pid_t parent, pid_t child);

/* The process has ended or runs another program: its handles mean nothing now. */
void handles__forget(struct handles *h, pid_t pid);

#endif
