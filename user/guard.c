// SPDX-License-Identifier: MIT
/*
 * Waits at a pipe whose other end only the tracer has.
 */
#include "user/guard.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the tracer had attached may go on for a moment after its end. */
#define PASSES	3
#define PASS_MS 100

#define FD_PIPE 3
#define FD_MAP	4

/* Keeps nothing else: a link that the guard had open would outlive the tracer with it. */
static void keep_only(int pipe, int map)
{
	pipe = fcntl(pipe, F_DUPFD, FD_MAP + 1);
	map = fcntl(map, F_DUPFD, FD_MAP + 1);
	if (pipe < 0 || map < 0 || dup2(pipe, FD_PIPE) < 0 || dup2(map, FD_MAP) < 0)
		_exit(1);
	syscall(SYS_close_range, FD_MAP + 1, ~0U, 0);
}

static void continue_all(void)
{
	__u32 pid, *last = NULL;

	while (!bpf_map_get_next_key(FD_MAP, last, &pid)) {
		kill(pid, SIGCONT);
		last = &pid;
	}
}

static void run(int pipe, int map)
{
	char byte;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	keep_only(pipe, map);
	if (read(FD_PIPE, &byte, 1) == 1)
		_exit(0);
	for (int i = 0; i < PASSES; i++) {
		poll(NULL, 0, PASS_MS);
		continue_all();
	}
	_exit(0);
}

int guard__start(int pids_map)
{
	int ends[2], err;
	pid_t middle;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* A grandchild: nobody has to wait for it. */
	middle = fork();
	if (!middle) {
		close(ends[1]);
		if (!fork())
			run(ends[0], pids_map);
		_exit(0);
	}
	err = errno;
	close(ends[0]);
	if (middle < 0) {
		close(ends[1]);
		return -err;
	}
	while (waitpid(middle, NULL, 0) < 0 && errno == EINTR)
		;
	return ends[1];
}

void guard__dismiss(int guard)
{
	if (guard < 0)
		return;
	if (write(guard, "q", 1) != 1)
		return;
	close(guard);
}
