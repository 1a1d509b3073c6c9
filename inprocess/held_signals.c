// SPDX-License-Identifier: MIT
/*
 * Blocks the signals in the thread, and takes those that are pending then. The application's
 * handlers and other threads are not touched. (A background process that writes to its terminal
 * where `stty tostop` is set is not stopped while it blocks SIGTTOU.)
 */
#include "inprocess/held_signals.h"

#include <signal.h>
#include <time.h>

#include "inprocess/raw_syscall.h"

#define BIT(signal) (1ULL << ((signal)-1))

static const uint64_t raised = BIT(SIGPIPE) | BIT(SIGXFSZ);
static const uint64_t all = BIT(SIGPIPE) | BIT(SIGXFSZ) | BIT(SIGTTOU);

static uint64_t pending(void)
{
	uint64_t set = 0;

	raw_syscall(SYS_rt_sigpending, (long)&set, sizeof(set), 0, 0, 0, 0);
	return set;
}

void held_signals__begin(struct held_signals *held)
{
	held->mask = 0;
	raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&held->mask, sizeof(all), 0,
		    0);
	held->pending = pending();
}

void held_signals__end(const struct held_signals *held)
{
	const struct timespec now = {0};
	uint64_t ours = pending() & raised & ~held->pending;

	if (ours)
		raw_syscall(SYS_rt_sigtimedwait, (long)&ours, 0, (long)&now, sizeof(ours), 0, 0);
	raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&held->mask, 0, sizeof(held->mask), 0,
		    0);
}
