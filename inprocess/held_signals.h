/* SPDX-License-Identifier: MIT */
/*
 * Signals that a write raises in the thread that writes, and that end or stop the process: SIGPIPE,
 * SIGXFSZ, SIGTTOU. What we write is no reason for that.
 */
#ifndef RTRACE_INPROCESS_HELD_SIGNALS_H
#define RTRACE_INPROCESS_HELD_SIGNALS_H

#include <stdint.h>

struct held_signals {
	uint64_t mask;	  /* of the thread, before */
	uint64_t pending; /* already, before */
};

/* From now on the thread's writes fail with EPIPE or EFBIG, or are done. errno stays as it is. */
void held_signals__begin(struct held_signals *held);

/* As before, in the same thread; signals that were raised since are taken away. */
void held_signals__end(const struct held_signals *held);

#endif
