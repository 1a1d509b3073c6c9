// SPDX-License-Identifier: MIT
/*
 * The table of queues.
 *
 * The GPU of a queue is known by its doorbell: the driver encodes the GPU in the offset at which a
 * process maps doorbells. So it is known of queues that were created long ago too.
 */
#include "user/doorbell/doorbell_queues.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

#define QUEUES_MAX 65536	  /* of a process, over time */
#define WINDOW	   1024		  /* indices for which it is known if a record came */
#define HOLES	   64		  /* packets of a queue that are not there yet */
#define HOLE_NS	   10000000000ULL /* after that time none is expected any more */

/* KFD_MMAP_GPU_ID in the kernel's kfd_priv.h */
#define GPU_ID_SHIFT 46
#define GPU_ID_MASK  0xffff

struct owner {
	pid_t pid;
	uint32_t queues;
	uint32_t holes; /* in all of them */
	UT_hash_handle hh;
};

struct doorbell_queue {
	struct queue_key {
		uint64_t pid, address, id;
	} key;
	struct owner *owner;
	uint32_t number;
	uint32_t gpu_id;
	int32_t device;
	const char *device_name;
	uint64_t top; /* above all indices with a record */
	uint64_t heard[WINDOW / 64];
	struct hole {
		uint64_t index, ts;
	} holes[HOLES];
	uint32_t hole_count;
	uint64_t lost; /* holes that there was no room for */
	bool told;     /* its device was passed to the sinks */
	UT_hash_handle hh;
};

/* A skipped packet: a doorbell store for a later packet came first. */
struct waiting {
	struct waiting_key {
		const struct doorbell_queue *queue;
		uint64_t index;
	} key;
	uint64_t ts;
	struct dispatch *dispatch;
	UT_hash_handle hh;
};

struct doorbells {
	struct trace *trace;
	struct gpuclocks *clocks;
	void (*unclaimed)(struct dispatch *, void *arg);
	void *arg;
	struct doorbell_queue *queues;
	struct owner *owners;
	struct waiting *waiting; /* oldest first */
	uint64_t unseen;	 /* of removed queues */
};

struct doorbells *doorbell_queues__new(struct trace *trace, struct gpuclocks *clocks,
				       void (*unclaimed)(struct dispatch *, void *arg), void *arg)
{
	struct doorbells *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->trace = trace;
	d->clocks = clocks;
	d->unclaimed = unclaimed;
	d->arg = arg;
	return d;
}

/* ---- queues ---- */

struct search {
	uint64_t address;
	uint64_t offset;
};

static int find_doorbell(const struct mapping *m, void *arg)
{
	struct search *s = arg;

	if (s->address < m->start || s->address >= m->end)
		return 0;
	s->offset = m->offset;
	return 1;
}

static void find_gpu(struct doorbells *d, struct doorbell_queue *q,
		     const struct rt_rec_dispatch *rec)
{
	struct search s = {rec->doorbell, rec->mapped};

	q->device = -1;
	if (!s.offset) /* the kernel was busy with the mappings */
		procfs__mappings(rec->h.pid, find_doorbell, &s);
	q->gpu_id = s.offset >> GPU_ID_SHIFT & GPU_ID_MASK;
	if (!gpu_clock_reader__gpu(d->clocks, q->gpu_id, &q->device, &q->device_name))
		q->gpu_id = gpu_clock_reader__only(d->clocks);
	if (!gpu_clock_reader__gpu(d->clocks, q->gpu_id, &q->device, &q->device_name))
		log_warn("process %d: the GPU of its queue %u is unknown: what it runs there has "
			 "no times",
			 rec->h.pid, q->number);
	else if (rec->properties & RT_QUEUE_PROFILED)
		gpu_clock_reader__begin(d->clocks, q->gpu_id);
}

static struct owner *get_owner(struct doorbells *d, pid_t pid)
{
	struct owner *o;

	HASH_FIND(hh, d->owners, &pid, sizeof(pid), o);
	if (o)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->pid = pid;
	HASH_ADD(hh, d->owners, pid, sizeof(o->pid), o);
	return o;
}

struct doorbell_queue *doorbell_queues__get(struct doorbells *d, const struct rt_rec_dispatch *rec)
{
	struct queue_key key = {rec->h.pid, rec->queue, rec->queue_id};
	struct doorbell_queue *q;
	struct owner *o;

	HASH_FIND(hh, d->queues, &key, sizeof(key), q);
	if (q)
		return q;
	o = get_owner(d, rec->h.pid);
	if (!o || o->queues >= QUEUES_MAX)
		return NULL;
	q = calloc(1, sizeof(*q));
	if (!q)
		return NULL;
	q->key = key;
	q->owner = o;
	q->number = ++o->queues;
	q->top = rec->index;
	find_gpu(d, q, rec);
	HASH_ADD(hh, d->queues, key, sizeof(key), q);
	return q;
}

uint32_t doorbell_queues__number(const struct doorbell_queue *q)
{
	return q->number;
}

uint32_t doorbell_queues__gpu_id(const struct doorbell_queue *q)
{
	return q->gpu_id;
}

int32_t doorbell_queues__device(const struct doorbell_queue *q)
{
	return q->device;
}

void doorbell_queues__tell(struct doorbells *d, struct doorbell_queue *q)
{
	struct device_info info = {
		.pid = q->key.pid, .device = q->device, .name = q->device_name, .details = ""};

	if (q->told || q->device < 0)
		return;
	q->told = true;
	output_set__device(d->trace->out, &info);
}

/* ---- indices ---- */

static void fill_hole(struct doorbell_queue *q, uint64_t index)
{
	for (uint32_t i = 0; i < q->hole_count; i++) {
		if (q->holes[i].index != index)
			continue;
		q->holes[i] = q->holes[--q->hole_count];
		q->owner->holes--;
		return;
	}
}

bool doorbell_queues__first(struct doorbell_queue *q, uint64_t index)
{
	uint64_t *word = &q->heard[index % WINDOW / 64], bit = 1ULL << index % 64;

	fill_hole(q, index);
	if (index >= q->top) {
		if (index - q->top >= WINDOW)
			memset(q->heard, 0, sizeof(q->heard));
		else
			for (uint64_t i = q->top; i <= index; i++)
				q->heard[i % WINDOW / 64] &= ~(1ULL << i % 64);
		q->top = index + 1;
	} else if (q->top - index > WINDOW) {
		return true;
	}
	if (*word & bit)
		return false;
	*word |= bit;
	return true;
}

static bool was_heard_of(const struct doorbell_queue *q, uint64_t index)
{
	return index < q->top && q->top - index <= WINDOW &&
	       q->heard[index % WINDOW / 64] & 1ULL << index % 64;
}

uint64_t doorbell_queues__missing_since(const struct doorbell_queue *q, uint64_t index)
{
	for (uint32_t i = 0; i < q->hole_count; i++)
		if (q->holes[i].index == index)
			return q->holes[i].ts;
	return 0;
}

void doorbell_queues__missing(struct doorbell_queue *q, uint64_t index, uint64_t ts)
{
	if (was_heard_of(q, index) || doorbell_queues__missing_since(q, index))
		return;
	if (q->hole_count == HOLES) { /* it has been missing for long */
		memmove(q->holes, q->holes + 1, (HOLES - 1) * sizeof(q->holes[0]));
		q->hole_count--;
		q->owner->holes--;
		q->lost++;
	}
	q->holes[q->hole_count++] = (struct hole){index, ts};
	q->owner->holes++;
}

uint64_t doorbell_queues__oldest_hole(const struct doorbells *d, pid_t pid, uint64_t now)
{
	uint64_t oldest = UINT64_MAX;
	const struct doorbell_queue *q;
	const struct owner *o;

	HASH_FIND(hh, d->owners, &pid, sizeof(pid), o);
	if (!o || !o->holes)
		return oldest;
	for (q = d->queues; q; q = q->hh.next)
		for (uint32_t i = 0; q->owner == o && i < q->hole_count; i++)
			if (q->holes[i].ts < oldest && now - q->holes[i].ts < HOLE_NS)
				oldest = q->holes[i].ts;
	return oldest;
}

/* ---- packets that wait for an owner ---- */

int doorbell_queues__pass(struct doorbells *d, struct doorbell_queue *q, uint64_t index,
			  uint64_t ts, struct dispatch *dispatch)
{
	struct waiting *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->key = (struct waiting_key){q, index};
	w->ts = ts;
	w->dispatch = dispatch;
	HASH_ADD(hh, d->waiting, key, sizeof(w->key), w);
	return 0;
}

static struct dispatch *take(struct doorbells *d, struct waiting *w)
{
	struct dispatch *dispatch = w->dispatch;

	HASH_DEL(d->waiting, w);
	free(w);
	return dispatch;
}

struct dispatch *doorbell_queues__claim(struct doorbells *d, struct doorbell_queue *q,
					uint64_t index)
{
	struct waiting_key key = {q, index};
	struct waiting *w;

	HASH_FIND(hh, d->waiting, &key, sizeof(key), w);
	return w ? take(d, w) : NULL;
}

void doorbell_queues__give_up(struct doorbells *d, uint64_t before)
{
	struct waiting *w, *next;

	HASH_ITER (hh, d->waiting, w, next) {
		if (w->ts >= before)
			break;
		d->unclaimed(take(d, w), d->arg);
	}
}

/* ---- the end ---- */

static uint64_t unseen_in(const struct doorbell_queue *q)
{
	return q->lost + q->hole_count;
}

uint64_t doorbell_queues__unseen(const struct doorbells *d)
{
	const struct doorbell_queue *q;
	uint64_t unseen = d->unseen;

	for (q = d->queues; q; q = q->hh.next)
		unseen += unseen_in(q);
	return unseen;
}

static void remove_queue(struct doorbells *d, struct doorbell_queue *q)
{
	d->unseen += unseen_in(q);
	q->owner->holes -= q->hole_count;
	HASH_DEL(d->queues, q);
	free(q);
}

static void remove_owner(struct doorbells *d, struct owner *o)
{
	HASH_DEL(d->owners, o);
	free(o);
}

void doorbell_queues__forget(struct doorbells *d, pid_t pid)
{
	struct doorbell_queue *q, *next;
	struct waiting *w, *next_waiting;
	struct owner *o;

	HASH_FIND(hh, d->owners, &pid, sizeof(pid), o);
	if (!o)
		return;
	HASH_ITER (hh, d->waiting, w, next_waiting) {
		if (w->key.queue->owner == o)
			d->unclaimed(take(d, w), d->arg);
	}
	HASH_ITER (hh, d->queues, q, next) {
		if (q->owner == o)
			remove_queue(d, q);
	}
	remove_owner(d, o);
}

void doorbell_queues__free(struct doorbells *d, void (*drop)(struct dispatch *))
{
	struct doorbell_queue *q, *next;
	struct waiting *w, *next_waiting;
	struct owner *o, *next_owner;

	if (!d)
		return;
	HASH_ITER (hh, d->waiting, w, next_waiting) {
		drop(take(d, w));
	}
	HASH_ITER (hh, d->queues, q, next) {
		remove_queue(d, q);
	}
	HASH_ITER (hh, d->owners, o, next_owner) {
		remove_owner(d, o);
	}
	free(d);
}
