/* SPDX-License-Identifier: MIT */
/*
 * Refuses system calls that tracing takes none of.
 */
#ifndef RTRACE_RECORD_SECCOMP_FILTER_H
#define RTRACE_RECORD_SECCOMP_FILTER_H

#include <stdbool.h>

/*
 * From now on these calls of this thread, and of all that it starts, fail with EPERM. Where the
 * kernel cannot do that they do not. There must be no new privileges (privileges.h). `sockets`:
 * those are needed.
 */
void seccomp_filter__install(bool sockets);

#endif
