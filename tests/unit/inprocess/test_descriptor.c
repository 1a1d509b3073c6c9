// SPDX-License-Identifier: MIT
/*
 * Tests the reading of kernel descriptors, on what LLVM's assembler (clang 14) made of the
 * directives that stand beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inprocess/kernel_descriptor.h"

/* All that differs between the descriptors: the words at 44, 48 and 56. */
static void check(const char *gfx, uint32_t rsrc3, uint32_t rsrc1, uint16_t properties,
		  uint32_t vgprs, uint32_t accum, uint32_t sgprs)
{
	unsigned char bytes[DESCRIPTOR_SIZE + 1] = {0};
	struct registers r;

	/* The runtime's copy need not be aligned. */
	memcpy(bytes + 1 + 44, &rsrc3, sizeof(rsrc3));
	memcpy(bytes + 1 + 48, &rsrc1, sizeof(rsrc1));
	memcpy(bytes + 1 + 56, &properties, sizeof(properties));
	kernel_descriptor__registers(bytes + 1, gfx, &r);
	assert_int_equal(r.vgprs, vgprs);
	assert_int_equal(r.accum, accum);
	assert_int_equal(r.sgprs, sgprs);
}

/* Vector registers in fours. Six scalar ones are added for VCC, flat scratch and XNACK. */
static void gfx9_gives_registers_in_granules(void **state)
{
	/* .amdhsa_next_free_vgpr 37, .amdhsa_next_free_sgpr 40 */
	check("gfx906", 0, 0x00ac0149, 0, 40, 0, 48);
	/* .amdhsa_next_free_vgpr 256, .amdhsa_next_free_sgpr 96 */
	check("gfx906", 0, 0x00ac033f, 0, 256, 0, 112);
}

static void gfx908_has_as_many_accumulation_registers(void **state)
{
	/* .amdhsa_next_free_vgpr 20, .amdhsa_next_free_sgpr 20 */
	check("gfx908", 0, 0x00ac00c4, 0, 20, 20, 32);
}

/* One file, in eights, of which the first part is for ordinary registers. */
static void gfx90a_divides_one_file(void **state)
{
	/* .amdhsa_next_free_vgpr 100, .amdhsa_accum_offset 60, .amdhsa_next_free_sgpr 30 */
	check("gfx90a", 0x0e, 0x00ac010c, 0, 60, 44, 48);
	check("gfx942", 0x0e, 0x00ac010c, 0, 60, 44, 48);
	/* .amdhsa_next_free_vgpr 12, .amdhsa_accum_offset 12, .amdhsa_next_free_sgpr 30 */
	check("gfx90a", 0x02, 0x00ac0101, 0, 12, 4, 48);
}

static void gfx10_goes_by_the_size_of_the_wave(void **state)
{
	/* .amdhsa_next_free_vgpr 33, .amdhsa_wavefront_size32 1 */
	check("gfx1030", 0, 0x60ac0004, 0x0400, 40, 0, 128);
	/* .amdhsa_next_free_vgpr 33, .amdhsa_wavefront_size32 0 */
	check("gfx1030", 0, 0x60ac0008, 0, 36, 0, 128);
	check("gfx1100", 0, 0x60ac0004, 0x0400, 40, 0, 128);
}

/* A file that says more ordinary registers than there are in all. */
static void nonsense_does_not_wrap(void **state)
{
	check("gfx90a", 0x3f, 0, 0, 256, 0, 16);
}

static void other_names_give_nothing(void **state)
{
	static const char *const names[] = {"",
					    "gfx",
					    "gfx9",
					    "AMD EPYC",
					    "gfxabc",
					    "gfx90",
					    "gfx9-6",
					    "gfx90z",
					    "gfx11111111111111111",
					    "amdgcn-amd-amdhsa--gfx906"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check(names[i], 0x0e, 0x00ac010c, 0, 0, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gfx9_gives_registers_in_granules),
		cmocka_unit_test(gfx908_has_as_many_accumulation_registers),
		cmocka_unit_test(gfx90a_divides_one_file),
		cmocka_unit_test(gfx10_goes_by_the_size_of_the_wave),
		cmocka_unit_test(nonsense_does_not_wrap),
		cmocka_unit_test(other_names_give_nothing),
	};

	return cmocka_run_group_tests_name("descriptor", tests, NULL, NULL);
}
