// SPDX-License-Identifier: MIT
/*
 * Reads whether an event is switched on: for that the kernel takes the lock.
 */
#include "user/record/event_lock.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/clock/clock_map.h"
#include "user/probe/tracefs.h"

#define MS 1000000ULL

#define TRY_MS	    100
#define PATIENCE    (1000 * MS)
#define STOP_MS	    150 /* the kernel needs 100 of them, and a tick */
#define PAUSE_LEAST (1000 * MS)
#define PAUSE_MOST  (32000 * MS)

int event_lock__open(void)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/enable", tracefs__root());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static void *try(void *arg)
{
	struct event_lock *l = arg;
	char answer[8];

	for (;;) {
		__atomic_store_n(&l->asked, clock__boot_ns(), __ATOMIC_RELEASE);
		if (pread(l->file, answer, sizeof(answer), 0) < 0)
			break;
		__atomic_store_n(&l->asked, 0, __ATOMIC_RELEASE);
		poll(NULL, 0, TRY_MS);
	}
	__atomic_store_n(&l->asked, 0, __ATOMIC_RELEASE);
	return NULL;
}

int event_lock__watch(struct event_lock *l, int file, int calls)
{
	pthread_t thread;

	*l = (struct event_lock){.file = file, .calls = calls};
	return -pthread_create(&thread, NULL, try, l);
}

/* Stops the process, and adds it to those that are: it may come more than once. */
static void stop(struct holds *h, pid_t pid, pid_t **stopped, size_t *count)
{
	pid_t *grown = realloc(*stopped, (*count + 1) * sizeof(*grown));

	if (!grown)
		return;
	*stopped = grown;
	for (size_t i = 0; i < *count; i++)
		if (grown[i] == pid)
			return;
	if (holds__begin_stop(h, pid))
		grown[(*count)++] = pid;
}

static void stop_long_calls(struct event_lock *l, struct holds *h, pid_t **stopped, size_t *count)
{
	int iter = bpf_iter_create(l->calls);
	__u32 pids[256];
	ssize_t n;

	if (iter < 0)
		return;
	while ((n = read(iter, pids, sizeof(pids))) > 0)
		for (size_t i = 0; i < n / sizeof(*pids); i++)
			stop(h, pids[i], stopped, count);
	close(iter);
}

static void stop_all(struct event_lock *l, struct holds *h)
{
	pid_t *stopped = NULL;
	size_t n = 0;

	stop_long_calls(l, h, &stopped, &n);
	if (n)
		poll(NULL, 0, STOP_MS);
	for (size_t i = 0; i < n; i++)
		holds__end_release(h, stopped[i]);
	if (n)
		log_warn("%zu processes were stopped for %d ms: a tracer removes uprobes, and "
			 "would have waited for the end of their calls",
			 n, STOP_MS);
	free(stopped);
}

void event_lock__relieve(struct event_lock *l, struct holds *h)
{
	uint64_t asked = __atomic_load_n(&l->asked, __ATOMIC_ACQUIRE), now = clock__boot_ns();

	if (!asked || now < asked + PATIENCE) {
		l->due = 0;
		l->pause = PAUSE_LEAST;
		return;
	}
	if (now < l->due)
		return;
	stop_all(l, h);
	l->due = clock__boot_ns() + l->pause;
	if (l->pause < PAUSE_MOST)
		l->pause *= 2;
}
