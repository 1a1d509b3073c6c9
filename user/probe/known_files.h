/* SPDX-License-Identifier: MIT */
/*
 * The library and program files that were looked at, by device and inode: each is read once,
 * whether it could be used or not.
 *
 * Of files without API functions, which any user can make in any number, the last
 * KNOWN_FILES_USELESS are remembered.
 */
#ifndef RTRACE_PROBE_KNOWN_FILES_H
#define RTRACE_PROBE_KNOWN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "user/probe/library_probes.h"

#define KNOWN_FILES_USELESS 16384

struct known_files;

/* `fns` must live as long. NULL: no memory. */
struct known_files *known_files__new(struct functions *fns);
void known_files__free(struct known_files *files);

/*
 * The library in the file of that descriptor, which is taken over. NULL with errno set: it cannot
 * be read as one; `*again`: nor could it when it was first looked at. A library lives as long as
 * `files`; that of a program without API functions until the next call.
 */
struct library *known_files__get(struct known_files *files, int fd, const char *name, bool program,
				 bool *again);

/* That of a file which was looked at. NULL: it was not, or it is none. */
struct library *known_files__find(const struct known_files *files, const struct stat *st);

/* Probes of all of them. */
size_t known_files__probes(const struct known_files *files);

#endif
