// SPDX-License-Identifier: MIT
/*
 * The same as registration.cpp, in C; and, as that is part of C++ too, in C++ once more.
 */
#include <stdio.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

static rocprofiler_client_id_t *my_client_id;
static int my_tool_data = 1234;

static int my_init_func(rocprofiler_client_finalize_t fini_func, void *tool_data)
{
	rocprofiler_context_id_t ctx = {0};
	int valid_ctx = 0;

	if (*(int *)tool_data != 1234)
		return -1;
	if (rocprofiler_create_context(&ctx) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	if (rocprofiler_context_is_valid(ctx, &valid_ctx) != ROCPROFILER_STATUS_SUCCESS ||
	    valid_ctx == 0)
		return -1;
	if (rocprofiler_start_context(ctx) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	printf("initialized %s\n", my_client_id->name);
	return 0;
}

static void my_fini_func(void *tool_data)
{
	printf("finalized %s %d\n", my_client_id->name, *(int *)tool_data);
	fflush(stdout);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *runtime_version,
							   uint32_t priority,
							   rocprofiler_client_id_t *client_id)
{
	static rocprofiler_tool_configure_result_t cfg = {sizeof(cfg), my_init_func, my_fini_func,
							  &my_tool_data};

	if (priority > 0)
		return NULL;
	client_id->name = "ExampleTool";
	my_client_id = client_id;
	printf("Configuring %s with rocprofiler-sdk (v%u.%u.%u) [%s]\n", client_id->name,
	       version / 10000, version % 10000 / 100, version % 100, runtime_version);
	return &cfg;
}
