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

/*
 * A tracer that is killed closes the pipe before what it had attached, which takes as long as there
 * is much of it; and that may go on for a moment after its end.
 */
#define PASSES	   5
#define PASS_MS	   100
#define ENDING_MAX 600 /* passes that its end may take */

#define FD_PIPE	  3
#define FD_MAP	  4
#define FD_TRACER 5 /* a pidfd */

/* Keeps nothing else: a link that the guard had open would outlive the tracer with it. */
static void keep_only(int pipe, int map, int tracer)
{
	const int kept[] = {pipe, map, tracer};
	int high[3];

	for (int i = 0; i < 3; i++) {
		high[i] = fcntl(kept[i], F_DUPFD, FD_TRACER + 1);
		if (high[i] < 0)
			_exit(1);
	}
	for (int i = 0; i < 3; i++)
		if (dup2(high[i], FD_PIPE + i) < 0)
			_exit(1);
	syscall(SYS_close_range, FD_TRACER + 1, ~0U, 0);
}

static void continue_all(void)
{
	__u32 pid, *last = NULL;

	while (!bpf_map_get_next_key(FD_MAP, last, &pid)) {
		kill(pid, SIGCONT);
		last = &pid;
	}
}

/* Waits for that for the time of a pass. */
static bool has_ended(void)
{
	struct pollfd tracer = {.fd = FD_TRACER, .events = POLLIN};

	return poll(&tracer, 1, PASS_MS) == 1;
}

static void run(int pipe, int map, int tracer)
{
	char byte;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	keep_only(pipe, map, tracer);
	if (read(FD_PIPE, &byte, 1) == 1)
		_exit(0);
	for (int i = 0; i < ENDING_MAX && !has_ended(); i++)
		continue_all();
	for (int i = 0; i < PASSES; i++) {
		poll(NULL, 0, PASS_MS);
		continue_all();
	}
	_exit(0);
}

int release_on_death__start(int pids_map)
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
			run(ends[0], pids_map, tracer);
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
