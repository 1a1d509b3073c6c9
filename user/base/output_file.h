/* SPDX-License-Identifier: MIT */
/*
 * Creates the files of the output: readable by their owner alone, never through a symbolic link,
 * and not root's where a user has called us through sudo.
 *
 * An existing regular file is replaced by a new one; what else may be written to (a device, a pipe)
 * is. Names of files that we have open (/dev/stdout, /dev/fd/3) stand for these.
 */
#ifndef RTRACE_BASE_OUTPUT_FILE_H
#define RTRACE_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * A descriptor to write to, or -errno: -ELOOP: it is a symbolic link, -EPERM: another user's link
 * is among its folders, -EACCES: another user's pipe, -ENXIO: no reader came to a pipe in 5 s.
 */
int output_file__create(const char *path);

/* The same as a stream; NULL with errno. */
FILE *output_file__open(const char *path);

/* Makes a folder, likewise. 0 or -errno. */
int output_file__make_folder(const char *path);

/* The user that called the tracer through sudo and gets the files; false: there is none. */
bool output_file__caller(unsigned int *uid);

/* What a library has made in a folder of ours: the user's too, if one has called us. */
void output_file__give(int folder, const char *name);

/* Are they one file, that is there? */
bool output_file__is_same(const char *a, const char *b);

/* Removes it, if it is a regular file. */
void output_file__remove(const char *path);

/* As rename(). 0 or -errno. */
int output_file__rename(const char *from, const char *to);

#endif
