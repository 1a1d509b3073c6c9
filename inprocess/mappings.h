/* SPDX-License-Identifier: MIT */
/*
 * What the process's memory is, as /proc/self/maps has it.
 */
#ifndef RTRACE_INPROCESS_MAPPINGS_H
#define RTRACE_INPROCESS_MAPPINGS_H

#include <stdbool.h>

/*
 * The protection of the mapping that the address is in, as in "r-xp", without a NUL. False: nothing
 * is mapped there, or that is not known. Takes up to a millisecond in a process of thousands of
 * mappings. errno stays as it is.
 */
bool mappings__protection(const void *address, char protection[4]);

#endif
