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

#include "bpf/events.h"
#include "user/strings.h"
#include "user/symbols.h"

struct stacks;

/* Both must live as long. */
struct stacks *stacks__new(struct strings *strings, struct symbols *symbols);
void stacks__free(struct stacks *s);

/*
 * Finds the words for the stack of a span, if it has one, while the process is there. Once.
 * `program`: how many programs the process has run before, for the same address may mean something
 * else in each.
 */
void stacks__resolve(struct stacks *s, const struct rt_rec_span *rec, uint32_t program);

/*
 * The stack of the span, innermost caller first, "main+0x12 (app)" each; *depth callers. It lives
 * until the process is forgotten. NULL if there is none, or it has not been resolved.
 */
const char *const *stacks__find(const struct stacks *s, const struct rt_rec_span *rec,
				uint32_t program, uint32_t *depth);

/* The process has ended. */
void stacks__forget(struct stacks *s, pid_t pid);

#endif
