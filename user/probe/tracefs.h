/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel's tracefs is.
 */
#ifndef RTRACE_PROBE_TRACEFS_H
#define RTRACE_PROBE_TRACEFS_H

/*
 * The folder of tracefs, which is mounted where it belongs if it is not. NULL with errno set if
 * that cannot be, which is said.
 */
const char *tracefs__root(void);

#endif
