/* SPDX-License-Identifier: MIT */
/*
 * Finds out whether two files are one. A file of overlayfs has its own device and inode number, but
 * shares its memory, and so its probes, with the file below it.
 */
#ifndef RTRACE_BASE_SAME_FILE_H
#define RTRACE_BASE_SAME_FILE_H

#include <stdbool.h>

/*
 * Is their first page the same page of memory? The answer comes from the kernel's page tables, so
 * no file system can forge it. False if it cannot be known: /proc/self/pagemap shows pages only to
 * a process that had CAP_SYS_ADMIN when it opened that file.
 */
bool same_file__shares_memory(int fd1, int fd2);

/* Opens that, before capabilities are given up; else it is opened when it is needed. */
void same_file__prepare(void);

#endif
