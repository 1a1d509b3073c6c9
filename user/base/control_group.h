/* SPDX-License-Identifier: MIT */
/*
 * The control group that a process's container is known by.
 */
#ifndef RTRACE_BASE_CONTROL_GROUP_H
#define RTRACE_BASE_CONTROL_GROUP_H

#include <stddef.h>

/*
 * With version 1 a process is in a group of each hierarchy of controllers, beside that of version
 * 2 (cgroups(7)); a container or a job of Slurm has groups of its own in some. Of the hierarchies
 * where the process is in another group than `own`, or else of all, the deepest path is taken; of
 * those as deep the first listed, as the kernel lists version 2 last.
 *
 * `groups` and `own`: what is in /proc/PID/cgroup of the process, and of the one that asks. `path`
 * is "" if no group is known.
 */
void control_group__choose(const char *groups, const char *own, char *path, size_t size);

#endif
