// SPDX-License-Identifier: MIT
/*
 * Keeps agents from capturing calls.
 */
#include "user/agent/foreign_agents.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "user/agent/agent_memory.h"
#include "user/clock/clock_map.h"

struct probed {
	pid_t pid;
	int looks;     /* how often its agent is still looked for */
	uint64_t told; /* calls captured before are reported, or were not to be traced */
	struct agent_view *view;
	struct probed *next;
};

static void look(struct probed *p)
{
	if (p->view || !p->looks)
		return;
	p->looks--;
	p->view = agent_memory__find_probed(p->pid);
	if (p->view)
		agent_memory__keep_probes(p->view);
}

bool foreign_agents__add(struct probed **list, pid_t pid, uint64_t since, int looks)
{
	struct probed *p;
	bool is_new;

	for (p = *list; p && p->pid != pid; p = p->next)
		;
	is_new = !p;
	if (is_new) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return false;
		p->pid = pid;
		p->told = since;
		p->next = *list;
		*list = p;
	}
	p->looks = looks;
	look(p);
	return is_new;
}

/* Reports what its agent has captured; with `last` also what it still captures. */
static void tell(struct probed *p, bool last, probed_fn fn, void *arg)
{
	uint64_t since, until, now = clock__boot_ns();

	if (!p->view)
		return;
	agent_memory__captured(p->view, &since, &until);
	if (last && since > until)
		until = now;
	if (until > now)
		until = now;
	if (until <= p->told)
		return;
	fn(p->pid, since > p->told && since < until ? since : p->told, until, arg);
	p->told = until;
}

void foreign_agents__look(struct probed *list, probed_fn fn, void *arg)
{
	for (struct probed *p = list; p; p = p->next) {
		look(p);
		tell(p, false, fn, arg);
	}
}

void foreign_agents__finish(struct probed *list, probed_fn fn, void *arg)
{
	for (struct probed *p = list; p; p = p->next)
		tell(p, true, fn, arg);
}

static bool has_ended(const struct probed *p)
{
	return kill(p->pid, 0) && errno == ESRCH;
}

static void free_one(struct probed *p)
{
	agent_memory__free(p->view);
	free(p);
}

void foreign_agents__forget(struct probed **list, pid_t pid, probed_fn fn, void *arg)
{
	struct probed *p;

	while ((p = *list)) {
		if (p->pid == pid || has_ended(p)) {
			*list = p->next;
			tell(p, true, fn, arg);
			free_one(p);
		} else {
			list = &p->next;
		}
	}
}

void foreign_agents__beat(struct probed *list)
{
	for (struct probed *p = list; p; p = p->next)
		if (p->view)
			agent_memory__keep_probes(p->view);
}

bool foreign_agents__are_blinded(const struct probed *list)
{
	uint64_t since, until;

	for (const struct probed *p = list; p; p = p->next) {
		if (!p->view || has_ended(p))
			continue;
		agent_memory__captured(p->view, &since, &until);
		if (since > until)
			return true;
	}
	return false;
}

pid_t foreign_agents__freed(const struct probed *list, enum claim_rank rank)
{
	for (const struct probed *p = list; p; p = p->next)
		if (p->view && agent_memory__is_free(p->view, rank) && !has_ended(p))
			return p->pid;
	return 0;
}

void foreign_agents__free(struct probed **list)
{
	struct probed *p;

	while ((p = *list)) {
		*list = p->next;
		free_one(p);
	}
}
