/* SPDX-License-Identifier: MIT */
/*
 * What is traced: the processes of -p, those of the node, or the command.
 */
#ifndef RTRACE_RECORD_TRACED_PROCESSES_H
#define RTRACE_RECORD_TRACED_PROCESSES_H

#include "user/record/recorder_internal.h"

/*
 * Refuses processes of -p that cannot be traced, before anything is touched. Logs. 0 or -errno.
 */
int traced_processes__check(struct recorder *r);

/*
 * Forks the command, which waits; nothing without a command. To be called while the tracer has the
 * user's capabilities. Logs. 0 or -errno.
 */
int traced_processes__prepare_command(struct recorder *r);

/*
 * Probes what is to be traced, asks its agents to record, and lets the command run. Logs. 0 or
 * -errno.
 */
int traced_processes__start(struct recorder *r);

/*
 * Are there processes left that the command has started, which has ended? Says so once, when that
 * is not just for a moment.
 */
bool traced_processes__are_left(struct recorder *r);

/* Says of each process that is traced what the trace has of it. */
void traced_processes__say(struct recorder *r);

#endif
