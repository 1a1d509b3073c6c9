// SPDX-License-Identifier: MIT
/*
 * Follows a function's first instructions: the stack pointer, the frame pointer, and the vector
 * registers that arguments come in.
 */
#include "user/elf/stack_arguments.h"

#include <Zydis/Zydis.h>
#include <string.h>

#define STRAIGHT_MAX 64 /* instructions that are followed */

struct walk {
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	int64_t rsp, rbp; /* from the address of the return address */
	bool has_rbp;
	unsigned int count, found;
	bool seen[RT_SSE];
	int32_t slot[RT_SSE];
};

static bool is_register(const ZydisDecodedOperand *op, ZydisRegister reg)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == reg;
}

/* The argument register that the operand is, by its number; -1: none. */
static int argument(const struct walk *w, const ZydisDecodedOperand *op)
{
	unsigned int n;

	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER || op->reg.value < ZYDIS_REGISTER_XMM0)
		return -1;
	n = op->reg.value - ZYDIS_REGISTER_XMM0;
	return n < w->count ? (int)n : -1;
}

/* The operand's place on the stack, from the address of the return address. */
static bool stack_place(const struct walk *w, const ZydisDecodedOperand *op, int64_t *place)
{
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.index != ZYDIS_REGISTER_NONE ||
	    (op->mem.segment != ZYDIS_REGISTER_SS && op->mem.segment != ZYDIS_REGISTER_DS))
		return false;
	if (op->mem.base == ZYDIS_REGISTER_RSP)
		*place = w->rsp + op->mem.disp.value;
	else if (op->mem.base == ZYDIS_REGISTER_RBP && w->has_rbp)
		*place = w->rbp + op->mem.disp.value;
	else
		return false;
	return *place >= INT32_MIN && *place < 0;
}

static bool is_move(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_MOVSS || mnemonic == ZYDIS_MNEMONIC_MOVSD ||
	       mnemonic == ZYDIS_MNEMONIC_MOVAPS || mnemonic == ZYDIS_MNEMONIC_MOVUPS ||
	       mnemonic == ZYDIS_MNEMONIC_MOVQ || mnemonic == ZYDIS_MNEMONIC_MOVD;
}

static void note_spill(struct walk *w)
{
	int n = w->insn.operand_count_visible == 2 && is_move(w->insn.mnemonic)
			? argument(w, &w->operands[1])
			: -1;
	int64_t place;

	if (n < 0 || w->seen[n] || !stack_place(w, &w->operands[0], &place))
		return;
	w->seen[n] = true;
	w->slot[n] = place;
	w->found++;
}

/* Follows the two pointers. false: they are lost. */
static bool follow_pointers(struct walk *w)
{
	const ZydisDecodedOperand *to = &w->operands[0], *from = &w->operands[1];

	switch (w->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		w->rsp -= 8;
		return w->insn.operand_width == 64;
	case ZYDIS_MNEMONIC_MOV:
		if (is_register(to, ZYDIS_REGISTER_RBP) && is_register(from, ZYDIS_REGISTER_RSP)) {
			w->rbp = w->rsp;
			w->has_rbp = true;
			return true;
		}
		break;
	case ZYDIS_MNEMONIC_SUB:
		if (is_register(to, ZYDIS_REGISTER_RSP) &&
		    from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			w->rsp -= from->imm.value.s;
			return true;
		}
		break;
	default:
		break;
	}
	for (unsigned int i = 0; i < w->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &w->operands[i];

		if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE &&
		    op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) ==
			     ZYDIS_REGISTER_RSP ||
		     ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, op->reg.value) ==
			     ZYDIS_REGISTER_RBP))
			return false;
	}
	return true;
}

/* Is an argument lost before it is put anywhere, or a slot used for something else? */
static bool spoils(const struct walk *w)
{
	for (unsigned int i = 0; i < w->insn.operand_count_visible; i++) {
		const ZydisDecodedOperand *op = &w->operands[i];
		int n = argument(w, op);

		if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && n >= 0 && !w->seen[n])
			return true;
	}
	return false;
}

static bool goes_on(const struct walk *w)
{
	switch (w->insn.meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_INTERRUPT:
		return false;
	default:
		return true;
	}
}

/* The place after the last spill, if that can be probed. */
static bool choose(const struct walk *w, const struct code *fn, size_t at, unsigned int kernel,
		   struct spills *out)
{
	struct insn next;

	if (!instruction__decode(&next, fn->bytes + at, fn->size - at, fn->address + at, kernel) ||
	    next.treatment == INSN_REFUSED || (next.treatment == INSN_CALL && next.length >= 5))
		return false;
	out->shift = at;
	out->reach = at + next.length;
	out->slots.count = w->count;
	memcpy(out->slots.slot, w->slot, sizeof(out->slots.slot));
	return true;
}

bool stack_arguments__find(const struct code *fn, unsigned int count, unsigned int kernel,
			   struct spills *out)
{
	struct walk w = {.count = count};
	size_t at = 0;

	memset(out, 0, sizeof(*out));
	if (!count || count > RT_SSE)
		return false;
	ZydisDecoderInit(&w.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < STRAIGHT_MAX; i++) {
		if (w.found == count)
			return choose(&w, fn, at, kernel, out);
		if (at >= fn->size ||
		    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w.decoder, fn->bytes + at, fn->size - at,
							 &w.insn, w.operands)))
			return false;
		if (!goes_on(&w) || spoils(&w))
			return false;
		note_spill(&w);
		if (!follow_pointers(&w))
			return false;
		at += w.insn.length;
	}
	return false;
}
