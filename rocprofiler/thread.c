// SPDX-License-Identifier: MIT
/*
 * The threads that the library has seen, their ids, and waiting for them.
 */
#include "rocprofiler/thread.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAUSE_NS   20000
#define PAUSES_MAX 50000

__thread struct thread *thread_current __attribute__((tls_model("initial-exec")));
bool thread_must_fence = true;

static struct thread *threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_end;
static uint64_t last_id;
static uint32_t pid;

/* Another thread may have the place. */
static void ended(void *arg)
{
	struct thread *t = arg;

	thread_current = NULL;
	t->current = t->ancestor = 0;
	t->passes_on = false;
	__atomic_store_n(&t->depth, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&t->used, 0, __ATOMIC_RELEASE);
}

/* Of the parent's threads the child has one, with a number of its own. */
static void forked(void)
{
	pid = getpid();
	pthread_mutex_init(&lock, NULL);
	for (struct thread *t = threads; t; t = t->next) {
		if (t == thread_current)
			continue;
		t->depth = 0;
		t->waiting = t->passes_on = false;
		t->current = t->ancestor = 0;
		t->used = 0;
	}
	if (!thread_current)
		return;
	thread_current->tid = gettid();
	thread_current->passes_on = false;
}

__attribute__((constructor)) static void init(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	pid = getpid();
	pthread_key_create(&at_end, ended);
	pthread_atfork(NULL, NULL, forked);
	if (commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED &&
	    !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0))
		thread_must_fence = false;
}

static struct thread *find_unused(void)
{
	for (struct thread *t = threads; t; t = t->next)
		if (!__atomic_load_n(&t->used, __ATOMIC_ACQUIRE))
			return t;
	return NULL;
}

struct thread *thread__new(void)
{
	struct thread *t;

	pthread_mutex_lock(&lock);
	t = find_unused();
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (t) {
			t->next = threads;
			__atomic_store_n(&threads, t, __ATOMIC_RELEASE);
		}
	}
	if (t) {
		t->tid = gettid();
		__atomic_store_n(&t->used, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
	if (!t)
		return NULL;
	pthread_setspecific(at_end, t);
	thread_current = t;
	return t;
}

uint32_t thread__tid(void)
{
	struct thread *t = thread__self();

	return t ? t->tid : (uint32_t)gettid();
}

uint32_t thread__pid(void)
{
	return pid;
}

uint64_t thread__take_ids(struct thread *t)
{
	t->next_id = __atomic_fetch_add(&last_id, THREAD_IDS, __ATOMIC_RELAXED) + 1;
	t->ids_end = t->next_id + THREAD_IDS;
	return t->next_id++;
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
	if (thread_must_fence)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (struct thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
		while (is_in_a_tool(t) && pauses++ < PAUSES_MAX)
			nanosleep(&pause, NULL);
	set_waiting(false);
}
