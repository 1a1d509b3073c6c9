/* SPDX-License-Identifier: MIT */
/*
 * Tells whether two files are one: a file of overlayfs has a device and an inode number of its own,
 * while its memory is that of the file below it, and so are its probes.
 */
#ifndef RTRACE_SAMEFILE_H
#define RTRACE_SAMEFILE_H

#include <stdbool.h>

/*
 * Is their first page the same page of memory? The kernel's page tables tell, so no file system can
 * forge the answer. False if it cannot be known: /proc/self/pagemap shows pages to who had
 * CAP_SYS_ADMIN when it was opened.
 */
bool samefile__shares_memory(int fd1, int fd2);

/* Opens that, before capabilities are given up; else it is opened when it is needed. */
void samefile__prepare(void);

#endif
