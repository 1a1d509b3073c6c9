// SPDX-License-Identifier: MIT
/*
 * A list of calls a thread, a list of waits for all.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/idle_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define WAITS_MAX (256u << 10) /* that are kept for calls yet to come */

struct call {
	uint64_t begin, end;
	uint32_t name;
} __attribute__((packed, aligned(4)));

struct process {
	uint32_t pid;
	uint64_t needed; /* calls that end later */
	UT_hash_handle hh;
};

struct thread {
	uint32_t pid, tid;
	struct process *process;
	struct call *calls; /* by time */
	size_t count, room;
	uint64_t known_until; /* the end of the last call that was added, 0: none was */
	uint64_t forgotten;   /* what was called before is not known any more */
};

struct thread_key {
	uint32_t pid, tid;
};

struct thread_index {
	struct thread_key key;
	uint32_t index;
	UT_hash_handle hh;
};

struct wait {
	uint64_t begin, end;
	uint32_t thread, device;
};

struct idle_calls {
	size_t limit, count; /* of calls */
	struct process *processes;
	struct thread *threads;
	struct thread_index *by_key;
	uint32_t thread_count, thread_room;
	struct wait *waits;
	size_t wait_count, wait_room;
};

struct idle_calls *idle_calls__new(size_t limit)
{
	struct idle_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->limit = limit;
	c->thread_room = 16;
	c->thread_count = 1;
	c->threads = calloc(c->thread_room, sizeof(*c->threads));
	if (c->threads)
		return c;
	free(c);
	return NULL;
}

void idle_calls__free(struct idle_calls *c)
{
	struct thread_index *i, *next_index;
	struct process *p, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->by_key, i, next_index) {
		HASH_DEL(c->by_key, i);
		free(i);
	}
	HASH_ITER (hh, c->processes, p, next) {
		HASH_DEL(c->processes, p);
		free(p);
	}
	for (uint32_t t = 0; t < c->thread_count; t++)
		free(c->threads[t].calls);
	free(c->threads);
	free(c->waits);
	free(c);
}

/* ---- threads ---- */

static struct process *get_process(struct idle_calls *c, uint32_t pid)
{
	struct process *p;

	HASH_FIND_OR_ADD(c->processes, pid, pid, p);
	return p;
}

static bool has_thread_room(struct idle_calls *c)
{
	struct thread *threads;

	if (c->thread_count < c->thread_room)
		return true;
	threads = realloc(c->threads, 2 * c->thread_room * sizeof(*threads));
	if (!threads)
		return false;
	c->threads = threads;
	c->thread_room *= 2;
	return true;
}

static bool add_thread(struct idle_calls *c, struct thread_index *i)
{
	struct process *p = get_process(c, i->key.pid);

	if (!p || !has_thread_room(c))
		return false;
	HASH_ADD(hh, c->by_key, key, sizeof(i->key), i);
	if (!i->hh.tbl)
		return false;
	i->index = c->thread_count++;
	c->threads[i->index] = (struct thread){.pid = i->key.pid, .tid = i->key.tid, .process = p};
	return true;
}

uint32_t idle_calls__thread(struct idle_calls *c, uint32_t pid, uint32_t tid)
{
	const struct thread_key key = {pid, tid};
	struct thread_index *i;

	HASH_FIND(hh, c->by_key, &key, sizeof(key), i);
	if (i)
		return i->index;
	i = calloc(1, sizeof(*i));
	if (i)
		i->key = key;
	if (i && add_thread(c, i))
		return i->index;
	free(i);
	return 0;
}

static bool has_call_room(struct thread *t)
{
	size_t room = t->room ? t->room + t->room / 2 : 16;
	struct call *calls;

	if (t->count < t->room)
		return true;
	calls = realloc(t->calls, room * sizeof(*calls));
	if (!calls)
		return false;
	t->calls = calls;
	t->room = room;
	return true;
}

int idle_calls__add(struct idle_calls *c, uint32_t pid, uint32_t tid, uint64_t begin, uint64_t end,
		    uint32_t name)
{
	uint32_t index = idle_calls__thread(c, pid, tid);
	struct thread *t = &c->threads[index];

	if (!index || !has_call_room(t))
		return -ENOMEM;
	if (begin < t->known_until)
		begin = t->known_until; /* a thread is in one call at a time */
	if (end < begin)
		return 0;
	t->calls[t->count++] = (struct call){begin, end, name};
	t->known_until = end ? end : 1;
	c->count++;
	return 0;
}

bool idle_calls__is_full(const struct idle_calls *c)
{
	return c->count >= c->limit;
}

uint64_t idle_calls__middle(const struct idle_calls *c)
{
	uint64_t oldest = UINT64_MAX, newest = 0;

	for (uint32_t i = 1; i < c->thread_count; i++) {
		const struct thread *t = &c->threads[i];

		if (!t->count)
			continue;
		if (t->calls[0].begin < oldest)
			oldest = t->calls[0].begin;
		if (t->known_until > newest)
			newest = t->known_until;
	}
	return newest > oldest ? oldest + (newest - oldest) / 2 : newest;
}

/* ---- waits ---- */

int idle_calls__wait(struct idle_calls *c, uint32_t thread, uint32_t device, uint64_t begin,
		     uint64_t end)
{
	size_t room = c->wait_room ? 2 * c->wait_room : 64;
	struct wait *waits;

	if (c->wait_count == c->wait_room) {
		waits = realloc(c->waits, room * sizeof(*waits));
		if (!waits)
			return -ENOMEM;
		c->waits = waits;
		c->wait_room = room;
	}
	c->waits[c->wait_count++] = (struct wait){begin, end, thread, device};
	return 0;
}

static int add_time(struct idle_device *d, uint32_t name, uint64_t ns)
{
	size_t room = d->call_room ? d->call_room : 16;
	struct idle_call *calls;

	while (room <= name)
		room *= 2;
	if (room > d->call_room) {
		calls = realloc(d->calls, room * sizeof(*calls));
		if (!calls)
			return -ENOMEM;
		memset(calls + d->call_room, 0, (room - d->call_room) * sizeof(*calls));
		d->calls = calls;
		d->call_room = room;
	}
	d->calls[name].ns += ns;
	return 0;
}

/* The first call that ends after `time`. */
static size_t first_call(const struct thread *t, uint64_t time)
{
	size_t low = 0, high = t->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->calls[middle].end > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Among the longest, if it is one of them. */
static void note_wait(struct idle_device *d, const struct idle_wait *w)
{
	uint64_t ns = w->end - w->begin;
	uint32_t i = d->longest_count;

	if (i < IDLE_LONGEST)
		d->longest_count++;
	else if (ns > d->longest[i - 1].end - d->longest[i - 1].begin)
		i--;
	else
		return;
	for (; i && ns > d->longest[i - 1].end - d->longest[i - 1].begin; i--)
		d->longest[i] = d->longest[i - 1];
	d->longest[i] = *w;
}

static int attribute(struct idle_device *d, const struct thread *t, const struct wait *w)
{
	struct idle_wait noted = {.begin = w->begin, .end = w->end, .tid = t->tid};
	uint64_t at = w->begin, known = t->known_until ? t->forgotten : UINT64_MAX;
	int err = 0;

	if (known > at) {
		known = known < w->end ? known : w->end;
		d->unknown += known - at;
		at = known;
	}
	for (size_t i = first_call(t, at); i < t->count && !err; i++) {
		const struct call *call = &t->calls[i];
		uint64_t begin = call->begin > at ? call->begin : at;
		uint64_t end = call->end < w->end ? call->end : w->end;

		if (begin >= w->end)
			break;
		d->application += begin - at;
		if (end > begin)
			err = add_time(d, call->name, end - begin);
		if (end > begin && end - begin > noted.in_ns) {
			noted.in_ns = end - begin;
			noted.name = call->name;
		}
		at = end;
	}
	d->application += w->end - at;
	note_wait(d, &noted);
	return err;
}

/* ---- making room ---- */

/* From when on calls are needed, for each process. */
static void find_needed(struct idle_calls *c, const struct idle_device *devices, size_t count,
			uint64_t settled)
{
	struct process *p;

	for (p = c->processes; p; p = p->hh.next)
		p->needed = settled;
	for (size_t i = 0; i < count; i++) {
		p = get_process(c, devices[i].pid);
		if (p && devices[i].seen && devices[i].active_until < p->needed)
			p->needed = devices[i].active_until;
	}
	for (size_t i = 0; i < c->wait_count; i++) {
		p = c->threads[c->waits[i].thread].process;
		if (p && c->waits[i].begin < p->needed)
			p->needed = c->waits[i].begin;
	}
}

static void drop(struct idle_calls *c, struct thread *t, size_t n)
{
	size_t room;

	if (!n)
		return;
	memmove(t->calls, t->calls + n, (t->count - n) * sizeof(*t->calls));
	t->count -= n;
	c->count -= n;
	room = t->count > 16 ? t->count : 16;
	if (room < t->room / 2) {
		struct call *calls = realloc(t->calls, room * sizeof(*calls));

		t->calls = calls ? calls : t->calls;
		t->room = calls ? room : t->room;
	}
}

static void make_room(struct idle_calls *c)
{
	for (uint32_t i = 1; i < c->thread_count; i++)
		drop(c, &c->threads[i], first_call(&c->threads[i], c->threads[i].process->needed));
	if (c->count < c->limit / 4 * 3)
		return;
	/* Some GPU has had nothing to do for long: what its host did then will not be known. */
	for (uint32_t i = 1; i < c->thread_count; i++) {
		struct thread *t = &c->threads[i];
		size_t half = (t->count + 1) / 2;

		if (!half)
			continue;
		t->forgotten = t->calls[half - 1].end;
		drop(c, t, half);
	}
}

int idle_calls__settle(struct idle_calls *c, struct idle_device *devices, size_t count,
		       uint64_t settled, bool final)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < c->wait_count && !err; i++) {
		struct wait *w = &c->waits[i];
		const struct thread *t = &c->threads[w->thread];

		if (!final && w->end > t->known_until && kept < WAITS_MAX)
			c->waits[kept++] = *w;
		else
			err = attribute(&devices[w->device], t, w);
	}
	c->wait_count = kept;
	find_needed(c, devices, count, settled);
	make_room(c);
	return err;
}
