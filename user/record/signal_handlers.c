// SPDX-License-Identifier: MIT
/*
 * Handlers of signals, which leave a mark for the recorder's loop.
 */
#include "user/record/signal_handlers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "user/base/unfinished_outputs.h"

/* A signal this soon after the first one is the same wish: timeout(1) sends it twice. */
#define SAME_WISH_NS 1000000000ULL

static int stop_wanted = -1; /* an eventfd */
static volatile sig_atomic_t toggles, dumps, by_terminal;
static volatile uint64_t stopped; /* when the first signal came, 0: none has come */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* In one write, if that cannot block: stderr may have no reader, either. */
static void say_cut_off(void)
{
	static const char begin[] = "rtrace-bpf: warning: ended by a second signal: cut off: ";
	struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};
	char line[4096];
	size_t length = sizeof(begin) - 1, names;

	memcpy(line, begin, length);
	names = unfinished_outputs__list(line + length, sizeof(line) - length - 1);
	length += names;
	line[length++] = '\n';
	if (names && poll(&err, 1, 0) == 1 && write(STDERR_FILENO, line, length) < 0)
		return;
}

/* By default the signal ends the tracer, as soon as the handler returns. */
static void end_now(int signo)
{
	say_cut_off();
	signal(signo, SIG_DFL);
	raise(signo);
}

static void on_stop(int signo, siginfo_t *info, void *context)
{
	int saved = errno;
	uint64_t now = now_ns();

	if (info->si_code == SI_KERNEL)
		by_terminal = 1;
	if (!stopped) {
		stopped = now;
		eventfd_write(stop_wanted, 1);
	} else if (now - stopped >= SAME_WISH_NS) {
		end_now(signo);
	}
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
 * The first such signal ends the trace, one that comes a second later or more ends the tracer:
 * output without a reader must not keep it. SIGHUP stays ignored where it is (nohup); a shell's
 * background job ignores SIGINT, yet SIGINT is to stop it.
 */
static void stop_on(int signo)
{
	struct sigaction sa = {
		.sa_sigaction = on_stop,
		.sa_flags = SA_RESTART | SA_SIGINFO,
	};
	struct sigaction old;

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGINT);
	sigaddset(&sa.sa_mask, SIGTERM);
	sigaddset(&sa.sa_mask, SIGHUP);

	if (signo != SIGHUP || (!sigaction(signo, NULL, &old) && old.sa_handler != SIG_IGN))
		sigaction(signo, &sa, NULL);
}

/* A parent may have blocked them, which children inherit. */
static void unblock(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaddset(&set, caught[i]);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int signal_handlers__open(void)
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
	unblock();
	return stop_wanted;
}

bool signal_handlers__stopped(void)
{
	return stopped;
}

bool signal_handlers__by_terminal(void)
{
	return by_terminal;
}

bool signal_handlers__dump_wanted(void)
{
	bool wanted = dumps;

	if (wanted)
		dumps = 0;
	return wanted;
}

bool signal_handlers__off(void)
{
	return toggles % 2;
}
