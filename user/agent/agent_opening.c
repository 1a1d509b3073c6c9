// SPDX-License-Identifier: MIT
/*
 * From an agent's memory that may be there to one that is claimed, mapped and asked to record.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "user/agent/agent_calls.h"
#include "user/agent/agent_set_internal.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

/* Later it is looked for in some of the rounds. */
#define LOOKS_MAX  1000
#define LOOK_EVERY 16

static struct agent_view *refuse(struct agent_view *view, int why)
{
	agent_memory__free(view);
	errno = why;
	return NULL;
}

struct agent_view *agent_opening__view(struct agents *a, pid_t pid, int fd)
{
	struct agent_view *view = fd < 0 ? agent_memory__find(pid, a->strings)
					 : agent_memory__from_fd(pid, fd, a->strings);

	for (struct member *m = a->members; view && m; m = m->next) {
		if (m->view && m->pid != pid && agent_memory__share_memory(m->view, view))
			return refuse(view, EALREADY);
	}
	return view && procfs__has_own_clock(pid) ? refuse(view, EXDEV) : view;
}

/* The tracer that has started the process is about to come. */
static bool is_left_to_its_tracer(const struct agents *a, const struct agent_view *view,
				  uint64_t since)
{
	pid_t tracer = agent_memory__awaited_by(view);

	return a->rank == CLAIM_OF_NODE && tracer > 0 && tracer != getpid() &&
	       (!kill(tracer, 0) || errno == EPERM) && !agent_memory__is_asked_for(view) &&
	       clock__boot_ns() - since < RT_AGENT_EXIT_NS;
}

/* 0, or -errno, -EAGAIN: to be repeated. */
static int claim(const struct agents *a, struct agent_view *view, uint64_t since)
{
	return is_left_to_its_tracer(a, view, since) ? -EAGAIN : agent_memory__claim(view, a->rank);
}

void agent_opening__leave_taken(struct agents *a, pid_t pid, uint64_t since)
{
	if (foreign_agents__add(&a->probed, pid, since, 1))
		a->callbacks.taken(pid, since, a->callbacks.arg);
}

/* The requests of a previous tracer end in any case. */
static void open_spans(struct agents *a, struct agent_view *view)
{
	struct agent_spans *spans = agent_memory__open_spans(view, ++a->opened * AGENT_SPANS_CORRS);

	if (!spans)
		return;
	agent_calls__skip(spans);
	if (a->capture)
		a->callbacks.capture(view, a->callbacks.arg);
}

static void start(struct agents *a, struct member *m, struct agent_view *view)
{
	m->view = view;
	agent_set__close_fd(&m->memory_fd);
	if (!m->fresh)
		agent_memory__skip_recorded(view);
	a->callbacks.placed(m->pid, agent_memory__address(view), a->callbacks.arg);
	open_spans(a, view);
	agent_memory__want(view, a->wants);
	m->recorded = true;
	m->beaten = clock__boot_ns();
	agent_memory__activate(view);
	log_info("agent: process %d: recording", m->pid);
}

bool agent_opening__look(struct agents *a, pid_t pid, bool fresh)
{
	uint64_t now = clock__boot_ns();
	struct agent_view *view;
	struct member *m;
	int err;

	if (!a->wanted) {
		foreign_agents__add(&a->probed, pid, fresh ? a->created : now, 1);
		return false;
	}
	m = agent_set__find(a, pid);
	if (m) {
		errno = EBUSY;
		return !m->unclaimed;
	}
	view = agent_opening__view(a, pid, -1);
	err = view ? -claim(a, view, now) : errno;
	m = !err || err == EAGAIN ? agent_set__add(a, pid, now, fresh) : NULL;
	if (!m) {
		agent_memory__free(view);
		if (err == EBUSY)
			agent_opening__leave_taken(a, pid, fresh ? a->created : now);
		errno = err;
		return false;
	}
	m->looks = LOOKS_MAX;
	m->unclaimed = err ? view : NULL;
	if (!err)
		start(a, m, view);
	return true;
}

void agent_opening__miss(struct agents *a, pid_t pid)
{
	int err = errno;

	if (err == EBUSY)
		agent_opening__leave_taken(a, pid, a->created);
	if (err == EALREADY)
		return;
	if (err == ENOENT || err == ESRCH)
		log_warn("agent: process %d: ended before its GPU operations could be read", pid);
	else
		agent_set__say_unread(a, pid, err);
	a->missed += err != EBUSY;
}

void agent_opening__ask_again(struct agents *a, struct member *m, bool last)
{
	int err = claim(a, m->unclaimed, last ? 0 : m->since);
	struct agent_view *view = m->unclaimed;

	if (err == -EAGAIN && !last)
		return;
	m->unclaimed = NULL;
	if (!err) {
		start(a, m, view);
		return;
	}
	agent_memory__free(view);
	m->ended = true;
	errno = err == -EAGAIN ? EBUSY : -err;
	agent_opening__miss(a, m->pid);
}

/* The memory is ready. */
static void found(struct agents *a, struct member *m, struct agent_view *view)
{
	m->unclaimed = view;
	m->looks = LOOKS_MAX;
	agent_opening__ask_again(a, m, false);
}

/* The memory is mapped, its descriptor closed, and perhaps nothing in it yet. */
static void look_again(struct agents *a, struct member *m)
{
	struct agent_view *view;

	if (--m->looks < LOOKS_MAX - LOOKS_OFTEN && m->looks % LOOK_EVERY)
		return;
	view = agent_opening__view(a, m->pid, -1);
	if (view) {
		found(a, m, view);
	} else if (errno != EAGAIN || !m->looks) {
		agent_opening__miss(a, m->pid);
		m->looks = 0;
	}
}

/* The agent sizes, seals and fills its memory after creating it. */
void agent_opening__try(struct agents *a, struct member *m)
{
	struct agent_view *view;

	if (m->unclaimed) {
		agent_opening__ask_again(a, m, --m->looks <= 0);
		return;
	}
	if (m->memory_fd < 0) {
		look_again(a, m);
		return;
	}
	view = agent_opening__view(a, m->pid, m->memory_fd);
	if (view) {
		found(a, m, view);
	} else if (errno != EAGAIN) { /* the number was taken by another file before we looked */
		agent_set__close_fd(&m->memory_fd);
		m->looks = LOOKS_MAX;
		look_again(a, m);
	}
}
