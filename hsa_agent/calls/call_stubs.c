/* SPDX-License-Identifier: MIT */
/*
 * Which function a stub replaces, and what it does when that is called.
 *
 * A stub's function never changes: it may be in use from the moment on that it is known, by a
 * thread, and by objects that are not kept track of.
 */
#include "hsa_agent/calls/call_stubs.h"

#include <string.h>

#include "hsa_agent/ring/shared_memory.h"
#include "hsa_agent/calls/call_stubs.inc"
#include "inprocess/kernel_clock.h"

struct stub {
	uint64_t entry;
	const void *pad;
	uint64_t next, offset;
	uint32_t copied; /* words of the stack that the function gets; 0: STUB_WORDS_MIN */
	uint8_t way, registers, instant;
	uint8_t words; /* that hold arguments */
};

_Static_assert(STUBS == RT_SPANS_FUNCTIONS, "a stub each");
_Static_assert(sizeof(struct stub) == 5 * 8, "see call_stubs.S");
_Static_assert(offsetof(struct stub, entry) == STUB_ENTRY, "see call_stubs.S");
_Static_assert(offsetof(struct stub, pad) == STUB_PAD, "see call_stubs.S");
_Static_assert(offsetof(struct stub, copied) == STUB_WORDS, "see call_stubs.S");

#define HIDDEN __attribute__((visibility("hidden")))

#define PUSHES	 16 /* the pads for registers come first */
#define JUMP_PAD PUSHES

extern const char stubs_code[] HIDDEN;
extern const void *const stubs_pads[PUSHES + 1] HIDDEN;

HIDDEN struct stub stubs[STUBS];
HIDDEN uint8_t stubs_wanted[STUBS];

static struct spans_area area;
static uint32_t known;
static bool instants;

/* ---- calls ---- */

struct step {
	uint64_t go_on; /* 0: it is not captured */
	struct rt_span_frame *frame;
};

HIDDEN struct step stubs_enter(uint32_t number, const uint64_t *args, const uint64_t *stack);
HIDDEN void stubs_leave(struct rt_span_frame *f, uint64_t ret);

static uint64_t where_to(const struct stub *s)
{
	uint64_t at = s->next;

	if (__builtin_expect(s->way <= RT_SPAN_WAY_PUSH, 1))
		return at;
	at = __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE);
	if (s->way == RT_SPAN_WAY_TABLE && at)
		at = __atomic_load_n((const uint64_t *)(at + s->offset), __ATOMIC_ACQUIRE);
	return at;
}

struct step stubs_enter(uint32_t number, const uint64_t *args, const uint64_t *stack)
{
	const struct stub *s = &stubs[number];
	const struct spans_call call = {
		.function = number,
		.registers = s->registers,
		.stack_words = s->words,
		.instant = s->instant && __atomic_load_n(&instants, __ATOMIC_RELAXED),
		.args = args,
		.stack = stack,
	};
	struct step step = {.go_on = where_to(s)};

	if (step.go_on)
		step.frame = call_spans__begin(&call);
	if (!step.frame)
		step.go_on = 0;
	return step;
}

void stubs_leave(struct rt_span_frame *f, uint64_t ret)
{
	call_spans__end(f, ret);
}

/* ---- functions ---- */

static bool fill(struct stub *s, const struct rt_spans_function *f)
{
	uint32_t way = __atomic_load_n(&f->way, __ATOMIC_ACQUIRE);

	if (way == RT_SPAN_WAY_NONE || way > RT_SPAN_WAY_TABLE || !f->entry || !f->next ||
	    f->registers > RT_ARGS || f->stack_words > RT_STACK_WORDS || f->pushed >= PUSHES)
		return false;
	s->pad = stubs_pads[way == RT_SPAN_WAY_PUSH ? f->pushed : JUMP_PAD];
	s->entry = f->entry;
	s->next = f->next;
	s->offset = f->offset;
	s->words = f->stack_words;
	s->copied = s->words > STUB_WORDS_MIN ? s->words : 0;
	s->registers = f->registers;
	s->instant = f->instant;
	s->way = s->pad ? way : RT_SPAN_WAY_NONE;
	return s->way;
}

/* One that makes no sense stays without a function. */
static bool take_new(void)
{
	uint32_t count = __atomic_load_n(&area.control->count, __ATOMIC_ACQUIRE);
	bool some = false;

	for (; known < count && known < STUBS; known++)
		some |= fill(&stubs[known], &area.control->functions[known]);
	area.state->count = known;
	return some;
}

/* As another memory had them, or a process that has forked this one. */
static void give_known(void)
{
	for (uint32_t i = 0; i < known; i++) {
		struct rt_spans_function *f = &area.control->functions[i];
		const struct stub *s = &stubs[i];

		f->entry = s->entry;
		f->next = s->next;
		f->offset = s->offset;
		f->registers = s->registers;
		f->stack_words = s->words;
		f->instant = s->instant;
		while (s->way == RT_SPAN_WAY_PUSH && stubs_pads[f->pushed] != s->pad)
			f->pushed++;
		f->way = s->way;
	}
	area.control->count = area.state->count = known;
}

void call_stubs__use(const struct spans_area *to)
{
	memset(stubs_wanted, 0, sizeof(stubs_wanted));
	area = to ? *to : (struct spans_area){NULL};
	if (to)
		give_known();
}

static void want(bool on)
{
	for (uint32_t i = 0; i < known; i++) {
		const struct rt_spans_function *f = &area.control->functions[i];
		bool wanted = on && stubs[i].way && f->wanted;

		if (wanted)
			call_spans__set_plan(i, &f->plan);
		__atomic_store_n(&stubs_wanted[i], wanted, __ATOMIC_RELEASE);
	}
}

/* Times that follow each other differ: the later one shows whether calls are captured. */
static void note_time(__u64 *at, __u64 last)
{
	uint64_t now = kernel_clock__boot_ns();

	__atomic_store_n(at, now > last ? now : last + 1, __ATOMIC_RELEASE);
}

bool call_stubs__follow(bool active)
{
	struct rt_spans_state *state = area.state;
	uint32_t generation;
	bool on, some;

	if (!state)
		return false;
	generation = __atomic_load_n(&area.control->generation, __ATOMIC_ACQUIRE);
	on = active && __atomic_load_n(&area.control->wanted, __ATOMIC_RELAXED);
	if (on == call_stubs__capture() && generation == state->generation)
		return false;
	if (on && !call_stubs__capture())
		note_time(&state->since, state->until);
	some = take_new();
	want(on);
	state->generation = generation;
	if (!on && call_stubs__capture())
		note_time(&state->until, state->since);
	return some;
}

void call_stubs__allow_instants(bool allow)
{
	__atomic_store_n(&instants, allow, __ATOMIC_RELAXED);
}

bool call_stubs__capture(void)
{
	return area.state && area.state->since > area.state->until;
}

__u64 *call_stubs__places(void)
{
	return &area.state->places;
}

/* ---- which is which ---- */

void *call_stubs__behind(void *stub)
{
	uintptr_t at = (uintptr_t)stub - (uintptr_t)stubs_code;

	return at < STUBS * STUB_SIZE ? (void *)stubs[at / STUB_SIZE].entry : stub;
}

/* The newest stub of that address: a function that was there before may be unloaded. */
void *call_stubs__instead(void *function)
{
	uint64_t entry = (uintptr_t)function;

	for (uint32_t i = known; i-- > 0 && entry;)
		if (stubs[i].entry == entry && stubs[i].way)
			return (void *)(stubs_code + i * STUB_SIZE);
	return NULL;
}
