// SPDX-License-Identifier: MIT
/*
 * Hands the state that the tracer was started with on to its command.
 */
#include "user/record/inherited_state.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int timers[INHERITED_TIMERS] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};

void inherited_state__reserve_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

void inherited_state__save(struct inherited *in)
{
	static const struct itimerval off;
	struct sigaction sa;

	memset(in, 0, sizeof(*in));
	sigemptyset(&in->ignored);
	sigprocmask(SIG_BLOCK, NULL, &in->blocked);
	for (int signo = 1; signo < NSIG; signo++)
		if (!sigaction(signo, NULL, &sa) && sa.sa_handler == SIG_IGN)
			sigaddset(&in->ignored, signo);
	for (int i = 0; i < INHERITED_TIMERS; i++)
		setitimer(timers[i], &off, &in->timers[i]);
	syscall(SYS_sched_getattr, 0, in->scheduling, sizeof(in->scheduling), 0);
	prctl(PR_GET_PDEATHSIG, &in->death_signal);
	prctl(PR_GET_CHILD_SUBREAPER, &in->subreaper);
}

/* Handlers end with exec by themselves; until then they must not run here. */
static void restore_signals(const struct inherited *in)
{
	for (int signo = 1; signo < NSIG; signo++)
		if (signo != SIGKILL && signo != SIGSTOP)
			signal(signo, sigismember(&in->ignored, signo) == 1 ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &in->blocked, NULL);
}

void inherited_state__restore(const struct inherited *in)
{
	const struct sched_attr *scheduling = (const void *)in->scheduling;

	/* fork(2) has put a thread with this flag back to an ordinary one. */
	if (scheduling->sched_flags & SCHED_FLAG_RESET_ON_FORK)
		syscall(SYS_sched_setattr, 0, scheduling, 0);
	if (in->death_signal)
		prctl(PR_SET_PDEATHSIG, in->death_signal);
	if (in->subreaper)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (int i = 0; i < INHERITED_TIMERS; i++)
		if (timerisset(&in->timers[i].it_value))
			setitimer(timers[i], &in->timers[i], NULL);
	restore_signals(in);
}
