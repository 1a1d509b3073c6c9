// SPDX-License-Identifier: MIT
/*
 * The agents of all traced processes, from the creation of their memory to the end of the process.
 */
#include "user/agent/agent_set.h"

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

#include "user/agent/agent_reason.h"
#include "user/agent/agent_calls.h"
#include "user/clock/clock_map.h"
#include "common/hash.h"
#include "user/base/log.h"
#include "user/agent/foreign_agents.h"
#include "user/base/procfs.h"

/* Rounds, of a millisecond each; after the first ones it is looked for in some of them. */
#define LOOKS_MAX   1000
#define LOOKS_OFTEN 64
#define LOOK_EVERY  16

/* Of one process: what an agent has lost is kept until the end. */
#define AGENTS_MAX 1000

/* Ends that the kernel reports of one process: as many as it can have in flight. */
#define ENDS_MAX RT_AGENT_FLIGHT_SLOTS

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

struct member {
	struct agent_view *view; /* NULL: memory not ready yet, or not claimed: */
	struct agent_view *unclaimed;
	int memory_fd; /* until it is ready */
	int looks;     /* without that: how often it is still looked for */
	int pidfd;
	pid_t pid;
	uint64_t since;	   /* when it was created, or found */
	bool fresh;	   /* created while we were looking on */
	uint64_t yielding; /* since when it is to serve another tracer, 0: it is not */
	bool ended;	   /* its process, or that program */
	bool gone;	   /* its end is reported: all that it had recorded is read */
	bool calls_ended;  /* the calls that it has captured are reported */
	bool settling;	   /* ended since the last round: the kernel may report more of it */
	struct rt_rec_ended *ends; /* that the kernel saw when it was killed */
	uint32_t end_count, end_room;
	uint64_t patience; /* ns that it is still waited for */
	bool recorded;	   /* at the last sign of life; at the first, as it records then */
	uint64_t beaten;   /* when that was */
	uint64_t paused;   /* since when it has not recorded, 0: it does */
	struct member *next;
};

struct number {
	pid_t pid;
	unsigned int agents; /* that it had so far */
	bool said;	     /* why nothing is read */
	UT_hash_handle hh;
};

struct agents {
	struct strings *strings;
	struct agents_callbacks callbacks;
	struct member *members;
	struct member *released; /* ended, kept for what they have lost */
	struct member *flawless; /* ended, of those that have lost nothing: the worst clock's */
	struct number *numbers;
	struct probed *probed; /* processes that are traced by probes alone */
	enum claim_rank rank;
	bool wanted, capture, begun, stopped;
	uint64_t created;
	uint64_t opened; /* agents opened so far that can capture calls */
	uint32_t wants;
	uint64_t missed;  /* of which nothing could be read */
	uint64_t drained; /* when that was last done */
};

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

static void close_fd(int *fd)
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

static struct member *add_member(struct agents *a, pid_t pid, uint64_t since, bool fresh)
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

static struct member *find_member(const struct agents *a, pid_t pid)
{
	struct member *m;

	for (m = a->members; m && (m->pid != pid || m->ended); m = m->next)
		;
	return m;
}

static struct agent_view *refuse(struct agent_view *view, int why)
{
	agent_memory__free(view);
	errno = why;
	return NULL;
}

/*
 * The agent's memory, by its descriptor or, with -1, where it is mapped. That of another process is
 * not taken: a forked child has it mapped, too, until the child has dealt with that. A process with
 * another clock than all others is refused, too.
 */
static struct agent_view *open_view(struct agents *a, pid_t pid, int fd)
{
	struct agent_view *view = fd < 0 ? agent_memory__find(pid, a->strings)
					 : agent_memory__from_fd(pid, fd, a->strings);

	for (struct member *m = a->members; view && m; m = m->next) {
		if (m->view && m->pid != pid && agent_memory__share_memory(m->view, view))
			return refuse(view, EALREADY);
	}
	return view && procfs__has_own_clock(pid) ? refuse(view, EXDEV) : view;
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
			 agent_reason(pid, err, reason));
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

/* The agent serves another tracer, past which our probes see the calls. */
static void leave_taken(struct agents *a, pid_t pid, uint64_t since)
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
	close_fd(&m->memory_fd);
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

/* `fresh`: its agent has come while we were looking on, so all that it has recorded is ours. */
static bool look(struct agents *a, pid_t pid, bool fresh)
{
	uint64_t now = clock__boot_ns();
	struct agent_view *view;
	struct member *m;
	int err;

	if (!a->wanted) {
		foreign_agents__add(&a->probed, pid, fresh ? a->created : now, 1);
		return false;
	}
	m = find_member(a, pid);
	if (m) {
		errno = EBUSY;
		return !m->unclaimed;
	}
	view = open_view(a, pid, -1);
	err = view ? -claim(a, view, now) : errno;
	m = !err || err == EAGAIN ? add_member(a, pid, now, fresh) : NULL;
	if (!m) {
		agent_memory__free(view);
		if (err == EBUSY)
			leave_taken(a, pid, fresh ? a->created : now);
		errno = err;
		return false;
	}
	m->looks = LOOKS_MAX;
	m->unclaimed = err ? view : NULL;
	if (!err)
		start(a, m, view);
	return true;
}

bool agent_set__look(struct agents *a, pid_t pid)
{
	return look(a, pid, a->begun);
}

bool agent_set__reads(const struct agents *a, pid_t pid)
{
	const struct member *m = find_member(a, pid);

	return m && m->view;
}

struct agent_view *agent_set__capturing(const struct agents *a, pid_t pid)
{
	const struct member *m = a->capture ? find_member(a, pid) : NULL;

	return m && m->view && agent_memory__spans(m->view) ? m->view : NULL;
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
	struct agent_spans *spans = a->capture ? agent_memory__spans(view) : NULL;
	struct call_arg c = {a, view};

	return !spans || agent_calls__drain(spans, on_call, &c);
}

static void end_calls(struct agents *a, struct member *m, uint64_t at)
{
	struct agent_spans *spans = a->capture && m->view ? agent_memory__spans(m->view) : NULL;
	struct call_arg c = {a, m->view};

	if (spans && !m->calls_ended)
		agent_calls__finish(spans, at, on_call, &c);
	m->calls_ended = true;
}

void agent_set__end_calls(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = find_member(a, pid);

	if (m && m->since < at)
		end_calls(a, m, at);
}

void agent_set__end_calls_of(struct agents *a, pid_t pid, uint32_t tid, uint64_t since, uint64_t at)
{
	struct agent_view *view = agent_set__capturing(a, pid);
	struct call_arg c = {a, view};

	if (view)
		agent_calls__finish_thread(agent_memory__spans(view), tid, since, at, on_call, &c);
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
		leave_taken(a, pid, a->created);
	if (err == EALREADY)
		return;
	if (err == ENOENT || err == ESRCH)
		log_warn("agent: process %d: ended before its GPU operations could be read", pid);
	else
		agent_set__say_unread(a, pid, err);
	a->missed += err != EBUSY;
}

static void end_pause(struct agents *a, struct member *m)
{
	if (m->paused)
		a->callbacks.paused(m->view, m->paused, clock__boot_ns(), a->callbacks.arg);
	m->paused = 0;
}

void agent_set__ended(struct agents *a, const struct rt_rec_ended *rec)
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
 * Reads what the process has left. Returns true if that was all. The ends that the kernel saw come
 * last: the agent may have recorded them before.
 */
static bool read_rest(struct agents *a, struct member *m)
{
	end_calls(a, m, clock__boot_ns());
	if (!agent_memory__drain(m->view, true, a->callbacks.record, a->callbacks.arg))
		return false;
	for (uint32_t i = 0; i < m->end_count; i++)
		agent_memory__hand_out_end(m->view, &m->ends[i], a->callbacks.record,
					   a->callbacks.arg);
	m->gone = true;
	a->callbacks.gone(m->view, a->callbacks.arg);
	return true;
}

/* Claims the memory and starts; else it is not read. `last`: it is now or never. */
static void ask_again(struct agents *a, struct member *m, bool last)
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
	miss(a, m->pid);
}

/* The memory is ready. */
static void found(struct agents *a, struct member *m, struct agent_view *view)
{
	m->unclaimed = view;
	m->looks = LOOKS_MAX;
	ask_again(a, m, false);
}

static void retire(struct agents *a, struct member *m)
{
	struct agent_view *view = NULL;

	if (!m->view && !m->unclaimed && m->memory_fd >= 0) {
		view = open_view(a, m->pid, m->memory_fd);
		if (view)
			m->unclaimed = view;
		else if (errno != EAGAIN)
			miss(a, m->pid);
	}
	if (m->unclaimed)
		ask_again(a, m, true);
	m->ended = m->settling = true;
	close_fd(&m->pidfd);
	close_fd(&m->memory_fd);
	if (!m->view)
		return;
	agent_memory__close_fd(m->view);
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
void agent_set__created(struct agents *a, pid_t pid, int fd, uint64_t at)
{
	struct member *m = find_member(a, pid);
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
		m = add_member(a, pid, at, true);
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
		found(a, m, view);
	} else if (errno != EAGAIN || !m->looks) {
		miss(a, m->pid);
		m->looks = 0;
	}
}

/* The agent sizes, seals and fills its memory after creating it. */
static void try_pending(struct agents *a, struct member *m)
{
	struct agent_view *view;

	if (m->unclaimed) {
		ask_again(a, m, --m->looks <= 0);
		return;
	}
	if (m->memory_fd < 0) {
		look_again(a, m);
		return;
	}
	view = open_view(a, m->pid, m->memory_fd);
	if (view) {
		found(a, m, view);
	} else if (errno != EAGAIN) { /* the number was taken by another file before we looked */
		close_fd(&m->memory_fd);
		m->looks = LOOKS_MAX;
		look_again(a, m);
	}
}

/* What has appeared since is the new program's: CPU by CPU, records come out of order. */
void agent_set__exec(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = find_member(a, pid);

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
	leave_taken(a, m->pid, clock__boot_ns());
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
		if (!look(a, pid, false))
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
		return !m->view || m->gone || read_rest(a, m);
	if (!m->view && (m->memory_fd >= 0 || m->looks)) {
		try_pending(a, m);
		if (m->view && !m->ended && a->stopped)
			agent_memory__deactivate(m->view);
	}
	return !m->view ||
	       (drain_calls(a, m->view) &
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
				ask_again(a, m, false);
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
			complete &= read_rest(a, m);
			continue;
		}
		end_calls(a, m, clock__boot_ns());
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
			read_rest(a, m);
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
