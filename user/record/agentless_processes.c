// SPDX-License-Identifier: MIT
/*
 * Finds out why a process of the command uses the GPU without the agent.
 *
 * The agent is loaded by hsa_init, before that returns. So where hsa_init or a launch has succeeded
 * and the kernel has not seen the agent's memory being created, there is none. Records of
 * several CPUs come out of order: no line is logged at once, and a process that has ended is kept
 * for a while, so that its late records are not taken for those of another process.
 */
#include "user/record/agentless_processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/agent/agent_memory.h"
#include "common/hash.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

#define AGENT_FILE  "librtrace-agent.so"
#define SETTLE_NS   500000000ULL
#define ENDED_NS    2000000000ULL /* how late a record of an ended process may come */
#define LINES_MAX   16
#define PROGRAM_MAX 32
#define WHY_MAX	    768

struct suspect {
	pid_t pid;
	bool said;
	uint64_t agent; /* when it was first seen, 0: it has none */
	uint64_t since; /* of its first GPU work; 0: none so far */
	uint64_t ended; /* it, or its program; 0: it runs */
	char comm[PROGRAM_MAX];
	char why[WHY_MAX];
	UT_hash_handle hh;
};

struct absent {
	char *agent;
	absent_gap_fn *gap;
	void *arg;
	struct suspect *suspects;
	uint64_t found; /* processes without it */
};

struct absent *agentless__new(const char *agent, absent_gap_fn *gap, void *arg)
{
	struct absent *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->agent = strdup(agent);
	a->gap = gap;
	a->arg = arg;
	if (a->agent)
		return a;
	free(a);
	return NULL;
}

static void forget(struct absent *a, struct suspect *s)
{
	HASH_DEL(a->suspects, s);
	free(s);
}

void agentless__free(struct absent *a)
{
	struct suspect *s, *next;

	if (!a)
		return;
	HASH_ITER (hh, a->suspects, s, next) {
		forget(a, s);
	}
	free(a->agent);
	free(a);
}

static struct suspect *find(const struct absent *a, pid_t pid)
{
	struct suspect *s;

	HASH_FIND_INT(a->suspects, &pid, s);
	return s;
}

static void say(struct absent *a, struct suspect *s)
{
	if (!s->since || s->agent || s->said)
		return;
	s->said = true;
	if (a->found++ < LINES_MAX)
		log_warn("process %d (%s): no GPU operations and times: %s", s->pid, s->comm,
			 s->why);
}

/* No more records of it are to come. */
static void conclude(struct absent *a, struct suspect *s, uint64_t at)
{
	char what[WHY_MAX + 64];

	say(a, s);
	if (s->said) {
		snprintf(what, sizeof(what), "no GPU operations and times: %s", s->why);
		a->gap(s->pid, what, s->since, at > s->since ? at : s->since, a->arg);
	}
	forget(a, s);
}

/* The process that had this number at that time. NULL: no memory. */
static struct suspect *get(struct absent *a, pid_t pid, uint64_t at)
{
	struct suspect *s = find(a, pid);

	if (s && s->ended && at > s->ended) {
		conclude(a, s, s->ended);
		s = NULL;
	}
	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->pid = pid;
	HASH_ADD_INT(a->suspects, pid, s);
	return s;
}

void agentless__has_agent(struct absent *a, pid_t pid, uint64_t at)
{
	struct suspect *s = get(a, pid, at);

	if (s)
		s->agent = at;
}

/* ---- why ---- */

static int is_agent_file(const struct mapping *m, void *arg)
{
	return !!strstr(m->path, AGENT_FILE);
}

static void say_unnamed(const struct absent *a, struct suspect *s, const char *tools)
{
	if (tools)
		snprintf(s->why, sizeof(s->why), "its HSA_TOOLS_LIB is another, \"%.200s\": add %s",
			 tools, a->agent);
	else if (procfs__is_secure(s->pid))
		snprintf(s->why, sizeof(s->why),
			 "it runs with other rights than its parent's (setuid, capabilities), and "
			 "its environment lacks HSA_TOOLS_LIB: set it to %s in there",
			 a->agent);
	else
		snprintf(
			s->why, sizeof(s->why),
			"its environment lacks HSA_TOOLS_LIB (as behind env -i, su -, sudo): start "
			"it with HSA_TOOLS_LIB=%s",
			a->agent);
}

/* The agent is named in its environment. */
static void say_named(const struct absent *a, struct suspect *s, const char *tools)
{
	int loaded = procfs__mappings(s->pid, is_agent_file, NULL);

	if (loaded > 0)
		snprintf(s->why, sizeof(s->why),
			 "the agent is loaded, but does not work: the process was forked after its "
			 "parent had initialised HSA, or the agent switched itself off, which it "
			 "says on stderr");
	else if (procfs__is_secure(s->pid))
		snprintf(
			s->why, sizeof(s->why),
			"it runs with other rights than its user's (setuid, capabilities), and the "
			"agent was not loaded: run it as a plain program of a user with these "
			"rights");
	else if (!procfs__has_file(s->pid, a->agent))
		snprintf(s->why, sizeof(s->why),
			 "%s is not in its mount namespace, or not readable there: make it so",
			 a->agent);
	else
		snprintf(
			s->why, sizeof(s->why),
			"its HSA runtime did not take the agent of HSA_TOOLS_LIB=%.200s: the agent "
			"or the runtime gives the reason on stderr; can its user read that file?",
			tools);
}

static void find_reason(const struct absent *a, struct suspect *s)
{
	char tools[4096], mode[16];
	int named = procfs__variable(s->pid, "HSA_TOOLS_LIB", tools, sizeof(tools));

	procfs__comm(s->pid, s->comm, sizeof(s->comm));
	if (named < 0)
		snprintf(s->why, sizeof(s->why),
			 "why it has no agent is not known: its environment could not be read");
	else if (procfs__variable(s->pid, "RTRACE_AGENT", mode, sizeof(mode)) > 0 &&
		 !strcmp(mode, "off"))
		snprintf(s->why, sizeof(s->why),
			 "its environment has RTRACE_AGENT=off: start it without that");
	else if (named && strstr(tools, AGENT_FILE))
		say_named(a, s, tools);
	else
		say_unnamed(a, s, named ? tools : NULL);
}

/* ---- when ---- */

static bool needs_runtime(const struct function *fn)
{
	return fn->role == ROLE_LAUNCH_HOST || fn->role == ROLE_LAUNCH_MODULE ||
	       (fn->domain == DOMAIN_HSA && !strcmp(fn->name, "hsa_init"));
}

void agentless__call(struct absent *a, pid_t pid, const struct function *fn,
		     const struct rt_rec_span *span)
{
	pid_t tracer;
	struct suspect *s;

	if (!needs_runtime(fn) || span->ret ||
	    span->h.flags & (RT_SPAN_UNFINISHED | RT_SPAN_UNWOUND))
		return;
	s = get(a, pid, span->h.ts);
	if (!s || s->agent || s->since)
		return;
	if (agent_memory__peek(pid, &tracer) != AGENT_ABSENT) {
		s->agent = span->h.ts;
	} else {
		s->since = span->h.ts;
		find_reason(a, s);
	}
}

void agentless__ended(struct absent *a, pid_t pid, uint64_t at)
{
	struct suspect *s = get(a, pid, at);

	/* What came later is the next program's, or another process's. */
	if (s && !s->ended && s->agent <= at && s->since <= at)
		s->ended = at;
}

void agentless__tick(struct absent *a, uint64_t now)
{
	struct suspect *s, *next;

	HASH_ITER (hh, a->suspects, s, next) {
		if (s->ended && now > s->ended + ENDED_NS)
			conclude(a, s, s->ended);
		else if (s->since && now > s->since + SETTLE_NS)
			say(a, s);
	}
}

void agentless__finish(struct absent *a, uint64_t now)
{
	struct suspect *s, *next;

	HASH_ITER (hh, a->suspects, s, next) {
		conclude(a, s, s->ended ? s->ended : now);
	}
	if (a->found > LINES_MAX)
		log_warn("%" PRIu64 " further processes had no GPU operations and times: they ran "
			 "without the agent, too",
			 a->found - LINES_MAX);
}
