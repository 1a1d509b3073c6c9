// SPDX-License-Identifier: MIT
/*
 * Finds and probes the files with API functions that processes use.
 */
#include "user/probe/targets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/clock/clock_map.h"
#include "common/hash.h"
#include "user/elf/elf_image.h"
#include "user/probe/kept_off_code.h"
#include "user/probe/known_files.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

/* A file that a process uses. */
struct use {
	struct use_key {
		struct library *lib;
		uint64_t pid;
	} key;
	bool told;     /* of the program that the process runs */
	bool probed;   /* in this process alone */
	bool orphaned; /* the thread by which the kernel knows the process there is not its first
			  any more */
	uint64_t unsure_since; /* calls are missing if it has not mapped the file later; 0: sure */
	uint64_t seen;	       /* when the process was known to use it */
	UT_hash_handle hh;
};

struct targets {
	struct functions *fns;
	struct attach *attach;
	enum targets_reach reach;
	struct kept_off_code kept_off;
	struct targets_callbacks callbacks;
	struct known_files *files;
	struct use *uses;
	size_t unsure; /* of these */
	bool late;     /* a program of a tree was probed when it ran already */
	pid_t *pids;   /* added */
	size_t pid_count;
};

struct targets *targets__new(struct functions *fns, struct attach *attach, enum targets_reach reach,
			     const struct kept_off *kept_off, struct holds *holds,
			     const struct targets_callbacks *callbacks)
{
	struct targets *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->fns = fns;
	t->attach = attach;
	t->reach = reach;
	t->callbacks = *callbacks;
	t->files = known_files__new(fns);
	if (!t->files) {
		targets__free(t);
		return NULL;
	}
	t->kept_off = (struct kept_off_code){t->files, kept_off, holds};
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

	if (!t)
		return;
	HASH_ITER (hh, t->uses, u, next) {
		remove_use(t, u);
	}
	known_files__free(t->files);
	free(t->pids);
	free(t);
}

/* ---- files ---- */

/* NULL: no memory. */
static struct use *get_use(struct targets *t, struct library *lib, pid_t pid)
{
	struct use *u, key = {.key = {lib, pid}};

	HASH_FIND(hh, t->uses, &key.key, sizeof(key.key), u);
	if (u)
		return u;
	u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->key = key.key;
	HASH_ADD(hh, t->uses, key, sizeof(u->key), u);
	return u;
}

/*
 * `pid`: in that process alone, or with what it starts; 0: in all, beside those in which it is
 * probed alone. Returns 1, 0 if it was probed there already, or -errno.
 */
static int attach_file(struct targets *t, struct library *lib, pid_t pid)
{
	bool everywhere = !pid && t->reach != REACH_TREE;
	struct held_processes held = {};
	int n;

	if (lib->everywhere)
		return 0;
	if (everywhere)
		kept_off_code__hold(&t->kept_off, lib, &held);
	n = attach_links__library(t->attach, lib, pid);
	if (n)
		lib->attached_at = clock__boot_ns();
	if (n >= 0) {
		lib->attached = true;
		lib->everywhere = everywhere;
	}
	if (lib->everywhere)
		attach_links__known(t->attach, lib);
	kept_off_code__release(&t->kept_off, lib, &held);
	return n;
}

/*
 * The kernel knows a process's memory by its first thread. Once that has ended, a new probe of the
 * process alone is never hit, and those that are there can be taken out. So the file is probed in
 * all processes then: links of both kinds do no harm, see RT_COOKIE_EVERYWHERE. Links follow the
 * first thread into another program.
 */
static int attach_use(struct targets *t, struct use *u)
{
	pid_t pid = u->key.pid;
	int n;

	if (t->reach == REACH_TREE)
		return attach_file(t, u->key.lib, pid);
	if (t->reach == REACH_NODE || u->orphaned || procfs__living(pid) != pid)
		return attach_file(t, u->key.lib, 0);
	if (u->probed)
		return 0;
	n = attach_file(t, u->key.lib, pid);
	u->probed = n >= 0 && !u->key.lib->everywhere;
	return n;
}

static void tell_late(struct targets *t, pid_t pid, const struct library *lib, uint64_t since)
{
	char what[512];

	snprintf(what, sizeof(what), "%s was probed up to %.1f ms after it was mapped", lib->name,
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

/* ---- processes that are kept off ---- */

struct left_out {
	struct targets *t;
	pid_t pid;
	const char *exe;
	int found;
};

/* The process uses the file, which is not probed there. */
static void leave_out(struct library *lib, void *arg)
{
	struct left_out *l = arg;
	struct targets *t = l->t;
	struct use *u = get_use(t, lib, l->pid);
	uint64_t now = clock__boot_ns();
	char what[512], name[256];

	l->found++;
	if (!u || u->told || !t->callbacks.takes(l->pid, t->callbacks.arg))
		return;
	u->told = true;
	procfs__basename(lib->name, name, sizeof(name));
	snprintf(what, sizeof(what), "its calls of %s may be missing: probes keep off %s", name,
		 l->exe);
	log_warn("process %d: %s", l->pid, what);
	t->callbacks.uses(l->pid, lib, t->callbacks.arg);
	t->callbacks.gap(l->pid, what, now, now, t->callbacks.arg);
}

/* How many libraries the process has mapped; -1: probes do not keep off it. */
static int keep_off(struct targets *t, pid_t pid)
{
	char exe[64];
	struct left_out l = {t, pid, exe, 0};

	if (!kept_off__has(t->kept_off.names, pid, exe, sizeof(exe)))
		return -1;
	kept_off_code__restore(&t->kept_off, pid, leave_out, &l);
	return l.found;
}

void targets__keep_off(struct targets *t, pid_t pid)
{
	keep_off(t, pid);
}

/* ---- what a process maps ---- */

struct scan {
	struct targets *t;
	pid_t pid;
	bool only_count;
	uint64_t since; /* it may have called the file of that name then; if none is given, each */
	const char *name; /* of a file that it is said to have mapped; may be cut */
	uint64_t started; /* it may have called any other since then ... */
	uint64_t seen; /* ... if no record of its mapping that was made before is drained later */
	bool named;    /* it was among those found */
	bool late;     /* the program may have made calls before it was probed */
	int found;
	int err;
};

static void settle(struct targets *t, struct use *u, uint64_t since)
{
	if (!u->unsure_since)
		return;
	u->unsure_since = 0;
	t->unsure--;
	if (since < u->key.lib->attached_at)
		tell_late(t, u->key.pid, u->key.lib, since);
}

/* Is it the file that the record names, or is there no record? */
static bool is_sure(const struct scan *s, const char *basename)
{
	return s->name ? !strncmp(basename, s->name, strlen(s->name)) : !s->seen;
}

/*
 * The process uses the file, and may have called it before it was probed. 1: it has a gap for that.
 * In a tree the file may have been probed in another process since.
 */
static int use_file(struct scan *s, struct library *lib, bool sure)
{
	uint64_t since = sure ? s->since : s->started;
	struct targets *t = s->t;
	struct use *u;
	int n;

	if (!(lib->probe_count + lib->door_count))
		return 0;
	u = get_use(t, lib, s->pid);
	if (!u)
		return -ENOMEM;
	if (u->told && s->name && sure)
		settle(t, u, since);
	if (u->told)
		return 0;
	u->told = true;
	n = attach_use(t, u);
	t->callbacks.uses(s->pid, lib, t->callbacks.arg);
	if (!since || since >= lib->attached_at || (!n && t->reach == REACH_TREE))
		return n < 0 ? n : 0;
	if (sure) {
		tell_late(t, s->pid, lib, since);
		return n < 0 ? n : 1;
	}
	u->unsure_since = since;
	u->seen = s->seen;
	t->unsure++;
	return n < 0 ? n : 0;
}

/* `name` gets the file's, without its folder. */
static bool is_rocm_mapping(const struct mapping *m, char name[256])
{
	if (!m->exec || m->path[0] != '/')
		return false;
	procfs__basename(m->path, name, 256);
	return library_probes__is_rocm(name);
}

static int on_mapping(const struct mapping *m, void *arg)
{
	struct scan *s = arg;
	struct library *lib;
	char name[256];
	bool again = false, sure;
	int fd, err;

	if (!is_rocm_mapping(m, name))
		return 0;
	s->found++;
	sure = is_sure(s, name);
	s->named |= s->name && sure;
	if (s->only_count)
		return 0;
	fd = procfs__open_mapping(s->pid, m, O_RDONLY);
	lib = fd < 0 ? NULL : known_files__get(s->t->files, fd, m->path, false, &again);
	if (!lib) {
		s->err = fd < 0 ? fd : -errno;
		if (s->err != -ENOENT && s->err != -ESRCH && !again) /* else it no longer exists */
			log_warn("process %d: read %s: %s", s->pid, m->path, strerror(-s->err));
		return 0;
	}
	err = use_file(s, lib, sure);
	s->err = s->err || err > 0 ? s->err : err;
	return 0;
}

/* Opens the file of the process's program. `name` gets its path. -errno if the process ended. */
static int open_program(pid_t pid, char name[PATH_MAX])
{
	char path[PROCFS_PATH];
	ssize_t n;
	int fd;

	procfs__path(path, pid, "exe");
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
	bool again;
	int fd;

	fd = open_program(s->pid, name);
	lib = fd < 0 ? NULL : known_files__get(s->t->files, fd, name, true, &again);
	if (!lib || !lib->probe_count)
		return;
	s->found++;
	s->err = use_file(s, lib, !s->seen);
	s->late = s->err > 0;
	s->err = s->late ? 0 : s->err;
}

static int scan_process(struct scan *s)
{
	int err = procfs__mappings(s->pid, on_mapping, s);

	if (!err)
		err = s->err;
	return err ? err : s->found;
}

static bool program_has_functions(struct functions *fns, pid_t pid)
{
	char name[PATH_MAX];
	int fd = open_program(pid, name);
	struct library *lib = fd < 0 ? NULL : library_probes__open_program(fd, name, fns);
	bool has = lib && lib->probe_count;

	library_probes__close(lib);
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
	int found = keep_off(t, pid);
	pid_t *grown;

	if (found >= 0)
		return found;
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
	struct scan s = {.t = t, .pid = pid, .seen = rec->h.ts};
	char name[sizeof(rec->name)];

	snprintf(name, sizeof(name), "%s", rec->name);
	s.name = name;
	if (keep_off(t, pid) >= 0)
		return;
	if (!held) {
		s.since = rec->h.ts;
		s.started = procfs__started_ns(pid);
	}
	/* A thread in fork has started a process, without the probes, when it is stopped. */
	if (held && t->reach == REACH_TREE)
		holds__wait(pid);
	scan_process(&s);
	if (!s.named && !(rec->h.flags & RT_MAPPED_KNOWN) && library_probes__is_rocm(name))
		tell_never(t, pid, name, rec->h.ts);
}

void targets__look(struct targets *t, pid_t pid, uint64_t since)
{
	struct scan s = {.t = t, .pid = pid, .since = since};

	if (keep_off(t, pid) >= 0)
		return;
	scan_program(&s);
	scan_process(&s);
}

/*
 * The record of what it has mapped may wait in the ring of another CPU. A process that was forked
 * has no such record: it may have called what its parent had mapped since it was started.
 */
void targets__called(struct targets *t, pid_t pid, uint64_t ts)
{
	struct scan s = {.t = t, .pid = pid, .seen = ts};

	if (keep_off(t, pid) >= 0)
		return;
	if (t->reach == REACH_NODE)
		s.started = procfs__started_ns(pid);
	scan_program(&s);
	scan_process(&s);
}

void targets__drained(struct targets *t, uint64_t until)
{
	struct use *u, *next;

	if (!t->unsure)
		return;
	HASH_ITER (hh, t->uses, u, next) {
		if (u->seen < until)
			settle(t, u, u->unsure_since);
	}
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
		lib = known_files__find(l->t->files, &st);
	if (lib && lib != l->last && lib->attached &&
	    !elf_image__base(fd, m->start, m->offset, &base))
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
	bool again;
	struct library *lib = known_files__get(t->files, fd, name, program, &again);
	int n;

	if (!lib)
		return -errno;
	n = lib->probe_count + lib->door_count ? attach_file(t, lib, 0) : 0;
	return n < 0 ? n : 0;
}

struct relatives {
	struct targets *t;
	uint64_t since;
};

static int scan_relative(pid_t pid, void *arg)
{
	const struct relatives *r = arg;
	struct scan s = {.t = r->t, .pid = pid, .since = r->since};

	if (r->t->callbacks.takes(pid, r->t->callbacks.arg) && keep_off(r->t, pid) < 0)
		scan_program(&s);
	return 0;
}

/*
 * What the program had started before it was probed has not got its probes. A process that is about
 * to be started now is reported later, see targets__forked.
 */
static void probe_relatives(struct targets *t, uint64_t since)
{
	struct relatives r = {t, since};

	t->late = true;
	procfs__processes(scan_relative, &r);
}

void targets__forked(struct targets *t, pid_t child, uint64_t since)
{
	struct scan s = {.t = t, .pid = child, .since = since};

	if (t->late && keep_off(t, child) < 0)
		scan_program(&s);
}

void targets__exec(struct targets *t, pid_t pid, bool by_thread, uint64_t since)
{
	struct scan s = {.t = t, .pid = pid, .since = since};
	struct use *u, *next;

	HASH_ITER (hh, t->uses, u, next) {
		if (u->key.pid != (uint64_t)pid)
			continue;
		settle(t, u, u->unsure_since);
		u->told = false;
		u->orphaned |= by_thread;
	}
	if (keep_off(t, pid) < 0)
		scan_program(&s);
	if (s.late && t->reach != REACH_PROCESSES)
		probe_relatives(t, since);
}

static void adopt(struct targets *t, struct use *u, uint64_t since)
{
	pid_t pid = u->key.pid;
	struct library *lib = u->key.lib;
	size_t missing = attach_links__missing(t->attach, lib, pid);
	char what[512];

	if (attach_file(t, lib, 0) < 0) {
		log_warn("process %d: its first thread has ended: calls of %s can be missing when "
			 "another tracer comes or goes",
			 pid, lib->name);
		return;
	}
	log_info("process %d: its first thread has ended: %s is probed in all processes", pid,
		 lib->name);
	if (!missing)
		return;
	snprintf(what, sizeof(what), "%zu probes of %s were taken out when its first thread ended",
		 missing, lib->name);
	t->callbacks.gap(pid, what, since, lib->attached_at, t->callbacks.arg);
}

void targets__first_thread_ended(struct targets *t, pid_t pid, uint64_t since)
{
	struct use *u, *next;

	if (t->reach != REACH_PROCESSES || !attach_links__need_first_thread(t->attach))
		return;
	HASH_ITER (hh, t->uses, u, next) {
		if (u->key.pid == (uint64_t)pid && u->probed && !u->key.lib->everywhere)
			adopt(t, u, since);
	}
}

void targets__exit(struct targets *t, pid_t pid)
{
	struct use *u, *next;

	HASH_ITER (hh, t->uses, u, next) {
		if (u->key.pid != (uint64_t)pid)
			continue;
		settle(t, u, u->unsure_since);
		remove_use(t, u);
	}
}

size_t targets__function_count(const struct targets *t)
{
	return known_files__probes(t->files);
}
