// SPDX-License-Identifier: MIT
/*
 * Attaches through tracefs events.
 *
 * One event can have many probes, and one BPF program sits on an event: so a group of libraries
 * needs one event for all entries, one for all returns, and one for each kind of door, where single
 * perf probes would need two a function.
 *
 * An event is opened for threads, and those can hand it on to the threads and processes that they
 * start. The kernel has breakpoints in the memory of those alone: so a command and all that it
 * starts is probed, at once, and nothing else on the node. The program is not on an event that is
 * handed on: the kernel takes it off the event for all when the first thread that has one ends.
 * And the kernel must not exchange the events of two processes, see kernel_support.h.
 */
#include "user/probe/attach_tracefs.h"

#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/api/doorbell_functions.h"
#include "user/base/log.h"
#include "user/base/parallel.h"
#include "user/probe/attach_links.h"
#include "user/probe/kernel_support.h"
#include "user/probe/tracefs_events.h"

#define THREADS_MAX 8 /* of a process of -p: each is an open file for each event */

/* In the order in which they are opened: see attach_doors, and attach_links of attach_links.c. */
enum {
	EVENT_RETURN = DOORS,
	EVENT_ENTRY,
	EVENTS,
};

struct opened_event {
	struct tracefs_event event;
	int id;
	bool is_kept; /* by the thread that it was made for, see kernel_support.h */
	struct bpf_link *link;
	int *fds; /* for threads, or for all */
	size_t fd_count;
};

/* Libraries that are probed together. */
struct group {
	const struct library **libs;
	size_t lib_count;
	struct opened_event events[EVENTS];
	bool has_programs;
	uint32_t number;
};

struct tracefs_probes {
	struct capture *capture;
	bool keeps_events;
	struct group **groups;
	size_t group_count;
	bool in_tree;
	struct group *ahead; /* of a tree, until it is probed */
};

struct tracefs_probes *attach_tracefs__new(struct capture *capture)
{
	struct tracefs_probes *t;

	if (!tracefs_events__can_be_defined()) {
		log_err("this kernel cannot probe user functions: uprobe_events in tracefs: %s "
			"(CONFIG_UPROBE_EVENTS)",
			strerror(errno));
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->capture = capture;
	t->keeps_events = kernel_support__keeps_events();
	tracefs_events__remove_stale();
	return t;
}

/* ---- groups ---- */

static struct group *new_group(struct tracefs_probes *t)
{
	struct group *g = calloc(1, sizeof(*g)), **grown;

	grown = g ? realloc(t->groups, (t->group_count + 1) * sizeof(*grown)) : NULL;
	if (!grown) {
		free(g);
		return NULL;
	}
	t->groups = grown;
	g->number = t->group_count;
	t->groups[t->group_count++] = g;
	for (int i = 0; i < EVENTS; i++) {
		tracefs_events__begin(&g->events[i].event,
				      i == EVENT_RETURN ? TRACEFS_RETURN : TRACEFS_ENTRY);
		g->events[i].is_kept = t->keeps_events;
	}
	return g;
}

static struct group *group_of(const struct tracefs_probes *t, const struct library *lib)
{
	for (size_t i = 0; i < t->group_count; i++)
		for (size_t j = 0; j < t->groups[i]->lib_count; j++)
			if (t->groups[i]->libs[j] == lib)
				return t->groups[i];
	return NULL;
}

static int add_cookie(struct tracefs_probes *t, const struct library *lib, uint64_t offset,
		      uint64_t cookie)
{
	const struct rt_probe probe = tracefs_events__probe(lib, offset);

	return capture__add_probe(t->capture, &probe, cookie);
}

static int add_cookies(struct tracefs_probes *t, const struct library *lib)
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

static int define_probes(struct group *g, const struct library *lib)
{
	int err = 0;

	for (size_t i = 0; i < lib->door_count && !err; i++)
		err = tracefs_events__add(
			&g->events[doorbell_functions__door(lib->doors[i].symbol)].event, lib,
			&lib->doors[i], 1);
	if (!err)
		err = tracefs_events__add(&g->events[EVENT_RETURN].event, lib, lib->probes,
					  lib->probe_count);
	if (!err)
		err = tracefs_events__add(&g->events[EVENT_ENTRY].event, lib, lib->probes,
					  lib->probe_count);
	if (!err)
		tracefs_events__add_spills(&g->events[EVENT_ENTRY].event, lib);
	return err;
}

static int add_library(struct tracefs_probes *t, struct group *g, const struct library *lib)
{
	const struct library **grown = realloc(g->libs, (g->lib_count + 1) * sizeof(*grown));
	int err;

	if (!grown)
		return -ENOMEM;
	g->libs = grown;
	g->libs[g->lib_count++] = lib;
	err = add_cookies(t, lib);
	if (err)
		return err;
	if (t->in_tree)
		capture__add_known(t->capture, lib, g->number);
	return define_probes(g, lib);
}

/* ---- events ---- */

/* What a thread that has an event hands it on to. */
enum heirs {
	HEIRS_NONE,
	HEIRS_THREADS,	 /* of its process, that it starts */
	HEIRS_PROCESSES, /* and processes */
};

/* For a thread, or -1. It decides where breakpoints go: one address space, or all. */
static int open_event(const struct opened_event *ev, pid_t tid, enum heirs heirs)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = ev->id,
		.disabled = 1,
		.inherit = heirs != HEIRS_NONE,
		.inherit_thread = heirs == HEIRS_THREADS,
	};
	int fd;

	if (heirs != HEIRS_NONE && ev->is_kept)
		attr.sample_type = KERNEL_SUPPORT_KEEPS_EVENTS;
	fd = syscall(SYS_perf_event_open, &attr, tid, tid < 0 ? 0 : -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Opens the event for one more thread, or with -1 for all. 0 or -errno. */
static int open_for(struct opened_event *ev, pid_t tid, enum heirs heirs)
{
	int fd = open_event(ev, tid, heirs), *grown;

	if (fd < 0)
		return fd;
	grown = realloc(ev->fds, (ev->fd_count + 1) * sizeof(*grown));
	if (!grown) {
		close(fd);
		return -ENOMEM;
	}
	ev->fds = grown;
	ev->fds[ev->fd_count++] = fd;
	return 0;
}

/* With an event that is not handed on, its threads have not the same events: none is exchanged. */
static int open_one_for(struct opened_event *ev, pid_t tid, enum heirs heirs)
{
	int err = 0;

	if (!ev->event.probes)
		return 0;
	if (heirs == HEIRS_THREADS && !ev->is_kept)
		err = open_for(ev, tid, HEIRS_NONE);
	return err ? err : open_for(ev, tid, heirs);
}

static int open_group_for(struct group *g, pid_t tid, enum heirs heirs)
{
	int err = 0;

	for (int i = 0; i < EVENTS && !err; i++)
		err = open_one_for(&g->events[i], tid, heirs);
	return err;
}

static enum capture_prog program_of(int event)
{
	if (event < DOORS)
		return attach_links__door_program(event);
	return event == EVENT_RETURN ? CAPTURE_PROG_RETURN : CAPTURE_PROG_ENTRY;
}

/* On an event for the tracer, which maps no such library: it has no breakpoint for that. */
static int put_program(struct tracefs_probes *t, struct opened_event *ev, enum capture_prog prog)
{
	int fd, err;

	ev->id = tracefs_events__id(&ev->event);
	fd = ev->id < 0 ? ev->id : open_event(ev, getpid(), HEIRS_NONE);
	if (fd < 0)
		return fd;
	ev->link = bpf_program__attach_perf_event(capture__prog(t->capture, prog), fd);
	if (ev->link)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static int put_programs(struct tracefs_probes *t, struct group *g)
{
	int err = 0;

	for (int i = 0; i < EVENTS && !err && !g->has_programs; i++)
		if (g->events[i].event.probes)
			err = put_program(t, &g->events[i], program_of(i));
	g->has_programs |= !err;
	return err;
}

/* ---- processes ---- */

struct threads {
	pid_t *tids;
	size_t count;
};

static bool knows(const struct threads *threads, pid_t tid)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->tids[i] == tid)
			return true;
	return false;
}

/* Opens the group for a thread that is new to us; one that ends meanwhile is no error. */
static int open_for_new(struct group *g, struct threads *threads, pid_t tid, enum heirs heirs)
{
	pid_t *grown;
	int err;

	if (knows(threads, tid))
		return 0;
	grown = realloc(threads->tids, (threads->count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	threads->tids = grown;
	err = open_group_for(g, tid, heirs);
	if (!err)
		grown[threads->count++] = tid;
	return err == -ESRCH ? 0 : err;
}

static int open_for_each(struct group *g, struct threads *threads, pid_t pid, enum heirs heirs,
			 size_t max)
{
	struct dirent *entry;
	char path[64];
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return -ESRCH;
	while (!err && threads->count < max && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = open_for_new(g, threads, atoi(entry->d_name), heirs);
	closedir(dir);
	return err;
}

/*
 * The kernel knows the memory that an event is for by the threads that have it. When all those have
 * ended, it takes a breakpoint out that is hit. So the events are opened for the process's first
 * threads, and the threads that these start have them, too.
 */
static int open_for_process(struct group *g, pid_t pid)
{
	struct threads threads = {};
	int err = open_for_each(g, &threads, pid, HEIRS_THREADS, THREADS_MAX);

	free(threads.tids);
	return err ? err : threads.count ? 0 : -ESRCH;
}

/* Any of its threads may start a process: until none is new. */
static int open_for_tree(struct group *g, pid_t pid)
{
	struct threads threads = {};
	size_t before;
	int err;

	do {
		before = threads.count;
		err = open_for_each(g, &threads, pid, HEIRS_PROCESSES, SIZE_MAX);
	} while (!err && threads.count > before);
	free(threads.tids);
	return err ? err : threads.count ? 0 : -ESRCH;
}

static int cover(struct tracefs_probes *t, struct group *g, pid_t pid)
{
	int err;

	if (capture__covers(t->capture, pid, g->number))
		return 0;
	err = open_for_tree(g, pid);
	if (err == -ESRCH) /* it has ended */
		return 0;
	if (!err)
		err = capture__cover(t->capture, pid, g->number);
	return err ? err : 1;
}

/* ---- outside ---- */

int attach_tracefs__library(struct tracefs_probes *t, const struct library *lib, pid_t pid)
{
	struct group *g = group_of(t, lib);
	int err = 0;

	if (!g) {
		g = t->ahead ? t->ahead : new_group(t);
		err = g ? add_library(t, g, lib) : -ENOMEM;
	}
	if (err || t->ahead)
		return err ? err : 1;
	err = put_programs(t, g);
	if (!err && t->in_tree)
		return cover(t, g, pid);
	if (!err)
		err = pid ? open_for_process(g, pid) : open_group_for(g, -1, HEIRS_NONE);
	return err ? err : 1;
}

int attach_tracefs__prepare_tree(struct tracefs_probes *t)
{
	t->in_tree = true;
	t->ahead = new_group(t);
	return t->ahead ? 0 : -ENOMEM;
}

int attach_tracefs__start_tree(struct tracefs_probes *t, pid_t pid)
{
	struct group *g = t->ahead;
	int err = put_programs(t, g);

	t->ahead = NULL;
	if (!err)
		err = open_for_tree(g, pid);
	return err ? err : capture__cover(t->capture, pid, g->number);
}

static void close_event(struct opened_event *ev)
{
	for (size_t i = 0; i < ev->fd_count; i++)
		close(ev->fds[i]);
	free(ev->fds);
	bpf_link__destroy(ev->link);
}

static void close_events(size_t i, void *arg)
{
	struct tracefs_probes *t = arg;

	close_event(&t->groups[i / EVENTS]->events[i % EVENTS]);
}

static void free_group(struct group *g)
{
	for (int i = 0; i < EVENTS; i++)
		tracefs_events__remove(&g->events[i].event);
	free(g->libs);
	free(g);
}

void attach_tracefs__free(struct tracefs_probes *t)
{
	if (!t)
		return;
	parallel__run(t->group_count * EVENTS, close_events, t);
	for (size_t i = 0; i < t->group_count; i++)
		free_group(t->groups[i]);
	free(t->groups);
	free(t);
}
