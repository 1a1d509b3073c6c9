/* SPDX-License-Identifier: MIT */
/*
 * The code that a process has mapped, compared with its file.
 */
#ifndef RTRACE_PROBE_FILE_CODE_H
#define RTRACE_PROBE_FILE_CODE_H

#include <sys/types.h>

#include "user/base/procfs.h"
#include "user/probe/library_probes.h"

/*
 * Puts back what the file has wherever the process has a breakpoint in the code in that mapping of
 * it, whoever has put it there. What is not code is not touched: data differs from its file, and
 * any byte of it may look like a breakpoint. How many there were, or -errno. The process should be
 * stopped. The kernel does not miss its probes, and puts them there again only if the mapping is
 * split or when a probe is added.
 */
int file_code__restore(pid_t pid, const struct mapping *m, const struct library *lib);

#endif
