// SPDX-License-Identifier: MIT
/*
 * Tests what handles stand for, with functions of this program that are named as clang names those
 * that stand for kernels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/merge/kernel_handles.h"

/* Of several bytes each, that an address inside of one is none of the next. */
#define STUB(function, symbol)                                            \
	__attribute__((aligned(16))) void function(void) __asm__(symbol); \
	void function(void)                                               \
	{                                                                 \
	}

STUB(plain, "__device_stub__elementAdd")
STUB(of_handle, "_Z6handlePfi")
STUB(function, "_Z19__device_stub__vaddPfi")
STUB(template, "_Z19__device_stub__vaddIfEvPKT_i")
STUB(nested, "_ZN2ns5outer20__device_stub__innerIiLi4EEEvT_")
STUB(anonymous, "_ZN12_GLOBAL__N_121__device_stub__hiddenEi")
STUB(no_name, "_Z15__device_stub__v")
STUB(no_length, "_Z__device_stub__x")
STUB(too_long, "_Z999__device_stub__x")
STUB(no_stub, "my__device_stub__x")

static const struct {
	void (*function)(void);
	const char *name;
} stubs[] = {
	{plain, "elementAdd"},
	{of_handle, "handle(float*, int)"},
	{function, "vadd(float*, int)"},
	{template, "void vadd<float>(float const*, int)"},
	{nested, "void ns::outer::inner<int, 4>(int)"},
	{anonymous, "(anonymous namespace)::hidden(int)"},
	/* Nothing that a compiler makes: as it is. */
	{no_name, "__device_stub__()"},
	{no_length, "_Z__device_stub__x"},
	{too_long, "_Z999__device_stub__x"},
	{no_stub, "my__device_stub__x"},
};

struct fixture {
	struct strings *strings;
	struct symbols *symbols;
	struct handles *handles;
};

static struct fixture f;

static int set_up(void **state)
{
	f.strings = string_pool__new();
	f.symbols = symbols__new(f.strings);
	f.handles = kernel_handles__new(f.strings, f.symbols);
	return !f.handles;
}

static int tear_down(void **state)
{
	kernel_handles__free(f.handles);
	symbols__free(f.symbols);
	string_pool__free(f.strings);
	return 0;
}

static void symbols_of_a_running_process(void **state)
{
	for (size_t i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		uint64_t address = (uintptr_t)stubs[i].function;

		kernel_handles__look_up(f.handles, getpid(), address);
		assert_string_equal(kernel_handles__find(f.handles, getpid(), address),
				    stubs[i].name);
		if (i + 1 == sizeof(stubs) / sizeof(stubs[0]))
			break; /* some other function may begin right after the last */
		kernel_handles__look_up(f.handles, getpid(), address + 1);
		assert_null(kernel_handles__find(f.handles, getpid(), address + 1));
	}
}

static void addresses_that_are_nothing(void **state)
{
	static const uint64_t addresses[] = {0, 1, 4096, UINT64_MAX, (uint64_t)1 << 63};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		kernel_handles__look_up(f.handles, getpid(), addresses[i]);
		assert_null(kernel_handles__find(f.handles, getpid(), addresses[i]));
	}
	kernel_handles__look_up(f.handles, 0x3fffff, (uintptr_t)plain); /* no such process */
	assert_null(kernel_handles__find(f.handles, 0x3fffff, (uintptr_t)plain));
}

static void what_was_learnt_goes_before_symbols(void **state)
{
	kernel_handles__learn(f.handles, getpid(), (uintptr_t)plain, "learnt");
	kernel_handles__look_up(f.handles, getpid(), (uintptr_t)plain);
	assert_string_equal(kernel_handles__find(f.handles, getpid(), (uintptr_t)plain), "learnt");
	kernel_handles__learn(f.handles, getpid(), (uintptr_t)plain, "learnt later");
	assert_string_equal(kernel_handles__find(f.handles, getpid(), (uintptr_t)plain),
			    "learnt later");
}

static void processes_have_their_own(void **state)
{
	kernel_handles__learn(f.handles, 1, 7, "of one");
	assert_null(kernel_handles__find(f.handles, 2, 7));
	kernel_handles__fork(f.handles, 1, 3);
	kernel_handles__learn(f.handles, 3, 7, "of the child");
	assert_string_equal(kernel_handles__find(f.handles, 1, 7), "of one");
	assert_string_equal(kernel_handles__find(f.handles, 3, 7), "of the child");
	kernel_handles__forget(f.handles, 1);
	assert_null(kernel_handles__find(f.handles, 1, 7));
	assert_string_equal(kernel_handles__find(f.handles, 3, 7), "of the child");
	kernel_handles__fork(f.handles, 98, 99); /* unknown */
	kernel_handles__forget(f.handles, 98);
}

static void a_process_that_registers_without_end(void **state)
{
	for (uint64_t i = 0; i < 200000; i++)
		kernel_handles__learn(f.handles, 1, i, "kernel");
	assert_non_null(kernel_handles__find(f.handles, 1, 0));
	assert_null(kernel_handles__find(f.handles, 1, 199999));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(symbols_of_a_running_process),	    TEST(addresses_that_are_nothing),
		TEST(what_was_learnt_goes_before_symbols),  TEST(processes_have_their_own),
		TEST(a_process_that_registers_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
