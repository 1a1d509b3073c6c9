// SPDX-License-Identifier: MIT
/*
 * Searches machine code for branches into ranges of addresses.
 */
#include "user/elf/branch_targets.h"

#include <stdbool.h>
#include <string.h>

#include "user/elf/instruction.h"

#define SHORT_REACH 129 /* bytes between a branch of two bytes and its target, at most */
#define INSN_MAX    15
#define CONVERGE    32 /* bytes after which decodings from different starts agree, nearly always */

static void mark(struct span *spans, size_t n, uint64_t target)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (spans[mid].start < target)
			low = mid + 1;
		else
			high = mid;
	}
	while (low-- && target - spans[low].start < SPAN_MAX)
		if (target - spans[low].start < spans[low].length && target < spans[low].hit)
			spans[low].hit = target;
}

static int32_t displacement(const uint8_t *bytes)
{
	int32_t v;

	memcpy(&v, bytes, sizeof(v));
	return v;
}

static void find_near(const struct code *text, struct span *spans, size_t n)
{
	const uint64_t lowest = spans[0].start;
	const uint64_t extent = spans[n - 1].start + SPAN_MAX - lowest;
	const uint8_t *code = text->bytes;

	for (size_t i = 0; i + 5 <= text->size; i++) {
		size_t at;
		uint64_t target;

		if ((code[i] & 0xfe) == 0xe8) /* call, jmp */
			at = i + 1;
		else if (code[i] == 0x0f && (code[i + 1] & 0xf0) == 0x80) /* jcc */
			at = i + 2;
		else
			continue;
		if (at + 4 > text->size)
			continue;
		target = text->address + at + 4 + (int64_t)displacement(code + at);
		if (target - lowest < extent)
			mark(spans, n, target);
	}
}

/* Decodes from one offset to another and marks where the branches there lead. */
static void find_from(const struct code *text, size_t from, size_t to, struct span *span)
{
	struct insn insn;

	for (size_t at = from; at < to; at += insn.length) {
		if (!instruction__follow(&insn, text->bytes + at, text->size - at,
					 text->address + at))
			insn.length = 1; /* data between functions */
		else if (insn.is_branch && !insn.is_indirect)
			mark(span, 1, insn.target);
	}
}

/* Do the bytes around the function contain what looks like a short branch into the span? */
static bool looks_short(const struct code *text, size_t from, size_t to, const struct span *span)
{
	for (size_t at = from; at < to && at + 2 <= text->size; at++) {
		uint8_t op = text->bytes[at];
		uint64_t target = text->address + at + 2 + (int64_t)(int8_t)text->bytes[at + 1];

		if ((op == 0xeb || (op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0) &&
		    target - span->start < span->length)
			return true;
	}
	return false;
}

/*
 * Short branches from the code before and after the function. Where the instructions before it
 * begin is not known, so that code is decoded from every byte that one may begin with.
 */
static void find_short(const struct code *text, struct span *span)
{
	const size_t before = SHORT_REACH + CONVERGE + INSN_MAX;
	size_t entry = span->start - text->address, from, to;

	if (span->start < text->address || entry >= text->size)
		return;
	from = entry > before ? entry - before : 0;
	if (looks_short(text, from, entry, span))
		for (size_t i = 0; i < INSN_MAX && from + i < entry; i++)
			find_from(text, from + i, entry, span);
	if (text->size - entry <= span->size)
		return;
	from = entry + span->size;
	to = text->size - from < SHORT_REACH ? text->size : from + SHORT_REACH;
	if (looks_short(text, from, to, span))
		find_from(text, from, to, span);
}

void branch_targets__find(const struct code *text, struct span *spans, size_t n)
{
	if (!n)
		return;
	find_near(text, spans, n);
	for (size_t i = 0; i < n; i++)
		find_short(text, &spans[i]);
}
