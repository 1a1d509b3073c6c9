// SPDX-License-Identifier: MIT
/*
 * Chooses the instruction of a function that is probed.
 */
#include "user/elf/probe_place.h"

#include <stdbool.h>
#include <string.h>

#define PASSED_MAX 64	      /* bytes */
#define SURVEY_MAX (16 << 10) /* bytes of a function in which branches are followed */
#define CALL_NOP   5	      /* bytes that a nop has at least if a kernel may make it a call */

const char *const place_kind_names[PLACE_KINDS] = {"emulated", "nop5", "single-stepped", "skipped"};

/* What the branches of a function mean to its first instructions. */
struct survey {
	size_t lowest_target; /* distance from the entry, above 0 */
	bool loops_to_entry;
	bool is_clear; /* all of it was understood, and every branch has a known target */
};

/*
 * Do the bytes of the function contain what looks like a jump back to its entry? Most have none,
 * and this finds that much sooner than a survey.
 */
static bool may_loop_to_entry(const struct code *fn)
{
	for (size_t at = 0; at + 2 <= fn->size; at++) {
		const uint8_t *op = fn->bytes + at;
		size_t rel32 = *op == 0xe9 ? 1 : *op == 0x0f && (op[1] & 0xf0) == 0x80 ? 2 : 0;
		int32_t v;

		if ((*op == 0xeb || (*op & 0xf0) == 0x70 || (*op & 0xfc) == 0xe0) &&
		    at + 2 + (int8_t)op[1] == 0)
			return true;
		if (!rel32 || at + rel32 + sizeof(v) > fn->size)
			continue;
		memcpy(&v, op + rel32, sizeof(v));
		if (at + rel32 + sizeof(v) + v == 0)
			return true;
	}
	return false;
}

static struct survey survey(const struct code *fn)
{
	struct survey s = {.lowest_target = SIZE_MAX, .is_clear = fn->size <= SURVEY_MAX};
	size_t size = fn->size < SURVEY_MAX ? fn->size : SURVEY_MAX;
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.length) {
		if (!instruction__follow(&insn, fn->bytes + at, size - at, fn->address + at)) {
			s.is_clear = false;
			break;
		}
		if (!insn.is_branch)
			continue;
		if (insn.is_indirect) {
			if (!insn.is_call)
				s.is_clear = false;
		} else if (insn.target == fn->address) {
			s.loops_to_entry |= !insn.is_call;
		} else if (insn.target - fn->address < s.lowest_target) {
			s.lowest_target = insn.target - fn->address;
		}
	}
	return s;
}

static struct place skip(const char *why)
{
	return (struct place){.kind = PLACE_SKIPPED, .why = why};
}

static bool may_become_call(const struct insn *insn)
{
	return insn->is_nop && insn->length >= CALL_NOP;
}

static struct place found(const struct insn *insn, size_t shift)
{
	return (struct place){
		.kind = insn->treatment == INSN_CALL ? PLACE_NOP5 : PLACE_EMULATED,
		.shift = shift,
		.reach = shift + (may_become_call(insn) ? insn->length : 1),
	};
}

/* Why the way from the entry ends before the instruction at `at`, not the first. NULL: it does not.
 */
static const char *end_of_way(const struct code *fn, const struct survey *s, size_t limit,
			      size_t at, bool padding)
{
	if (at >= fn->size)
		return "ends before an instruction that is emulated";
	if (at > PASSED_MAX)
		return "has no instruction that is emulated near its entry";
	if (at >= s->lowest_target)
		return "has a branch that leads right behind its entry";
	if (at >= limit)
		return "other code leads right behind its entry";
	if (!s->is_clear && !padding)
		return "has branches that cannot be followed";
	return NULL;
}

static struct place single_stepped(size_t shift, const char *why)
{
	return (struct place){PLACE_SINGLE_STEPPED, shift, shift + 1, why};
}

/*
 * The first emulated instruction on the way from the entry, else the first that can be probed at
 * all. The red zone is safe from traps and signals, not from a call.
 */
static struct place search(const struct code *fn, const struct survey *s, size_t limit,
			   unsigned int kernel)
{
	size_t clear = s->lowest_target < limit ? s->lowest_target : limit, stepped = SIZE_MAX;
	bool red_zone = false, padding = true; /* nothing but endbr64 and nops so far */
	const char *why = NULL;
	struct insn insn;

	for (size_t at = 0; !why; at += insn.length) {
		why = at ? end_of_way(fn, s, limit, at, padding) : NULL;
		if (!why && !instruction__decode(&insn, fn->bytes + at, fn->size - at,
						 fn->address + at, kernel))
			why = "has an instruction that cannot be decoded";
		if (why)
			break;
		if (insn.treatment <= INSN_EMULATED &&
		    !(may_become_call(&insn) && (red_zone || at + insn.length > clear)))
			return found(&insn, at);
		if (insn.treatment == INSN_STEPPED && stepped == SIZE_MAX)
			stepped = at;
		why = insn.obstacle;
		red_zone |= insn.writes_red_zone;
		padding &= insn.is_endbr || insn.is_nop;
	}
	return stepped == SIZE_MAX ? skip(why) : single_stepped(stepped, why);
}

struct place probe_place__choose(const struct code *fn, size_t limit, unsigned int kernel)
{
	struct place place;
	struct insn entry;
	struct survey s;

	if (!instruction__decode(&entry, fn->bytes, fn->size, fn->address, kernel))
		return skip("its first instruction cannot be decoded, or is longer than it");
	if (entry.treatment == INSN_EMULATED && !may_become_call(&entry) && !may_loop_to_entry(fn))
		return found(&entry, 0);
	s = survey(fn);
	if (s.loops_to_entry)
		return skip("a jump leads back to its entry: each turn would count as a call");
	place = search(fn, &s, limit, kernel);
	if (place.kind != PLACE_SKIPPED)
		return place;
	if (entry.treatment == INSN_REFUSED)
		return skip(entry.why);
	return skip("a branch leads into the nop that it begins with");
}
