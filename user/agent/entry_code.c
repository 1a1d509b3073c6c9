// SPDX-License-Identifier: MIT
/*
 * Reads in a library's file what its probed functions begin with.
 */
#include "user/agent/entry_code.h"

#include "common/api_tables.h"
#include "user/elf/elf_image.h"
#include "user/elf/trampoline.h"
#include "user/probe/nop5_test.h"

static bool has_floats(const struct api_function *api)
{
	for (unsigned int i = 0; i < api->param_count; i++)
		for (int k = 0; k < 2; k++)
			if (API_IS_XMM(api->params[i].place[k]))
				return true;
	return false;
}

static bool suits(const struct function *fn)
{
	return fn->api && !has_floats(fn->api) && fn->api->stack_words <= RT_STACK_WORDS &&
	       !fn->plan.control &&
	       !(fn->plan.flags & (RT_PLAN_ENTRY | RT_PLAN_STACK | RT_PLAN_THUNK));
}

/* push %reg: its number, with the prefix of the upper eight; -1: something else. */
static int pushed_register(const struct code *at)
{
	size_t prefix = at->size > 1 && at->bytes[0] == 0x41;

	if (at->size <= prefix || (at->bytes[prefix] & 0xf8) != 0x50)
		return -1;
	return (at->bytes[prefix] & 7) + (prefix ? 8 : 0);
}

/* The instruction that is probed, at which the function begins but for endbr64 and nops. */
static bool passes(const struct code *at, struct agent_span_way *way)
{
	int pushed = pushed_register(at);
	struct insn insn;

	if (!instruction__decode(&insn, at->bytes, at->size, at->address,
				 nop5_test__running_kernel()))
		return false;
	way->next = at->address + insn.length;
	way->way = RT_SPAN_WAY_JUMP;
	if (pushed >= 0) {
		way->way = RT_SPAN_WAY_PUSH;
		way->pushed = pushed;
	} else if (insn.is_branch && !insn.is_call && !insn.is_indirect && at->bytes[0] == 0xe9) {
		way->next = insn.target;
	} else if (!insn.is_nop && !insn.is_endbr) {
		return false;
	}
	return true;
}

/* Are there only endbr64 and nops before the instruction at `shift`? */
static bool is_padding(const struct code *code, uint32_t shift)
{
	struct insn insn;

	for (uint32_t at = 0; at < shift; at += insn.length)
		if (!instruction__decode(&insn, code->bytes + at, code->size - at,
					 code->address + at, nop5_test__running_kernel()) ||
		    !(insn.is_endbr || insn.is_nop))
			return false;
	return true;
}

/* `code`: from the function's entry on. */
static bool find(const struct image *image, const struct probe *p, const struct code *code,
		 struct agent_span_way *way)
{
	uint32_t shift = p->place.shift;
	struct trampoline t;
	struct code at;

	*way = (struct agent_span_way){.entry = code->address};
	if (p->place.kind == PLACE_SINGLE_STEPPED && trampoline__decode(image, code, &t)) {
		way->way = t.is_direct ? RT_SPAN_WAY_VARIABLE : RT_SPAN_WAY_TABLE;
		way->next = t.variable;
		way->offset = t.offset;
		return true;
	}
	if (shift >= code->size || !is_padding(code, shift))
		return false;
	at = (struct code){code->bytes + shift, code->size - shift, code->address + shift};
	return passes(&at, way);
}

int entry_code__each(const struct library *lib, uint64_t base,
		     void (*fn)(const struct function *function, const struct agent_span_way *way,
				void *arg),
		     void *arg)
{
	struct image image;
	int err;

	if (lib->program)
		return 0; /* it calls what is linked in by no place that could be changed */
	err = elf_image__open(&image, lib->fd);
	if (err)
		return err;
	for (size_t i = 0; i < lib->probe_count; i++) {
		const struct probe *p = &lib->probes[i];
		struct agent_span_way way;
		struct code code;

		if (!suits(p->fn) ||
		    !elf_image__code_at(&image, p->offset - p->place.shift, &code) ||
		    !find(&image, p, &code, &way))
			continue;
		way.entry += base;
		way.next += base;
		fn(p->fn, &way, arg);
	}
	elf_image__close(&image);
	return 0;
}
