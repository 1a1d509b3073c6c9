// SPDX-License-Identifier: MIT
/*
 * A list that is only added to: the places of threads that have ended are used again.
 */
#include "inprocess/thread_list.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "inprocess/raw_syscall.h"

__thread struct thread *thread_current __attribute__((tls_model("initial-exec")));
bool thread_must_fence = true;

static struct thread *threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_end;
static uint64_t last_id;
static uint32_t pid;

static struct thread_link *link_of(struct thread *t)
{
	return (struct thread_link *)t;
}

uint32_t thread__pid(void)
{
	return pid;
}

struct thread *thread__first(void)
{
	return __atomic_load_n(&threads, __ATOMIC_ACQUIRE);
}

static void ended(void *arg)
{
	struct thread *t = arg;

	thread_current = NULL;
	thread_kind.is_over(t);
	__atomic_store_n(&link_of(t)->used, 0, __ATOMIC_RELEASE);
}

/* Of the parent's threads the child has one, with a number of its own. */
static void forked(void)
{
	pid = getpid();
	pthread_mutex_init(&lock, NULL);
	for (struct thread *t = threads; t; t = link_of(t)->next) {
		if (t == thread_current)
			continue;
		thread_kind.is_over(t);
		link_of(t)->used = 0;
	}
	if (thread_current)
		link_of(thread_current)->tid = gettid();
	thread_kind.forked();
}

__attribute__((constructor)) static void init(void)
{
	long commands = raw_syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0, 0, 0, 0);

	pid = getpid();
	pthread_key_create(&at_end, ended);
	pthread_atfork(NULL, NULL, forked);
	if (commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED &&
	    !raw_syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0))
		thread_must_fence = false;
}

static struct thread *find_unused(void)
{
	for (struct thread *t = threads; t; t = link_of(t)->next)
		if (!__atomic_load_n(&link_of(t)->used, __ATOMIC_ACQUIRE))
			return t;
	return NULL;
}

static struct thread *add(void)
{
	struct thread *t = calloc(1, thread_kind.size);

	if (!t)
		return NULL;
	link_of(t)->next = threads;
	__atomic_store_n(&threads, t, __ATOMIC_RELEASE);
	return t;
}

struct thread *thread__new(void)
{
	struct thread *t;

	pthread_mutex_lock(&lock);
	t = find_unused();
	if (!t)
		t = add();
	if (t) {
		link_of(t)->tid = gettid();
		__atomic_store_n(&link_of(t)->used, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
	if (!t)
		return NULL;
	if (thread_kind.begins)
		thread_kind.begins(t);
	pthread_setspecific(at_end, t);
	thread_current = t;
	return t;
}

uint64_t thread__take_ids(struct thread_link *l)
{
	l->next_id = __atomic_fetch_add(&last_id, THREAD_IDS, __ATOMIC_RELAXED) + 1;
	l->ids_end = l->next_id + THREAD_IDS;
	return l->next_id++;
}

void thread__order_memory(void)
{
	if (thread_must_fence)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		raw_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
}
