/* SPDX-License-Identifier: MIT */
/*
 * Creates the files of the output: readable by their owner alone, never through a symbolic link,
 * and not root's where a user has called us through sudo.
 *
 * An existing regular file is replaced by a new one; what else may be written to (a device, a pipe)
 * is. Names of files that we have open (/dev/stdout, /dev/fd/3) stand for these.
 */
#ifndef RTRACE_OUTFILE_H
#define RTRACE_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

/* A descriptor to write to, or -errno: -ELOOP if it is a symbolic link. */
int outfile__create(const char *path);

/* The same as a stream; NULL with errno. */
FILE *outfile__open(const char *path);

/* Makes a folder, likewise. 0 or -errno. */
int outfile__make_folder(const char *path);

/* Has a user called us, whose files are to be the user's? */
bool outfile__is_behind_sudo(void);

/* What a library has made in a folder of ours: the user's too, if one has called us. */
void outfile__give(int folder, const char *name);

/* Are they one file, that is there? */
bool outfile__is_same(const char *a, const char *b);

/* Removes it, if it is a regular file. */
void outfile__remove(const char *path);

#endif
