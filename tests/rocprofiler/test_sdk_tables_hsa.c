// SPDX-License-Identifier: MIT
// When an HSA that has handed in its table is about to be shut down.

#include "rocprofiler/sources/hsa_reference.h"
#include "tests/rocprofiler/sdktest.h"

static hsa_status_t status;
static int inits, shut_downs, ends, ends_before;
static CoreApiTable core;
static HsaApiTable table = {.core_ = &core};

static hsa_status_t init(void)
{
	inits++;
	return status;
}

static hsa_status_t shut_down(void)
{
	shut_downs++;
	ends_before = ends;
	return status;
}

static void end(void)
{
	ends++;
}

/* HSA has its own functions in the table again. */
static void load(void)
{
	core.hsa_init_fn = init;
	core.hsa_shut_down_fn = shut_down;
	hsa_reference__wrap(&table, end);
	CHECK(core.hsa_init_fn != init && core.hsa_shut_down_fn != shut_down);
	hsa_reference__wrap(&table, end);
}

/* Three calls each, of which the first is the one that loads it. */
static void before_the_last_call_that_shuts_it_down(void)
{
	for (int life = 1; life <= 3; life++) {
		load();
		status = HSA_STATUS_SUCCESS;
		CHECK_EQUAL(core.hsa_init_fn(), HSA_STATUS_SUCCESS);
		CHECK_EQUAL(core.hsa_init_fn(), HSA_STATUS_SUCCESS);
		status = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
		CHECK_EQUAL(core.hsa_init_fn(), HSA_STATUS_ERROR_REFCOUNT_OVERFLOW);
		status = HSA_STATUS_SUCCESS;
		for (int i = 1; i <= 3; i++) {
			CHECK_EQUAL(core.hsa_shut_down_fn(), HSA_STATUS_SUCCESS);
			CHECK_EQUAL(ends_before, i < 3 ? life - 1 : life);
			CHECK_EQUAL(ends, ends_before);
			CHECK_EQUAL(shut_downs, 3 * (life - 1) + i);
		}
	}
	CHECK_EQUAL(inits, 9);
}

IN_CHILD(before_the_last_call_that_shuts_it_down)

int main(void)
{
	const struct CMUnitTest tests[] = {CHILD_TEST(before_the_last_call_that_shuts_it_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
