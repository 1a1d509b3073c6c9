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

#include "user/agent_spans.h"
#include "user/clock.h"
#include "user/hash.h"
#include "user/log.h"
#include "user/probed.h"
#include "user/procfs.h"

/* Rounds, of a millisecond each; after the first ones it is looked for in some of them. */
#define LOOKS_MAX   1000
#define LOOKS_OFTEN 64
#define LOOK_EVERY  16

/* Of one process: what an agent has lost is kept until the end. */
#define AGENTS_MAX 1000

/* Ends that the kernel tells of one process: as many as it can have under way. */
#define ENDS_MAX RT_AGENT_FLIGHT_SLOTS

/*
 * So long is an agent waited for that is behind, before what others have recorded goes on without
 * it. Of the time in which it is not behind it regains a part.
 */
#define PATIENCE_NS	1000000000ULL
#define PATIENCE_REGAIN 16
#define ROUND_MAX_NS	10000000ULL /* a round that takes longer is not the agent's fault */

struct member {
	struct agent_view *view; /* NULL: memory not ready yet */
	int memory_fd;		 /* until it is ready */
	int looks;		 /* without that: how often it is still looked for */
	int pidfd;
	pid_t pid;
	uint64_t since;	  /* when it was created, or found */
	bool ended;	  /* its process, or that program */
	bool gone;	  /* that is told: all that it had recorded is seen */
	bool calls_ended; /* those that it has captured are told */
	bool settling;	  /* ended since the last round: the kernel may have more to say of it */
	struct rt_rec_ended *ends; /* that the kernel saw when it was killed */
	uint32_t end_count, end_room;
	uint64_t patience; /* ns that it is still waited for */
	bool recorded;	   /* at the last sign of life */
	uint64_t beaten;   /* when that was */
	uint64_t paused;   /* since when it has not recorded, 0: it does */
	struct member *next;
};

struct number {
	pid_t pid;
	unsigned int agents; /* that it had so far */
	UT_hash_handle hh;
};

struct agents {
	struct strings *strings;
	struct agents_callbacks callbacks;
	struct member *members;
	struct member *released; /* gone, kept for what they have lost */
	struct member *flawless; /* gone, of those that have lost nothing: the worst clock's */
	struct number *numbers;
	struct probed *probed; /* whose agents are not ours */
	bool wanted, capture, begun, stopped;
	uint64_t created;
	uint64_t opened; /* so many could capture calls */
	uint32_t wants;
	uint64_t missed;  /* of which nothing could be read */
	pid_t odd_clock;  /* the last process of which that was said */
	uint64_t drained; /* when that was last done */
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
	a->created = clock__boot_ns();
	return a;
}

void agents__capture_calls(struct agents *a)
{
	a->capture = true;
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
	free(m->ends);
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
	struct number *n, *next;

	if (!a)
		return;
	probed__free(&a->probed);
	free_members(a->members);
	free_members(a->released);
	free_members(a->flawless);
	HASH_ITER (hh, a->numbers, n, next) {
		HASH_DEL(a->numbers, n);
		free(n);
	}
	free(a);
}

/* Returns false if the process has had too many. */
static bool count_agent(struct agents *a, pid_t pid)
{
	struct number *n;

	HASH_FIND_INT(a->numbers, &pid, n);
	if (!n) {
		n = calloc(1, sizeof(*n));
		if (!n)
			return false;
		n->pid = pid;
		HASH_ADD_INT(a->numbers, pid, n);
	}
	if (n->agents++ < AGENTS_MAX)
		return true;
	if (n->agents == AGENTS_MAX + 1)
		log_warn("agent: process %d: the last of %u agents that is read", pid, AGENTS_MAX);
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

static struct member *add_member(struct agents *a, pid_t pid, uint64_t since)
{
	struct member *m = count_agent(a, pid) ? calloc(1, sizeof(*m)) : NULL;

	if (!m)
		return NULL;
	m->pid = pid;
	m->since = since;
	m->memory_fd = -1;
	m->patience = PATIENCE_NS;
	m->pidfd = syscall(SYS_pidfd_open, pid, 0);
	m->next = a->members;
	a->members = m;
	return m;
}

static struct member *find_member(const struct agents *a, pid_t pid)
{
	struct member *m;

	for (m = a->members; m && (m->pid != pid || m->ended); m = m->next)
		;
	return m;
}

static struct agent_view *refuse(struct agent_view *view, int why)
{
	agent__free(view);
	errno = why;
	return NULL;
}

/*
 * The agent's memory, by its descriptor or, with -1, where it is mapped. That of another process is
 * not taken: a child that was forked has it mapped, too, until it has looked after that. Nor one
 * whose times are of another clock than all others.
 */
static struct agent_view *open_view(struct agents *a, pid_t pid, int fd)
{
	struct agent_view *view =
		fd < 0 ? agent__find(pid, a->strings) : agent__from_fd(pid, fd, a->strings);

	for (struct member *m = a->members; view && m; m = m->next) {
		if (m->view && m->pid != pid && agent__share_memory(m->view, view))
			return refuse(view, EALREADY);
	}
	return view && procfs__has_own_clock(pid) ? refuse(view, EXDEV) : view;
}

/* There is an agent, of which nothing will be read. */
static void say_unread(struct agents *a, pid_t pid, int err)
{
	if (err != EXDEV) {
		log_warn("agent: process %d: %s", pid, strerror(err));
	} else if (a->odd_clock != pid) {
		log_warn("agent: process %d: its clock is another than the kernel's (time "
			 "namespace): no GPU times",
			 pid);
		a->odd_clock = pid;
	}
}

/* What another tracer has asked for is over in any case. */
static void open_spans(struct agents *a, struct agent_view *view)
{
	struct agent_spans *spans = agent__open_spans(view, ++a->opened * AGENT_SPANS_CORRS);

	if (!spans)
		return;
	agent_spans__skip(spans);
	if (a->capture)
		a->callbacks.capture(view, a->callbacks.arg);
}

static void start(struct agents *a, struct member *m, struct agent_view *view)
{
	m->view = view;
	close_fd(&m->memory_fd);
	a->callbacks.placed(m->pid, agent__address(view), a->callbacks.arg);
	open_spans(a, view);
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
	int err;

	if (!a->wanted) {
		probed__add(&a->probed, pid, fresh ? a->created : now, 1);
		return false;
	}
	if (find_member(a, pid))
		return true;
	view = open_view(a, pid, -1);
	err = view ? 0 : errno;
	if (err == EBUSY)
		probed__add(&a->probed, pid, fresh ? a->created : now, 1);
	if (err && err != EAGAIN) {
		if (err != ENOENT && err != EBUSY && err != EALREADY && err != EPROTO)
			say_unread(a, pid, err);
		errno = err;
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

struct agent_view *agents__capturing(const struct agents *a, pid_t pid)
{
	const struct member *m = a->capture ? find_member(a, pid) : NULL;

	return m && m->view && agent__spans(m->view) ? m->view : NULL;
}

struct call_arg {
	struct agents *a;
	struct agent_view *view;
};

static void on_call(const struct rt_rec *rec, void *arg)
{
	struct call_arg *c = arg;

	c->a->callbacks.call(c->view, rec, c->a->callbacks.arg);
}

static bool drain_calls(struct agents *a, struct agent_view *view)
{
	struct agent_spans *spans = a->capture ? agent__spans(view) : NULL;
	struct call_arg c = {a, view};

	return !spans || agent_spans__drain(spans, on_call, &c);
}

static void end_calls(struct agents *a, struct member *m, uint64_t at)
{
	struct agent_spans *spans = a->capture && m->view ? agent__spans(m->view) : NULL;
	struct call_arg c = {a, m->view};

	if (spans && !m->calls_ended)
		agent_spans__finish(spans, at, on_call, &c);
	m->calls_ended = true;
}

void agents__end_calls(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = find_member(a, pid);

	if (m && m->since < at)
		end_calls(a, m, at);
}

void agents__end_calls_of(struct agents *a, pid_t pid, uint32_t tid, uint64_t since, uint64_t at)
{
	struct agent_view *view = agents__capturing(a, pid);
	struct call_arg c = {a, view};

	if (view)
		agent_spans__finish_thread(agent__spans(view), tid, since, at, on_call, &c);
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
	int err = errno;

	if (err == EBUSY)
		probed__add(&a->probed, pid, a->created, 1);
	if (err == EBUSY || err == EALREADY)
		return;
	if (err == ENOENT || err == ESRCH)
		log_warn("agent: process %d: ended before its GPU operations could be read", pid);
	if (err == EXDEV)
		say_unread(a, pid, err);
	a->missed++;
}

static void end_pause(struct agents *a, struct member *m)
{
	if (m->paused)
		a->callbacks.paused(m->view, m->paused, clock__boot_ns(), a->callbacks.arg);
	m->paused = 0;
}

void agents__ended(struct agents *a, const struct rt_rec_ended *rec)
{
	struct member *m;
	uint32_t room;
	void *grown;

	for (m = a->members; m && (m->pid != (pid_t)rec->h.pid || m->gone); m = m->next)
		;
	if (!m || !m->view || m->end_count == ENDS_MAX)
		return;
	if (m->end_count == m->end_room) {
		room = m->end_room ? 2 * m->end_room : 64;
		grown = realloc(m->ends, room * sizeof(*m->ends));
		if (!grown)
			return;
		m->ends = grown;
		m->end_room = room;
	}
	m->ends[m->end_count++] = *rec;
}

/*
 * Reads what the process has left. Returns true if that was all. What the kernel saw comes last:
 * the agent may have said it before.
 */
static bool read_rest(struct agents *a, struct member *m)
{
	end_calls(a, m, clock__boot_ns());
	if (!agent__drain(m->view, true, a->callbacks.record, a->callbacks.arg))
		return false;
	for (uint32_t i = 0; i < m->end_count; i++)
		agent__hand_out_end(m->view, &m->ends[i], a->callbacks.record, a->callbacks.arg);
	m->gone = true;
	a->callbacks.gone(m->view, a->callbacks.arg);
	return true;
}

static void retire(struct agents *a, struct member *m)
{
	if (!m->view && m->memory_fd >= 0) {
		m->view = open_view(a, m->pid, m->memory_fd);
		if (!m->view && errno != EAGAIN)
			miss(a, m->pid);
	}
	m->ended = m->settling = true;
	close_fd(&m->pidfd);
	close_fd(&m->memory_fd);
	if (!m->view)
		return;
	end_pause(a, m);
	a->callbacks.placed(m->pid, 0, a->callbacks.arg);
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

	if (!a->wanted)
		probed__add(&a->probed, pid, a->created, LOOKS_OFTEN);
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
	struct agent_view *view;

	if (--m->looks < LOOKS_MAX - LOOKS_OFTEN && m->looks % LOOK_EVERY)
		return;
	view = open_view(a, m->pid, -1);
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
	view = open_view(a, m->pid, m->memory_fd);
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

	probed__forget(&a->probed, pid, a->callbacks.blinded, a->callbacks.arg);
	if (m && m->since < at)
		retire(a, m);
}

/* Returns true if all of it has been seen. */
static bool drain_member(struct agents *a, struct member *m)
{
	if (m->settling) {
		m->settling = false;
		return true;
	}
	if (m->ended)
		return !m->view || m->gone || read_rest(a, m);
	if (!m->view && (m->memory_fd >= 0 || m->looks)) {
		try_pending(a, m);
		if (m->view && a->stopped)
			agent__deactivate(m->view);
	}
	return !m->view || (drain_calls(a, m->view) &
			    agent__drain(m->view, false, a->callbacks.record, a->callbacks.arg));
}

/* Is one that is behind still waited for? */
static bool has_patience(struct member *m, bool behind, uint64_t passed)
{
	uint64_t regained = m->patience + passed / PATIENCE_REGAIN;

	if (behind)
		m->patience -= passed < m->patience ? passed : m->patience;
	else
		m->patience = regained < PATIENCE_NS ? regained : PATIENCE_NS;
	return m->patience;
}

bool agents__drain(struct agents *a)
{
	uint64_t now = clock__boot_ns(), passed = now - a->drained;
	bool complete = true;

	if (passed > ROUND_MAX_NS)
		passed = ROUND_MAX_NS;
	a->drained = now;
	probed__look(a->probed, a->callbacks.blinded, a->callbacks.arg);
	for (struct member *m = a->members; m; m = m->next) {
		bool behind = !drain_member(a, m);

		if (has_patience(m, behind, passed) && behind)
			complete = false;
	}
	return complete;
}

void agents__reap(struct agents *a)
{
	struct member **link = &a->members, *m;

	probed__forget(&a->probed, 0, a->callbacks.blinded, a->callbacks.arg);
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

/* Of those that have lost nothing, only how well their clocks were read is told at the end. */
static void drop_flawless(struct agents *a)
{
	struct member *m = a->flawless, *other = m ? m->next : NULL;

	if (!other)
		return;
	if (agent__clock_error(other->view) > agent__clock_error(m->view)) {
		a->flawless = other;
		other = m;
	}
	a->flawless->next = NULL;
	free_member(other);
}

void agents__release(struct agents *a, struct agent_view *v)
{
	struct member **link = &a->members, *m;

	while ((m = *link) && m->view != v)
		link = &m->next;
	if (!m)
		return;
	*link = m->next;
	agent__close(v);
	link = agent__is_flawless(v) ? &a->flawless : &a->released;
	m->next = *link;
	*link = m;
	drop_flawless(a);
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

	probed__beat(a->probed);
	if (a->stopped)
		return;
	for (struct member *m = a->members; m; m = m->next) {
		if (m->ended || !m->view)
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
		waiting = recording && probed__are_blinded(a->probed);
		for (struct member *m = a->members; m; m = m->next)
			if (m->view && !m->ended && agent__recording(m->view) != recording &&
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
		if (m->view && !m->ended) {
			end_pause(a, m);
			agent__deactivate(m->view);
		}
	wait_state(a, false, timeout_ms);
}

bool agents__drain_last(struct agents *a)
{
	bool complete = true;

	probed__finish(a->probed, a->callbacks.blinded, a->callbacks.arg);
	for (struct member *m = a->members; m; m = m->next) {
		if (!m->view || m->gone)
			continue;
		if (m->ended) {
			complete &= read_rest(a, m);
			continue;
		}
		end_calls(a, m, clock__boot_ns());
		complete &= agent__drain(m->view, true, a->callbacks.record, a->callbacks.arg);
	}
	return complete;
}

void agents__give_up(struct agents *a)
{
	for (struct member *m = a->members; m; m = m->next) {
		if (!m->view || m->gone)
			continue;
		agent__give_up(m->view);
		if (m->ended)
			read_rest(a, m);
	}
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
	if (a->flawless)
		fn(a->flawless->view, arg);
}
