// SPDX-License-Identifier: MIT
/*
 * Tests the names of kernels, as they are, demangled and without types. What names stand for is
 * the Itanium C++ ABI's; the mangled ones are what clang makes of such declarations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/string_pool.h"

static const struct {
	const char *mangled, *plain, *truncated;
} names[] = {
	{"_Z15matrixTransposePfS_i", "matrixTranspose(float*, float*, int)", "matrixTranspose"},
	{"_Z4vaddIfEvPKT_i", "void vadd<float>(float const*, int)", "vadd"},
	{"_ZN2ns5outer5innerIiLi4EEEvT_", "void ns::outer::inner<int, 4>(int)", "inner"},
	{"_ZN2ns3BoxIiE3runIdEEvT_", "void ns::Box<int>::run<double>(double)", "run"},
	{"_ZN12_GLOBAL__N_16hiddenEi", "(anonymous namespace)::hidden(int)", "hidden"},
	{"_ZN12_GLOBAL__N_16hiddenIiEEvT_", "void (anonymous namespace)::hidden<int>(int)",
	 "hidden"},
	{"_ZN2ns7FunctorclEi", "ns::Functor::operator()(int)", "operator()"},
	{"_ZN2ns7FunctorIfEclEi", "ns::Functor<float>::operator()(int)", "operator()"},
	{"_ZN2ns1TltERKS0_", "ns::T::operator<(ns::T const&)", "operator<"},
	{"_ZN2ns1TlsEi", "ns::T::operator<<(int)", "operator<<"},
	{"_ZN2nsltIiEEvT_", "void ns::operator< <int>(int)", "operator<"},
	{"_ZN2nsgtIiEEvT_", "void ns::operator><int>(int)", "operator>"},
	{"_ZN2ns1TptEv", "ns::T::operator->()", "operator->"},
	{"_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const", "operator()"},
	{"_Z6launchIZ4mainEUlvE_EvT_", "void launch<main::{lambda()#1}>(main::{lambda()#1})",
	 "launch"},
	{"_Z3logf", "log(float)", "log"},
	/* Not mangled, or not by these rules: as they are. */
	{"elementAdd", "elementAdd", "elementAdd"},
	{"__amd_rocclr_copyBuffer", "__amd_rocclr_copyBuffer", "__amd_rocclr_copyBuffer"},
	{"a kernel <of> no::language", "a kernel <of> no::language", "a kernel <of> no::language"},
	{"_Z", "_Z", "_Z"},
	{"_Z99short", "_Z99short", "_Z99short"},
	{"", "", ""},
};

static void check_all(enum kernel_names how)
{
	struct strings *s = string_pool__new();

	string_pool__set_kernel_names(s, how);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *mangled = names[i].mangled;
		const char *want = how == KERNEL_NAMES_MANGLED ? mangled
				   : how == KERNEL_NAMES_PLAIN ? names[i].plain
							       : names[i].truncated;

		assert_string_equal(string_pool__keep_kernel(s, mangled, strlen(mangled)), want);
	}
	string_pool__free(s);
}

static void mangled(void **state)
{
	check_all(KERNEL_NAMES_MANGLED);
}

static void demangled(void **state)
{
	check_all(KERNEL_NAMES_PLAIN);
}

static void truncated(void **state)
{
	check_all(KERNEL_NAMES_TRUNCATED);
}

/* Each level doubles what is written: shown as it is. */
static void a_name_that_stands_for_gigabytes(void **state)
{
	static const enum kernel_names all[] = {KERNEL_NAMES_PLAIN, KERNEL_NAMES_TRUNCATED};
	struct strings *s = string_pool__new();
	char name[512] = "_Z1fI1aE";

	strcat(name, "1PIiiE");
	for (int i = 0; i < 30; i++)
		strcat(name, "1PIS_S_E");
	for (size_t i = 0; i < 2; i++) {
		string_pool__set_kernel_names(s, all[i]);
		assert_non_null(string_pool__keep_kernel(s, name, strlen(name)));
	}
	string_pool__free(s);
}

/*
 * The demangler takes 1 kB at most: what is longer needs more stack than there may be. It is shown
 * mangled, and whole.
 */
static void long_names_are_whole(void **state)
{
	static const enum kernel_names all[] = {KERNEL_NAMES_PLAIN, KERNEL_NAMES_TRUNCATED};
	struct strings *s = string_pool__new();
	char *name = calloc(1, 200000), *n = name + sprintf(name, "_Z1f");

	for (int i = 0; i < 1000; i++)
		n += sprintf(n, "100T%099d", i);
	for (size_t i = 0; i < 2; i++) {
		string_pool__set_kernel_names(s, all[i]);
		assert_string_equal(string_pool__keep_kernel(s, name, strlen(name)), name);
	}
	free(name);
	string_pool__free(s);
}

static void bytes_that_are_no_text(void **state)
{
	const char bytes[] = {'_', 'Z', 1, (char)0xff, 'f', 0, 'x'};
	struct strings *s = string_pool__new();

	string_pool__set_kernel_names(s, KERNEL_NAMES_TRUNCATED);
	assert_string_equal(string_pool__keep_kernel(s, bytes, sizeof(bytes)), bytes);
	assert_ptr_equal(string_pool__keep_kernel(s, bytes, 5),
			 string_pool__keep_kernel(s, bytes, 7));
	string_pool__free(s);
}

static void names_are_kept_once_and_demangled(void **state)
{
	struct strings *s = string_pool__new();
	const char *a = string_pool__keep(s, "hello", 5),
		   *b = string_pool__keep(s, "hello world", 5);

	assert_ptr_equal(a, b);
	assert_string_equal(string_pool__keep_demangled(s, "_Z4vaddPKfS0_Pfi", 16),
			    "vadd(float const*, float const*, float*, int)");
	assert_string_equal(string_pool__keep_demangled(s, "plain", 5), "plain");
	assert_string_equal(string_pool__keep_demangled(s, "_Z", 2), "_Z");
	string_pool__free(s);
}

/* g(A<int, int>, A<that, that>, A<that, that>, ...): what is written doubles with every argument.
 */
static void a_name_that_stands_for_gigabytes_stays_mangled(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	struct strings *s = string_pool__new();
	char bomb[512] = "_Z1g1AIiiE", level[16];

	for (int i = 0; i < 34; i++) {
		snprintf(level, sizeof(level), "S_IS%c_S%c_E", digits[i], digits[i]);
		strcat(bomb, level);
	}
	assert_string_equal(string_pool__keep_demangled(s, bomb, strlen(bomb)), bomb);
	bomb[strlen("_Z1g1AIiiES_IS0_S0_E")] = '\0';
	assert_string_equal(string_pool__keep_demangled(s, bomb, strlen(bomb)),
			    "g(A<int, int>, A<A<int, int>, A<int, int> >)");
	string_pool__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mangled),
		cmocka_unit_test(demangled),
		cmocka_unit_test(truncated),
		cmocka_unit_test(a_name_that_stands_for_gigabytes),
		cmocka_unit_test(long_names_are_whole),
		cmocka_unit_test(bytes_that_are_no_text),
		cmocka_unit_test(names_are_kept_once_and_demangled),
		cmocka_unit_test(a_name_that_stands_for_gigabytes_stays_mangled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
