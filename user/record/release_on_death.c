// SPDX-License-Identifier: MIT
/*
 * Waits at a pipe. Only the tracer has the other end.
 */
#include "user/record/release_on_death.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/record/event_lock.h"

/*
 * A tracer that is killed closes the pipe before what it had attached, which takes as long as there
 * is much of it; and that may go on for a moment after its end.
 */
#define PASSES	   5
#define PASS_MS	   100
#define ENDING_MAX 600 /* passes that its end may take */

#define FD_PIPE	      3
#define FD_HELD	      4
#define FD_LETTING_GO 5
#define FD_TRACER     6 /* a pidfd */
#define FD_LOCK	      7
#define FD_CALLS      8
#define FDS	      6

static struct event_lock lock;

/* Keeps nothing else: a link that the guard had open would outlive the tracer with it. */
static void keep_only(const int kept[FDS])
{
	int high[FDS];

	for (int i = 0; i < FDS; i++) {
		high[i] = kept[i] < 0 ? -1 : fcntl(kept[i], F_DUPFD, FD_PIPE + FDS);
		if (kept[i] >= 0 && high[i] < 0)
			_exit(1);
	}
	for (int i = 0; i < FDS; i++)
		if (high[i] < 0)
			close(FD_PIPE + i);
		else if (dup2(high[i], FD_PIPE + i) < 0)
			_exit(1);
	syscall(SYS_close_range, FD_PIPE + FDS, ~0U, 0);
}

/* Those that probes keep off go on when the tracer has ended, and its probes with it. */
static void continue_in(int map, bool ended)
{
	__u32 pid, *last = NULL;
	bool kept_off;

	while (!bpf_map_get_next_key(map, last, &pid)) {
		last = &pid;
		if (!bpf_map_lookup_elem(map, &pid, &kept_off) && (ended || !kept_off))
			kill(pid, SIGCONT);
	}
}

static void continue_all(bool ended)
{
	continue_in(FD_HELD, ended);
	continue_in(FD_LETTING_GO, ended);
}

/* Waits for news of the descriptor for the time of a pass. */
static bool has_news(int fd)
{
	struct pollfd news = {.fd = fd, .events = POLLIN};

	return poll(&news, 1, PASS_MS) == 1;
}

static void relieve(void)
{
	struct holds holds = {.held = FD_HELD, .letting_go = FD_LETTING_GO};

	event_lock__relieve(&lock, &holds);
}

/* A tracer that is killed takes its events away, too, as long as that may take. */
static void run(int pipe, const struct holds *holds, const struct event_lock *l, int tracer)
{
	const int kept[FDS] = {pipe, holds->held, holds->letting_go, tracer, l->file, l->calls};
	bool watches = l->file >= 0 && l->calls >= 0;
	char byte;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	keep_only(kept);
	watches = watches && !event_lock__watch(&lock, FD_LOCK, FD_CALLS);
	while (watches && !has_news(FD_PIPE))
		relieve();
	if (read(FD_PIPE, &byte, 1) == 1)
		_exit(0);
	for (int i = 0; i < ENDING_MAX && !has_news(FD_TRACER); i++) {
		continue_all(false);
		if (watches)
			relieve();
	}
	for (int i = 0; i < PASSES; i++) {
		continue_all(true);
		poll(NULL, 0, PASS_MS);
	}
	_exit(0);
}

int release_on_death__start(const struct holds *holds, const struct event_lock *l)
{
	int tracer = syscall(SYS_pidfd_open, getpid(), 0), ends[2], err;
	pid_t middle;

	if (tracer < 0)
		return -errno;
	if (pipe2(ends, O_CLOEXEC)) {
		err = errno;
		close(tracer);
		return -err;
	}
	/* A grandchild: the tracer does not have to wait for it. */
	middle = fork();
	if (!middle) {
		close(ends[1]);
		if (!fork())
			run(ends[0], holds, l, tracer);
		_exit(0);
	}
	err = errno;
	close(tracer);
	close(ends[0]);
	if (middle < 0) {
		close(ends[1]);
		return -err;
	}
	while (waitpid(middle, NULL, 0) < 0 && errno == EINTR)
		;
	return ends[1];
}

void release_on_death__dismiss(int guard)
{
	if (guard < 0)
		return;
	if (write(guard, "q", 1) != 1)
		return;
	close(guard);
}
