/* SPDX-License-Identifier: MIT */
/*
 * User stacks as text: the callers of a call.
 *
 * The kernel walks frame pointers: callers that were compiled without them
 * (-fno-omit-frame-pointer) end the stack early or are left out.
 */
#ifndef RTRACE_MERGE_USER_STACKS_H
#define RTRACE_MERGE_USER_STACKS_H

#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "common/string_pool.h"
#include "user/elf/symbols.h"

struct stacks;

/* Both must live as long. */
struct stacks *user_stacks__new(struct strings *strings, struct symbols *symbols);
void user_stacks__free(struct stacks *s);

/*
 * Finds the text for the stack of a span, if it has one, while the process is there. Once.
 * `program`: how many programs the process has run before, for the same address may mean something
 * else in each.
 */
void user_stacks__resolve(struct stacks *s, const struct rt_rec_span *rec, uint32_t program);

/*
 * The stack of the span, innermost caller first, "main+0x12 (app)" each; *depth callers. It lives
 * until the process is forgotten. NULL if there is none, or it has not been resolved.
 */
const char *const *user_stacks__find(const struct stacks *s, const struct rt_rec_span *rec,
				     uint32_t program, uint32_t *depth);

/* The process has ended. */
void user_stacks__forget(struct stacks *s, pid_t pid);

#endif
