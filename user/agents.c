// SPDX-License-Identifier: MIT
/*
 * The agents of all traced processes, from the creation of their memory to the end of the process.
 */
#include "user/agents.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/clock.h"
#include "user/log.h"
#include "user/procfs.h"

/* Rounds, of a millisecond each. */
#define LOOKS_MAX 1000

struct member {
	struct agent_view *view; /* NULL: memory not ready yet */
	int memory_fd;		 /* until it is ready */
	int looks;		 /* without that: how often it is still looked for */
	int pidfd;
	pid_t pid;
	uint64_t since; /* when it was created, or found */
	bool gone;
	bool recorded;	 /* at the last sign of life */
	uint64_t beaten; /* when that was */
	uint64_t paused; /* since when it has not recorded, 0: it does */
	struct member *next;
};

struct agents {
	struct strings *strings;
	struct agents_callbacks callbacks;
	struct member *members;
	struct member *released; /* gone, kept for what they have lost */
	bool wanted, begun, stopped;
	uint32_t wants;
	uint64_t missed; /* of which nothing could be read */
};

struct agents *agents__new(struct strings *strings, const struct agents_callbacks *callbacks,
			   bool wanted)
{
	struct agents *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->strings = strings;
	a->callbacks = *callbacks;
	a->wanted = wanted;
	return a;
}

void agents__want(struct agents *a, uint32_t wants)
{
	a->wants = wants;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_member(struct member *m)
{
	agent__free(m->view);
	close_fd(&m->memory_fd);
	close_fd(&m->pidfd);
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

void agents__free(struct agents *a)
{
	if (!a)
		return;
	free_members(a->members);
	free_members(a->released);
	free(a);
}

static struct member *add_member(struct agents *a, pid_t pid, uint64_t since)
{
	struct member *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->pid = pid;
	m->since = since;
	m->memory_fd = -1;
	m->pidfd = syscall(SYS_pidfd_open, pid, 0);
	m->next = a->members;
	a->members = m;
	return m;
}

static struct member *find_member(const struct agents *a, pid_t pid)
{
	struct member *m;

	for (m = a->members; m && (m->pid != pid || m->gone); m = m->next)
		;
	return m;
}

static void start(struct agents *a, struct member *m, struct agent_view *view)
{
	m->view = view;
	close_fd(&m->memory_fd);
	agent__want(view, a->wants);
	agent__activate(view);
	log_info("agent: process %d: recording", m->pid);
}

/* `fresh`: its agent has come while we were looking on, so all that it has recorded is ours. */
static bool look(struct agents *a, pid_t pid, bool fresh)
{
	uint64_t now = clock__boot_ns();
	struct agent_view *view;
	struct member *m;

	if (!a->wanted)
		return false;
	if (find_member(a, pid))
		return true;
	view = agent__find(pid, a->strings);
	if (!view && errno != EAGAIN) {
		if (errno != ENOENT && errno != EBUSY && errno != EPROTO)
			log_warn("agent: process %d: %s", pid, strerror(errno));
		return false;
	}
	m = add_member(a, pid, now);
	if (!m) {
		agent__free(view);
		return false;
	}
	if (!view) {
		m->looks = LOOKS_MAX;
		return true;
	}
	if (!fresh)
		agent__skip_recorded(view);
	start(a, m, view);
	return true;
}

bool agents__look(struct agents *a, pid_t pid)
{
	return look(a, pid, a->begun);
}

bool agents__reads(const struct agents *a, pid_t pid)
{
	const struct member *m = find_member(a, pid);

	return m && m->view;
}

static bool has_ended(const struct member *m)
{
	struct pollfd p = {.fd = m->pidfd, .events = POLLIN};

	if (m->pidfd < 0)
		return kill(m->pid, 0) && errno == ESRCH;
	return poll(&p, 1, 0) > 0;
}

/* An agent that was there could not be opened, for the reason in errno. */
static void miss(struct agents *a, pid_t pid)
{
	if (errno == EBUSY)
		return;
	if (errno == ENOENT || errno == ESRCH)
		log_warn("agent: process %d: ended before its GPU operations could be read", pid);
	a->missed++;
}

static void end_pause(struct agents *a, struct member *m)
{
	if (m->paused)
		a->callbacks.paused(m->view, m->paused, clock__boot_ns(), a->callbacks.arg);
	m->paused = 0;
}

static void retire(struct agents *a, struct member *m)
{
	if (!m->view && m->memory_fd >= 0) {
		m->view = agent__from_fd(m->pid, m->memory_fd, a->strings);
		if (!m->view && errno != EAGAIN)
			miss(a, m->pid);
	}
	m->gone = true;
	close_fd(&m->pidfd);
	close_fd(&m->memory_fd);
	if (!m->view)
		return;
	end_pause(a, m);
	agent__drain(m->view, true, a->callbacks.record, a->callbacks.arg);
	a->callbacks.gone(m->view, a->callbacks.arg);
}

/* The descriptor is closed: then the memory is mapped, or the program has ended. */
static void look_late(struct agents *a, pid_t pid)
{
	if (!look(a, pid, true))
		miss(a, pid);
}

/* One agent a process: however often it creates such memory, it costs us two descriptors. */
void agents__created(struct agents *a, pid_t pid, int fd, uint64_t at)
{
	struct member *m = find_member(a, pid);
	int own;

	if (!a->wanted || (m && m->since >= at)) /* found in the meantime */
		return;
	own = procfs__open_fd(pid, fd, O_RDWR, NULL, 0);
	if (m && (m->view || own < 0)) { /* of a program that was there before */
		retire(a, m);
		m = NULL;
	}
	if (own < 0) {
		look_late(a, pid);
		return;
	}
	if (!m)
		m = add_member(a, pid, at);
	if (!m) {
		close(own);
		a->missed++;
		return;
	}
	close_fd(&m->memory_fd);
	m->memory_fd = own;
	m->since = at;
}

/* The memory is mapped, its descriptor closed, and perhaps nothing in it yet. */
static void look_again(struct agents *a, struct member *m)
{
	struct agent_view *view = agent__find(m->pid, a->strings);

	m->looks--;
	if (view) {
		start(a, m, view);
	} else if (errno != EAGAIN || !m->looks) {
		miss(a, m->pid);
		m->looks = 0;
	}
}

/* The agent sizes, seals and fills its memory after creating it. */
static void try_pending(struct agents *a, struct member *m)
{
	struct agent_view *view;

	if (m->memory_fd < 0) {
		look_again(a, m);
		return;
	}
	view = agent__from_fd(m->pid, m->memory_fd, a->strings);
	if (view) {
		start(a, m, view);
	} else if (errno != EAGAIN) { /* the number was taken by another file before we looked */
		close_fd(&m->memory_fd);
		m->looks = LOOKS_MAX;
		look_again(a, m);
	}
}

/* What has appeared since is the new program's: CPU by CPU, records come out of order. */
void agents__exec(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = find_member(a, pid);

	if (m && m->since < at)
		retire(a, m);
}

bool agents__drain(struct agents *a)
{
	bool complete = true;

	for (struct member *m = a->members; m; m = m->next) {
		if (m->gone)
			continue;
		if (!m->view && (m->memory_fd >= 0 || m->looks)) {
			try_pending(a, m);
			if (m->view && a->stopped)
				agent__deactivate(m->view);
		}
		if (m->view && !agent__drain(m->view, false, a->callbacks.record, a->callbacks.arg))
			complete = false;
	}
	return complete;
}

void agents__reap(struct agents *a)
{
	struct member **link = &a->members, *m;

	while ((m = *link)) {
		if (!m->gone && has_ended(m))
			retire(a, m);
		if (m->gone && !m->view) {
			*link = m->next;
			free_member(m);
		} else {
			link = &m->next;
		}
	}
}

void agents__release(struct agents *a, struct agent_view *v)
{
	struct member **link = &a->members, *m;

	while ((m = *link) && m->view != v)
		link = &m->next;
	if (!m)
		return;
	*link = m->next;
	m->next = a->released;
	a->released = m;
	agent__close(v);
}

/* It is us who were late if an agent that recorded does so no more. It will again, hearing us. */
static void notice_pause(struct agents *a, struct member *m, uint64_t now)
{
	bool recording = agent__recording(m->view);
	uint64_t begin = m->beaten + RT_AGENT_HEARTBEAT_TIMEOUT_NS;

	if (m->recorded && !recording && begin < now)
		m->paused = begin;
	else if (recording)
		end_pause(a, m);
	m->recorded = recording;
	m->beaten = now;
}

void agents__heartbeat(struct agents *a)
{
	uint64_t now = clock__boot_ns();

	if (a->stopped)
		return;
	for (struct member *m = a->members; m; m = m->next) {
		if (m->gone || !m->view)
			continue;
		notice_pause(a, m, now);
		agent__activate(m->view);
	}
}

/* Waits until no living agent says otherwise. */
static void wait_state(struct agents *a, bool recording, int timeout_ms)
{
	bool waiting = true;

	for (; waiting && timeout_ms > 0; timeout_ms--) {
		waiting = false;
		for (struct member *m = a->members; m; m = m->next)
			if (m->view && !m->gone && agent__recording(m->view) != recording &&
			    !has_ended(m))
				waiting = true;
		if (waiting)
			poll(NULL, 0, 1);
	}
}

void agents__begin(struct agents *a, int timeout_ms)
{
	wait_state(a, true, timeout_ms);
	for (struct member *m = a->members; m; m = m->next)
		if (m->view)
			agent__forget_losses(m->view);
	a->begun = true;
}

void agents__stop(struct agents *a, int timeout_ms)
{
	a->stopped = true;
	for (struct member *m = a->members; m; m = m->next)
		if (m->view && !m->gone) {
			end_pause(a, m);
			agent__deactivate(m->view);
		}
	wait_state(a, false, timeout_ms);
}

void agents__drain_last(struct agents *a)
{
	for (struct member *m = a->members; m; m = m->next)
		if (m->view && !m->gone)
			agent__drain(m->view, true, a->callbacks.record, a->callbacks.arg);
}

uint64_t agents__missed(const struct agents *a)
{
	return a->missed;
}

void agents__each(struct agents *a, void (*fn)(struct agent_view *v, void *arg), void *arg)
{
	for (struct member *m = a->members; m; m = m->next)
		if (m->view)
			fn(m->view, arg);
	for (struct member *m = a->released; m; m = m->next)
		fn(m->view, arg);
}
