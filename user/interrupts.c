// SPDX-License-Identifier: MIT
/*
 * Handlers of signals, which leave a mark for the recorder's loop.
 */
#include "user/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/eventfd.h>

static int stop_wanted = -1; /* an eventfd */
static volatile sig_atomic_t toggles, dumps;

static void on_stop(int signo)
{
	int saved = errno;

	eventfd_write(stop_wanted, 1);
	errno = saved;
}

static void on_toggle(int signo)
{
	toggles++;
}

static void on_dump(int signo)
{
	dumps = 1;
}

/*
 * The first such signal ends the trace, the second the tracer: output that nobody reads must not
 * keep it. SIGHUP stays ignored where it is (nohup); a shell's background job ignores SIGINT, yet
 * it is to be stopped by it.
 */
static void stop_on(int signo)
{
	struct sigaction sa = {.sa_handler = on_stop, .sa_flags = SA_RESTART | SA_RESETHAND};
	struct sigaction old;

	if (signo != SIGHUP || (!sigaction(signo, NULL, &old) && old.sa_handler != SIG_IGN))
		sigaction(signo, &sa, NULL);
}

int interrupts__open(void)
{
	struct sigaction toggle = {.sa_handler = on_toggle, .sa_flags = SA_RESTART};
	struct sigaction dump = {.sa_handler = on_dump, .sa_flags = SA_RESTART};

	stop_wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_wanted < 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write error of the sink */
	stop_on(SIGINT);
	stop_on(SIGTERM);
	stop_on(SIGHUP);
	sigaction(SIGUSR1, &toggle, NULL);
	sigaction(SIGUSR2, &dump, NULL);
	return stop_wanted;
}

bool interrupts__dump_wanted(void)
{
	bool wanted = dumps;

	if (wanted)
		dumps = 0;
	return wanted;
}

bool interrupts__off(void)
{
	return toggles % 2;
}
