// SPDX-License-Identifier: MIT
/*
 * libticks.so: preloaded, has a signal interrupt the program every millisecond. With TICKS=restart
 * system calls go on after it, else they return EINTR.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile sig_atomic_t ticks;

static void tick(int signal)
{
	ticks++;
}

static __attribute__((constructor)) void start(void)
{
	const struct itimerval each = {{0, 1000}, {0, 1000}};
	const char *how = getenv("TICKS");
	struct sigaction action = {.sa_handler = tick};

	if (how && !strcmp(how, "restart"))
		action.sa_flags = SA_RESTART;
	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &each, NULL))
		abort();
}
