// SPDX-License-Identifier: MIT
/*
 * Keeps agents from capturing calls.
 */
#include "user/probed.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "user/agent.h"
#include "user/clock.h"

struct probed {
	pid_t pid;
	int looks;	       /* how often its agent is still looked for */
	uint64_t added, blind; /* when; since when the agent has captured, 0: it does not */
	struct agent_view *view;
	struct probed *next;
};

static void look(struct probed *p)
{
	if (p->view || !p->looks)
		return;
	p->looks--;
	p->view = agent__find_probed(p->pid);
	if (!p->view)
		return;
	agent__keep_probes(p->view);
	p->blind = agent__captures(p->view) ? p->added : 0;
}

void probed__add(struct probed **list, pid_t pid, int looks)
{
	struct probed *p;

	for (p = *list; p && p->pid != pid; p = p->next)
		;
	if (!p) {
		p = calloc(1, sizeof(*p));
		if (!p)
			return;
		p->pid = pid;
		p->next = *list;
		*list = p;
	}
	p->looks = looks;
	p->added = clock__boot_ns();
	look(p);
}

void probed__look(struct probed *list, probed_fn fn, void *arg)
{
	for (struct probed *p = list; p; p = p->next) {
		look(p);
		if (!p->blind || agent__captures(p->view))
			continue;
		fn(p->pid, p->blind, clock__boot_ns(), arg);
		p->blind = 0;
	}
}

static bool has_ended(const struct probed *p)
{
	return kill(p->pid, 0) && errno == ESRCH;
}

static void free_one(struct probed *p)
{
	agent__free(p->view);
	free(p);
}

void probed__forget(struct probed **list, pid_t pid)
{
	struct probed *p;

	while ((p = *list)) {
		if (p->pid == pid || has_ended(p)) {
			*list = p->next;
			free_one(p);
		} else {
			list = &p->next;
		}
	}
}

void probed__beat(struct probed *list)
{
	for (struct probed *p = list; p; p = p->next)
		if (p->view)
			agent__keep_probes(p->view);
}

bool probed__are_blinded(const struct probed *list)
{
	for (const struct probed *p = list; p; p = p->next)
		if (p->view && agent__captures(p->view) && !has_ended(p))
			return true;
	return false;
}

void probed__free(struct probed **list)
{
	struct probed *p;

	while ((p = *list)) {
		*list = p->next;
		free_one(p);
	}
}
