// SPDX-License-Identifier: MIT
#include "tests/unit/formats/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/rtrace_test.XXXXXX";

const char *scratch_folder__path(void)
{
	return folder;
}

int scratch_folder__make(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

int scratch_folder__remove(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

int scratch_folder__remove_empty(void **state)
{
	return rmdir(folder);
}

void scratch_folder__prints(const char *command, const char *want)
{
	char line[1024], got[4096] = "";
	FILE *pipe;

	snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	pipe = popen(line, "r");
	assert_non_null(pipe);
	got[fread(got, 1, sizeof(got) - 1, pipe)] = '\0';
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(got, want);
}
