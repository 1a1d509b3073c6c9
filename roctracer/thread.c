// SPDX-License-Identifier: MIT
/*
 * The threads that the library has seen, and waiting for them.
 */
#include "roctracer/thread.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "roctracer/pool.h"

#define FIRST_IDS 8

__thread struct thread *thread_current __attribute__((tls_model("initial-exec")));
bool thread_must_fence = true;

static struct thread *threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_end;
static uint64_t last_id;
static uint32_t pid;

uint32_t thread__pid(void)
{
	return pid;
}

/* Another thread may have the place, and what is on its stages. */
static void ended(void *arg)
{
	struct thread *t = arg;

	thread_current = NULL;
	t->frame = NULL;
	t->calls.count = t->external.count = 0;
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
		t->calls.count = t->external.count = 0;
		t->used = 0;
	}
	if (thread_current)
		thread_current->tid = gettid();
	pool__forked();
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

static bool is_of_agent(void)
{
	char name[16] = "";

	prctl(PR_GET_NAME, name);
	return !strcmp(name, "rtrace-reaper");
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
		t->of_agent = is_of_agent();
		t->used = 1;
	}
	pthread_mutex_unlock(&lock);
	if (!t)
		return NULL;
	pthread_setspecific(at_end, t);
	thread_current = t;
	return t;
}

void thread__each(void (*fn)(struct thread *t, void *arg), void *arg)
{
	for (struct thread *t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
		fn(t, arg);
}

/* ---- regions ---- */

bool region_is_in(const struct thread *t, const void *first, const void *end)
{
	uint32_t depth = __atomic_load_n(&t->depth, __ATOMIC_ACQUIRE);

	if (depth > THREAD_REGIONS)
		return true;
	for (uint32_t i = 0; i < depth; i++) {
		const void *place = __atomic_load_n(&t->in[i], __ATOMIC_RELAXED);

		if (place >= first && place < end)
			return true;
	}
	return false;
}

void region_wait(const void *first, const void *end)
{
	const struct timespec pause = {.tv_nsec = 20000};
	const struct thread *t;

	if (thread_must_fence)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	for (t = __atomic_load_n(&threads, __ATOMIC_ACQUIRE); t; t = t->next)
		while (t != thread_current && region_is_in(t, first, end))
			nanosleep(&pause, NULL);
}

/* ---- ids ---- */

uint64_t thread__take_ids(struct thread *t)
{
	t->next_id = __atomic_fetch_add(&last_id, THREAD_IDS, __ATOMIC_RELAXED) + 1;
	t->ids_end = t->next_id + THREAD_IDS;
	return t->next_id++;
}

bool ids__push(struct ids *s, uint64_t id)
{
	if (s->count == s->capacity) {
		uint32_t capacity = s->capacity ? s->capacity * 2 : FIRST_IDS;
		uint64_t *list = realloc(s->list, capacity * sizeof(*list));

		if (!list)
			return false;
		s->list = list;
		s->capacity = capacity;
	}
	s->list[s->count++] = id;
	return true;
}
