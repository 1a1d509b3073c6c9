// SPDX-License-Identifier: MIT
/*
 * Recordings: from the file to the decoder, chunk by chunk.
 */
#define HASH_NONFATAL_OOM 1
#include "user/recording/recording_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include "user/base/byte_buffer.h"
#include "user/recording/chunk_format.h"
#include "common/hash.h"
#include "user/base/log.h"

enum told_of { TOLD_PROCESS, TOLD_THREAD, TOLD_DEVICE };

#define TOLD_WORDS 5

struct told_key {
	uint32_t of, pid, which; /* thread or device */
};

struct told {
	struct told_key key;
	uint64_t says[TOLD_WORDS];
	UT_hash_handle hh;
};

struct rec_file {
	FILE *file;
	char *path;
	struct rec_header header;
};

struct recording {
	struct rec_file *files; /* in their order */
	size_t count;
	struct trace_origin origin;
	struct trace_stats stats, counted;
	bool ended;   /* it has an end, which has the stats */
	bool more;    /* the last file ends with CHUNK_MORE: another follows */
	bool partial; /* it is known not to be all */
	bool kept;    /* it was made with --keep: old events are not missed */
	bool in_hole; /* what was read last makes no sense */
	uint64_t chunks, missing, broken;
	/* ---- while it is read ---- */
	FILE *file;
	size_t files_read;
	bool in_file;	  /* one of them is being read */
	uint64_t reached; /* latest end of an event */
	struct decoder *decoder;
	struct decoder_to to;
	ZSTD_DCtx *zstd;
	struct bytes stored, payload;
	struct told *told;
};

/* ---- info and end ---- */

static char *pair_text(struct bytes_in *in)
{
	size_t len;
	const char *data = byte_buffer__take(in, &len);

	return strndup(data ? data : "", len);
}

static void read_info(struct recording *r, const struct bytes *payload)
{
	struct bytes_in in = {payload->data, payload->data + payload->len, false};
	struct trace_origin *o = &r->origin;

	while (in.at < in.end && !in.bad) {
		char *key = pair_text(&in), *value = pair_text(&in);

		if (key && value && !strcmp(key, "hostname"))
			snprintf(o->hostname, sizeof(o->hostname), "%s", value);
		else if (key && value && !strcmp(key, "kernel"))
			snprintf(o->kernel, sizeof(o->kernel), "%s", value);
		else if (key && value && !strcmp(key, "boot_id"))
			snprintf(o->boot_id, sizeof(o->boot_id), "%s", value);
		else if (key && value && !strcmp(key, "real_error_ns"))
			o->real_error_ns = strtoull(value, NULL, 10);
		else if (key && value && !strcmp(key, "nodes"))
			o->nodes = strtoul(value, NULL, 10);
		else if (key && value && !strcmp(key, "keep_ns"))
			r->partial = true;
		free(key);
		free(value);
	}
}

static void set_stat(struct trace_stats *stats, const char *key, uint64_t value)
{
	const char *name;
	uint64_t old;

	if (!strcmp(key, "boot_ns"))
		stats->ended.boot_ns = value;
	else if (!strcmp(key, "mono_ns"))
		stats->ended.mono_ns = value;
	else if (!strcmp(key, "real_ns"))
		stats->ended.real_ns = value;
	for (unsigned int i = 0; (name = trace_stats__field(stats, i, &old)); i++)
		if (!strcmp(name, key))
			trace_stats__set(stats, i, value);
}

static void read_numbers(struct recording *r, const struct bytes *payload)
{
	struct bytes_in in = {payload->data, payload->data + payload->len, false};

	memset(&r->stats, 0, sizeof(r->stats));
	while (in.at < in.end && !in.bad) {
		char *key = pair_text(&in), *value = pair_text(&in);

		if (key && value)
			set_stat(&r->stats, key, strtoull(value, NULL, 10));
		free(key);
		free(value);
	}
}

/* ---- chunks ---- */

static void count_event(const struct event *ev, void *arg)
{
	struct recording *r = arg;

	trace_stats__count(&r->counted, ev);
	r->to.event(ev, r->to.arg);
}

/*
 * Every chunk repeats its definitions: one that equals the last one passed on is not passed again.
 * `says`: its texts, kept by the decoder once each, and numbers.
 */
static bool is_news(struct recording *r, enum told_of of, uint32_t pid, uint32_t which,
		    const uint64_t says[TOLD_WORDS])
{
	const struct told_key key = {of, pid, which};
	struct told *t;

	HASH_FIND(hh, r->told, &key, sizeof(key), t);
	if (t && !memcmp(t->says, says, sizeof(t->says)))
		return false;
	if (!t) {
		t = calloc(1, sizeof(*t));
		if (!t)
			return true;
		t->key = key;
		HASH_ADD(hh, r->told, key, sizeof(key), t);
		if (!t->hh.tbl) {
			free(t);
			return true;
		}
	}
	memcpy(t->says, says, sizeof(t->says));
	return true;
}

static void tell_process(const struct process_info *info, void *arg)
{
	struct recording *r = arg;
	const uint64_t says[TOLD_WORDS] = {(uintptr_t)info->comm, (uintptr_t)info->cmdline,
					   (uintptr_t)info->cgroup, info->ns_pid,
					   (uintptr_t)info->libraries};

	if (is_news(r, TOLD_PROCESS, info->pid, 0, says) || !info->again)
		r->to.process(info, r->to.arg);
}

static void tell_thread(const struct thread_info *info, void *arg)
{
	struct recording *r = arg;
	const uint64_t says[TOLD_WORDS] = {(uintptr_t)info->comm};

	if (is_news(r, TOLD_THREAD, info->pid, info->tid, says) || !info->again)
		r->to.thread(info, r->to.arg);
}

static void tell_device(const struct device_info *info, void *arg)
{
	struct recording *r = arg;
	const uint64_t says[TOLD_WORDS] = {(uintptr_t)info->name, (uintptr_t)info->details};

	if (is_news(r, TOLD_DEVICE, info->pid, info->device, says) || !info->again)
		r->to.device(info, r->to.arg);
}

/* The payload, decompressed, in r->payload. */
static bool decompress(struct recording *r, const struct chunk_header *h)
{
	size_t len;

	r->payload.len = 0;
	if (!byte_buffer__room(&r->payload, h->size + 1))
		return false;
	if (h->compression == CHUNK_PLAIN) {
		memcpy(r->payload.data, r->stored.data, h->size);
	} else {
		len = ZSTD_decompressDCtx(r->zstd, r->payload.data, h->size, r->stored.data,
					  h->stored);
		if (h->compression != CHUNK_ZSTD || len != h->size)
			return false;
	}
	r->payload.len = h->size;
	return true;
}

/*
 * Every file has the info, which has the number 0. `partial` reports that files before the first
 * one are missing.
 */
static void follow_numbers(struct recording *r, const struct chunk_header *h)
{
	if (h->type == CHUNK_INFO)
		return;
	if (!r->chunks && r->files[0].header.part)
		r->partial = true;
	else if (h->number > r->chunks + 1)
		r->missing += h->number - r->chunks - 1;
	r->chunks = h->number;
}

static int read_chunk(struct recording *r, const struct chunk_header *h)
{
	follow_numbers(r, h);
	if (!decompress(r, h))
		return -EBADMSG;
	switch (h->type) {
	case CHUNK_INFO:
		read_info(r, &r->payload);
		return 0;
	case CHUNK_EVENTS:
		return decoder__chunk(r->decoder, r->payload.data, r->payload.len);
	case CHUNK_NUMBERS:
	case CHUNK_MORE:
	case CHUNK_END:
		read_numbers(r, &r->payload);
		if (h->type == CHUNK_NUMBERS && r->to.numbers)
			r->to.numbers(&r->stats, r->to.arg);
		r->ended = h->type == CHUNK_END;
		r->more = h->type == CHUNK_MORE;
	}
	return 0;
}

/*
 * Reads the next header, or, after something that is none, the next that can be one. False: there
 * is no more.
 */
static bool next_header(struct recording *r, struct chunk_header *h)
{
	size_t have = fread(h, 1, sizeof(*h), r->file);

	while (have == sizeof(*h) && !chunk_header__is_sane(h)) {
		r->in_hole = true;
		memmove(h, (char *)h + 1, sizeof(*h) - 1);
		have = sizeof(*h) - 1 + fread((char *)h + sizeof(*h) - 1, 1, 1, r->file);
	}
	return have == sizeof(*h);
}

static bool read_payload(struct recording *r, const struct chunk_header *h)
{
	r->stored.len = 0;
	return byte_buffer__room(&r->stored, h->stored + 1) &&
	       fread(r->stored.data, 1, h->stored, r->file) == h->stored &&
	       chunk_header__matches(h, r->stored.data);
}

/* The next whole chunk. What was skipped before it, if anything, is a place that is broken. */
static bool next_chunk(struct recording *r, struct chunk_header *h)
{
	while (next_header(r, h)) {
		off_t behind = ftello(r->file);

		if (read_payload(r, h)) {
			r->broken += r->in_hole;
			r->in_hole = false;
			return true;
		}
		/* Its length may be what is wrong. */
		r->in_hole = true;
		if (fseeko(r->file, behind, SEEK_SET))
			return false;
	}
	return false;
}

/* The file may be a pipe, which has no known length. */
static void say_progress(const struct rec_file *f)
{
	off_t at = ftello(f->file);
	struct stat st;

	if (log_progress_is_due() && !fstat(fileno(f->file), &st) && st.st_size > 0 && at >= 0)
		log_progress("%s: %d%%", f->path, (int)(100 * (double)at / (double)st.st_size));
}

static void say_what_is_missing(const struct recording *r, const struct rec_file *last)
{
	const char *path = r->files[0].path;

	if (r->broken)
		log_warn("%s: broken in places, which are left out", path);
	if (r->files[0].header.part && !r->kept)
		log_warn("%s: %" PRIu64 " files of the recording come before it", path,
			 r->files[0].header.part);
	if (r->missing)
		log_warn("%s: %" PRIu64 " chunks are missing", path, r->missing);
	if (r->more && !r->kept)
		log_warn("%s: the recording goes on in another file", last->path);
	else if (!r->ended && !r->more)
		log_warn("%s: cut off; what was lost in the last second is not known", last->path);
}

static int begin_file(struct recording *r)
{
	const struct rec_file *f = &r->files[r->files_read];

	r->file = f->file;
	r->in_hole = r->ended = r->more = false;
	if (fseeko(r->file, sizeof(f->header), SEEK_SET))
		return -errno;
	r->in_file = true;
	return 0;
}

/* 1, 0 at the end of the file, or -errno. */
static int read_on(struct recording *r)
{
	struct chunk_header h;
	int err;

	if (!next_chunk(r, &h))
		return ferror(r->file) ? -EIO : 0;
	err = read_chunk(r, &h);
	if (err == -ENOMEM)
		return err;
	r->broken += err == -EBADMSG;
	if (h.type == CHUNK_EVENTS && h.last > r->reached)
		r->reached = h.last;
	say_progress(&r->files[r->files_read]);
	return 1;
}

static void finish(struct recording *r)
{
	if (!r->ended)
		r->stats.ended = (struct trace_clocks){};
	if (r->partial || r->missing || r->broken || !r->ended)
		trace_stats__recount(&r->stats, &r->counted);
	say_what_is_missing(r, &r->files[r->count - 1]);
}

int recording_reader__begin(struct recording *r, struct strings *strings,
			    const struct decoder_to *to)
{
	const struct decoder_to ours = {tell_process, tell_thread, tell_device,
					count_event,  NULL,	   r};

	r->to = *to;
	r->decoder = decoder__new(strings, &ours);
	if (r->decoder)
		return 0;
	log_err("%s: %s", r->files[0].path, strerror(ENOMEM));
	return -ENOMEM;
}

int recording_reader__next(struct recording *r)
{
	int err = r->in_file ? 0 : begin_file(r);

	if (!err)
		err = read_on(r);
	if (err > 0)
		return err;
	log_progress_end();
	if (err < 0) {
		log_err("%s: %s", r->files[r->files_read].path, strerror(-err));
		return err;
	}
	r->in_file = false;
	if (++r->files_read < r->count)
		return 1;
	finish(r);
	return 0;
}

int recording_reader__read(struct recording *r, struct strings *strings,
			   const struct decoder_to *to)
{
	int err = recording_reader__begin(r, strings, to);

	while (!err && (err = recording_reader__next(r)) > 0)
		err = 0;
	return err;
}

uint64_t recording_reader__reached(const struct recording *r)
{
	return r->reached;
}

/* Every chunk of the last file but the end is passed by. */
struct trace_clocks recording_reader__end_clocks(struct recording *r)
{
	struct trace_clocks clocks = {};
	struct chunk_header h;

	r->file = r->files[r->count - 1].file;
	if (fseeko(r->file, sizeof(struct rec_header), SEEK_SET))
		return clocks;
	while (next_header(r, &h)) {
		if (h.type != CHUNK_END) {
			if (fseeko(r->file, h.stored, SEEK_CUR))
				break;
			continue;
		}
		if (read_payload(r, &h) && decompress(r, &h)) {
			read_numbers(r, &r->payload);
			clocks = r->stats.ended;
		}
		break;
	}
	return clocks;
}

/* ---- open and close ---- */

static int read_header(struct rec_file *f)
{
	if (fread(&f->header, 1, sizeof(f->header), f->file) != sizeof(f->header))
		return ferror(f->file) ? -errno : -EBADMSG;
	return rec_header__check(&f->header);
}

/* 0 or -errno, which is logged. */
static int open_file(struct rec_file *f, const char *path)
{
	int err;

	f->path = strdup(path);
	f->file = fopen(path, "re");
	err = f->path && f->file ? read_header(f) : -errno;
	if (err == -EBADMSG)
		log_err("%s: this is no recording of rtrace-bpf", path);
	else if (err == -EPROTONOSUPPORT)
		log_err("%s: a recording of version %u; this rtrace-bpf reads version %d", path,
			f->header.version, REC_VERSION);
	else if (err)
		log_err("%s: %s", path, strerror(-err));
	return err;
}

static int by_part(const void *a, const void *b)
{
	const struct rec_file *x = a, *y = b;

	return x->header.part < y->header.part ? -1 : x->header.part > y->header.part;
}

/* In their order, each once. */
static int check_files(struct recording *r)
{
	const struct rec_file *first = r->files;

	qsort(r->files, r->count, sizeof(*r->files), by_part);
	for (size_t i = 1; i < r->count; i++) {
		const struct rec_file *f = &r->files[i];

		if (memcmp(f->header.uuid, first->header.uuid, sizeof(f->header.uuid)) ||
		    f->header.part == f[-1].header.part) {
			log_err("%s: not a further file of the recording of %s", f->path,
				f[-1].path);
			return -EINVAL;
		}
	}
	return 0;
}

/* Reads the first header, and the info that follows it. */
static int read_origin(struct recording *r)
{
	const struct rec_header *h = &r->files[0].header;
	struct chunk_header info;

	r->origin.clocks = (struct trace_clocks){h->boot_ns, h->mono_ns, h->real_ns};
	memcpy(r->origin.uuid, h->uuid, sizeof(r->origin.uuid));
	r->zstd = ZSTD_createDCtx();
	if (!r->zstd)
		return -ENOMEM;
	r->file = r->files[0].file;
	if (next_chunk(r, &info) && info.type == CHUNK_INFO)
		read_chunk(r, &info);
	r->kept = r->partial;
	r->broken = 0;
	return 0;
}

static int open_all(struct recording *r, const char *const *paths, size_t count)
{
	int err = 0;

	r->files = calloc(count, sizeof(*r->files));
	if (!r->files) {
		log_err("%s: %s", paths[0], strerror(ENOMEM));
		return -ENOMEM;
	}
	for (r->count = 0; r->count < count && !err; r->count++)
		err = open_file(&r->files[r->count], paths[r->count]);
	if (!err)
		err = check_files(r);
	return err ? err : read_origin(r);
}

struct recording *recording_reader__open_files(const char *const *paths, size_t count)
{
	struct recording *r = calloc(1, sizeof(*r));
	int err = r ? open_all(r, paths, count) : -ENOMEM;

	if (!err)
		return r;
	recording_reader__close(r);
	errno = -err;
	return NULL;
}

struct recording *recording_reader__open(const char *path)
{
	return recording_reader__open_files(&path, 1);
}

void recording_reader__close(struct recording *r)
{
	struct told *t, *next;

	if (!r)
		return;
	HASH_ITER (hh, r->told, t, next) {
		HASH_DEL(r->told, t);
		free(t);
	}
	decoder__free(r->decoder);
	ZSTD_freeDCtx(r->zstd);
	byte_buffer__free(&r->stored);
	byte_buffer__free(&r->payload);
	for (size_t i = 0; i < r->count; i++) {
		if (r->files[i].file)
			fclose(r->files[i].file);
		free(r->files[i].path);
	}
	free(r->files);
	free(r);
}

const struct trace_stats *recording_reader__stats(const struct recording *r)
{
	return &r->stats;
}

struct recording_damage recording_reader__damage(const struct recording *r)
{
	return (struct recording_damage){r->broken, r->missing, !r->ended};
}

const struct trace_origin *recording_reader__origin(const struct recording *r)
{
	return &r->origin;
}
