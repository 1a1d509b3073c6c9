// SPDX-License-Identifier: MIT
/*
 * The agents of all traced processes, from the creation of their memory to the end of the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/agent/agent_calls.h"
#include "user/agent/agent_reason.h"
#include "user/agent/agent_set_internal.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

/* Of one process: what an agent has lost is kept until the end. */
#define AGENTS_MAX 1000

/*
 * How long the tracer waits for a late agent before it passes on other agents' records without it.
 * While an agent is not late, it regains a part of that time.
 */
#define PATIENCE_NS	1000000000ULL
#define PATIENCE_REGAIN 16
#define ROUND_MAX_NS	10000000ULL /* a round that takes longer is not the agent's fault */

/* How long the agent may take to report that it has stopped, for another tracer. */
#define YIELD_NS      300000000ULL
#define YIELD_ENDS_NS 50000000ULL /* and until what the GPU runs has ended */
#define TAKEN_MAX     64	  /* agents that are looked at again in one round */

struct agents *agent_set__new(struct strings *strings, const struct agents_callbacks *callbacks,
			      bool wanted)
{
	struct agents *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->strings = strings;
	a->callbacks = *callbacks;
	a->wanted = wanted;
	a->rank = CLAIM_OF_PROCESS;
	a->created = clock__boot_ns();
	return a;
}

void agent_set__capture_calls(struct agents *a)
{
	a->capture = true;
}

void agent_set__set_rank(struct agents *a, enum claim_rank rank)
{
	a->rank = rank;
}

void agent_set__want(struct agents *a, uint32_t wants)
{
	a->wants = wants;
}

void agent_set__close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_member(struct member *m)
{
	agent_memory__free(m->view);
	agent_memory__free(m->unclaimed);
	free(m->ends);
	agent_set__close_fd(&m->memory_fd);
	agent_set__close_fd(&m->pidfd);
	free(m);
}

static void free_members(struct member *m)
{
	struct member *next;

	for (; m; m = next) {
		next = m->next;
		free_member(m);
	}
}

void agent_set__free(struct agents *a)
{
	struct number *n, *next;

	if (!a)
		return;
	foreign_agents__free(&a->probed);
	free_members(a->members);
	free_members(a->released);
	free_members(a->flawless);
	HASH_ITER (hh, a->numbers, n, next) {
		HASH_DEL(a->numbers, n);
		free(n);
	}
	free(a);
}

static struct number *number_of(struct agents *a, pid_t pid)
{
	struct number *n;

	HASH_FIND_INT(a->numbers, &pid, n);
	if (n)
		return n;
	n = calloc(1, sizeof(*n));
	if (n) {
		n->pid = pid;
		HASH_ADD_INT(a->numbers, pid, n);
	}
	return n;
}

/* Returns false if the process has had too many. */
static bool count_agent(struct agents *a, pid_t pid)
{
	struct number *n = number_of(a, pid);

	if (!n)
		return false;
	if (n->agents++ < AGENTS_MAX)
		return true;
	if (n->agents == AGENTS_MAX + 1)
		log_warn("process %d: limit of %u agents reached: what programs that it runs from "
			 "now on do on GPUs is missing",
			 pid, AGENTS_MAX);
	return false;
}

static void forget_number(struct agents *a, pid_t pid)
{
	struct number *n;

	HASH_FIND_INT(a->numbers, &pid, n);
	if (n)
		HASH_DEL(a->numbers, n);
	free(n);
}

struct member *agent_set__add(struct agents *a, pid_t pid, uint64_t since, bool fresh)
{
	struct member *m = count_agent(a, pid) ? calloc(1, sizeof(*m)) : NULL;

	if (!m)
		return NULL;
	m->pid = pid;
	m->since = since;
	m->fresh = fresh;
	m->memory_fd = -1;
	m->patience = PATIENCE_NS;
	m->pidfd = syscall(SYS_pidfd_open, pid, 0);
	m->next = a->members;
	a->members = m;
	return m;
}

struct member *agent_set__find(const struct agents *a, pid_t pid)
{
	struct member *m;

	for (m = a->members; m && (m->pid != pid || m->ended); m = m->next)
		;
	return m;
}

/* There is an agent, of which nothing will be read. */
void agent_set__say_unread(struct agents *a, pid_t pid, int err)
{
	struct number *n = number_of(a, pid);
	char comm[32], reason[AGENT_REASON_MAX];

	if (!n || n->said)
		return;
	n->said = true;
	procfs__comm(pid, comm, sizeof(comm));
	if (err == EXDEV)
		log_warn("agent: process %d: its clock is another than the kernel's (time "
			 "namespace): no GPU times",
			 pid);
	else
		log_warn("process %d (%s): no GPU times: %s", pid, comm,
			 agent_reason__text(pid, err, reason));
}

bool agent_set__look(struct agents *a, pid_t pid)
{
	return agent_opening__look(a, pid, a->begun);
}

bool agent_set__reads(const struct agents *a, pid_t pid)
{
	const struct member *m = agent_set__find(a, pid);

	return m && m->view;
}

struct agent_view *agent_set__capturing(const struct agents *a, pid_t pid)
{
	const struct member *m = a->capture ? agent_set__find(a, pid) : NULL;

	return m && m->view && agent_memory__spans(m->view) ? m->view : NULL;
}

static bool has_ended(const struct member *m)
{
	struct pollfd p = {.fd = m->pidfd, .events = POLLIN};

	if (m->pidfd < 0)
		return kill(m->pid, 0) && errno == ESRCH;
	return poll(&p, 1, 0) > 0;
}

static void end_pause(struct agents *a, struct member *m)
{
	if (m->paused)
		a->callbacks.paused(m->view, m->paused, clock__boot_ns(), a->callbacks.arg);
	m->paused = 0;
}

static void retire(struct agents *a, struct member *m)
{
	struct agent_view *view = NULL;

	if (!m->view && !m->unclaimed && m->memory_fd >= 0) {
		view = agent_opening__view(a, m->pid, m->memory_fd);
		if (view)
			m->unclaimed = view;
		else if (errno != EAGAIN)
			agent_opening__miss(a, m->pid);
	}
	if (m->unclaimed)
		agent_opening__ask_again(a, m, true);
	m->ended = m->settling = true;
	agent_set__close_fd(&m->pidfd);
	agent_set__close_fd(&m->memory_fd);
	if (!m->view)
		return;
	agent_memory__close_fd(m->view);
	end_pause(a, m);
	a->callbacks.placed(m->pid, 0, a->callbacks.arg);
}

/* The descriptor is closed: then the memory is mapped, or the program has ended. */
static void look_late(struct agents *a, pid_t pid)
{
	if (!agent_opening__look(a, pid, true))
		agent_opening__miss(a, pid);
}

/* One agent a process: however often it creates such memory, it costs us two descriptors. */
void agent_set__created(struct agents *a, pid_t pid, int fd, uint64_t at)
{
	struct member *m = agent_set__find(a, pid);
	int own;

	if (!a->wanted)
		foreign_agents__add(&a->probed, pid, a->created, LOOKS_OFTEN);
	if (!a->wanted || (m && m->since >= at)) /* found in the meantime */
		return;
	own = procfs__open_fd(pid, fd, O_RDWR);
	if (m && (m->view || own < 0)) { /* of a program that was there before */
		retire(a, m);
		m = NULL;
	}
	if (own < 0) {
		look_late(a, pid);
		return;
	}
	if (!m)
		m = agent_set__add(a, pid, at, true);
	if (!m) {
		close(own);
		a->missed++;
		return;
	}
	agent_set__close_fd(&m->memory_fd);
	m->memory_fd = own;
	m->since = at;
}

/* What has appeared since is the new program's: CPU by CPU, records come out of order. */
void agent_set__exec(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = agent_set__find(a, pid);

	foreign_agents__forget(&a->probed, pid, a->callbacks.blinded, a->callbacks.arg);
	if (m && m->since < at)
		retire(a, m);
}

/* A recorder of the machine gives way to a tracer that was started for the process. */
static bool gives_way(struct agents *a, struct member *m, uint64_t now)
{
	if (m->yielding)
		return true;
	if (a->rank != CLAIM_OF_NODE || !agent_memory__is_asked_for(m->view))
		return false;
	end_pause(a, m);
	if (agent_memory__spans(m->view))
		agent_calls__want(agent_memory__spans(m->view), false);
	agent_memory__deactivate(m->view);
	m->yielding = now;
	return true;
}

/* Has the agent stopped, so that what it has left is all? A process that is stopped does not. */
static bool has_yielded(const struct member *m)
{
	uint64_t passed = m->yielding ? clock__boot_ns() - m->yielding : 0;
	uint64_t since, until;

	if (!m->yielding || passed >= YIELD_NS)
		return m->yielding;
	agent_memory__captured(m->view, &since, &until);
	return !agent_memory__recording(m->view) && since <= until &&
	       (!agent_memory__is_running(m->view) || passed >= YIELD_ENDS_NS);
}

/* With the view, the claim ends: when what is left has been read. */
static void hand_over(struct agents *a, struct member *m)
{
	retire(a, m);
	agent_opening__leave_taken(a, m->pid, clock__boot_ns());
	log_warn("process %d: no GPU times from now on: its agent serves a tracer that was started "
		 "for "
		 "the process",
		 m->pid);
}

/* Those that another tracer had, and has no more. */
static void take_back(struct agents *a)
{
	pid_t pid;

	for (int i = 0; i < TAKEN_MAX && (pid = foreign_agents__freed(a->probed, a->rank)); i++) {
		foreign_agents__forget(&a->probed, pid, a->callbacks.blinded, a->callbacks.arg);
		if (!agent_opening__look(a, pid, false))
			return;
		log_say("process %d: GPU times from now on: its agent serves no other tracer", pid);
	}
}

/* Returns true if all of it has been seen. */
static bool drain_member(struct agents *a, struct member *m)
{
	if (!m->ended && m->view && has_yielded(m))
		hand_over(a, m);
	if (m->settling) {
		m->settling = false;
		return true;
	}
	if (m->ended)
		return !m->view || m->gone || agent_rest__read(a, m);
	if (!m->view && (m->memory_fd >= 0 || m->looks)) {
		agent_opening__try(a, m);
		if (m->view && !m->ended && a->stopped)
			agent_memory__deactivate(m->view);
	}
	return !m->view ||
	       (agent_rest__drain_calls(a, m->view) &
		agent_memory__drain(m->view, false, a->callbacks.record, a->callbacks.arg));
}

/* Does the tracer still wait for a late agent? */
static bool has_patience(struct member *m, bool behind, uint64_t passed)
{
	uint64_t regained = m->patience + passed / PATIENCE_REGAIN;

	if (behind)
		m->patience -= passed < m->patience ? passed : m->patience;
	else
		m->patience = regained < PATIENCE_NS ? regained : PATIENCE_NS;
	return m->patience;
}

bool agent_set__drain(struct agents *a)
{
	uint64_t now = clock__boot_ns(), passed = now - a->drained;
	bool complete = true;

	if (passed > ROUND_MAX_NS)
		passed = ROUND_MAX_NS;
	a->drained = now;
	foreign_agents__look(a->probed, a->callbacks.blinded, a->callbacks.arg);
	for (struct member *m = a->members; m; m = m->next) {
		bool behind = !drain_member(a, m);

		if (has_patience(m, behind, passed) && behind)
			complete = false;
	}
	return complete;
}

void agent_set__reap(struct agents *a)
{
	struct member **link = &a->members, *m;

	foreign_agents__forget(&a->probed, 0, a->callbacks.blinded, a->callbacks.arg);
	if (a->wanted && a->begun && !a->stopped)
		take_back(a);
	while ((m = *link)) {
		if (!m->ended && has_ended(m)) {
			retire(a, m);
			forget_number(a, m->pid);
		}
		if (m->ended && !m->view) {
			*link = m->next;
			free_member(m);
		} else {
			link = &m->next;
		}
	}
}

/* For agents that have lost nothing, only the clock error is reported at the end. */
static void drop_flawless(struct agents *a)
{
	struct member *m = a->flawless, *other = m ? m->next : NULL;

	if (!other)
		return;
	if (agent_memory__clock_error(other->view) > agent_memory__clock_error(m->view)) {
		a->flawless = other;
		other = m;
	}
	a->flawless->next = NULL;
	free_member(other);
}

void agent_set__release(struct agents *a, struct agent_view *v)
{
	struct member **link = &a->members, *m;

	while ((m = *link) && m->view != v)
		link = &m->next;
	if (!m)
		return;
	*link = m->next;
	agent_memory__close(v);
	link = agent_memory__is_flawless(v) ? &a->flawless : &a->released;
	m->next = *link;
	*link = m;
	drop_flawless(a);
}

/* If a recording agent has paused, the tracer's heartbeat was late. The next one resumes it. */
static void notice_pause(struct agents *a, struct member *m, uint64_t now)
{
	bool recording = agent_memory__recording(m->view);
	uint64_t begin = m->beaten + RT_AGENT_HEARTBEAT_TIMEOUT_NS;

	if (m->recorded && !recording && begin < now)
		m->paused = begin;
	else if (recording)
		end_pause(a, m);
	m->recorded = recording;
	m->beaten = now;
}

void agent_set__heartbeat(struct agents *a)
{
	uint64_t now = clock__boot_ns();

	foreign_agents__beat(a->probed);
	if (a->stopped)
		return;
	for (struct member *m = a->members; m; m = m->next) {
		if (m->ended || !m->view || gives_way(a, m, now))
			continue;
		notice_pause(a, m, now);
		agent_memory__activate(m->view);
	}
}

/* Waits until no living agent reports another state. */
static void wait_state(struct agents *a, bool recording, int timeout_ms)
{
	bool waiting = true;

	for (; waiting && timeout_ms > 0; timeout_ms--) {
		waiting = recording && foreign_agents__are_blinded(a->probed);
		for (struct member *m = a->members; m; m = m->next) {
			if (recording && m->unclaimed && !m->ended)
				agent_opening__ask_again(a, m, false);
			if (m->unclaimed ? recording
					 : m->view && !m->ended && !has_ended(m) &&
						   agent_memory__recording(m->view) != recording)
				waiting = true;
		}
		if (waiting)
			poll(NULL, 0, 1);
	}
}

void agent_set__begin(struct agents *a, int timeout_ms)
{
	wait_state(a, true, timeout_ms);
	for (struct member *m = a->members; m; m = m->next)
		if (m->view)
			agent_memory__forget_losses(m->view);
	a->begun = true;
}

void agent_set__stop(struct agents *a, int timeout_ms)
{
	a->stopped = true;
	for (struct member *m = a->members; m; m = m->next)
		if (m->view && !m->ended) {
			end_pause(a, m);
			agent_memory__deactivate(m->view);
		}
	wait_state(a, false, timeout_ms);
}

bool agent_set__drain_last(struct agents *a)
{
	bool complete = true;

	foreign_agents__finish(a->probed, a->callbacks.blinded, a->callbacks.arg);
	for (struct member *m = a->members; m; m = m->next) {
		if (!m->view || m->gone)
			continue;
		if (m->ended) {
			complete &= agent_rest__read(a, m);
			continue;
		}
		agent_rest__end_calls(a, m, clock__boot_ns());
		complete &=
			agent_memory__drain(m->view, true, a->callbacks.record, a->callbacks.arg);
	}
	return complete;
}

void agent_set__give_up(struct agents *a)
{
	for (struct member *m = a->members; m; m = m->next) {
		if (!m->view || m->gone)
			continue;
		agent_memory__give_up(m->view);
		if (m->ended)
			agent_rest__read(a, m);
	}
}

uint64_t agent_set__missed(const struct agents *a)
{
	return a->missed;
}

void agent_set__each(struct agents *a, void (*fn)(struct agent_view *v, void *arg), void *arg)
{
	for (struct member *m = a->members; m; m = m->next)
		if (m->view)
			fn(m->view, arg);
	for (struct member *m = a->released; m; m = m->next)
		fn(m->view, arg);
	if (a->flawless)
		fn(a->flawless->view, arg);
}
