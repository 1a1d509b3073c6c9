/* SPDX-License-Identifier: MIT */
/*
 * Folders of sinks that write files with names of their own: the user's alone, never through a
 * symbolic link. One that is there already is used; what else is in it stays.
 */
#ifndef RTRACE_BASE_OUTPUT_FOLDER_H
#define RTRACE_BASE_OUTPUT_FOLDER_H

#include <stdbool.h>

struct outfolder {
	char *path;
	int fd;	   /* stays valid if the path later leads elsewhere */
	bool made; /* by us */
};

/* 0 or -errno: -ELOOP if it is a symbolic link. */
int output_folder__open(struct outfolder *folder, const char *path);

/* The path of a file in it; to be freed. */
char *output_folder__path(const struct outfolder *folder, const char *name);

/* `remove`: it goes, if it is empty and we have made it. */
void output_folder__close(struct outfolder *folder, bool remove);

#endif
