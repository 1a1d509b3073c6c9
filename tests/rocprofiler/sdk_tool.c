// SPDX-License-Identifier: MIT
/*
 * A tool, TOOL by name, that notes in the test program what happens to it. What it does on request:
 * TOOL_<TOOL>, of none, fail.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/registration.h>

#define STRING(name)  STRING_(name)
#define STRING_(name) #name

static void note(const char *what, unsigned int number)
{
	void (*in_program)(const char *) = (void (*)(const char *))dlsym(RTLD_DEFAULT, "note");
	char line[64];

	snprintf(line, sizeof(line), "%s %s %u", STRING(TOOL), what, number);
	if (in_program)
		in_program(line);
}

static int is_to(const char *do_that)
{
	const char *value = getenv("TOOL_" STRING(TOOL));

	return value && !strcmp(value, do_that);
}

static int initialize(rocprofiler_client_finalize_t end, void *data)
{
	note("initialize", 0);
	return is_to("fail");
}

static void finalize(void *data)
{
	note("finalize", 0);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *runtime_version,
							   uint32_t priority,
							   rocprofiler_client_id_t *client_id)
{
	static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize,
							     NULL};

	note("configure", priority);
	client_id->name = STRING(TOOL);
	return is_to("none") ? NULL : &result;
}
