// SPDX-License-Identifier: MIT
/*
 * The writer thread of a recording.
 */
#include "user/recording/chunk_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <utlist.h>

#include "user/clock/clock_map.h"
#include "user/base/log.h"

#define WAITING_MAX 4 /* chunks */
#define LEVEL	    3
#define WHY_SIZE    128
#define HELD_MAX    (48u << 20) /* bytes */

/* A chunk to be written, or, with `why`, that what is held is. */
struct job {
	enum chunk_type type;
	struct encoded chunk;
	char why[WHY_SIZE];
};

/* A chunk as it will be in a file, but for its number. */
struct packed {
	struct chunk_header h;
	struct packed *prev, *next;
	unsigned char payload[];
};

struct chunk_writer {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job jobs[WAITING_MAX];
	size_t first, count;
	struct bytes spare; /* a buffer that was written */
	bool ended;
	uint64_t bytes; /* in the files */
	/* ---- of the thread, then of the one that has joined it ---- */
	struct rec_files *files;
	ZSTD_CCtx *zstd;
	struct bytes stored;
	uint64_t keep_ns;
	struct packed *held; /* the oldest first */
	size_t held_bytes;
	bool dumped;		       /* the file has been written to */
	bool too_much;		       /* was logged */
	struct packed *info, *numbers; /* the last ones, NULL: none yet */
	uint64_t number;
	int error; /* the first -errno */
};

static void fail(struct chunk_writer *w, int err)
{
	if (!w->error)
		__atomic_store_n(&w->error, err, __ATOMIC_RELAXED);
}

/* ---- into the file ---- */

static void write_as(struct chunk_writer *w, const struct packed *p, enum chunk_type type)
{
	struct chunk_header h = p->h;

	h.type = type;
	h.number = type == CHUNK_INFO ? 0 : ++w->number;
	chunk_header__seal(&h, p->payload);
	fail(w, recording_files__write(w->files, &h, sizeof(h)));
	fail(w, recording_files__write(w->files, p->payload, h.stored));
}

/* Whole, so that a tracer that is killed leaves no more than the last chunk cut. */
static void flush(struct chunk_writer *w)
{
	fail(w, recording_files__flush(w->files));
	__atomic_store_n(&w->bytes, recording_files__bytes(w->files), __ATOMIC_RELAXED);
}

static void say_more(struct chunk_writer *w)
{
	static const struct packed nothing;

	write_as(w, w->numbers ? w->numbers : &nothing, CHUNK_MORE);
}

static void next_file(struct chunk_writer *w)
{
	int err = recording_files__next(w->files);

	fail(w, err);
	if (!err && w->info)
		write_as(w, w->info, CHUNK_INFO);
}

static void write_packed(struct chunk_writer *w, const struct packed *p)
{
	if (p->h.type == CHUNK_EVENTS &&
	    recording_files__is_full(w->files, sizeof(p->h) + p->h.stored)) {
		say_more(w);
		next_file(w);
	}
	write_as(w, p, p->h.type);
	flush(w);
}

/* ---- what is held ---- */

static void drop_oldest(struct chunk_writer *w)
{
	struct packed *p = w->held;

	DL_DELETE(w->held, p);
	w->held_bytes -= p->h.stored;
	free(p);
}

static void drop_old(struct chunk_writer *w, uint64_t now)
{
	while (w->held && now > w->keep_ns && w->held->h.last < now - w->keep_ns)
		drop_oldest(w);
	if (w->held_bytes > HELD_MAX && !w->too_much) {
		w->too_much = true;
		log_warn("--keep: more than %u MiB in that time: only the newest events are kept",
			 HELD_MAX >> 20);
	}
	while (w->held_bytes > HELD_MAX)
		drop_oldest(w);
}

static void hold(struct chunk_writer *w, struct packed *p)
{
	DL_APPEND(w->held, p);
	w->held_bytes += p->h.stored;
	drop_old(w, clock__boot_ns());
}

/* Into a file of its own. */
static void write_held(struct chunk_writer *w)
{
	if (w->dumped)
		next_file(w);
	else if (w->info)
		write_as(w, w->info, CHUNK_INFO);
	w->dumped = true;
	while (w->held) {
		write_as(w, w->held, CHUNK_EVENTS);
		drop_oldest(w);
	}
}

static void dump(struct chunk_writer *w, const char *why)
{
	uint64_t now = clock__boot_ns(), events = 0;
	const struct packed *p;
	double seconds = 0;

	drop_old(w, now);
	DL_FOREACH (w->held, p) {
		events += p->h.events;
	}
	if (w->held)
		seconds = (now - w->held->h.first) / 1e9;
	if (events) {
		write_held(w);
		say_more(w);
		flush(w);
	}
	log_say("%s: %" PRIu64 " events of the last %.1f s are written", why, events, seconds);
}

/* ---- the thread ---- */

/* What does not get smaller stays as it is. */
static struct packed *compress(struct chunk_writer *w, const struct job *j)
{
	const struct bytes *raw = &j->chunk.bytes;
	size_t bound = ZSTD_compressBound(raw->len), len;
	const void *payload = raw->data;
	struct chunk_header h = {
		.type = j->type,
		.size = raw->len,
		.stored = raw->len,
		.events = j->chunk.events,
		.first = j->chunk.first,
		.last = j->chunk.last,
	};
	struct packed *p;

	w->stored.len = 0;
	if (byte_buffer__room(&w->stored, bound)) {
		len = ZSTD_compressCCtx(w->zstd, w->stored.data, bound, raw->data, raw->len, LEVEL);
		if (!ZSTD_isError(len) && len < raw->len) {
			h.stored = len;
			h.compression = CHUNK_ZSTD;
			payload = w->stored.data;
		}
	}
	p = malloc(sizeof(*p) + h.stored);
	if (!p)
		return NULL;
	p->h = h;
	memcpy(p->payload, payload ? payload : "", h.stored);
	return p;
}

static void replace(struct packed **old, struct packed *p)
{
	free(*old);
	*old = p;
}

static void take(struct chunk_writer *w, struct packed *p)
{
	const enum chunk_type type = p->h.type;

	if (type == CHUNK_END && w->keep_ns && (w->held || !w->dumped))
		write_held(w);
	if (type == CHUNK_EVENTS && w->keep_ns) {
		hold(w, p);
		return;
	}
	/* Where events are held, info comes with them. */
	if (!w->keep_ns || type == CHUNK_END)
		write_packed(w, p);
	if (type == CHUNK_INFO)
		replace(&w->info, p);
	else if (type == CHUNK_NUMBERS)
		replace(&w->numbers, p);
	else
		free(p);
}

static void do_job(struct chunk_writer *w, const struct job *j)
{
	struct packed *p;

	if (*j->why) {
		dump(w, j->why);
		return;
	}
	p = compress(w, j);
	if (p)
		take(w, p);
	else
		fail(w, -ENOMEM);
}

static void *write_all(void *arg)
{
	struct chunk_writer *w = arg;
	struct job job;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->count && !w->ended)
			pthread_cond_wait(&w->changed, &w->lock);
		if (!w->count)
			break;
		job = w->jobs[w->first];
		pthread_mutex_unlock(&w->lock);
		do_job(w, &job);
		pthread_mutex_lock(&w->lock);
		w->first = (w->first + 1) % WAITING_MAX;
		w->count--;
		if (!*job.why) {
			byte_buffer__free(&w->spare);
			w->spare = job.chunk.bytes;
		}
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* Signals are the main thread's. */
static int start(struct chunk_writer *w)
{
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&w->thread, NULL, write_all, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return -err;
}

/* ---- of the recorder's thread ---- */

struct chunk_writer *chunk_writer__new(FILE *out, const char *path, const struct rec_limits *limits,
				       const struct trace_origin *origin)
{
	struct chunk_writer *w = calloc(1, sizeof(*w));
	int err = -ENOMEM;

	if (!w)
		goto out;
	w->keep_ns = limits->keep_ns;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	w->zstd = ZSTD_createCCtx();
	if (!w->zstd)
		goto out;
	w->files = recording_files__new(out, path, limits, origin);
	err = w->files ? start(w) : -errno;
out:
	if (!err)
		return w;
	if (w) {
		recording_files__free(w->files);
		ZSTD_freeCCtx(w->zstd);
	}
	free(w);
	errno = -err;
	return NULL;
}

static void give(struct chunk_writer *w, const struct job *job)
{
	while (w->count == WAITING_MAX)
		pthread_cond_wait(&w->changed, &w->lock);
	w->jobs[(w->first + w->count++) % WAITING_MAX] = *job;
	pthread_cond_signal(&w->changed);
}

void chunk_writer__put(struct chunk_writer *w, enum chunk_type type, struct encoded *chunk)
{
	const struct job job = {.type = type, .chunk = *chunk};

	pthread_mutex_lock(&w->lock);
	give(w, &job);
	*chunk = (struct encoded){.bytes = w->spare};
	w->spare = (struct bytes){};
	pthread_mutex_unlock(&w->lock);
}

void chunk_writer__dump(struct chunk_writer *w, const char *why)
{
	struct job job = {};

	snprintf(job.why, sizeof(job.why), "%s", why);
	pthread_mutex_lock(&w->lock);
	give(w, &job);
	pthread_mutex_unlock(&w->lock);
}

uint64_t chunk_writer__bytes(struct chunk_writer *w)
{
	return __atomic_load_n(&w->bytes, __ATOMIC_RELAXED);
}

int chunk_writer__error(const struct chunk_writer *w)
{
	return __atomic_load_n(&w->error, __ATOMIC_RELAXED);
}

int chunk_writer__close(struct chunk_writer *w)
{
	int err;

	pthread_mutex_lock(&w->lock);
	w->ended = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	err = w->error;
	while (w->held)
		drop_oldest(w);
	free(w->info);
	free(w->numbers);
	recording_files__free(w->files);
	ZSTD_freeCCtx(w->zstd);
	byte_buffer__free(&w->stored);
	byte_buffer__free(&w->spare);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->changed);
	free(w);
	return err;
}
