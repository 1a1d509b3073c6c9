// SPDX-License-Identifier: MIT
/*
 * Opens the sinks' files, names processes and threads to them, and hands every event to each.
 */
#include "user/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/log.h"
#include "user/procfs.h"

#define SINKS_MAX   8
#define FILE_BUFFER (256u << 10) /* bytes a write */

struct target {
	struct sink *sink;
	FILE *file;
	char *path; /* NULL: stdout */
};

struct output {
	struct tasks *tasks;
	struct target targets[SINKS_MAX];
	size_t count;
};

struct output *output__new(struct tasks *tasks)
{
	struct output *o = calloc(1, sizeof(*o));

	if (o)
		o->tasks = tasks;
	return o;
}

/* Appends the value if `p` starts with the key; returns the key's length, else 0. */
static size_t expand_key(FILE *f, const char *p, const char *key, const char *value)
{
	size_t n = strlen(key);

	if (strncmp(p, key, n))
		return 0;
	fputs(value, f);
	return n;
}

char *output__expand(const char *pattern, const struct output_keys *keys)
{
	char host[256] = "localhost", pid[16], *text = NULL;
	size_t size, n;
	FILE *f;

	gethostname(host, sizeof(host) - 1);
	snprintf(pid, sizeof(pid), "%u", keys->pid);
	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (const char *p = pattern; *p; p += n) {
		n = expand_key(f, p, "%pid%", pid);
		if (!n)
			n = expand_key(f, p, "%hostname%", host);
		if (!n) {
			fputc(*p, f);
			n = 1;
		}
	}
	fclose(f);
	return text;
}

/* What a job does is not for everyone to read: the file is its owner's alone. */
static FILE *create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (f)
		setvbuf(f, NULL, _IOFBF, FILE_BUFFER);
	return f;
}

int output__add(struct output *o, const struct sink_ops *ops, const char *pattern,
		const struct output_keys *keys)
{
	struct target *t = &o->targets[o->count];
	bool to_stdout = !pattern || !strcmp(pattern, "-");
	int err;

	if (o->count == SINKS_MAX)
		return -E2BIG;
	t->path = to_stdout ? NULL : output__expand(pattern, keys);
	t->file = to_stdout ? stdout : (t->path ? create(t->path) : NULL);
	err = t->file ? 0 : -errno;
	if (err) {
		log_err("output: %s: %s", t->path ? t->path : pattern, strerror(-err));
		free(t->path);
		return err;
	}
	t->sink = ops->open(t->file);
	if (!t->sink) {
		err = -errno;
		log_err("output: start %s: %s", ops->name, strerror(-err));
		if (t->path)
			fclose(t->file);
		free(t->path);
		return err;
	}
	o->count++;
	return 0;
}

static void tell_process(struct output *o, struct process *p)
{
	struct process_info info = {
		.pid = p->pid,
		.comm = p->comm,
		.cmdline = p->cmdline,
		.cgroup = p->cgroup,
		.ns_pid = p->ns_pid,
		.libraries = p->libraries,
	};

	p->told = true;
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->process(o->targets[i].sink, &info);
}

static void tell_thread(struct output *o, struct thread *th)
{
	struct thread_info info = {.pid = th->pid, .tid = th->tid, .comm = th->comm};

	th->told = true;
	if (!th->comm[0])
		procfs__thread_comm(th->pid, th->tid, th->comm, sizeof(th->comm));
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->thread(o->targets[i].sink, &info);
}

/* What ends on the GPU after its process was named before, or has no name any more. */
void output__event(struct output *o, const struct event *ev)
{
	struct process *p = tasks__find_process(o->tasks, ev->pid);
	struct thread *th = tasks__find_thread(o->tasks, ev->pid, ev->tid);

	if (p && !p->told)
		tell_process(o, p);
	if (th && !th->told)
		tell_thread(o, th);
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->event(o->targets[i].sink, ev);
}

void output__device(struct output *o, const struct device_info *device)
{
	struct process *p = tasks__process(o->tasks, device->pid);

	if (p && !p->told)
		tell_process(o, p);
	for (size_t i = 0; i < o->count; i++)
		o->targets[i].sink->ops->device(o->targets[i].sink, device);
}

static int finish_target(struct target *t, const struct trace_stats *stats)
{
	int err = t->sink->ops->close(t->sink, stats);

	if (t->path ? fclose(t->file) : fflush(t->file))
		err = err ? err : -errno;
	return err;
}

static int close_target(struct target *t, const struct trace_stats *stats)
{
	const char *where = t->path ? t->path : "standard output";
	const char *name = t->sink->ops->name;
	int err = finish_target(t, stats);

	if (err)
		log_err("output: write %s: %s", where, strerror(-err));
	else if (t->path)
		log_say("wrote %s (%s)", where, name);
	free(t->path);
	return err;
}

void output__discard(struct output *o)
{
	const struct trace_stats nothing = {};
	struct stat st;

	for (size_t i = 0; o && i < o->count; i++) {
		struct target *t = &o->targets[i];

		finish_target(t, &nothing);
		if (t->path && !stat(t->path, &st) && S_ISREG(st.st_mode))
			unlink(t->path);
		free(t->path);
	}
	free(o);
}

int output__close(struct output *o, const struct trace_stats *stats)
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
