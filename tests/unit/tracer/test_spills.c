// SPDX-License-Identifier: MIT
/*
 * Tests where functions are found to put their floating-point arguments: functions in assembly, the
 * labels in them are the judge.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "user/elf/stack_arguments.h"

#define FUNCTION(name, body)                                                                  \
	extern const uint8_t name[], name##_place[], name##_end[];                            \
	__asm__(".text\n" #name ":\n" body "\n.globl " #name "\n" #name "_end: .globl " #name \
		"_end\n.globl " #name "_place\n")

FUNCTION(by_frame, "push %rbp\n mov %rsp,%rbp\n push %rbx\n sub $0x58,%rsp\n"
		   "movss %xmm0,-0x34(%rbp)\n by_frame_place: xor %eax,%eax\n call *%rax\n ret");
FUNCTION(by_stack, "push %rbx\n sub $0x30,%rsp\n mov %rdi,%rbx\n movsd %xmm1,0x8(%rsp)\n"
		   "movsd %xmm0,0x10(%rsp)\n by_stack_place: test %rdi,%rdi\n je 1f\n 1: ret");
FUNCTION(after_call, "push %rbp\n mov %rsp,%rbp\n sub $0x10,%rsp\n call *%rax\n"
		     "movss %xmm0,-4(%rbp)\n after_call_place: leave\n ret");
FUNCTION(overwritten, "sub $0x18,%rsp\n xorps %xmm0,%xmm0\n movss %xmm0,0x8(%rsp)\n"
		      "overwritten_place: add $0x18,%rsp\n ret");
FUNCTION(after_branch, "sub $0x18,%rsp\n test %rdi,%rdi\n je 1f\n movss %xmm0,0x8(%rsp)\n"
		       "after_branch_place: 1: add $0x18,%rsp\n ret");
FUNCTION(realigned, "push %rbp\n and $-32,%rsp\n movss %xmm0,-0x20(%rsp)\n"
		    "realigned_place: pop %rbp\n ret");
FUNCTION(elsewhere, "movss %xmm0,(%rdi)\n elsewhere_place: ret");
FUNCTION(above, "movss %xmm0,0x10(%rsp)\n above_place: ret");
FUNCTION(never, "lea (%rdi,%rsi),%rax\n never_place: ret");

static bool find(const uint8_t *from, const uint8_t *end, unsigned int count, struct spills *out)
{
	const struct code fn = {from, end - from, 0x1000};

	return stack_arguments__find(&fn, count, KERNEL(6, 18), out);
}

#define FIND(name, count, out) find(name, name##_end, count, out)

static void found_by_the_frame_pointer(void **state)
{
	struct spills s;

	assert_true(FIND(by_frame, 1, &s));
	assert_int_equal(s.shift, by_frame_place - by_frame);
	assert_int_equal(s.slots.count, 1);
	assert_int_equal(s.slots.slot[0], -8 - 0x34); /* push %rbp, then -0x34(%rbp) */
}

static void found_by_the_stack_pointer(void **state)
{
	struct spills s;

	assert_true(FIND(by_stack, 2, &s));
	assert_int_equal(s.shift, by_stack_place - by_stack);
	assert_int_equal(s.slots.count, 2);
	assert_int_equal(s.slots.slot[1], -8 - 0x30 + 0x8);
	assert_int_equal(s.slots.slot[0], -8 - 0x30 + 0x10);
	assert_false(FIND(by_stack, 3, &s)); /* %xmm2 is not put anywhere */
}

static void not_where_it_cannot_be_told(void **state)
{
	struct spills s;

	assert_false(FIND(after_call, 1, &s));
	assert_false(FIND(overwritten, 1, &s));
	assert_false(FIND(after_branch, 1, &s));
	assert_false(FIND(realigned, 1, &s));
	assert_false(FIND(elsewhere, 1, &s));
	assert_false(FIND(above, 1, &s)); /* the caller's */
	assert_false(FIND(never, 1, &s));
	assert_false(FIND(by_frame, 0, &s));
	assert_false(FIND(by_frame, RT_SSE + 1, &s));
}

static void code_that_is_cut_off(void **state)
{
	struct spills s;

	for (const uint8_t *end = by_frame; end <= by_frame_place; end++)
		assert_false(find(by_frame, end, 1, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_the_frame_pointer),
		cmocka_unit_test(found_by_the_stack_pointer),
		cmocka_unit_test(not_where_it_cannot_be_told),
		cmocka_unit_test(code_that_is_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
