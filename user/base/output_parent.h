/* SPDX-License-Identifier: MIT */
/*
 * Opens the folder of an output's path, so that no other user can lead the tracer elsewhere. A
 * symbolic link in the path is followed only if root made it, or the user that gets the files.
 */
#ifndef RTRACE_BASE_OUTPUT_PARENT_H
#define RTRACE_BASE_OUTPUT_PARENT_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A descriptor (O_PATH) of the folder that the last name of `path` is in, to be closed by the
 * caller; `*name` points into `path`. -errno: -EPERM: another user's symbolic link is on the way,
 * -ELOOP: there are too many.
 */
int output_parent__open(const char *path, const char **name);

/* Is what belongs to that user ours to follow or to write to: root's, ours, our caller's? */
bool output_parent__trusts(uid_t owner);

#endif
