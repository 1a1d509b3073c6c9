// SPDX-License-Identifier: MIT
/*
 * Waiting for threads that are in tools' functions.
 */
#include "rocprofiler/service/thread.h"

#include <time.h>
#include <unistd.h>

#define PAUSE_NS   20000
#define PAUSES_MAX 50000

static void is_over(struct thread *t)
{
	t->current = t->ancestor = 0;
	t->passes_on = t->waiting = false;
	__atomic_store_n(&t->depth, 0, __ATOMIC_RELEASE);
}

static void forked(void)
{
	if (thread_current)
		thread_current->passes_on = false;
}

const struct thread_kind thread_kind = {
	.size = sizeof(struct thread),
	.is_over = is_over,
	.forked = forked,
};

uint32_t thread__tid(void)
{
	struct thread *t = thread__self();

	return t ? t->link.tid : (uint32_t)gettid();
}

static bool is_in_a_tool(const struct thread *t)
{
	return t != thread_current && __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&t->waiting, __ATOMIC_ACQUIRE);
}

static void set_waiting(bool waiting)
{
	if (thread_current)
		__atomic_store_n(&thread_current->waiting, waiting, __ATOMIC_SEQ_CST);
}

void thread__wait_for_others(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	uint32_t pauses = 0;

	set_waiting(true);
	thread__order_memory();
	for (struct thread *t = thread__first(); t; t = t->link.next)
		while (is_in_a_tool(t) && pauses++ < PAUSES_MAX)
			nanosleep(&pause, NULL);
	set_waiting(false);
}
