/* SPDX-License-Identifier: MIT */
/*
 * The files: FOLDER/PID_NAME, as rocprof finds them.
 *
 * One is opened each time that it is written to, and there only if something was: the application
 * may close descriptors that it does not know, and use their numbers again.
 */
#ifndef TOOL_OUT_H
#define TOOL_OUT_H

#include <stdbool.h>
#include <stddef.h>

enum file {
	FILE_HIP,
	FILE_HSA,
	FILE_OPS,
	FILE_COPIES,
	FILE_ROCTX,
	FILE_BEGIN,
	FILE_HANDLES,
	FILES,
};

/* The folder for the files, or NULL. False: nothing is recorded, and the reason is logged. */
bool out__open(const char *folder);

/* Appends lines to a file. If that fails, it is logged, and nothing is recorded any more. */
void out__append(enum file file, const char *text, size_t len);

/* Is anything to be recorded? */
bool out__goes_on(void);
/* Not any more. */
void out__stop(void);

/* Around a fork: the child has files of its own. */
void out__forked(void);

#endif
