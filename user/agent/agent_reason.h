/* SPDX-License-Identifier: MIT */
/*
 * Why nothing is read from the agent of a process, in words for the user.
 */
#ifndef RTRACE_AGENT_AGENT_REASON_H
#define RTRACE_AGENT_AGENT_REASON_H

#include <sys/types.h>

#define AGENT_REASON_MAX 512

/*
 * `err` as agent_set__look leaves it in errno. Looks into /proc/PID, so it is to be called at once.
 * Returns `buf`, in which a clause like "its agent serves another tracer, process 12" is cut at
 * AGENT_REASON_MAX bytes.
 */
const char *agent_reason__text(pid_t pid, int err, char buf[AGENT_REASON_MAX]);

#endif
