/* SPDX-License-Identifier: MIT */
/* The ROCm libraries of the machine, whatever their release. */
#ifndef RTRACE_TESTS_ROCM_H
#define RTRACE_TESTS_ROCM_H

#include <glob.h>
#include <stdio.h>

/* Where "libNAME.so.N" is, until the next call; skips the test if it is nowhere. */
static inline const char *rocm_library(const char *name)
{
	static char path[512];
	char pattern[128];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "/usr/lib/x86_64-linux-gnu/%s.so.[0-9]", name);
	if (glob(pattern, 0, NULL, &found))
		skip();
	snprintf(path, sizeof(path), "%s", found.gl_pathv[0]);
	globfree(&found);
	return path;
}

#endif
