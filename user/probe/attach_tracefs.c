// SPDX-License-Identifier: MIT
/*
 * Attaches through tracefs events, for kernels before 6.6.
 *
 * One event can have many probes, and one BPF program sits on an event: so a library needs two
 * events, all entries (p:) and all returns (r:), where single perf probes would need two a
 * function. An event carries one cookie, so the function is found by the file and the offset of
 * the probe that was hit (struct rt_probe), as the event's definition names them.
 *
 * Events outlive a tracer that was killed: their group is named after the tracer's pid, and groups
 * of pids that no longer run are removed at the next start.
 */
#include "user/probe/attach_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/base/parallel.h"
#include "user/probe/tracefs.h"

#define GROUP_PREFIX "rtrace_"
#define THREADS_MAX  8 /* of a process: each is an open file for each event */

struct tracefs_event {
	const struct library *lib;
	struct bpf_link *link;
	char name[64]; /* GROUP/NAME */
	int *opened;   /* for further threads, and processes */
	size_t opened_count;
};

struct tracefs_events {
	struct capture *capture;
	const char *root;
	struct tracefs_event *events;
	size_t count;
};

/* Appending adds to the definitions; the file cannot be seeked, so fopen's "a" is of no use. */
static int open_definitions(const struct tracefs_events *t, int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/uprobe_events", t->root);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int remove_event(const struct tracefs_events *t, const char *name)
{
	int fd = open_definitions(t, O_WRONLY | O_APPEND), err = 0;

	if (fd < 0)
		return fd;
	if (dprintf(fd, "-:%s\n", name) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The kernel lets go of events a little after what had them: a tracer, or threads that end. */
static void remove_event_at_last(const struct tracefs_events *t, const char *name)
{
	for (int i = 0; i < 50 && remove_event(t, name) == -EBUSY; i++)
		poll(NULL, 0, 10);
}

static void remove_stale_event(const struct tracefs_events *t, const char *name)
{
	log_info("tracefs: remove %s, left by a tracer that is gone", name);
	remove_event_at_last(t, name);
}

/* Lines look like "p:rtrace_1234/e0 /usr/lib/…:0x…", one for each probe. */
static void remove_stale_events(const struct tracefs_events *t)
{
	char *line = NULL, name[64], last[64] = "";
	int fd = open_definitions(t, O_RDONLY), pid;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0) {
		if (sscanf(line, "%*c:" GROUP_PREFIX "%d/", &pid) != 1 || !kill(pid, 0) ||
		    errno != ESRCH || sscanf(line, "%*c:%63s", name) != 1 || !strcmp(name, last))
			continue;
		remove_stale_event(t, name);
		snprintf(last, sizeof(last), "%s", name);
	}
	free(line);
	if (f)
		fclose(f);
}

struct tracefs_events *tracefs__new(struct capture *capture)
{
	const char *root = tracefs__root();
	struct tracefs_events *t;
	char path[128];

	if (!root)
		return NULL;
	snprintf(path, sizeof(path), "%s/uprobe_events", root);
	if (access(path, W_OK)) {
		log_err("this kernel cannot probe user functions: %s: %s (CONFIG_UPROBE_EVENTS)",
			path, strerror(errno));
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->capture = capture;
	t->root = root;
	remove_stale_events(t);
	return t;
}

static struct rt_probe probe_at(const struct library *lib, uint64_t offset)
{
	struct rt_probe probe = {.offset = offset};

	snprintf(probe.file, sizeof(probe.file), "/proc/%d/fd/%d", getpid(), lib->fd);
	return probe;
}

static int define_probe(int fd, const char *event, char kind, const struct library *lib,
			uint64_t offset, const struct function *fn)
{
	const struct rt_probe probe = probe_at(lib, offset);
	int err;

	if (dprintf(fd, "%c:%s %s:0x%lx\n", kind, event, probe.file, (unsigned long)offset) >= 0)
		return 0;
	err = -errno;
	log_warn("%s: cannot probe %s: %s", lib->name, fn->name, strerror(-err));
	return err;
}

/* Adds the library's probes to the event. Returns how many, or -errno. */
static int define_event(const struct tracefs_events *t, const char *name, char kind,
			const struct library *lib)
{
	int n = 0, err = 0, fd;

	fd = open_definitions(t, O_WRONLY | O_APPEND);
	if (fd < 0)
		return fd;
	for (size_t i = 0; i < lib->probe_count; i++) {
		const struct probe *p = &lib->probes[i];

		if (kind == 'p' || !(p->fn->plan.flags & RT_PLAN_ENTRY))
			n += !(err = define_probe(fd, name, kind, lib, p->offset, p->fn));
	}
	for (size_t i = 0; kind == 'p' && i < lib->spill_count; i++)
		n += !(err = define_probe(fd, name, kind, lib, lib->spills[i].offset,
					  lib->spills[i].fn));
	close(fd);
	return n ? n : err;
}

static int event_id(const struct tracefs_events *t, const char *name)
{
	char path[192];
	int id = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s/id", t->root, name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &id) != 1)
		id = -EINVAL;
	fclose(f);
	return id;
}

static int describe_event(const struct tracefs_events *t, const struct tracefs_event *ev,
			  struct perf_event_attr *attr)
{
	int id = event_id(t, ev->name);

	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(*attr), .config = id};
	return id < 0 ? id : 0;
}

/* For a thread, or -1. It decides where breakpoints go: one address space, or all. */
static int open_event(struct perf_event_attr *attr, pid_t tid)
{
	int fd =
		syscall(SYS_perf_event_open, attr, tid, tid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Opens the event for one more thread, or with -1 for all. 0 or -errno. */
static int open_for(struct tracefs_event *ev, struct perf_event_attr *attr, pid_t tid)
{
	int fd = open_event(attr, tid), *grown;

	if (fd < 0)
		return fd;
	grown = realloc(ev->opened, (ev->opened_count + 1) * sizeof(*grown));
	if (!grown) {
		close(fd);
		return -ENOMEM;
	}
	ev->opened = grown;
	ev->opened[ev->opened_count++] = fd;
	return 0;
}

/*
 * The kernel knows the memory that an event is for by the thread that it was opened for. When all
 * those have ended, it takes a breakpoint out that is hit. So the event is opened for the process's
 * first threads, without a program, for one sits on the event already; and the threads that these
 * make have it, too. Returns how many those threads are.
 */
static int open_for_threads(struct tracefs_event *ev, const struct perf_event_attr *event,
			    pid_t pid)
{
	struct perf_event_attr attr = *event;
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *dir;

	attr.disabled = attr.inherit = attr.inherit_thread = 1;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && n < THREADS_MAX && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		n += tid > 0 && !open_for(ev, &attr, tid);
	}
	if (dir)
		closedir(dir);
	return n;
}

static int enable_event(struct tracefs_events *t, struct tracefs_event *ev, enum capture_prog prog,
			pid_t pid)
{
	struct perf_event_attr attr;
	int err = describe_event(t, ev, &attr), fd;

	if (err)
		return err;
	fd = open_event(&attr, pid ? pid : -1);
	if (fd < 0)
		return fd;
	ev->link = bpf_program__attach_perf_event(capture__prog(t->capture, prog), fd);
	if (!ev->link) {
		err = -errno;
		close(fd);
		return err;
	}
	if (pid)
		open_for_threads(ev, &attr, pid);
	return 0;
}

/* Room for one more event, with its name; t->count does not count it yet. NULL: no memory. */
static struct tracefs_event *new_event(struct tracefs_events *t, const struct library *lib)
{
	struct tracefs_event *ev, *grown;

	grown = realloc(t->events, (t->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	t->events = grown;
	ev = &t->events[t->count];
	*ev = (struct tracefs_event){.lib = lib};
	snprintf(ev->name, sizeof(ev->name), GROUP_PREFIX "%d/e%zu", getpid(), t->count);
	return ev;
}

static int add_event(struct tracefs_events *t, const struct library *lib, pid_t pid, bool is_return)
{
	struct tracefs_event *ev = new_event(t, lib);
	int n, err;

	if (!ev)
		return -ENOMEM;
	n = define_event(t, ev->name, is_return ? 'r' : 'p', lib);
	if (n <= 0)
		return n;
	t->count++;
	err = enable_event(t, ev, is_return ? CAPTURE_PROG_RETURN : CAPTURE_PROG_ENTRY, pid);
	if (err)
		log_err("tracefs: enable %s: %s", ev->name, strerror(-err));
	return err;
}

static int add_cookie(struct tracefs_events *t, const struct library *lib, uint64_t offset,
		      uint64_t cookie)
{
	const struct rt_probe probe = probe_at(lib, offset);

	return capture__add_probe(t->capture, &probe, cookie);
}

static int add_cookies(struct tracefs_events *t, const struct library *lib)
{
	int err = 0;

	for (size_t i = 0; i < lib->probe_count && !err; i++)
		err = add_cookie(t, lib, lib->probes[i].offset, RT_COOKIE(lib->probes[i].fn->id));
	for (size_t i = 0; i < lib->spill_count && !err; i++) {
		const struct spill_probe *s = &lib->spills[i];
		uint32_t number = capture__add_spills(t->capture, &s->slots);

		err = add_cookie(t, lib, s->offset,
				 RT_COOKIE(s->fn->id) | RT_COOKIE_SPILLS_NUM(number));
	}
	return err;
}

/* The functions that show dispatches: an event for each, because each has its own program. */
static int add_door(struct tracefs_events *t, const struct library *lib, const struct probe *door,
		    pid_t pid)
{
	struct tracefs_event *ev = new_event(t, lib);
	int err, fd;

	if (!ev)
		return -ENOMEM;
	fd = open_definitions(t, O_WRONLY | O_APPEND);
	if (fd < 0)
		return fd;
	err = define_probe(fd, ev->name, 'p', lib, door->offset, door->fn);
	close(fd);
	if (err)
		return err;
	t->count++;
	err = enable_event(t, ev, attach_links__door_program(door_of(door->symbol)), pid);
	if (err)
		log_err("tracefs: enable %s: %s", ev->name, strerror(-err));
	return err;
}

/* The library's events are there: they are opened for one more process, or for all. */
static int widen_event(const struct tracefs_events *t, struct tracefs_event *ev, pid_t pid)
{
	struct perf_event_attr attr;
	int err = describe_event(t, ev, &attr);

	if (err)
		return err;
	if (!pid)
		err = open_for(ev, &attr, -1);
	else if (!open_for_threads(ev, &attr, pid))
		err = -ESRCH;
	if (err)
		log_err("tracefs: enable %s: %s", ev->name, strerror(-err));
	return err;
}

int tracefs__attach(struct tracefs_events *t, const struct library *lib, pid_t pid)
{
	bool known = false;
	int err = 0;

	for (size_t i = 0; i < t->count && !err; i++)
		if (t->events[i].lib == lib) {
			known = true;
			err = widen_event(t, &t->events[i], pid);
		}
	if (known)
		return err;
	err = add_cookies(t, lib);
	/* Doors before the API, and returns before entries, as in attach_links.c. */
	for (size_t i = 0; i < lib->door_count && !err; i++)
		err = add_door(t, lib, &lib->doors[i], pid);
	if (!err)
		err = add_event(t, lib, pid, true);
	return err ? err : add_event(t, lib, pid, false);
}

static void destroy_link(size_t i, void *arg)
{
	struct tracefs_event *ev = &((struct tracefs_events *)arg)->events[i];

	for (size_t j = 0; j < ev->opened_count; j++)
		close(ev->opened[j]);
	free(ev->opened);
	bpf_link__destroy(ev->link);
}

void tracefs__free(struct tracefs_events *t)
{
	if (!t)
		return;
	parallel__run(t->count, destroy_link, t);
	for (size_t i = 0; i < t->count; i++)
		remove_event_at_last(t, t->events[i].name);
	free(t->events);
	free(t);
}
