/* SPDX-License-Identifier: MIT */
/*
 * The names of output files: keys in them, %pid% or {pid}, stand for what is known of the traced
 * process. The keys are rocprofv3's.
 */
#ifndef RTRACE_OUTNAME_H
#define RTRACE_OUTNAME_H

#include <sys/types.h>

/* Of whom the keys tell. */
struct output_keys {
	pid_t pid;		    /* whose environment, folder, ... it is */
	const char *const *command; /* what it will run, ends with NULL; NULL: what it runs now */
};

/*
 * Expands the pattern into a new string; what is no key stays as it is. NULL if out of memory. What
 * the process decides over cannot lead into another folder, but for %cwd%.
 */
char *outname__expand(const char *pattern, const struct output_keys *keys);

/* Makes the folder, and those above it, as the user's behind sudo. 0 or -errno. */
int outname__make_folder(const char *path);

#endif
