// SPDX-License-Identifier: MIT
/*
 * Definitions of probes in tracefs.
 *
 * They outlive a tracer that was killed: their group is named after the tracer's pid, and groups of
 * pids that no longer run are removed at the next start.
 */
#include "user/probe/tracefs_events.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/probe/tracefs.h"

#define GROUP_PREFIX "rtrace_"

/* Appending adds to the definitions; the file cannot be seeked, so fopen's "a" is of no use. */
static int open_definitions(int flags)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/uprobe_events", tracefs__root());
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int remove_event(const char *name)
{
	int fd = open_definitions(O_WRONLY | O_APPEND), err = 0;

	if (fd < 0)
		return fd;
	if (dprintf(fd, "-:%s\n", name) < 0)
		err = -errno;
	close(fd);
	return err;
}

/* The kernel lets go of events a little after what had them: a tracer, or threads that end. */
static void remove_at_last(const char *name)
{
	for (int i = 0; i < 50 && remove_event(name) == -EBUSY; i++)
		poll(NULL, 0, 10);
}

static void remove_stale(const char *name)
{
	log_info("tracefs: remove %s, left by a tracer that is gone", name);
	remove_at_last(name);
}

void tracefs_events__remove_stale(void)
{
	char *line = NULL, name[64], last[64] = "";
	int fd = open_definitions(O_RDONLY), pid;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	size_t size = 0;

	/* Lines look like "p:rtrace_1234/e0 /usr/lib/…:0x…", one for each probe. */
	while (f && getline(&line, &size, f) > 0) {
		if (sscanf(line, "%*c:" GROUP_PREFIX "%d/", &pid) != 1 || !kill(pid, 0) ||
		    errno != ESRCH || sscanf(line, "%*c:%63s", name) != 1 || !strcmp(name, last))
			continue;
		remove_stale(name);
		snprintf(last, sizeof(last), "%s", name);
	}
	free(line);
	if (f)
		fclose(f);
}

bool tracefs_events__can_be_defined(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/uprobe_events", tracefs__root());
	return !access(path, W_OK);
}

void tracefs_events__begin(struct tracefs_event *ev, enum tracefs_probe_kind kind)
{
	static unsigned int count;

	*ev = (struct tracefs_event){.kind = kind};
	snprintf(ev->name, sizeof(ev->name), GROUP_PREFIX "%d/e%u", getpid(), count++);
}

struct rt_probe tracefs_events__probe(const struct library *lib, uint64_t offset)
{
	struct rt_probe probe = {.offset = offset};

	snprintf(probe.file, sizeof(probe.file), "/proc/%d/fd/%d", getpid(), lib->fd);
	return probe;
}

static int define(int fd, struct tracefs_event *ev, const struct library *lib, uint64_t offset,
		  const struct function *fn)
{
	const struct rt_probe probe = tracefs_events__probe(lib, offset);
	int err;

	if (dprintf(fd, "%c:%s %s:0x%lx\n", ev->kind, ev->name, probe.file,
		    (unsigned long)offset) >= 0) {
		ev->probes++;
		return 0;
	}
	err = -errno;
	log_warn("%s: cannot probe %s: %s", lib->name, fn->name, strerror(-err));
	return err;
}

int tracefs_events__add(struct tracefs_event *ev, const struct library *lib,
			const struct probe *probes, size_t n)
{
	size_t before = ev->probes;
	int err = 0, fd = open_definitions(O_WRONLY | O_APPEND);

	if (fd < 0)
		return fd;
	for (size_t i = 0; i < n; i++)
		if (ev->kind == TRACEFS_ENTRY || !(probes[i].fn->plan.flags & RT_PLAN_ENTRY))
			err = define(fd, ev, lib, probes[i].offset, probes[i].fn);
	close(fd);
	return ev->probes > before ? 0 : err;
}

void tracefs_events__add_spills(struct tracefs_event *ev, const struct library *lib)
{
	int fd = open_definitions(O_WRONLY | O_APPEND);

	for (size_t i = 0; fd >= 0 && i < lib->spill_count; i++)
		define(fd, ev, lib, lib->spills[i].offset, lib->spills[i].fn);
	if (fd >= 0)
		close(fd);
}

int tracefs_events__id(const struct tracefs_event *ev)
{
	char path[192];
	int id = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s/id", tracefs__root(), ev->name);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	if (fscanf(f, "%d", &id) != 1)
		id = -EINVAL;
	fclose(f);
	return id;
}

void tracefs_events__remove(const struct tracefs_event *ev)
{
	if (ev->probes)
		remove_at_last(ev->name);
}
