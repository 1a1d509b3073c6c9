// SPDX-License-Identifier: MIT
/*
 * Starts the traced command with the agent in its environment.
 */
#include "user/record/launch_command.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/agent_ring.h"
#include "user/record/signal_handlers.h"
#include "user/base/log.h"

#define GRACE_MS   1000 /* for a command that was sent our signal, too, to end */
#define AGENT_NAME "librtrace-agent.so"

char *launch_command__find_agent(void)
{
	static const char *const places[] = {"%s/" AGENT_NAME, "%s/../lib/rtrace/" AGENT_NAME};
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n;

	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return NULL;
	self[n] = '\0';
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], self);
		if (!access(path, R_OK))
			return realpath(path, NULL);
	}
	return NULL;
}

/* HSA_TOOLS_LIB is a list separated by spaces: what the user has there stays in front. */
static void set_environment(const struct launch_agent *agent)
{
	const char *old = getenv("HSA_TOOLS_LIB");
	char *list, number[32];

	if (!agent->path)
		return;
	if (asprintf(&list, "%s%s%s", old ? old : "", old && *old ? " " : "", agent->path) < 0)
		return;
	setenv("HSA_TOOLS_LIB", list, 1);
	setenv("RTRACE_AGENT", "active", 0);
	snprintf(number, sizeof(number), "%d", (int)getppid());
	setenv("RTRACE_AGENT_TRACER", number, 1);
	unsetenv("RTRACE_AGENT_WANTS"); /* of a tracer that this one is traced by */
	if (agent->wants) {
		snprintf(number, sizeof(number), "%u", agent->wants);
		setenv("RTRACE_AGENT_WANTS", number, 1);
	}
	if (agent->ring_bytes) {
		snprintf(number, sizeof(number), "%zu",
			 agent->ring_bytes / sizeof(struct rt_agent_rec));
		setenv("RTRACE_AGENT_RING", number, 1);
	}
	free(list);
}

static void run_child(int go, int failed, char *const argv[], const struct launch_agent *agent,
		      const struct inherited *in)
{
	char byte;
	int err;

	if (read(go, &byte, 1) != 1)
		_exit(1); /* cancelled, or the tracer has ended */
	set_environment(agent);
	inherited_state__restore(in);
	execvp(argv[0], argv);
	err = errno;
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int launch_command__prepare(struct launch *l, char *const argv[], const struct launch_agent *agent)
{
	int go[2], failed[2];
	sigset_t all, own;

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failed, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return err;
	}
	/* What the terminal sends while the child waits is for the command, not for our handlers.
	 */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &own);
	l->pid = fork();
	if (!l->pid) {
		close(go[1]);
		run_child(go[0], failed[1], argv, agent, &l->inherited);
	}
	sigprocmask(SIG_SETMASK, &own, NULL);
	close(go[0]);
	close(failed[1]);
	l->go = go[1];
	l->failed = failed[0];
	return l->pid < 0 ? -errno : 0;
}

int launch_command__go(struct launch *l)
{
	int err = 0;
	ssize_t n;

	n = write(l->go, "g", 1);
	close(l->go);
	l->go = -1;
	if (n != 1)
		return -EPIPE;
	n = read(l->failed, &err, sizeof(err));
	close(l->failed);
	l->failed = -1;
	return n == sizeof(err) ? -err : 0;
}

bool launch_command__has_ended(struct launch *l)
{
	if (l->pid > 0 && !l->ended && waitpid(l->pid, &l->status, WNOHANG) == l->pid)
		l->ended = true;
	return l->ended;
}

/* Has it ended by then? -1: waits for ever. */
static bool wait_for(struct launch *l, int timeout_ms)
{
	struct pollfd end = {.events = POLLIN};

	if (launch_command__has_ended(l))
		return true;
	end.fd = syscall(SYS_pidfd_open, l->pid, 0);
	if (end.fd < 0)
		return false;
	while (poll(&end, 1, timeout_ms) < 0 && errno == EINTR)
		;
	close(end.fd);
	return launch_command__has_ended(l);
}

/* timeout(1) and schedulers signal all of a job as well, of which we cannot know. */
void launch_command__see_off(struct launch *l, char *const command[])
{
	/* One with a parent-death signal would be ended by our end. */
	bool whole = signal_handlers__by_terminal() || l->inherited.death_signal;

	if (!command || wait_for(l, signal_handlers__stopped() ? GRACE_MS : 0))
		return;
	if (whole) {
		log_say("process %d (%s) goes on, untraced: waiting for its end; Ctrl-C leaves it",
			l->pid, command[0]);
		wait_for(l, -1);
	} else if (signal_handlers__stopped()) {
		log_say("process %d (%s) goes on, untraced", l->pid, command[0]);
	}
}

int launch_command__exit_status(const struct launch *l)
{
	if (!l->ended)
		return 0;
	return WIFSIGNALED(l->status) ? 128 + WTERMSIG(l->status) : WEXITSTATUS(l->status);
}

void launch_command__cancel(struct launch *l)
{
	if (l->pid <= 0 || l->go < 0)
		return;
	close(l->go);
	close(l->failed);
	l->go = -1;
	waitpid(l->pid, NULL, 0);
	l->pid = 0;
}

char *launch_command__find_program(const char *command)
{
	const char *path = getenv("PATH"), *end;
	char *file;

	if (strchr(command, '/'))
		return strdup(command);
	for (path = path ? path : "/bin:/usr/bin"; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		if (asprintf(&file, "%.*s/%s", (int)(end - path), path, command) < 0)
			return NULL;
		if (!access(file, X_OK))
			return file;
		free(file);
	}
	return NULL;
}
