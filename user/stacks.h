/* SPDX-License-Identifier: MIT */
/*
 * User stacks in words: who made a call.
 *
 * The kernel walks frame pointers: callers that were compiled without them
 * (-fno-omit-frame-pointer) end the stack early or are left out.
 */
#ifndef RTRACE_STACKS_H
#define RTRACE_STACKS_H

#include <stdint.h>
#include <sys/types.h>

#include "user/capture.h"
#include "user/strings.h"

struct stacks;

struct stacks *stacks__new(struct strings *strings);
void stacks__free(struct stacks *s);

/* Finds the words for the stack of that id, while the process is there. Once. */
void stacks__resolve(struct stacks *s, struct capture *capture, pid_t pid, int32_t id);

/*
 * The stack, innermost call first, "vadd(int)+0x12 (app)" each; *depth calls. It lives as long as
 * `s`. NULL if it has not been resolved.
 */
const char *const *stacks__find(const struct stacks *s, pid_t pid, int32_t id, uint32_t *depth);

/* The process has ended or runs another program. */
void stacks__forget(struct stacks *s, pid_t pid);

#endif
