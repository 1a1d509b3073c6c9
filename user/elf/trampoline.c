// SPDX-License-Identifier: MIT
/*
 * Follows the values of registers through a function that jumps on by a table.
 */
#include "user/elf/trampoline.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <string.h>

#define INSNS_MAX 64
#define SLOTS	  32
#define REGISTERS 16
#define RAX	  0
#define RSP	  4

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_LOST,  /* a call may have overwritten it */
	VALUE_ENTRY, /* what the register `number` held at the entry */
	VALUE_STACK, /* what the stack held at the entry, `number` bytes above the return address */
	VALUE_ADDRESS, /* the address `number` itself */
	VALUE_LOADED,  /* what is stored at the address `number` */
	VALUE_SLOT,    /* what is stored `offset` bytes into the table at LOADED */
};

struct value {
	enum value_kind kind;
	uint64_t number;
	int64_t offset;
};

/* Something that the function has put on its stack. */
struct slot {
	int64_t at; /* from the stack pointer at the entry */
	int64_t size;
	struct value value;
};

struct state {
	const struct image *image;
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address; /* of the instruction */
	struct value registers[REGISTERS];
	int64_t depth; /* the stack pointer, from where it was at the entry */
	struct slot slots[SLOTS];
	size_t slot_count;
};

static const struct value unknown, lost = {.kind = VALUE_LOST};

static int register_id(ZydisRegister reg)
{
	ZydisRegister large = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);

	return ZydisRegisterGetClass(large) == ZYDIS_REGCLASS_GPR64 ? ZydisRegisterGetId(large)
								    : -1;
}

static void begin(struct state *s, const struct image *image)
{
	memset(s, 0, sizeof(*s));
	s->image = image;
	ZydisDecoderInit(&s->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 0; i < REGISTERS; i++)
		s->registers[i] = (struct value){.kind = VALUE_ENTRY, .number = i};
}

static bool decode(struct state *s, const struct code *fn, size_t at)
{
	s->address = fn->address + at;
	return at < fn->size &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&s->decoder, fn->bytes + at, fn->size - at,
						   &s->insn, s->operands));
}

static bool overlap(const struct slot *slot, int64_t at, int64_t size)
{
	return at < slot->at + slot->size && slot->at < at + size;
}

static struct value load_stack(struct state *s, int64_t at, int64_t size)
{
	for (size_t i = 0; i < s->slot_count; i++) {
		const struct slot *slot = &s->slots[i];

		if (slot->at == at && slot->size >= size)
			return slot->value;
		if (overlap(slot, at, size))
			return unknown;
	}
	return at >= 0 ? (struct value){.kind = VALUE_STACK, .number = at} : unknown;
}

/* Below the entry's stack pointer any value may be stored, above it only the one already there. */
static bool store_stack(struct state *s, int64_t at, int64_t size, struct value value)
{
	size_t kept = 0;

	if (at + size > 0)
		return value.kind == VALUE_STACK && value.number == (uint64_t)at;
	for (size_t i = 0; i < s->slot_count; i++)
		if (!overlap(&s->slots[i], at, size))
			s->slots[kept++] = s->slots[i];
	s->slot_count = kept;
	if (kept == SLOTS)
		return false;
	s->slots[s->slot_count++] = (struct slot){at, size, value};
	return true;
}

static struct value address_of(const struct state *s, const ZydisDecodedOperand *op)
{
	int64_t disp = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
	int id = register_id(op->mem.base);

	if (op->mem.index != ZYDIS_REGISTER_NONE || op->mem.segment == ZYDIS_REGISTER_FS ||
	    op->mem.segment == ZYDIS_REGISTER_GS)
		return unknown;
	if (op->mem.base == ZYDIS_REGISTER_RIP)
		return (struct value){VALUE_ADDRESS, s->address + s->insn.length + disp, 0};
	if (id >= 0 && s->registers[id].kind == VALUE_ADDRESS)
		return (struct value){VALUE_ADDRESS, s->registers[id].number + disp, 0};
	return unknown;
}

static bool is_on_stack(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.base == ZYDIS_REGISTER_RSP &&
	       op->mem.index == ZYDIS_REGISTER_NONE;
}

static int64_t stack_place(const struct state *s, const ZydisDecodedOperand *op)
{
	return s->depth + (op->mem.disp.has_displacement ? op->mem.disp.value : 0);
}

static struct value load(struct state *s, const ZydisDecodedOperand *op)
{
	int64_t disp = op->mem.disp.has_displacement ? op->mem.disp.value : 0;
	struct value address = address_of(s, op);
	int id = register_id(op->mem.base);

	if (is_on_stack(op))
		return load_stack(s, stack_place(s, op), op->size / 8);
	if (address.kind == VALUE_ADDRESS && op->size == 64)
		return (struct value){VALUE_LOADED, address.number, 0};
	if (id >= 0 && op->mem.index == ZYDIS_REGISTER_NONE && op->size == 64 &&
	    s->registers[id].kind == VALUE_LOADED)
		return (struct value){VALUE_SLOT, s->registers[id].number, disp};
	return unknown;
}

static struct value value_of(struct state *s, const ZydisDecodedOperand *op)
{
	int id;

	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return load(s, op);
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return unknown;
	id = register_id(op->reg.value);
	return id < 0 ? unknown : s->registers[id];
}

/*
 * What is not understood is forgotten. false: it writes where it may do harm, or to where we do not
 * know.
 */
static bool forget_written(struct state *s)
{
	for (int i = 0; i < s->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &s->operands[i];
		int id;

		if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (!is_on_stack(op) ||
		     !store_stack(s, stack_place(s, op), op->size / 8, unknown)))
			return false;
		if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		id = register_id(op->reg.value);
		if (id == RSP)
			return false;
		if (id >= 0)
			s->registers[id] = unknown;
	}
	return true;
}

/*
 * Moves, with extension or without. A part of what an argument register held at the entry counts as
 * all of it: the argument is not wider then. A part of an address is nothing.
 */
static bool move(struct state *s)
{
	const ZydisDecodedOperand *to = &s->operands[0], *from = &s->operands[1];
	struct value value = value_of(s, from);
	int id;

	if (value.kind == VALUE_ENTRY && value.number == RSP)
		return false; /* whoever has its address may write to the stack */
	if (from->size < 64 && value.kind != VALUE_ENTRY && value.kind != VALUE_STACK)
		value = unknown;
	if (is_on_stack(to))
		return store_stack(s, stack_place(s, to), to->size / 8, value);
	id = to->type == ZYDIS_OPERAND_TYPE_REGISTER ? register_id(to->reg.value) : -1;
	if (id < 0 || id == RSP || to->size < 32)
		return forget_written(s);
	s->registers[id] = value;
	return true;
}

static bool adjust_stack(struct state *s, int sign)
{
	const ZydisDecodedOperand *to = &s->operands[0], *by = &s->operands[1];

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || to->reg.value != ZYDIS_REGISTER_RSP)
		return forget_written(s);
	if (by->type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	s->depth += sign * by->imm.value.s;
	return s->depth <= 0;
}

static bool push(struct state *s)
{
	s->depth -= 8;
	return s->operands[0].size == 64 &&
	       store_stack(s, s->depth, 8, value_of(s, &s->operands[0]));
}

static bool pop(struct state *s)
{
	int id = s->operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER
			 ? register_id(s->operands[0].reg.value)
			 : -1;

	if (id < 0 || id == RSP || s->operands[0].size != 64 || s->depth >= 0)
		return false;
	s->registers[id] = load_stack(s, s->depth, 8);
	s->depth += 8;
	return true;
}

/* An instruction that goes on to the next. false: the function is no trampoline. */
static bool step(struct state *s)
{
	int id;

	switch (s->insn.mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
		return true;
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		return move(s);
	case ZYDIS_MNEMONIC_LEA:
		id = register_id(s->operands[0].reg.value);
		if (id < 0 || id == RSP || s->operands[1].mem.base == ZYDIS_REGISTER_RSP)
			return false;
		s->registers[id] = address_of(s, &s->operands[1]);
		return true;
	case ZYDIS_MNEMONIC_SUB:
		return adjust_stack(s, -1);
	case ZYDIS_MNEMONIC_ADD:
		return adjust_stack(s, 1);
	case ZYDIS_MNEMONIC_PUSH:
		return push(s);
	case ZYDIS_MNEMONIC_POP:
		return pop(s);
	default:
		return forget_written(s);
	}
}

static bool target_of(const struct state *s, uint64_t *target)
{
	if (!s->insn.raw.imm[0].is_relative)
		return false;
	*target = s->address + s->insn.length + (uint64_t)s->insn.raw.imm[0].value.s;
	return true;
}

/* What a function returns that gives a table: on its way with no conditional jump taken. */
static struct value returned_by(const struct image *image, uint64_t address)
{
	struct code fn;
	struct state s;
	uint64_t offset;
	size_t at = 0;

	begin(&s, image);
	if (!elf_image__code(image, address, &fn, &offset))
		return unknown;
	for (int i = 0; i < INSNS_MAX && decode(&s, &fn, at); i++, at += s.insn.length) {
		switch (s.insn.meta.category) {
		case ZYDIS_CATEGORY_RET:
			return s.depth ? unknown : s.registers[RAX];
		case ZYDIS_CATEGORY_COND_BR:
			continue;
		case ZYDIS_CATEGORY_UNCOND_BR:
		case ZYDIS_CATEGORY_CALL:
			return unknown;
		default:
			if (!step(&s))
				return unknown;
		}
	}
	return unknown;
}

static bool call(struct state *s)
{
	static const uint8_t scratch[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
	uint64_t target;

	if (!target_of(s, &target))
		return false;
	for (size_t i = 0; i < sizeof(scratch); i++)
		s->registers[scratch[i]] = lost;
	s->registers[RAX] = returned_by(s->image, target);
	return true;
}

/*
 * An argument register that a call has taken, and that was not restored, is none that the function
 * uses: what it jumps to could not do anything with it.
 */
static bool is_as_at_entry(const struct state *s)
{
	static const uint8_t arguments[] = {7, 6, 2, 1, 8, 9}, kept[] = {3, 5, 12, 13, 14, 15};

	for (size_t i = 0; i < sizeof(arguments); i++) {
		const struct value *v = &s->registers[arguments[i]];

		if (v->kind != VALUE_LOST && (v->kind != VALUE_ENTRY || v->number != arguments[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(kept); i++) {
		const struct value *v = &s->registers[kept[i]];

		if (v->kind != VALUE_ENTRY || v->number != kept[i])
			return false;
	}
	return !s->depth;
}

static bool finish(struct state *s, struct trampoline *out)
{
	struct value v = value_of(s, &s->operands[0]);

	if (!is_as_at_entry(s) || (v.kind != VALUE_SLOT && v.kind != VALUE_LOADED))
		return false;
	out->variable = v.number;
	out->is_direct = v.kind == VALUE_LOADED;
	out->offset = v.offset;
	return true;
}

bool trampoline__decode(const struct image *image, const struct code *fn, struct trampoline *out)
{
	struct state s;
	size_t at = 0;

	begin(&s, image);
	for (int i = 0; i < INSNS_MAX && decode(&s, fn, at); i++, at += s.insn.length) {
		bool goes_on;

		switch (s.insn.meta.category) {
		case ZYDIS_CATEGORY_UNCOND_BR:
			return finish(&s, out);
		case ZYDIS_CATEGORY_COND_BR:
		case ZYDIS_CATEGORY_RET:
			return false;
		case ZYDIS_CATEGORY_CALL:
			goes_on = call(&s);
			break;
		default:
			goes_on = step(&s);
		}
		if (!goes_on)
			return false;
	}
	return false;
}

int trampoline__read(const struct trampoline *t, uint64_t base, trampoline_read *read, void *arg,
		     uint64_t *address)
{
	uint64_t value = 0;
	ssize_t n;

	n = read(arg, base + t->variable, &value, sizeof(value));
	if (n == sizeof(value) && value && !t->is_direct)
		n = read(arg, value + t->offset, &value, sizeof(value));
	if (n != sizeof(value))
		return n < 0 ? n : -EFAULT;
	if (!value)
		return -ENOENT;
	*address = value;
	return 0;
}
