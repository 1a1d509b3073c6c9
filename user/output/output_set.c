// SPDX-License-Identifier: MIT
/*
 * Opens the sinks' files, names processes and threads to them, and hands every event to each.
 */
#include "user/output/output_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/base/output_file.h"
#include "user/base/unfinished_outputs.h"

#define SINKS_MAX 14
#define FLUSH_NS  1000000000ULL

struct target {
	struct sink *sink;
	FILE *file;	/* NULL: the sink has its own */
	char *path;	/* NULL: stdout */
	int error;	/* the first that was logged, 0: none */
	int unfinished; /* see unfinished_outputs.h */
};

struct output {
	const struct output_names *names;
	struct trace_origin origin;
	struct target targets[SINKS_MAX];
	size_t count;
	struct sink_settings settings;
	uint64_t flushed; /* when */
};

struct output *output_set__new(const struct output_names *names, const struct trace_origin *origin)
{
	struct output *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->names = names;
	if (origin)
		o->origin = *origin;
	else
		trace_origin__here(&o->origin);
	return o;
}

static bool is_stdout(const char *pattern)
{
	return !pattern || !strcmp(pattern, "-");
}

/* The text that follows the path where files are named. */
static const char *own_files(const struct sink_ops *ops)
{
	return ops->own_files ? ops->own_files : "";
}

static const char *why_unopened(int error)
{
	switch (error) {
	case ELOOP:
		return "a symbolic link, which is not followed";
	case EPERM:
		return "a symbolic link of another user's is among its folders, and is not "
		       "followed";
	case EACCES:
		return "another user's pipe, or no access";
	case ENXIO:
		return "no program reads from this pipe";
	default:
		return strerror(error);
	}
}

static const char *place(const struct target *t)
{
	return t->path ? t->path : "standard output";
}

static int say_unopened(const char *path, const struct sink_ops *ops, int error)
{
	log_err("output: %s%s: %s", path, own_files(ops), why_unopened(error));
	return -error;
}

static int open_file(struct target *t, const struct sink_ops *ops)
{
	t->file = t->path ? output_file__open(t->path) : stdout;
	return t->file ? 0 : say_unopened(t->path, ops, errno);
}

static int start_sink(const struct output *o, struct target *t, const struct sink_ops *ops)
{
	const struct sink_target to = {t->file, t->path, &o->settings};
	int err;

	t->sink = ops->open(&to, &o->origin);
	if (t->sink)
		return 0;
	err = errno;
	if (ops->own_files)
		return say_unopened(t->path, ops, err);
	log_err("output: start %s: %s", ops->name, strerror(err));
	return -err;
}

int output_set__add(struct output *o, const struct sink_ops *ops, const char *pattern,
		    const struct output_keys *keys)
{
	struct target t = {};
	int err = 0;

	if (o->count == SINKS_MAX)
		return -E2BIG;
	if (!is_stdout(pattern)) {
		t.path = keys ? file_name_keys__expand(pattern, keys) : strdup(pattern);
		err = t.path ? 0 : -ENOMEM;
	} else if (ops->own_files) {
		log_err("output: %s writes files of its own: not to standard output", ops->name);
		return -EINVAL;
	}
	if (!err && !ops->own_files)
		err = open_file(&t, ops);
	if (!err)
		err = start_sink(o, &t, ops);
	if (!err) {
		t.unfinished =
			ops->live && ops->always_stdout ? -1 : unfinished_outputs__add(place(&t));
		o->targets[o->count++] = t;
		return 0;
	}
	if (t.path && t.file) {
		fclose(t.file);
		output_file__remove(t.path);
	}
	free(t.path);
	return err;
}

void output_set__process(struct output *o, const struct process_info *info)
{
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->process(o->targets[i].sink, info);
}

void output_set__thread(struct output *o, const struct thread_info *info)
{
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->thread(o->targets[i].sink, info);
}

static void name(struct output *o, uint32_t pid, uint32_t tid, enum output_naming which)
{
	if (o->names)
		o->names->name(o->names->arg, o, pid, tid, which);
}

void output_set__event(struct output *o, const struct event *ev)
{
	name(o, ev->pid, ev->tid, NAME_TASK);
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->event(o->targets[i].sink, ev);
}

void output_set__lost(struct output *o, uint32_t pid, uint64_t calls, uint64_t gpu)
{
	name(o, pid, 0, NAME_RUNNING);
	for (size_t i = 0; i < o->count; i++)
		if (o->targets[i].sink->ops->lost)
			o->targets[i].sink->ops->lost(o->targets[i].sink, pid, calls, gpu);
}

void output_set__device(struct output *o, const struct device_info *device)
{
	name(o, device->pid, 0, NAME_PROCESS);
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->device(o->targets[i].sink, device);
}

void output_set__ended(struct output *o, uint32_t pid)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->targets[i].sink->ops->ended)
			o->targets[i].sink->ops->ended(o->targets[i].sink, pid);
}

void output_set__set(struct output *o, const struct sink_settings *settings)
{
	o->settings = *settings;
}

bool output_set__is_due(const struct output *o, uint64_t now)
{
	return now - o->flushed >= FLUSH_NS;
}

void output_set__tick(struct output *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->targets[i].sink->ops->tick)
			o->targets[i].sink->ops->tick(o->targets[i].sink);
}

void output_set__dump(struct output *o, const char *why)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->targets[i].sink->ops->dump)
			o->targets[i].sink->ops->dump(o->targets[i].sink, why);
}

bool output_set__is_full(const struct output *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->targets[i].sink->full)
			return true;
	return false;
}

/* Once, and as soon as it is known: what is recorded for hours is to be somewhere then. */
static void say_error(struct target *t, const struct sink_ops *ops, int err)
{
	if (!err || t->error)
		return;
	t->error = err;
	log_err("output: write %s%s: %s", place(t), own_files(ops),
		err == -ENOENT ? "it was removed" : strerror(-err));
}

/* The file was removed. (With a path like /dev/fd/3, the file may never have had a name.) */
static bool was_removed(const struct target *t)
{
	struct stat st;

	return t->path && t->file && !fstat(fileno(t->file), &st) && S_ISREG(st.st_mode) &&
	       !st.st_nlink && access(t->path, F_OK);
}

static void flush_target(struct target *t, const struct trace_stats *stats)
{
	struct sink *sink = t->sink;

	if (sink->ops->flush)
		sink->ops->flush(sink, stats);
	else if (sink->out && fflush(sink->out))
		sink__fail(sink, -errno);
	if (!sink->error && was_removed(t))
		sink__fail(sink, -ENOENT);
	say_error(t, sink->ops, sink->error);
}

void output_set__flush(struct output *o, uint64_t now, const struct trace_stats *stats)
{
	o->flushed = now;
	for (size_t i = 0; i < o->count; i++)
		flush_target(&o->targets[i], stats);
}

static int finish_target(struct target *t, const struct trace_stats *stats)
{
	bool own = t->sink->ops->own_files, removed = was_removed(t);
	int err = t->sink->ops->close(t->sink, stats);

	if (!own && (t->path ? fclose(t->file) : fflush(t->file)))
		err = err ? err : -errno;
	unfinished_outputs__remove(t->unfinished);
	return err || !removed ? err : -ENOENT;
}

static int close_target(struct target *t, const struct trace_stats *stats)
{
	const struct sink_ops *ops = t->sink->ops;
	int err = finish_target(t, stats);

	say_error(t, ops, err);
	if (!err && t->path && !ops->quiet)
		log_say("wrote %s%s (%s)", place(t), own_files(ops), ops->name);
	free(t->path);
	return err;
}

static void discard_target(struct target *t)
{
	const struct trace_stats nothing = {};

	if (t->sink->ops->discard) {
		t->sink->ops->discard(t->sink);
		unfinished_outputs__remove(t->unfinished);
	} else {
		finish_target(t, &nothing);
		if (t->path)
			output_file__remove(t->path);
	}
	free(t->path);
}

void output_set__discard(struct output *o)
{
	for (size_t i = 0; o && i < o->count; i++)
		discard_target(&o->targets[i]);
	free(o);
}

int output_set__close(struct output *o, const struct trace_stats *stats)
{
	int err = 0, e;

	if (!o)
		return 0;
	for (size_t i = 0; i < o->count; i++) {
		e = close_target(&o->targets[i], stats);
		err = err ? err : e;
	}
	free(o);
	return err;
}
