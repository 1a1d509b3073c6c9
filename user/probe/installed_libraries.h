/* SPDX-License-Identifier: MIT */
/*
 * Finds ROCm library files: those installed where the loader looks, those that processes map, those
 * that the user names.
 */
#ifndef RTRACE_PROBE_INSTALLED_LIBRARIES_H
#define RTRACE_PROBE_INSTALLED_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct installed_file {
	char *path; /* without symbolic links, where it could be resolved */
	int fd;
	dev_t dev;
	ino_t ino;
};

/* Each file once, however many names it has. Zero it to begin with. */
struct installed {
	struct installed_file *files;
	size_t count;
};

/* All of the machine. 0 or -ENOMEM; what cannot be opened is left out. */
int installed_libraries__add_all(struct installed *in);

/* Those that the process maps. How many, or -errno. */
int installed_libraries__add_process(struct installed *in, pid_t pid);

/* That very file. 0 or -errno. */
int installed_libraries__add_file(struct installed *in, const char *path);

void installed_libraries__free(struct installed *in);

#endif
