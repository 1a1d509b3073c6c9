/* SPDX-License-Identifier: MIT */
/*
 * Folders of sinks that write files with names of their own: the user's alone, never through a
 * symbolic link. One that is there already is used; what else is in it stays.
 */
#ifndef RTRACE_OUTFOLDER_H
#define RTRACE_OUTFOLDER_H

#include <stdbool.h>

struct outfolder {
	char *path;
	int fd;	   /* whatever the name stands for later */
	bool made; /* by us */
};

/* 0 or -errno: -ELOOP if it is a symbolic link. */
int outfolder__open(struct outfolder *folder, const char *path);

/* The path of a file in it; to be freed. */
char *outfolder__path(const struct outfolder *folder, const char *name);

/* `remove`: it goes, if it is empty and we have made it. */
void outfolder__close(struct outfolder *folder, bool remove);

#endif
