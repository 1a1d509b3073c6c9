// SPDX-License-Identifier: MIT
/*
 * Processes that have HIP and HSA mapped and do nothing: to attach to.
 *
 *   mapped PROCESSES
 *
 * Prints `mapped PID...`, and ends them all at the end of input.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES_MAX 1000

static void stay(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0, count = 0;
	pid_t pids[PROCESSES_MAX], parent = getpid();

	if (n < 1 || n > PROCESSES_MAX) {
		fprintf(stderr, "usage: mapped PROCESSES\n");
		return 2;
	}
	for (; count < n && (pids[count] = fork()) >= 0; count++)
		if (!pids[count])
			stay(parent);
	printf("mapped");
	for (int i = 0; i < count; i++)
		printf(" %d", pids[i]);
	printf("\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	for (int i = 0; i < count; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	return count == n ? 0 : 1;
}
