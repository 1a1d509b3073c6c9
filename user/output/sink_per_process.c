// SPDX-License-Identifier: MIT
/*
 * The sink of --per-process: hands what it receives to sinks of another kind, one for each process,
 * each with a file of its own: job.json becomes job.PID.json.
 *
 * A process's file is closed some time after it has ended; another one of that number gets
 * job.PID-2.json.
 */
#define HASH_NONFATAL_OOM 1
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"
#include "user/base/log.h"
#include "user/output/output_set.h"
#include "user/output/sink.h"

/* By then the GPU's operations for an ended process have been received. */
#define ENDED_FLUSHES 3

/* A process's part. */
struct part {
	uint32_t pid;
	unsigned int programs; /* of that number, so far */
	struct output *out;    /* NULL: closed */
	struct trace_stats stats;
	uint64_t ended; /* at which flush, 0: it has not */
	UT_hash_handle hh;
};

struct split {
	struct sink sink;
	struct sink_settings settings;
	struct trace_origin origin;
	const struct sink_ops *each;
	char *path;
	struct part *parts;
	uint64_t flushes;
	uint64_t late; /* events of processes with closed files */
};

/* Can there be files? What else can go wrong shows with the first of them. */
static int check_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : NULL;
	int err = slash && !folder ? -ENOMEM : 0;

	if (!err && access(folder ? folder : ".", W_OK | X_OK))
		err = -errno;
	free(folder);
	return err;
}

static struct sink *split_open(const struct sink_target *to, const struct trace_origin *origin)
{
	int err = check_folder(to->path);
	struct split *s = err ? NULL : calloc(1, sizeof(*s));

	if (err)
		errno = -err;
	if (!s)
		return NULL;
	s->sink.ops = &sink_split;
	s->settings = *to->settings;
	s->origin = *origin;
	s->each = to->settings->each;
	s->path = strdup(to->path);
	s->flushes = 1;
	if (s->path)
		return &s->sink;
	free(s);
	errno = ENOMEM;
	return NULL;
}

/* ---- parts ---- */

/* The number comes before the suffix, if the name has one; to be freed. */
static char *path_of(const struct split *s, const struct part *p)
{
	const char *name = strrchr(s->path, '/'), *dot;
	char number[32], *path;
	size_t len;

	name = name ? name + 1 : s->path;
	dot = strrchr(name, '.');
	len = dot && dot != name ? (size_t)(dot - s->path) : strlen(s->path);
	if (p->programs > 1)
		snprintf(number, sizeof(number), "%" PRIu32 "-%u", p->pid, p->programs);
	else
		snprintf(number, sizeof(number), "%" PRIu32, p->pid);
	return asprintf(&path, "%.*s.%s%s", (int)len, s->path, number, s->path + len) < 0 ? NULL
											  : path;
}

static int open_part(struct split *s, struct part *p)
{
	char *path;
	int err;

	p->programs++;
	p->ended = 0;
	p->stats = (struct trace_stats){};
	path = path_of(s, p);
	p->out = path ? output_set__new(NULL, &s->origin) : NULL;
	err = p->out ? 0 : -ENOMEM;
	if (!err) {
		output_set__set(p->out, &s->settings);
		err = output_set__add(p->out, s->each, path, NULL);
	}
	free(path);
	if (err) {
		output_set__discard(p->out);
		p->out = NULL;
	}
	return err;
}

static struct part *find_part(const struct split *s, uint32_t pid)
{
	struct part *p;

	HASH_FIND(hh, s->parts, &pid, sizeof(pid), p);
	return p;
}

/* NULL: its file could not be opened, which was logged, or it is closed. */
static struct part *get_part(struct split *s, uint32_t pid)
{
	struct part *p = find_part(s, pid);
	int err;

	if (p)
		return p->out ? p : NULL;
	HASH_FIND_OR_ADD(s->parts, pid, pid, p);
	err = p ? open_part(s, p) : -ENOMEM;
	if (err)
		sink__fail(&s->sink, err);
	return err ? NULL : p;
}

static void close_part(struct split *s, struct part *p, const struct trace_clocks *now)
{
	int err;

	p->stats.ended = *now;
	err = output_set__close(p->out, &p->stats);
	if (err)
		sink__fail(&s->sink, err);
	p->out = NULL;
}

/* ---- what the sink receives ---- */

static void split_process(struct sink *sink, const struct process_info *info)
{
	struct split *s = (struct split *)sink;
	struct part *p = find_part(s, info->pid);
	int err = 0;

	if (p && !p->out)
		err = open_part(s, p); /* another one of that number */
	if (err)
		sink__fail(sink, err);
	p = get_part(s, info->pid);
	if (p)
		output_set__process(p->out, info);
}

static void split_thread(struct sink *sink, const struct thread_info *info)
{
	struct part *p = get_part((struct split *)sink, info->pid);

	if (p)
		output_set__thread(p->out, info);
}

static void split_device(struct sink *sink, const struct device_info *info)
{
	struct part *p = get_part((struct split *)sink, info->pid);

	if (p)
		output_set__device(p->out, info);
}

static void split_event(struct sink *sink, const struct event *ev)
{
	struct split *s = (struct split *)sink;
	struct part *p = get_part(s, ev->pid);

	if (!p) {
		s->late++;
		return;
	}
	trace_stats__count(&p->stats, ev);
	output_set__event(p->out, ev);
}

static void split_ended(struct sink *sink, uint32_t pid)
{
	struct split *s = (struct split *)sink;
	struct part *p = find_part(s, pid);

	if (!p || !p->out)
		return;
	p->ended = s->flushes;
	output_set__ended(p->out, pid);
}

static void split_lost(struct sink *sink, uint32_t pid, uint64_t calls, uint64_t gpu)
{
	struct part *p = get_part((struct split *)sink, pid);

	if (!p)
		return;
	p->stats.lost_spans += calls;
	p->stats.lost_gpu += gpu;
	output_set__lost(p->out, pid, calls, gpu);
}

static void split_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct split *s = (struct split *)sink;
	struct part *p, *next;

	s->flushes++;
	HASH_ITER (hh, s->parts, p, next) {
		if (!p->out)
			continue;
		p->stats.ended = stats->ended;
		p->stats.clock_error = stats->clock_error;
		output_set__flush(p->out, 0, &p->stats);
		s->sink.full |= output_set__is_full(p->out);
		if (p->ended && s->flushes - p->ended > ENDED_FLUSHES)
			close_part(s, p, &stats->ended);
	}
}

static void split_dump(struct sink *sink, const char *why)
{
	struct split *s = (struct split *)sink;
	struct part *p, *next;

	HASH_ITER (hh, s->parts, p, next)
		if (p->out)
			output_set__dump(p->out, why);
}

/* ---- the end ---- */

static void split_free(struct split *s)
{
	struct part *p, *next;

	HASH_ITER (hh, s->parts, p, next) {
		HASH_DEL(s->parts, p);
		output_set__discard(p->out);
		free(p);
	}
	free(s->path);
	free(s);
}

static int split_close(struct sink *sink, const struct trace_stats *stats)
{
	struct split *s = (struct split *)sink;
	struct part *p, *next;
	int err;

	HASH_ITER (hh, s->parts, p, next) {
		if (!p->out)
			continue;
		p->stats.clock_error = stats->clock_error;
		close_part(s, p, &stats->ended);
	}
	if (s->late)
		log_warn("%" PRIu64 " events are in no file: the file of their process was closed "
			 "before, or could not be opened",
			 s->late);
	if (!s->parts)
		log_say("no process was traced: %s was not written", s->path);
	err = sink->error;
	split_free(s);
	return err;
}

static void split_discard(struct sink *sink)
{
	split_free((struct split *)sink);
}

const struct sink_ops sink_split = {
	.name = "per process",
	.own_files = "",
	.quiet = true,
	.open = split_open,
	.process = split_process,
	.thread = split_thread,
	.device = split_device,
	.event = split_event,
	.ended = split_ended,
	.lost = split_lost,
	.flush = split_flush,
	.dump = split_dump,
	.close = split_close,
	.discard = split_discard,
};
