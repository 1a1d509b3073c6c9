// SPDX-License-Identifier: MIT
/*
 * librocprofiler-sdk's example of registration: a tool that prints the version of the library that
 * configures it, and is active if it is the first.
 *
 * (In the documentation one name is both a variable and a function, and its contexts and the types
 * of two functions are left out: they are completed here. What an id is copied to has a constant
 * member: the pointer is kept instead.)
 */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <cstdio>

static rocprofiler_client_id_t *my_client_id;
static rocprofiler_client_finalize_t my_client_finalize;
static int my_tool_data = 1234;

static int my_init_func(rocprofiler_client_finalize_t fini_func, void *tool_data)
{
	auto ctx = rocprofiler_context_id_t{};

	my_client_finalize = fini_func;
	if (*static_cast<int *>(tool_data) != 1234)
		return -1;
	if (rocprofiler_create_context(&ctx) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	if (int valid_ctx = 0;
	    rocprofiler_context_is_valid(ctx, &valid_ctx) != ROCPROFILER_STATUS_SUCCESS ||
	    valid_ctx == 0) {
		// what was made is ignored
		return -1;
	}
	if (rocprofiler_start_context(ctx) != ROCPROFILER_STATUS_SUCCESS)
		return -1;
	printf("initialized %s\n", my_client_id->name);
	return 0;
}

static void my_fini_func(void *tool_data)
{
	printf("finalized %s %d\n", my_client_id->name, *static_cast<int *>(tool_data));
	fflush(stdout);
}

extern "C" rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
		      rocprofiler_client_id_t *client_id)
{
	// only activate if main tool
	if (priority > 0)
		return nullptr;
	client_id->name = "ExampleTool";
	my_client_id = client_id;

	uint32_t major = version / 10000;
	uint32_t minor = (version % 10000) / 100;
	uint32_t patch = version % 100;

	printf("Configuring %s with rocprofiler-sdk (v%u.%u.%u) [%s]\n", client_id->name, major,
	       minor, patch, runtime_version);

	static auto cfg =
		rocprofiler_tool_configure_result_t{sizeof(rocprofiler_tool_configure_result_t),
						    &my_init_func, &my_fini_func, &my_tool_data};

	return &cfg;
}
