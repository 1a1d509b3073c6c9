/* SPDX-License-Identifier: MIT */
/*
 * Puts the capture's programs on the functions of libraries, and takes them off again.
 *
 * All functions of one library are attached by one or two links. One perf link a function, the
 * classic way, takes 40 to 90 s to detach from the functions of HIP alone, process exit included.
 */
#ifndef RTRACE_PROBE_ATTACH_LINKS_H
#define RTRACE_PROBE_ATTACH_LINKS_H

#include <stdbool.h>
#include <sys/types.h>

#include "user/probe/capture.h"
#include "user/api/doorbell_functions.h"
#include "user/probe/library_probes.h"

struct attach;

/* NULL with errno set on failure, which is said. The capture must have been opened in that mode. */
struct attach *attach_links__new(struct capture *capture, enum capture_mode mode);

/* See attach_tracefs.h, and in CAPTURE_TRACEFS alone. 0 or -errno, which is said. */
int attach_links__prepare_tree(struct attach *a);
int attach_links__start_tree(struct attach *a, pid_t pid);

/* Agents capture calls in processes that have one. `alone`: nothing is probed. */
void attach_links__leave_to_agents(struct attach *a, bool alone);

/*
 * Probes the functions of the library in one process, or in all that map it (pid 0). A function
 * that the kernel refuses to probe is left out with a warning. Returns 1, 0 if it was probed there
 * already, or -errno, which is said.
 */
int attach_links__library(struct attach *a, const struct library *lib, pid_t pid);

/* Do links of one process depend on its first thread's being there? */
bool attach_links__need_first_thread(const struct attach *a);

/*
 * How many probes of the library, attached in that process alone, the kernel has taken out of its
 * memory.
 */
size_t attach_links__missing(const struct attach *a, const struct library *lib, pid_t pid);

/* The library is probed in all processes: none that opens it need be held. */
void attach_links__known(struct attach *a, const struct library *lib);

/* Removes all probes and frees. NULL is fine. */
void attach_links__free(struct attach *a);

/* The program that belongs on such a function. */
enum capture_prog attach_links__door_program(enum door door);

#endif
