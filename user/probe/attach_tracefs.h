/* SPDX-License-Identifier: MIT */
/*
 * Puts the capture's programs on the functions of libraries by tracefs events: for one process, for
 * all, or for a command and all that it starts.
 */
#ifndef RTRACE_PROBE_ATTACH_TRACEFS_H
#define RTRACE_PROBE_ATTACH_TRACEFS_H

#include <sys/types.h>

#include "user/probe/capture.h"
#include "user/probe/library_probes.h"

struct tracefs_probes;

/* The capture must have been opened in CAPTURE_TRACEFS. NULL: what is missing is said. */
struct tracefs_probes *attach_tracefs__new(struct capture *capture);

/* Removes all probes and frees. NULL is fine. */
void attach_tracefs__free(struct tracefs_probes *t);

/*
 * Probes the library in one process, or in all (pid 0). Returns 1, 0 if it was probed there
 * already, or -errno.
 */
int attach_tracefs__library(struct tracefs_probes *t, const struct library *lib, pid_t pid);

/*
 * From now on a command is probed, and all that it starts: that is its tree. Libraries that are
 * added before the start are probed in all of it from then on (the pid does not matter). Those
 * after it are probed in the process that is named, and what that starts from then on: it should be
 * stopped meanwhile. 0 or -errno.
 */
int attach_tracefs__prepare_tree(struct tracefs_probes *t);
int attach_tracefs__start_tree(struct tracefs_probes *t, pid_t pid);

#endif
