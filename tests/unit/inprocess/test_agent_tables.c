// SPDX-License-Identifier: MIT
/*
 * Tests which runtimes the agent accepts: those with tables laid out as in the headers that the
 * agent is built with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hsa_agent/core/agent_internal.h"

static CoreApiTable core;
static AmdExtTable amd;
static HsaApiTable root;

static int as_built(void **state)
{
	root.version = (ApiTableVersion){HSA_API_TABLE_MAJOR_VERSION, sizeof(root), 0, 0};
	core.version = (ApiTableVersion){HSA_CORE_API_TABLE_MAJOR_VERSION, sizeof(core), 0, 0};
	amd.version = (ApiTableVersion){HSA_AMD_EXT_API_TABLE_MAJOR_VERSION, sizeof(amd), 0, 0};
	root.core_ = &core;
	root.amd_ext_ = &amd;
	return 0;
}

/* Is it refused, with one line on stderr? */
static void is_refused(void)
{
	char said[1024] = "";
	int err = dup(STDERR_FILENO), pipes[2];
	bool saved;

	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	saved = tables__save(&root);
	dup2(err, STDERR_FILENO);
	close(err);
	close(pipes[1]);
	assert_true(read(pipes[0], said, sizeof(said) - 1) > 0);
	close(pipes[0]);
	assert_false(saved);
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	assert_non_null(strstr(said, ": not tracing\n"));
}

static void the_release_that_it_is_built_for(void **state)
{
	assert_true(tables__save(&root));
}

static void other_major_versions(void **state)
{
	root.version.major_id++;
	is_refused();
	as_built(NULL);
	core.version.major_id++;
	is_refused();
	as_built(NULL);
	amd.version.major_id++;
	is_refused();
}

static void tables_that_are_too_short(void **state)
{
	root.version.minor_id = sizeof(ApiTableVersion);
	is_refused();
	as_built(NULL);
	core.version.minor_id = offsetof(CoreApiTable, hsa_queue_create_fn);
	is_refused();
	as_built(NULL);
	amd.version.minor_id = offsetof(AmdExtTable, hsa_amd_memory_async_copy_fn);
	is_refused();
}

/* Between ROCm 5.2 and 5.7 a longer table is laid out otherwise; since 6.0 it has more at its end.
 */
static void a_longer_table(void **state)
{
	amd.version.minor_id += 2 * sizeof(void *);
	if (HSA_AMD_EXT_API_TABLE_MAJOR_VERSION == 1)
		is_refused();
	else
		assert_true(tables__save(&root));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_release_that_it_is_built_for, as_built),
		cmocka_unit_test_setup(other_major_versions, as_built),
		cmocka_unit_test_setup(tables_that_are_too_short, as_built),
		cmocka_unit_test_setup(a_longer_table, as_built),
	};

	return cmocka_run_group_tests_name("agent tables", tests, NULL, NULL);
}
