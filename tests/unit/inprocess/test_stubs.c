// SPDX-License-Identifier: MIT
/*
 * Tests that a function which is called by way of a stub (hsa_agent/calls/call_stubs.S) sees and
 * gives what it would without, and goes on where it should.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <execinfo.h>
#include <string.h>
#include <sys/mman.h>

#include "hsa_agent/calls/call_stubs.h"
#include "user/agent/agent_calls.h"

static char *memory;
static struct agent_spans *reader;
static union span_record last;
static size_t n_read;

static void keep(const struct rt_rec *rec, void *arg)
{
	if (rec->kind != RT_REC_SPAN)
		return;
	memcpy(&last, rec, rec->size);
	n_read++;
}

static void begin(void)
{
	const struct spans_area area = call_spans__area_at(memory);

	call_spans__use(&area);
	call_stubs__use(&area);
	reader = agent_calls__new(memory, 0);
}

static int set_up(void **state)
{
	memory = mmap(NULL, RT_SPANS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	n_read = 0;
	begin();
	return memory == MAP_FAILED;
}

static int tear_down(void **state)
{
	call_stubs__use(NULL);
	call_spans__use(NULL);
	agent_calls__free(reader);
	return munmap(memory, RT_SPANS_SIZE);
}

static void want(void)
{
	agent_calls__want(reader, true);
	call_stubs__follow(true);
}

static struct function words_16 = {.id = 16, .registers = 0x3f, .plan = {.stack_words = 16}};
static struct function words_0 = {.id = 1, .registers = 0x3f};

/* The stub of that function. Its calls go on at `next`. */
static void *stub(const struct function *fn, void *entry, void *next, uint32_t way, uint8_t pushed)
{
	const struct agent_span_way w = {way, pushed, (uintptr_t)entry, (uintptr_t)next, 0};

	assert_int_equal(agent_calls__add(reader, fn, &w), 0);
	want();
	assert_non_null(call_stubs__instead(entry));
	return call_stubs__instead(entry);
}

static void *plain(const struct function *fn, void *entry)
{
	return stub(fn, entry, entry, RT_SPAN_WAY_JUMP, 0);
}

static void expect_read(size_t n)
{
	assert_true(agent_calls__drain(reader, keep, NULL));
	assert_int_equal(n_read, n);
}

/* ---- what goes in and out ---- */

static uint64_t seen[22];

static __attribute__((noinline)) uint64_t many(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
					       uint64_t e, uint64_t f, uint64_t s0, uint64_t s1,
					       uint64_t s2, uint64_t s3, uint64_t s4, uint64_t s5,
					       uint64_t s6, uint64_t s7, uint64_t s8, uint64_t s9,
					       uint64_t s10, uint64_t s11, uint64_t s12,
					       uint64_t s13, uint64_t s14, uint64_t s15)
{
	const uint64_t all[] = {a,  b,	c,  d,	e,  f,	 s0,  s1,  s2,	s3,  s4,
				s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15};

	memcpy(seen, all, sizeof(all));
	assert_int_equal((uintptr_t)__builtin_frame_address(0) % 16, 0);
	return s15 + 1;
}

static void all_arguments_come_through(void **state)
{
	typeof(many) *f = plain(&words_16, many);
	const uint64_t *words = (const uint64_t *)(&last.span + 1) + 1;

	assert_int_equal(
		f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22),
		23);
	for (int i = 0; i < 22; i++)
		assert_int_equal(seen[i], i + 1);
	expect_read(1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(last.span.args[i], i + 1);
	for (int i = 0; i < 16; i++)
		assert_int_equal(words[i], i + 7);
	assert_int_equal(last.span.ret, 23);
}

static __attribute__((noinline)) uint64_t more(uint64_t a, uint64_t b, uint64_t c, uint64_t d,
					       uint64_t e, uint64_t f, uint64_t s0, uint64_t s1,
					       uint64_t s2, uint64_t s3)
{
	return s0 + 10 * s1 + 100 * s2 + 1000 * s3;
}

/* A later release of the library may have added some. */
static void arguments_that_nobody_knows_of_come_through(void **state)
{
	typeof(more) *f = plain(&words_0, more);

	assert_int_equal(f(1, 2, 3, 4, 5, 6, 1, 2, 3, 4), 4321);
	expect_read(1);
	assert_int_equal(last.span.h.size, sizeof(last.span));
}

struct integers {
	uint64_t a, b;
};

struct doubles {
	double a, b;
};

static __attribute__((noinline)) struct integers two_integers(void)
{
	return (struct integers){11, 12};
}

static __attribute__((noinline)) struct doubles two_doubles(void)
{
	return (struct doubles){1.25, 2.5};
}

static void all_that_is_returned_comes_through(void **state)
{
	struct integers i = ((typeof(two_integers) *)plain(&words_0, two_integers))();
	struct doubles d = ((typeof(two_doubles) *)plain(&words_0, two_doubles))();

	assert_int_equal(i.a, 11);
	assert_int_equal(i.b, 12);
	assert_true(d.a == 1.25 && d.b == 2.5);
	expect_read(2);
}

/* ---- where it goes on ---- */

uint64_t call_and_compare(void *function);

#define PUSHING(register) extern char target_##register[], target_##register##_next[]
PUSHING(rax);
PUSHING(rcx);
PUSHING(rdx);
PUSHING(rbx);
PUSHING(rbp);
PUSHING(rsi);
PUSHING(rdi);
PUSHING(r8);
PUSHING(r9);
PUSHING(r12);
PUSHING(r13);
PUSHING(r14);
PUSHING(r15);

static void what_is_passed_is_done(void **state)
{
	static const struct {
		uint8_t number;
		char *entry, *next;
	} targets[] = {
#define TARGET(number, register) {number, target_##register, target_##register##_next}
		TARGET(0, rax),	 TARGET(1, rcx),  TARGET(2, rdx),  TARGET(3, rbx), TARGET(5, rbp),
		TARGET(6, rsi),	 TARGET(7, rdi),  TARGET(8, r8),   TARGET(9, r9),  TARGET(12, r12),
		TARGET(13, r13), TARGET(14, r14), TARGET(15, r15),
	};
	const size_t n = sizeof(targets) / sizeof(targets[0]);

	for (size_t i = 0; i < n; i++) {
		void *f = stub(&words_0, targets[i].entry, targets[i].next, RT_SPAN_WAY_PUSH,
			       targets[i].number);

		assert_int_equal(call_and_compare(f), (uintptr_t)targets[i].entry);
	}
	expect_read(n);
	for (uint32_t i = 0; i < RT_ARGS; i++)
		assert_int_equal(last.span.args[i], i + 1);
}

static int entry_of_table(void)
{
	return 1;
}

static int leads_to(void)
{
	return 2;
}

static struct {
	void *before, *function;
} table = {NULL, leads_to};
static void *variable;

static void what_jumps_on_by_a_variable(void **state)
{
	struct agent_span_way way = {RT_SPAN_WAY_VARIABLE, 0, (uintptr_t)entry_of_table,
				     (uintptr_t)&variable, offsetof(typeof(table), function)};
	int (*f)(void);

	agent_calls__add(reader, &words_0, &way);
	want();
	f = call_stubs__instead(entry_of_table);
	variable = NULL; /* not filled in yet */
	assert_int_equal(f(), 1);
	expect_read(0);
	variable = leads_to;
	assert_int_equal(f(), 2);
	expect_read(1);

	way.way = RT_SPAN_WAY_TABLE;
	agent_calls__add(reader, &words_0, &way);
	want();
	f = call_stubs__instead(entry_of_table);
	variable = NULL;
	assert_int_equal(f(), 1);
	variable = &table;
	assert_int_equal(f(), 2);
	expect_read(2);
}

static void *callers[32];
static int n_callers;

static __attribute__((noinline)) int look_back(void)
{
	n_callers = backtrace(callers, 32);
	return 0;
}

static __attribute__((noinline)) int look_back_past_words(uint64_t a, uint64_t b, uint64_t c,
							  uint64_t d, uint64_t e, uint64_t f,
							  uint64_t s0, uint64_t s1, uint64_t s2)
{
	n_callers = backtrace(callers, 32);
	return 0;
}

/* In the function that has called the stub, which is not long. */
static bool goes_through(const void *test)
{
	for (int i = 2; i < n_callers; i++)
		if (callers[i] > test && callers[i] < test + 400)
			return true;
	return false;
}

static void the_stack_can_be_unwound(void **state)
{
	static struct function three = {.id = 3, .registers = 0x3f, .plan = {.stack_words = 3}};

	((typeof(look_back) *)plain(&words_0, look_back))();
	assert_true(goes_through(the_stack_can_be_unwound));
	((typeof(look_back_past_words) *)plain(&three, look_back_past_words))(1, 2, 3, 4, 5, 6, 7,
									      8, 9);
	assert_true(goes_through(the_stack_can_be_unwound));
}

/* ---- which is which ---- */

static int unwanted(void)
{
	return 1;
}

static int wanted(void)
{
	return 2;
}

static void what_is_not_wanted_goes_to_the_function(void **state)
{
	int (*f)(void) = stub(&words_0, unwanted, wanted, RT_SPAN_WAY_JUMP, 0);

	assert_int_equal(f(), 2);
	agent_calls__want(reader, false);
	call_stubs__follow(true);
	assert_int_equal(f(), 1);
	expect_read(1);
	assert_ptr_equal(call_stubs__behind(f), unwanted);
	assert_ptr_equal(call_stubs__behind(unwanted), unwanted);
	assert_null(call_stubs__instead(set_up));
}

static void what_makes_no_sense_is_not_captured(void **state)
{
	static struct function strange = {.id = 2};
	struct agent_span_way way = {RT_SPAN_WAY_PUSH, 4, (uintptr_t)set_up, (uintptr_t)set_up, 0};

	agent_calls__add(reader, &strange, &way); /* the stack pointer */
	way.pushed = 16;
	agent_calls__add(reader, &strange, &way);
	way.pushed = 0;
	way.way = RT_SPAN_WAY_TABLE + 1;
	agent_calls__add(reader, &strange, &way);
	way.way = RT_SPAN_WAY_JUMP;
	way.next = 0;
	agent_calls__add(reader, &strange, &way);
	strange.plan.stack_words = RT_STACK_WORDS + 1;
	assert_int_equal(agent_calls__add(reader, &strange, &way), -22);
	want();
	assert_null(call_stubs__instead(set_up));
}

/* Objects remember stubs for as long as the process lives. */
static void a_stub_keeps_its_function(void **state)
{
	void *f = stub(&words_0, unwanted, wanted, RT_SPAN_WAY_JUMP, 0);
	char *other = mmap(NULL, RT_SPANS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			   -1, 0);
	struct spans_area area;

	call_stubs__use(NULL);
	call_spans__use(NULL);
	assert_int_equal(((int (*)(void))f)(), 1);
	agent_calls__free(reader);
	munmap(memory, RT_SPANS_SIZE);
	memory = other;
	begin();
	assert_ptr_equal(stub(&words_0, unwanted, wanted, RT_SPAN_WAY_JUMP, 0), f);
	/* Another function at the same address. */
	assert_ptr_not_equal(stub(&words_0, unwanted, unwanted, RT_SPAN_WAY_JUMP, 0), f);
	assert_int_equal(((int (*)(void))f)(), 2);
	/* Later changes to the shared memory have no effect on the stub. */
	area = call_spans__area_at(memory);
	for (uint32_t i = 0; i < RT_SPANS_FUNCTIONS; i++)
		area.control->functions[i].next = 0;
	want();
	assert_int_equal(((int (*)(void))f)(), 2);
}

static void there_are_so_many_and_no_more(void **state)
{
	struct agent_span_way way = {RT_SPAN_WAY_JUMP, 0, 0, (uintptr_t)wanted, 0};
	uint32_t n = 0;

	for (uint64_t at = 1; at < 3 * RT_SPANS_FUNCTIONS; at++) {
		way.entry = at;
		n += !agent_calls__add(reader, &words_0, &way);
	}
	assert_in_range(n, RT_SPANS_FUNCTIONS / 2, RT_SPANS_FUNCTIONS);
	want();
	/* The last stub is as good as any. */
	assert_int_equal(((int (*)(void))call_stubs__instead((void *)(uintptr_t)n))(), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_arguments_come_through),
		TEST(arguments_that_nobody_knows_of_come_through),
		TEST(all_that_is_returned_comes_through),
		TEST(what_is_passed_is_done),
		TEST(what_jumps_on_by_a_variable),
		TEST(the_stack_can_be_unwound),
		TEST(what_is_not_wanted_goes_to_the_function),
		TEST(what_makes_no_sense_is_not_captured),
		TEST(a_stub_keeps_its_function),
		TEST(there_are_so_many_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
