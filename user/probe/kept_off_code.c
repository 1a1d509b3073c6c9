// SPDX-License-Identifier: MIT
/*
 * Finds what such processes have mapped, and puts the code back.
 */
#include "user/probe/kept_off_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/base/procfs.h"
#include "user/probe/file_code.h"

/*
 * What is compared with files for one process at a time: so often, it must not keep the tracer from
 * all others. Translators have a few mappings of each file.
 */
#define MAPPINGS_MAX 1024
#define BYTES_MAX    (256u << 20)

/* What a process has mapped of libraries. */
struct scan {
	const struct kept_off_code *k;
	pid_t pid;
	const struct library *only; /* NULL: all that are probed */
	bool restore;
	void (*fn)(struct library *lib, void *arg); /* may be NULL */
	void *arg;
	int found, restored, err;
	uint64_t bytes;
};

/* The library that a file is: one that was looked at, or may be by its name. */
static struct library *library_of(struct known_files *files, int fd, const char *path)
{
	struct library *lib = NULL;
	char name[256];
	struct stat st;
	bool again;
	int copy;

	if (!fstat(fd, &st))
		lib = known_files__find(files, &st);
	procfs__basename(path, name, sizeof(name));
	if (lib || !library_probes__is_rocm(name))
		return lib;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? NULL : known_files__get(files, copy, path, false, &again);
}

static void look_at(struct scan *s, const struct mapping *m, int fd)
{
	struct library *lib = library_of(s->k->files, fd, m->path);
	int n = 0;

	if (!lib || !(lib->probe_count + lib->door_count) || (s->only && s->only != lib))
		return;
	s->found++;
	s->bytes += m->end - m->start;
	if (s->restore && lib->attached)
		n = s->found > MAPPINGS_MAX || s->bytes > BYTES_MAX
			    ? -E2BIG
			    : file_code__restore(s->pid, m, lib);
	if (n < 0)
		s->err = n;
	else
		s->restored += n;
	if (s->fn)
		s->fn(lib, s->arg);
}

/* Of whatever protection: what translates code has no need to execute it. */
static int on_mapping(const struct mapping *m, void *arg)
{
	struct scan *s = arg;
	int fd = m->path[0] == '/' ? procfs__open_mapping(s->pid, m, O_RDONLY) : -1;

	if (fd < 0)
		return 0;
	look_at(s, m, fd);
	close(fd);
	return 0;
}

static void restore(struct scan *s)
{
	s->restore = true;
	procfs__mappings(s->pid, on_mapping, s);
	if (s->err && s->err != -ESRCH && s->err != -ENOENT)
		log_warn("process %d: probes cannot be taken out of its memory: %s: it may die of "
			 "SIGTRAP",
			 s->pid, s->err == -E2BIG ? "it has mapped too much" : strerror(-s->err));
	if (s->restored)
		log_info("process %d: %d probes are taken out of its memory", s->pid, s->restored);
}

void kept_off_code__restore(const struct kept_off_code *k, pid_t pid,
			    void (*fn)(struct library *lib, void *arg), void *arg)
{
	struct scan s = {.k = k, .pid = pid, .fn = fn, .arg = arg};

	restore(&s);
}

/* ---- processes that run already ---- */

struct held_process {
	pid_t pid;
	bool ours; /* else somebody else has stopped it */
};

struct holding {
	const struct kept_off_code *k;
	const struct library *lib;
	struct held_processes *held;
};

static bool has_mapped(const struct kept_off_code *k, pid_t pid, const struct library *lib)
{
	struct scan s = {.k = k, .pid = pid, .only = lib};

	procfs__mappings(pid, on_mapping, &s);
	return s.found;
}

static int hold_if_mapped(pid_t pid, void *arg)
{
	const struct holding *h = arg;
	struct held_process *grown;
	char exe[64];

	if (pid == getpid() || !kept_off__has(h->k->names, pid, exe, sizeof(exe)) ||
	    !has_mapped(h->k, pid, h->lib))
		return 0;
	grown = reallocarray(h->held->processes, h->held->count + 1, sizeof(*grown));
	if (!grown) {
		log_warn("process %d (%s): no memory to hold it: it may die of SIGTRAP", pid, exe);
		return 0;
	}
	h->held->processes = grown;
	grown[h->held->count++] = (struct held_process){pid, holds__stop(h->k->holds, pid)};
	return 0;
}

void kept_off_code__hold(const struct kept_off_code *k, const struct library *lib,
			 struct held_processes *held)
{
	struct holding h = {k, lib, held};

	procfs__processes(hold_if_mapped, &h);
}

void kept_off_code__release(const struct kept_off_code *k, const struct library *lib,
			    struct held_processes *held)
{
	for (size_t i = 0; i < held->count; i++) {
		struct scan s = {.k = k, .pid = held->processes[i].pid, .only = lib};

		restore(&s);
		if (held->processes[i].ours)
			holds__end_release(k->holds, s.pid); /* if not: see on_held() */
	}
	free(held->processes);
}
