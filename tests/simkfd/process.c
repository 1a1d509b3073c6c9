/* SPDX-License-Identifier: MIT */
/*
 * The simulator's life in a process: start, the lock, fork.
 *
 * The child of a fork has no engine thread and must not touch what the parent goes on using, so it
 * starts with a clean simulator: buffers, queues, events and the device file are forgotten. A
 * descriptor of the device from before the fork is refused there (EBADF), as by the real driver.
 */
#include "tests/simkfd/simkfd.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/simkfd/event.h"
#include "tests/simkfd/memory.h"
#include "tests/simkfd/queue.h"
#include "tests/simkfd/truth.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int lock_waiters;

void sim__lock(void)
{
	atomic_fetch_add(&lock_waiters, 1);
	pthread_mutex_lock(&lock);
	atomic_fetch_sub(&lock_waiters, 1);
}

/*
 * A busy engine takes the lock again as soon as it has let go of it; without this it would starve
 * the application's ioctls, since a mutex is not fair.
 */
void sim__lock_engine(void)
{
	while (atomic_load(&lock_waiters))
		sched_yield();
	pthread_mutex_lock(&lock);
}

void sim__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void before_fork(void)
{
	sim__lock();
	event__lock();
}

static void after_fork_parent(void)
{
	event__unlock();
	sim__unlock();
}

static void after_fork_child(void)
{
	pthread_mutex_init(&lock, NULL);
	atomic_store(&lock_waiters, 0);
	event__forget();
	queue__forget();
	memory__forget();
	device__forget();
	truth__forget();
}

static void start(void)
{
	config__read();
	clock__start();
	event__start();
	/*
	 * Registered before the thunk registers its own handlers, so that ours run after them: the
	 * thunk holds its lock while it calls ioctl, which takes ours.
	 */
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

void process__start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}

__attribute__((constructor)) static void constructor(void)
{
	process__start();
}
