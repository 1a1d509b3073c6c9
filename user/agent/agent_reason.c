// SPDX-License-Identifier: MIT
/*
 * Finds out from /proc why nothing is read from the agent of a process.
 */
#include "user/agent/agent_reason.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/agent/agent_memory.h"
#include "user/base/descendants.h"
#include "user/base/procfs.h"

#define AGENT_FILE  "librtrace-agent"
#define ENVIRON_MAX (1u << 20)

static bool has_ended(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* ---- another tracer ---- */

static int is_agent_memory(const struct mapping *m, void *arg)
{
	return !strncmp(m->path, "/memfd:" RT_AGENT_MEMFD, strlen("/memfd:" RT_AGENT_MEMFD));
}

/* The process reports its tracer's pid: valid only if that tracer has the memory mapped. */
static void say_holder(pid_t pid, char *buf)
{
	pid_t tracer = 0;

	agent_memory__peek(pid, &tracer);
	if (tracer > 0 && tracer != getpid() && procfs__mappings(tracer, is_agent_memory, NULL) > 0)
		snprintf(buf, AGENT_REASON_MAX, "its agent serves another tracer, process %d",
			 tracer);
	else
		snprintf(buf, AGENT_REASON_MAX,
			 "its agent serves another tracer (of another container, or one that has "
			 "ended since)");
}

/* ---- no agent ---- */

static int is_agent_file(const struct mapping *m, void *arg)
{
	char name[64];

	procfs__basename(m->path, name, sizeof(name));
	if (strncmp(name, AGENT_FILE, strlen(AGENT_FILE)))
		return 0;
	snprintf(arg, AGENT_REASON_MAX / 2, "%s", m->path);
	return 1;
}

/* The value of a variable that the process was started with, to be freed; NULL: it has none. */
static char *environment(pid_t pid, const char *name)
{
	char path[64], *line = NULL, *value = NULL;
	size_t room = 0, length = strlen(name), total = 0;
	ssize_t n;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	f = fopen(path, "re");
	while (f && !value && total < ENVIRON_MAX && (n = getdelim(&line, &room, '\0', f)) > 0) {
		total += n;
		if (!strncmp(line, name, length) && line[length] == '=')
			value = strdup(line + length + 1);
	}
	free(line);
	if (f)
		fclose(f);
	return value;
}

static bool environment_names(pid_t pid, const char *name, const char *what)
{
	char *value = environment(pid, name);
	bool names = value && strstr(value, what);

	free(value);
	return names;
}

static bool has_agent(pid_t pid, void *arg)
{
	pid_t tracer;

	return agent_memory__peek(pid, &tracer) != AGENT_ABSENT;
}

static void say_absent(pid_t pid, char *buf)
{
	char path[AGENT_REASON_MAX / 2];

	if (procfs__mappings(pid, is_agent_file, path) > 0)
		snprintf(buf, AGENT_REASON_MAX, "%s",
			 environment_names(pid, "RTRACE_AGENT", "off")
				 ? "its agent is switched off (RTRACE_AGENT=off)"
				 : "its agent does not work: the process is a fork of one that has "
				   "it, or it has failed, as it said on stderr");
	else if (environment_names(pid, "HSA_TOOLS_LIB", AGENT_FILE))
		snprintf(buf, AGENT_REASON_MAX,
			 "HSA has not loaded the agent that HSA_TOOLS_LIB names: it is not "
			 "initialised yet, or refuses it (rtrace-bpf doctor)");
	else
		snprintf(buf, AGENT_REASON_MAX,
			 "it was started without the agent "
			 "(HSA_TOOLS_LIB=.../librtrace-agent.so)");
	descendants__name(pid, "; processes below it have one:", has_agent, NULL, buf,
			  AGENT_REASON_MAX);
}

/* ---- another build ---- */

static void say_other_build(pid_t pid, char *buf)
{
	char path[AGENT_REASON_MAX / 2] = AGENT_FILE ".so";

	procfs__mappings(pid, is_agent_file, path);
	snprintf(buf, AGENT_REASON_MAX,
		 "its agent, %s, is of another build of rtrace, and left alone: use the rtrace-bpf "
		 "of that build, or start the process with the agent of this one",
		 path);
}

const char *agent_reason__text(pid_t pid, int err, char buf[AGENT_REASON_MAX])
{
	if (has_ended(pid))
		snprintf(buf, AGENT_REASON_MAX, "it ended while it was attached to");
	else if (err == EBUSY)
		say_holder(pid, buf);
	else if (err == EPROTO)
		say_other_build(pid, buf);
	else if (err == EALREADY)
		snprintf(buf, AGENT_REASON_MAX, "it is a fork of a process whose agent is read");
	else if (err == ENOENT || err == ESRCH)
		say_absent(pid, buf);
	else
		snprintf(buf, AGENT_REASON_MAX, "its agent cannot be read: %s", strerror(err));
	return buf;
}
