/* SPDX-License-Identifier: MIT */
/*
 * The names of output files: keys in them, %pid% or {pid}, stand for what is known of the traced
 * process. The keys are rocprofv3's.
 */
#ifndef RTRACE_OUTPUT_FILE_NAME_KEYS_H
#define RTRACE_OUTPUT_FILE_NAME_KEYS_H

#include <sys/types.h>

/* The process that the keys describe. */
struct output_keys {
	pid_t pid;		    /* the process with that environment, folder, ... */
	const char *const *command; /* what it will run, ends with NULL; NULL: what it runs now */
};

/*
 * Expands the pattern into a new string; what is no key stays as it is. NULL if out of memory. What
 * the process decides over cannot lead into another folder, but for %cwd%.
 */
char *file_name_keys__expand(const char *pattern, const struct output_keys *keys);

/* Makes the folder, and those above it, owned by the user that called sudo. 0 or -errno. */
int file_name_keys__make_folder(const char *path);

#endif
