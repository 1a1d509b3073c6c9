// SPDX-License-Identifier: MIT
/*
 * Finds and probes the files with API functions that processes use.
 */
#include "user/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/addresses.h"
#include "user/clock.h"
#include "user/hash.h"
#include "user/image.h"
#include "user/log.h"
#include "user/procfs.h"
#include "user/samefile.h"

/* A file that a process uses. */
struct use {
	struct use_key {
		const struct library *lib;
		uint64_t pid;
	} key;
	UT_hash_handle hh;
};

/* Another device and inode number that a library has: of overlayfs. */
struct alias {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	struct library *lib;
	struct alias *next;
};

struct targets {
	struct functions *fns;
	struct attach *attach;
	bool node_wide;
	struct targets_callbacks callbacks;
	struct library **libs;
	size_t lib_count;
	struct alias *aliases;
	struct use *uses;
	struct addresses *addresses;
	pid_t *pids; /* added */
	size_t pid_count;
};

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool is_same_file(const struct library *lib, const struct stat *st)
{
	if (lib->dev != st->st_dev || lib->ino != st->st_ino)
		return false;
	return lib->fd >= 0 || same_time(&lib->changed, &st->st_ctim);
}

static struct library *find_library(const struct targets *t, const struct stat *st)
{
	const struct alias *a;

	for (size_t i = 0; i < t->lib_count; i++)
		if (is_same_file(t->libs[i], st))
			return t->libs[i];
	for (a = t->aliases; a; a = a->next)
		if (a->dev == st->st_dev && a->ino == st->st_ino &&
		    same_time(&a->changed, &st->st_ctim))
			return a->lib;
	return NULL;
}

static void add_alias(struct targets *t, struct library *lib, const struct stat *st)
{
	struct alias *a = calloc(1, sizeof(*a));

	if (!a)
		return;
	*a = (struct alias){st->st_dev, st->st_ino, st->st_ctim, lib, t->aliases};
	t->aliases = a;
}

/*
 * A library that the file is, under other numbers: probed twice, each call would be told twice. The
 * time tells which are worth a look.
 */
static struct library *find_original(struct targets *t, int fd, const struct stat *st)
{
	for (size_t i = 0; i < t->lib_count; i++) {
		struct library *lib = t->libs[i];

		if (lib->fd < 0 || lib->dev == st->st_dev ||
		    !same_time(&lib->changed, &st->st_ctim) ||
		    !samefile__shares_memory(lib->fd, fd))
			continue;
		add_alias(t, lib, st);
		return lib;
	}
	return NULL;
}

static const struct library *by_stat(const struct stat *st, void *arg)
{
	return find_library(arg, st);
}

struct targets *targets__new(struct functions *fns, struct attach *attach, bool node_wide,
			     const struct targets_callbacks *callbacks)
{
	struct targets *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fns = fns;
	t->attach = attach;
	t->node_wide = node_wide;
	t->callbacks = *callbacks;
	t->addresses = addresses__new(by_stat, t);
	if (!t->addresses) {
		free(t);
		return NULL;
	}
	return t;
}

static void remove_use(struct targets *t, struct use *u)
{
	HASH_DEL(t->uses, u);
	free(u);
}

void targets__free(struct targets *t)
{
	struct use *u, *next;
	struct alias *a;

	if (!t)
		return;
	while ((a = t->aliases)) {
		t->aliases = a->next;
		free(a);
	}
	HASH_ITER (hh, t->uses, u, next) {
		remove_use(t, u);
	}
	for (size_t i = 0; i < t->lib_count; i++)
		library__close(t->libs[i]);
	addresses__free(t->addresses);
	free(t->libs);
	free(t->pids);
	free(t);
}

/* ---- files ---- */

/* The file of that descriptor, read if new. Takes over fd. NULL with errno set on failure. */
static struct library *get_library(struct targets *t, int fd, const char *name, bool program)
{
	struct library *lib, **grown;
	struct stat st;

	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	lib = find_library(t, &st);
	if (!lib)
		lib = find_original(t, fd, &st);
	if (lib) {
		close(fd);
		return lib;
	}
	lib = program ? library__open_program(fd, name, t->fns) : library__open(fd, name, t->fns);
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

/* Is it news that the process uses the file? */
static bool add_use(struct targets *t, const struct library *lib, pid_t pid)
{
	struct use *u, key = {.key = {lib, pid}};

	HASH_FIND(hh, t->uses, &key.key, sizeof(key.key), u);
	if (u)
		return false;
	u = calloc(1, sizeof(*u));
	if (!u)
		return true;
	u->key = key.key;
	HASH_ADD(hh, t->uses, key, sizeof(u->key), u);
	return true;
}

static int attach_file(struct targets *t, struct library *lib, pid_t pid)
{
	int err;

	if (t->node_wide && lib->attached)
		return 0;
	err = attach__library(t->attach, lib, t->node_wide ? 0 : pid);
	lib->attached_at = clock__boot_ns();
	if (!err) {
		lib->attached = true;
		if (t->node_wide)
			attach__known(t->attach, lib);
	}
	return err;
}

static void tell_late(struct targets *t, pid_t pid, const struct library *lib, uint64_t since)
{
	char what[512];

	snprintf(what, sizeof(what), "%s was probed %.1f ms after it was mapped", lib->name,
		 (lib->attached_at - since) / 1e6);
	t->callbacks.gap(pid, what, since, lib->attached_at, t->callbacks.arg);
}

static void tell_never(struct targets *t, pid_t pid, const char *name, uint64_t since)
{
	char what[512];

	snprintf(what, sizeof(what), "%s was not probed: it was gone before", name);
	log_warn("process %d: %s", pid, what);
	t->callbacks.gap(pid, what, since, clock__boot_ns(), t->callbacks.arg);
}

/* The process uses the file, and may have called it since then. */
static int use_file(struct targets *t, struct library *lib, pid_t pid, uint64_t since)
{
	int err;

	if (!(lib->probe_count + lib->door_count) || !add_use(t, lib, pid))
		return 0;
	err = attach_file(t, lib, pid);
	t->callbacks.uses(pid, lib, t->callbacks.arg);
	if (since && since < lib->attached_at)
		tell_late(t, pid, lib, since);
	return err;
}

/* ---- what a process maps ---- */

struct scan {
	struct targets *t;
	pid_t pid;
	bool only_count;
	uint64_t since;
	const char *name; /* of a file that it is said to have mapped */
	bool named;	  /* it was among those found */
	int found;
	int err;
};

/* `name` gets the file's, without its folder. */
static bool is_rocm_mapping(const struct mapping *m, char name[256])
{
	if (!m->exec || m->path[0] != '/')
		return false;
	procfs__basename(m->path, name, 256);
	return library__is_rocm(name);
}

static int on_mapping(const struct mapping *m, void *arg)
{
	struct scan *s = arg;
	struct library *lib;
	char name[256];
	int fd, err;

	if (!is_rocm_mapping(m, name))
		return 0;
	s->found++;
	if (s->name && !strncmp(name, s->name, strlen(s->name))) /* that may have been cut */
		s->named = true;
	if (s->only_count)
		return 0;
	fd = procfs__open_mapping(s->pid, m, O_RDONLY);
	lib = fd < 0 ? NULL : get_library(s->t, fd, m->path, false);
	if (!lib) {
		s->err = fd < 0 ? fd : -errno;
		if (s->err != -ENOENT && s->err != -ESRCH) /* else it is gone */
			log_warn("process %d: read %s: %s", s->pid, m->path, strerror(-s->err));
		return 0;
	}
	err = use_file(s->t, lib, s->pid, s->since);
	s->err = s->err ? s->err : err;
	return 0;
}

/* Opens the file of the process's program. `name` gets its path. -errno if it is gone. */
static int open_program(pid_t pid, char name[PATH_MAX])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = readlink(path, name, PATH_MAX - 1);
	name[n > 0 ? n : 0] = '\0';
	return fd;
}

/*
 * The program itself may have a ROCm library linked in. All programs are looked at, a file once:
 * one that has nothing of it is kept as a file without probes.
 */
static void scan_program(struct scan *s)
{
	char name[PATH_MAX];
	struct library *lib;
	int fd;

	fd = open_program(s->pid, name);
	lib = fd < 0 ? NULL : get_library(s->t, fd, name, true);
	if (!lib || !lib->probe_count)
		return;
	s->found++;
	s->err = use_file(s->t, lib, s->pid, s->since);
}

static int scan_process(struct scan *s)
{
	int err = procfs__mappings(s->pid, on_mapping, s);

	if (!err && !s->only_count)
		addresses__learn(s->t->addresses, s->pid);
	if (!err)
		err = s->err;
	return err ? err : s->found;
}

static bool program_has_functions(struct functions *fns, pid_t pid)
{
	char name[PATH_MAX];
	int fd = open_program(pid, name);
	struct library *lib = fd < 0 ? NULL : library__open_program(fd, name, fns);
	bool has = lib && lib->probe_count;

	library__close(lib);
	return has;
}

int targets__count(struct functions *fns, pid_t pid)
{
	struct scan s = {.pid = pid, .only_count = true};
	int found = scan_process(&s);

	return found ? found : program_has_functions(fns, pid);
}

int targets__add_process(struct targets *t, pid_t pid)
{
	struct scan s = {.t = t, .pid = pid};
	pid_t *grown;
	int found;

	scan_program(&s);
	found = scan_process(&s);
	if (found <= 0)
		return found;
	grown = realloc(t->pids, (t->pid_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	t->pids = grown;
	t->pids[t->pid_count++] = pid;
	return found;
}

void targets__mapped(struct targets *t, pid_t pid, const struct rt_rec_mapped *rec)
{
	bool held = rec->h.flags & RT_MAPPED_STOPPED;
	struct scan s = {.t = t, .pid = pid, .since = held ? 0 : rec->h.ts};
	char name[sizeof(rec->name)];

	snprintf(name, sizeof(name), "%s", rec->name);
	s.name = name;
	scan_process(&s);
	if (!s.named && !(rec->h.flags & RT_MAPPED_KNOWN) && library__is_rocm(name))
		tell_never(t, pid, name, rec->h.ts);
}

void targets__calls(struct targets *t, pid_t pid)
{
	struct scan s = {.t = t, .pid = pid};

	scan_program(&s);
	scan_process(&s);
}

struct mapped_libraries {
	struct targets *t;
	pid_t pid;
	const struct library *last; /* its further mappings are no news */
	void (*fn)(const struct library *lib, uint64_t base, void *arg);
	void *arg;
};

static int on_mapped_library(const struct mapping *m, void *arg)
{
	struct mapped_libraries *l = arg;
	const struct library *lib = NULL;
	struct stat st;
	uint64_t base;
	char name[256];
	int fd;

	if (!is_rocm_mapping(m, name))
		return 0;
	fd = procfs__open_mapping(l->pid, m, O_RDONLY);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st))
		lib = find_library(l->t, &st);
	if (lib && lib != l->last && lib->attached && !image__base(fd, m->start, m->offset, &base))
		l->fn(lib, base, l->arg);
	l->last = lib;
	close(fd);
	return 0;
}

void targets__each_library(struct targets *t, pid_t pid,
			   void (*fn)(const struct library *lib, uint64_t base, void *arg),
			   void *arg)
{
	struct mapped_libraries l = {t, pid, NULL, fn, arg};

	procfs__mappings(pid, on_mapped_library, &l);
}

void targets__each_process(struct targets *t, void (*fn)(pid_t pid, void *arg), void *arg)
{
	for (size_t i = 0; i < t->pid_count; i++)
		fn(t->pids[i], arg);
}

int targets__add_file(struct targets *t, int fd, const char *name, bool program)
{
	struct library *lib = get_library(t, fd, name, program);

	if (!lib)
		return -errno;
	return lib->probe_count + lib->door_count ? attach_file(t, lib, 0) : 0;
}

const struct function *targets__resolve(struct targets *t, uint32_t pid, uint64_t address)
{
	const struct library *lib;
	uint64_t offset;

	lib = addresses__find(t->addresses, pid, address, &offset);
	return lib ? library__at(lib, offset) : NULL;
}

void targets__fork(struct targets *t, pid_t parent, pid_t child)
{
	addresses__fork(t->addresses, parent, child);
}

static void forget_uses(struct targets *t, pid_t pid)
{
	struct use *u, *next;

	HASH_ITER (hh, t->uses, u, next) {
		if (u->key.pid == (uint64_t)pid)
			remove_use(t, u);
	}
}

void targets__exec(struct targets *t, pid_t pid, uint64_t since)
{
	struct scan s = {.t = t, .pid = pid, .since = since};

	addresses__forget(t->addresses, pid);
	forget_uses(t, pid);
	scan_program(&s);
}

void targets__exit(struct targets *t, pid_t pid)
{
	forget_uses(t, pid);
}

void targets__forget(struct targets *t, pid_t pid)
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
