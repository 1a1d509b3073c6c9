// SPDX-License-Identifier: MIT
/*
 * Says of one x86-64 instruction what a probe on it means, by the rules of the kernel's uprobes.
 */
#include "user/elf/instruction.h"

#include <Zydis/Zydis.h>
#include <stdio.h>
#include <string.h>

#define RED_ZONE  128
#define PAGE_SIZE 4096
#define NEAR	  4096 /* bytes above the stack pointer that are certainly mapped: arguments */

struct decoded {
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	const uint8_t *code;
	uint64_t address;
};

/*
 * Opcodes that the kernel refuses: the one-byte map, against which it also holds the opcode byte of
 * VEX and EVEX instructions, whatever that means there. The two-byte map it lets pass as a whole.
 */
static bool is_bad_opcode(uint8_t op)
{
	static const uint8_t bad[] = {
		0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62,
		0x6c, 0x6d, 0x6e, 0x6f, 0x82, 0x9a, 0xcc, 0xcd, 0xce, 0xcf, 0xd4, 0xd5, 0xd6, 0xe4,
		0xe5, 0xe6, 0xe7, 0xea, 0xec, 0xed, 0xee, 0xef, 0xf1, 0xf4, 0xfa, 0xfb,
	};

	return memchr(bad, op, sizeof(bad));
}

static bool has_prefix(const struct decoded *d, uint8_t prefix)
{
	for (int i = 0; i < d->insn.raw.prefix_count; i++)
		if (d->insn.raw.prefixes[i].value == prefix)
			return true;
	return false;
}

static bool has_bad_prefix(const struct decoded *d)
{
	static const uint8_t bad[] = {0x26, 0x2e, 0x36, 0x3e, 0xf0}; /* es cs ss ds lock */

	for (size_t i = 0; i < sizeof(bad); i++)
		if (has_prefix(d, bad[i]))
			return true;
	return false;
}

static bool is_legacy(const struct decoded *d, ZydisOpcodeMap map)
{
	return d->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && d->insn.opcode_map == map;
}

/*
 * What the kernel would take, but what a single step with the trace flag set breaks: pushf saves
 * the flag, and the popf after it would have the thread killed by SIGTRAP; a system call steps
 * past its own slot; a transaction aborts.
 */
static const char *why_unsafe(const struct decoded *d)
{
	if (d->insn.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
		return "privileged instruction";
	switch (d->insn.mnemonic) {
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return "a single step would save the trace flag with the others";
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
		return "a system call cannot be single-stepped";
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
		return "undefined instruction";
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XABORT:
		return "a transaction cannot be single-stepped";
	default:
		return NULL;
	}
}

static const char *why_refused(const struct decoded *d)
{
	bool by_opcode = d->insn.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
			 is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT);

	if (has_bad_prefix(d))
		return "prefix that the kernel does not probe (lock, cs, ds, es, ss)";
	if (by_opcode && is_bad_opcode(d->insn.opcode))
		return "instruction that the kernel does not probe";
	if (is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT) && d->insn.opcode == 0x8e)
		return "loads a segment register";
	/* xchg %rax,%r8: kernels look at the opcode alone and take it for a nop. */
	if (is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT) && d->insn.opcode == 0x90 &&
	    d->insn.mnemonic == ZYDIS_MNEMONIC_XCHG)
		return "the kernel takes it for a nop";
	return why_unsafe(d);
}

/* The encodings of nop that the kernel itself uses, those of 0f 1f; it emulates no others. */
static bool is_canonical_nop(const struct decoded *d)
{
	static const uint8_t nop8[] = {0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
	static const uint8_t nop7[] = {0x0f, 0x1f, 0x80, 0, 0, 0, 0};
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0, 0};
	static const uint8_t nop4[] = {0x0f, 0x1f, 0x40, 0};
	static const uint8_t nop3[] = {0x0f, 0x1f, 0};
	size_t len = d->insn.length;

	switch (len) {
	case 3:
		return !memcmp(d->code, nop3, len);
	case 4:
		return !memcmp(d->code, nop4, len);
	case 5:
		return !memcmp(d->code, nop5, len);
	case 6:
		return d->code[0] == 0x66 && !memcmp(d->code + 1, nop5, len - 1);
	case 7:
		return !memcmp(d->code, nop7, len);
	case 8:
		return !memcmp(d->code, nop8, len);
	case 9:
		return d->code[0] == 0x66 && !memcmp(d->code + 1, nop8, len - 1);
	default:
		return false;
	}
}

/*
 * Is that what kernels of that kind rewrite to a call? They take any encoding of 5 bytes: 0f 1f
 * with any operand, 90 with prefixes (66 66 66 66 90), a pause with prefixes; but none that crosses
 * the end of a page.
 */
static bool may_be_rewritten(const struct decoded *d)
{
	return d->insn.length == 5 && d->address % PAGE_SIZE + 5 <= PAGE_SIZE &&
	       (d->insn.mnemonic == ZYDIS_MNEMONIC_NOP ||
		(is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT) && d->insn.opcode == 0x90));
}

static enum insn_treatment treat_nop(const struct decoded *d, unsigned int kernel)
{
	if (kernel >= KERNEL(6, 18) && !(kernel & KERNEL_NOP5_TRAPS) && may_be_rewritten(d))
		return INSN_CALL;
	/* With 0x66 since 6.2, and in stable releases of that time. */
	if (is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT))
		return has_prefix(d, 0x66) && kernel < KERNEL(6, 2) ? INSN_REFUSED : INSN_EMULATED;
	if (kernel < KERNEL(6, 16) || !is_canonical_nop(d))
		return INSN_STEPPED;
	return INSN_EMULATED;
}

/* push of a 64-bit register, without needless prefixes. */
static bool is_emulated_push(const struct decoded *d)
{
	return is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT) && (d->insn.opcode & 0xf8) == 0x50 &&
	       (d->insn.length == 1 || (d->insn.length == 2 && d->code[0] == 0x41));
}

static bool is_emulated_branch(const struct decoded *d)
{
	uint8_t op = d->insn.opcode;

	if (is_legacy(d, ZYDIS_OPCODE_MAP_0F))
		return (op & 0xf0) == 0x80;
	return is_legacy(d, ZYDIS_OPCODE_MAP_DEFAULT) &&
	       (op == 0xeb || op == 0xe9 || op == 0xe8 || (op & 0xf0) == 0x70);
}

static void treat(struct insn *insn, const struct decoded *d, unsigned int kernel)
{
	insn->why = why_refused(d);
	if (!insn->why && kernel & KERNEL_NOP5_KILLS && may_be_rewritten(d))
		insn->why = "5-byte nop, of which forked children die on this kernel";
	if (insn->why) {
		insn->treatment = INSN_REFUSED;
	} else if (insn->is_nop) {
		insn->treatment = treat_nop(d, kernel);
		if (insn->treatment == INSN_REFUSED)
			insn->why = "2-byte nop, which kernels before 6.2 may not probe";
	} else if (is_emulated_push(d)) {
		insn->treatment = INSN_EMULATED;
	} else if (is_emulated_branch(d)) {
		insn->treatment = has_prefix(d, 0x66) ? INSN_REFUSED : INSN_EMULATED;
		insn->why = has_prefix(d, 0x66) ? "16-bit branch" : NULL;
	} else {
		insn->treatment = INSN_STEPPED;
	}
}

/* What nearly all code before the first push consists of; all else may not be passed. */
static bool is_simple(const ZydisDecodedInstruction *insn)
{
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_NOT:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_XOR:
		return true;
	default:
		return insn->meta.category == ZYDIS_CATEGORY_SETCC ||
		       insn->meta.category == ZYDIS_CATEGORY_CMOV;
	}
}

/* A register that may have changed when the probe is reached. */
static bool may_change(ZydisRegister reg)
{
	if (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_FLAGS)
		return true;
	switch (ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg)) {
	case ZYDIS_REGISTER_RAX:
	case ZYDIS_REGISTER_RBX:
	case ZYDIS_REGISTER_RBP:
	case ZYDIS_REGISTER_R10:
	case ZYDIS_REGISTER_R11:
	case ZYDIS_REGISTER_R12:
	case ZYDIS_REGISTER_R13:
	case ZYDIS_REGISTER_R14:
	case ZYDIS_REGISTER_R15:
		return true;
	default:
		return false;
	}
}

/* The stack next to the stack pointer, the library's own data, the thread's control block. */
static bool may_access(struct insn *insn, const ZydisDecodedOperand *op)
{
	const ZydisDecodedOperandMem *mem = &op->mem;
	bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	int64_t at = mem->disp.has_displacement ? mem->disp.value : 0;

	if (mem->type != ZYDIS_MEMOP_TYPE_MEM)
		return mem->type == ZYDIS_MEMOP_TYPE_AGEN;
	if (mem->index != ZYDIS_REGISTER_NONE)
		return false;
	if (mem->base == ZYDIS_REGISTER_RSP && mem->segment == ZYDIS_REGISTER_SS) {
		if (at < -RED_ZONE || at >= NEAR || (writes && at + op->size / 8 > 0))
			return false;
		insn->writes_red_zone |= writes;
		return true;
	}
	if (writes)
		return false;
	if (mem->base == ZYDIS_REGISTER_RIP)
		return mem->segment == ZYDIS_REGISTER_DS;
	return mem->base == ZYDIS_REGISTER_NONE && mem->segment == ZYDIS_REGISTER_FS && at >= 0 &&
	       at < NEAR;
}

static const char *why_not_passed(struct insn *insn, const struct decoded *d)
{
	if (insn->is_nop)
		return NULL; /* it uses none of its operands */
	if (insn->is_branch || d->insn.meta.category == ZYDIS_CATEGORY_RET)
		return "jumps or returns";
	if (insn->why || !is_simple(&d->insn))
		return "does what a probe had better come before";
	for (int i = 0; i < d->insn.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->operands[i];

		if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && !may_access(insn, op))
			return "accesses memory";
		if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE && !may_change(op->reg.value))
			return "changes the stack pointer or an argument";
	}
	return NULL;
}

static void follow(struct insn *insn, const ZydisDecodedInstruction *raw, uint64_t address)
{
	if (raw->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE ||
	    raw->meta.category == ZYDIS_CATEGORY_RET)
		return;
	insn->is_branch = true;
	insn->is_call = raw->meta.category == ZYDIS_CATEGORY_CALL;
	insn->is_indirect = !raw->raw.imm[0].is_relative;
	insn->target = address + raw->length + (uint64_t)raw->raw.imm[0].value.s;
}

bool instruction__decode(struct insn *insn, const uint8_t *code, size_t len, uint64_t address,
			 unsigned int kernel)
{
	struct decoded d = {.code = code, .address = address};
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &d.insn, d.operands)))
		return false;
	memset(insn, 0, sizeof(*insn));
	insn->length = d.insn.length;
	insn->is_nop = d.insn.mnemonic == ZYDIS_MNEMONIC_NOP;
	insn->is_endbr = d.insn.mnemonic == ZYDIS_MNEMONIC_ENDBR64;
	follow(insn, &d.insn, address);
	treat(insn, &d, kernel);
	insn->obstacle = why_not_passed(insn, &d);
	return true;
}

bool instruction__follow(struct insn *insn, const uint8_t *code, size_t len, uint64_t address)
{
	ZydisDecodedInstruction raw;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, len, &raw)))
		return false;
	memset(insn, 0, sizeof(*insn));
	insn->length = raw.length;
	follow(insn, &raw, address);
	return true;
}
