// SPDX-License-Identifier: MIT
/*
 * Finds and probes the ROCm libraries of processes.
 */
#include "user/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/addresses.h"
#include "user/log.h"
#include "user/procfs.h"

/* A library attached for one process. */
struct attached {
	const struct library *lib;
	pid_t pid;
};

struct targets {
	struct functions *fns;
	struct attach *attach;
	bool node_wide;
	struct library **libs;
	size_t lib_count;
	struct attached *attached; /* only if not node_wide */
	size_t attached_count;
	struct addresses *addresses;
	pid_t *pids; /* added */
	size_t pid_count;
};

static struct library *find_library(const struct targets *t, dev_t dev, ino_t ino)
{
	for (size_t i = 0; i < t->lib_count; i++)
		if (t->libs[i]->dev == dev && t->libs[i]->ino == ino)
			return t->libs[i];
	return NULL;
}

static const struct library *by_inode(dev_t dev, ino_t ino, void *arg)
{
	return find_library(arg, dev, ino);
}

struct targets *targets__new(struct functions *fns, struct attach *attach, bool node_wide)
{
	struct targets *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fns = fns;
	t->attach = attach;
	t->node_wide = node_wide;
	t->addresses = addresses__new(by_inode, t);
	if (!t->addresses) {
		free(t);
		return NULL;
	}
	return t;
}

void targets__free(struct targets *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->lib_count; i++)
		library__close(t->libs[i]);
	addresses__free(t->addresses);
	free(t->libs);
	free(t->attached);
	free(t->pids);
	free(t);
}

/* The library of that open file, read if new. Takes over fd. NULL with errno set on failure. */
static struct library *get_library(struct targets *t, int fd, const char *name)
{
	struct library *lib, **grown;
	struct stat st;

	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	lib = find_library(t, st.st_dev, st.st_ino);
	if (lib) {
		close(fd);
		return lib;
	}
	lib = library__open(fd, name, t->fns);
	if (!lib)
		return NULL;
	grown = realloc(t->libs, (t->lib_count + 1) * sizeof(*grown));
	if (!grown) {
		library__close(lib);
		return NULL;
	}
	t->libs = grown;
	t->libs[t->lib_count++] = lib;
	return lib;
}

static bool is_attached(const struct targets *t, const struct library *lib, pid_t pid)
{
	for (size_t i = 0; i < t->attached_count; i++)
		if (t->attached[i].lib == lib && t->attached[i].pid == pid)
			return true;
	return false;
}

static int attach_one(struct targets *t, struct library *lib, pid_t pid)
{
	struct attached *grown;
	int err;

	if (!lib->probe_count)
		return 0;
	if (t->node_wide) {
		err = lib->attached ? 0 : attach__library(t->attach, lib, 0);
		lib->attached = true;
		return err;
	}
	if (is_attached(t, lib, pid))
		return 0;
	grown = realloc(t->attached, (t->attached_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->attached = grown;
	t->attached[t->attached_count++] = (struct attached){lib, pid};
	return attach__library(t->attach, lib, pid);
}

/* ---- what a process maps ---- */

struct scan {
	struct targets *t; /* NULL: only count */
	pid_t pid;
	int found;
	int err;
};

static bool is_rocm_mapping(const struct mapping *m)
{
	char name[256];

	if (!m->exec || m->path[0] != '/')
		return false;
	procfs__basename(m->path, name, sizeof(name));
	return library__is_rocm(name);
}

static int on_mapping(const struct mapping *m, void *arg)
{
	struct scan *s = arg;
	struct library *lib;
	int fd, err;

	if (!is_rocm_mapping(m))
		return 0;
	s->found++;
	if (!s->t)
		return 0;
	fd = procfs__open_mapping(s->pid, m, O_RDONLY);
	lib = fd < 0 ? NULL : get_library(s->t, fd, m->path);
	if (!lib) {
		s->err = fd < 0 ? fd : -errno;
		log_warn("process %d: read %s: %s", s->pid, m->path, strerror(-s->err));
		return 0;
	}
	err = attach_one(s->t, lib, s->pid);
	s->err = s->err ? s->err : err;
	return 0;
}

static int scan_process(struct targets *t, pid_t pid)
{
	struct scan s = {.t = t, .pid = pid};
	int err;

	err = procfs__mappings(pid, on_mapping, &s);
	if (!err && t)
		targets__mapped(t, pid);
	if (!err)
		err = s.err;
	return err ? err : s.found;
}

int targets__count_libraries(pid_t pid)
{
	return scan_process(NULL, pid);
}

int targets__add_process(struct targets *t, pid_t pid)
{
	int found = scan_process(t, pid);
	pid_t *grown;

	if (found <= 0)
		return found;
	grown = realloc(t->pids, (t->pid_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->pids = grown;
	t->pids[t->pid_count++] = pid;
	return found;
}

void targets__rescan(struct targets *t, pid_t pid)
{
	scan_process(t, pid);
}

void targets__each_process(struct targets *t, void (*fn)(pid_t pid, void *arg), void *arg)
{
	for (size_t i = 0; i < t->pid_count; i++)
		fn(t->pids[i], arg);
}

int targets__opened(struct targets *t, pid_t pid, int fd)
{
	char path[4096], name[256];
	struct library *lib;
	int own;

	own = procfs__open_fd(pid, fd, O_RDONLY, path, sizeof(path));
	procfs__basename(path, name, sizeof(name));
	if (own >= 0 && library__is_rocm(name)) {
		lib = get_library(t, own, path);
		return lib ? attach_one(t, lib, pid) : -errno;
	}
	if (own >= 0)
		close(own);
	/* Closed already, and the number perhaps another file's: then it is mapped, if it is at
	 * all. */
	return scan_process(t, pid);
}

const struct function *targets__resolve(struct targets *t, uint32_t pid, uint64_t address)
{
	const struct library *lib;
	uint64_t offset;

	lib = addresses__find(t->addresses, pid, address, &offset);
	return lib ? library__at(lib, offset) : NULL;
}

void targets__mapped(struct targets *t, pid_t pid)
{
	addresses__learn(t->addresses, pid);
}

void targets__fork(struct targets *t, pid_t parent, pid_t child)
{
	addresses__fork(t->addresses, parent, child);
}

void targets__exec(struct targets *t, pid_t pid)
{
	addresses__forget(t->addresses, pid);
}

size_t targets__function_count(const struct targets *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->lib_count; i++)
		n += t->libs[i]->probe_count;
	return n;
}
