// SPDX-License-Identifier: MIT
/*
 * The table of signals that are waited for.
 *
 * Signals of the HSA runtime are in memory that it shares with the GPU, which the process maps from
 * a device: process_vm_readv() refuses such mappings, /proc/PID/mem reads them.
 */
#include "user/doorbell/completion_signals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

#include "user/clock/clock_map.h"
#include "common/hash.h"
#include "user/base/procfs.h"

#define SIGNALS_MAX   65536 /* that are known of a process */
#define UNDECIDED_MAX 65536 /* times of a process that may be of another packet */
#define LOOKS_MAX     4096  /* signals that are read in one call */

/* amd_signal_t, as far as it is of interest. */
struct signal_memory {
	int64_t kind;
	int64_t value;
	uint64_t mailbox;
	uint32_t event, pad;
	uint64_t start_ticks, end_ticks;
};

/* Times that are the user's, if no packet that is missing turns out to have had that signal. */
struct undecided {
	uint64_t signal;
	struct signal_words words;
	void *user;
	struct undecided *prev, *next;
};

struct source {
	pid_t pid;
	int mem; /* -1: cannot be read */
	uint32_t count, undecided_count;
	struct undecided *undecided; /* oldest first */
	UT_hash_handle hh;
};

struct completion {
	struct completion_key {
		uint64_t pid, signal;
	} key;
	struct source *source;
	struct signal_words before; /* when the user's packet was submitted, or its times */
	struct signal_words seen;   /* from outside, ... */
	uint64_t seen_at;	    /* ... then; 0: not yet */
	bool shared;		    /* by packets of which some are in flight: no times */
	bool known;		    /* the times in it were last those of a user */
	void *user;
	struct completion *prev, *next; /* among those with a user */
	UT_hash_handle hh;
};

struct completions {
	ended_fn *ended;
	unknown_fn *unknown;
	unsure_fn *unsure;
	void *arg;
	struct completion *all;
	struct completion *waiting; /* have a user */
	struct source *sources;
};

struct completions *completion_signals__new(ended_fn *ended, unknown_fn *unknown, unsure_fn *unsure,
					    void *arg)
{
	struct completions *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->ended = ended;
	c->unknown = unknown;
	c->unsure = unsure;
	c->arg = arg;
	return c;
}

static struct source *find_source(struct completions *c, pid_t pid)
{
	struct source *s;

	HASH_FIND(hh, c->sources, &pid, sizeof(pid), s);
	return s;
}

static struct source *get_source(struct completions *c, pid_t pid)
{
	struct source *s = find_source(c, pid);
	char path[PROCFS_PATH];

	if (s)
		return s;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->pid = pid;
	procfs__path(path, pid, "mem");
	s->mem = open(path, O_RDONLY | O_CLOEXEC);
	HASH_ADD(hh, c->sources, pid, sizeof(s->pid), s);
	return s;
}

static struct completion *find(struct completions *c, pid_t pid, uint64_t signal)
{
	struct completion_key key = {pid, signal};
	struct completion *one;

	HASH_FIND(hh, c->all, &key, sizeof(key), one);
	return one;
}

static struct completion *get(struct completions *c, pid_t pid, uint64_t signal)
{
	struct completion *one = find(c, pid, signal);
	struct source *s;

	if (one)
		return one;
	s = get_source(c, pid);
	if (!s || s->count >= SIGNALS_MAX)
		return NULL;
	one = calloc(1, sizeof(*one));
	if (!one)
		return NULL;
	s->count++;
	one->source = s;
	one->key = (struct completion_key){pid, signal};
	HASH_ADD(hh, c->all, key, sizeof(one->key), one);
	return one;
}

static void *take_user(struct completions *c, struct completion *one)
{
	void *user = one->user;

	if (user)
		DL_DELETE(c->waiting, one);
	one->user = NULL;
	one->seen_at = 0;
	return user;
}

static void end_user(struct completions *c, struct completion *one,
		     const struct signal_words *times)
{
	const struct signal_words known = *times; /* it may be in `one` */
	void *user = take_user(c, one);

	if (!user)
		return;
	one->known = true;
	one->before.start_ticks = known.start_ticks;
	one->before.end_ticks = known.end_ticks;
	c->ended(user, known.start_ticks, known.end_ticks, c->arg);
}

/* At times that nobody knows. */
static void end_unknown(struct completions *c, struct completion *one, enum ev_why why)
{
	void *user = take_user(c, one);

	if (!user)
		return;
	one->known = false;
	c->unknown(user, why, c->arg);
}

static void remove_one(struct completions *c, struct completion *one)
{
	one->source->count--;
	HASH_DEL(c->all, one);
	free(one);
}

/* Has the GPU written times since the user's packet was submitted? */
static bool has_times(const struct completion *one, const struct signal_words *now)
{
	return now->end_ticks && (now->end_ticks != one->before.end_ticks ||
				  now->start_ticks != one->before.start_ticks);
}

static bool is_unsure(const struct completions *c, const struct completion *one,
		      const struct signal_words *words)
{
	return c->unsure(one->key.pid, one->user, words->start_ticks, c->arg);
}

/* Is what was seen from outside of the user's packet? */
static bool is_seen(const struct completions *c, const struct completion *one)
{
	return one->seen_at && !is_unsure(c, one, &one->seen);
}

/* ---- times that may be of a packet that is missing ---- */

/* The user's packet has ended, but whether at those times is open. false: there is no room. */
static bool defer(struct completions *c, struct completion *one, const struct signal_words *words)
{
	struct source *s = one->source;
	struct undecided *u;

	if (s->undecided_count >= UNDECIDED_MAX)
		return false;
	u = calloc(1, sizeof(*u));
	if (!u)
		return false;
	u->signal = one->key.signal;
	u->words = *words;
	u->user = take_user(c, one);
	one->known = false;
	DL_APPEND(s->undecided, u);
	s->undecided_count++;
	return true;
}

static void *take_undecided(struct source *s, struct undecided *u)
{
	void *user = u->user;

	DL_DELETE(s->undecided, u);
	s->undecided_count--;
	free(u);
	return user;
}

/* No packet is missing any more that may have had their signals: they are their users'. */
static void decide(struct completions *c, struct source *s)
{
	struct undecided *u;

	while ((u = s->undecided) && !c->unsure(s->pid, u->user, u->words.start_ticks, c->arg)) {
		const struct signal_words words = u->words;

		c->ended(take_undecided(s, u), words.start_ticks, words.end_ticks, c->arg);
	}
}

/* A packet with that signal was missing; 0: all signals. */
static void give_up_undecided(struct completions *c, struct source *s, uint64_t signal)
{
	struct undecided *u, *next;

	DL_FOREACH_SAFE (s->undecided, u, next) {
		if (!signal || u->signal == signal)
			c->unknown(take_undecided(s, u), WHY_SIGNAL_REUSED, c->arg);
	}
}

/* ---- uses ---- */

/* Ends the user if its times are surely known. `now`: what its signal says. */
static bool end_surely(struct completions *c, struct completion *one,
		       const struct signal_words *now)
{
	if (has_times(one, now) && !is_unsure(c, one, now))
		end_user(c, one, now);
	else if (is_seen(c, one))
		end_user(c, one, &one->seen);
	else
		return false;
	return true;
}

/* The user's packet has ended, and `now` are the times in its signal. */
static void end_with(struct completions *c, struct completion *one, const struct signal_words *now)
{
	if (one->user && !end_surely(c, one, now) && !defer(c, one, now))
		end_unknown(c, one, WHY_NO_ROOM);
}

bool completion_signals__use(struct completions *c, pid_t pid, uint64_t signal,
			     const struct signal_words *words, void *user)
{
	struct completion *one = get(c, pid, signal);

	if (!one)
		return false;
	if (one->shared && words->value > one->before.value)
		one->shared = false; /* armed again: it has completed all */
	if (one->user && has_times(one, words)) {
		end_with(c, one, words);
	} else if (one->user) {
		end_unknown(c, one, WHY_SIGNAL_SHARED);
		one->shared = true;
	}
	one->before = *words;
	one->known = false;
	if (one->shared && user) {
		c->unknown(user, WHY_SIGNAL_SHARED, c->arg);
		return true;
	}
	one->user = user;
	if (user)
		DL_APPEND(c->waiting, one);
	return true;
}

/* Its signal is not read any more: `why`. */
static void believe(struct completions *c, struct completion *one, enum ev_why why)
{
	if (!one->user)
		return;
	if (is_seen(c, one))
		end_user(c, one, &one->seen);
	else
		end_unknown(c, one, one->seen_at ? WHY_SIGNAL_REUSED : why);
}

void completion_signals__settle(struct completions *c, pid_t pid, uint64_t signal,
				const struct signal_words *words)
{
	struct completion *one = find(c, pid, signal);

	if (one && one->user)
		end_surely(c, one, words);
}

/* Are the times those of a packet that the GPU took before its record was received? */
static bool are_its_own(struct completions *c, const struct completion *one,
			const struct signal_words *words, void *user)
{
	return user && one->known && has_times(one, words) &&
	       !c->unsure(one->key.pid, user, words->start_ticks, c->arg);
}

bool completion_signals__use_late(struct completions *c, pid_t pid, uint64_t signal,
				  const struct signal_words *words, void *user)
{
	struct completion *one = find(c, pid, signal);
	struct source *s = find_source(c, pid);
	bool under_way;

	if (s) /* the signal may have been destroyed since */
		give_up_undecided(c, s, signal);
	if (!one)
		return false;
	under_way = one->user && !one->seen_at && !has_times(one, words);
	end_unknown(c, one, WHY_SIGNAL_REUSED);
	if (words->value >= one->before.value) {
		one->shared |= under_way;
		return completion_signals__use(c, pid, signal, words, user);
	}
	if (are_its_own(c, one, words, user)) {
		one->before = *words;
		c->ended(user, words->start_ticks, words->end_ticks, c->arg);
		return true;
	}
	remove_one(c, one);
	return false;
}

void completion_signals__end(struct completions *c, pid_t pid, uint64_t signal,
			     const struct signal_words *words)
{
	struct completion *one = find(c, pid, signal);

	if (!one)
		return;
	if (has_times(one, words))
		end_with(c, one, words);
	else
		end_unknown(c, one, WHY_SIGNAL_GONE);
	remove_one(c, one);
}

/*
 * The GPU writes the times before it lowers the value. The value is in front of them in memory and
 * is read first: with a lower value the times are complete. A value that is not lower proves
 * nothing: the signal may have completed and been armed again, and a record of that will follow.
 */
static void look_at(struct completion *one)
{
	struct signal_memory memory;
	struct signal_words now;

	if (one->source->mem < 0 ||
	    pread(one->source->mem, &memory, sizeof(memory), one->key.signal) != sizeof(memory))
		return;
	now = (struct signal_words){memory.value, memory.start_ticks, memory.end_ticks};
	if (now.value >= one->before.value || !has_times(one, &now))
		return;
	one->seen = now;
	one->seen_at = clock__boot_ns();
}

void completion_signals__believe(struct completions *c, uint64_t heard)
{
	struct completion *one, *next;
	struct source *s;

	for (s = c->sources; s; s = s->hh.next)
		decide(c, s);
	DL_FOREACH_SAFE (c->waiting, one, next) {
		if (one->seen_at <= heard && is_seen(c, one))
			end_user(c, one, &one->seen);
	}
}

void completion_signals__look(struct completions *c, uint64_t heard)
{
	struct completion *one;
	size_t left = LOOKS_MAX;

	completion_signals__believe(c, heard);
	DL_FOREACH (c->waiting, one) {
		if (one->seen_at)
			continue;
		if (!left--)
			break;
		look_at(one);
	}
	if (!one || one == c->waiting)
		return;
	/* Those that were not reached come first the next time. */
	c->waiting->prev->next = c->waiting;
	one->prev->next = NULL;
	c->waiting = one;
}

static void forget(struct completions *c, pid_t pid, bool all, enum ev_why why)
{
	struct completion *one, *next;

	HASH_ITER (hh, c->all, one, next) {
		if (!all && one->key.pid != (uint64_t)pid)
			continue;
		believe(c, one, why);
		remove_one(c, one);
	}
}

static void close_source(struct completions *c, struct source *s)
{
	if (s->mem >= 0)
		close(s->mem);
	HASH_DEL(c->sources, s);
	free(s);
}

void completion_signals__forget(struct completions *c, pid_t pid)
{
	struct source *s = find_source(c, pid);

	if (!s)
		return;
	decide(c, s);
	give_up_undecided(c, s, 0);
	forget(c, pid, false, WHY_SIGNAL_GONE);
	close_source(c, s);
}

void completion_signals__give_up(struct completions *c)
{
	struct source *s;

	for (s = c->sources; s; s = s->hh.next)
		give_up_undecided(c, s, 0);
	forget(c, 0, true, WHY_TRACE_END);
}

void completion_signals__free(struct completions *c, void (*drop)(void *user))
{
	struct completion *one, *next;
	struct source *s, *next_source;

	if (!c)
		return;
	HASH_ITER (hh, c->all, one, next) {
		void *user = take_user(c, one);

		if (user)
			drop(user);
		remove_one(c, one);
	}
	HASH_ITER (hh, c->sources, s, next_source) {
		while (s->undecided)
			drop(take_undecided(s, s->undecided));
		close_source(c, s);
	}
	free(c);
}
