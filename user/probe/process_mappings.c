// SPDX-License-Identifier: MIT
/*
 * The executable mappings of ROCm libraries, by process.
 */
#include "user/probe/process_mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/hash.h"
#include "user/base/procfs.h"

struct place {
	uint64_t start, end, offset;
	const struct library *lib;
	struct place *next;
};

struct known {
	pid_t pid;
	struct place *places;
	UT_hash_handle hh;
};

struct addresses {
	struct known *all;
	find_library_fn find;
	void *arg;
};

struct addresses *process_mappings__new(find_library_fn find, void *arg)
{
	struct addresses *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->find = find;
	a->arg = arg;
	return a;
}

static void free_places(struct known *k)
{
	struct place *p, *next;

	for (p = k->places; p; p = next) {
		next = p->next;
		free(p);
	}
	k->places = NULL;
}

static void remove_known(struct addresses *a, struct known *k)
{
	HASH_DEL(a->all, k);
	free_places(k);
	free(k);
}

void process_mappings__forget(struct addresses *a, pid_t pid)
{
	struct known *k;

	HASH_FIND(hh, a->all, &pid, sizeof(pid), k);
	if (k)
		remove_known(a, k);
}

void process_mappings__free(struct addresses *a)
{
	struct known *k, *next;

	if (!a)
		return;
	HASH_ITER (hh, a->all, k, next) {
		remove_known(a, k);
	}
	free(a);
}

struct scan {
	struct addresses *a;
	struct known *known;
};

static int add_place(const struct mapping *m, void *arg)
{
	const struct library *lib;
	struct scan *s = arg;
	struct place *p;
	struct stat st;
	int fd;

	if (!m->exec || m->path[0] != '/')
		return 0;
	fd = procfs__open_mapping(s->known->pid, m, O_RDONLY);
	if (fd < 0)
		return 0;
	lib = fstat(fd, &st) ? NULL : s->a->find(&st, s->a->arg);
	close(fd);
	p = lib ? malloc(sizeof(*p)) : NULL;
	if (!p)
		return 0;
	*p = (struct place){m->start, m->end, m->offset, lib, s->known->places};
	s->known->places = p;
	return 0;
}

static const struct place *find_place(const struct known *k, uint64_t address)
{
	const struct place *p;

	for (p = k->places; p && (address < p->start || address >= p->end); p = p->next)
		;
	return p;
}

static struct known *get_known(struct addresses *a, pid_t pid)
{
	struct known *k;

	HASH_FIND(hh, a->all, &pid, sizeof(pid), k);
	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	k->pid = pid;
	HASH_ADD(hh, a->all, pid, sizeof(k->pid), k);
	return k;
}

/* The known mappings are kept when the process has ended and /proc has none. */
static void learn(struct addresses *a, struct known *k)
{
	struct known now = {.pid = k->pid};
	struct scan s = {a, &now};

	procfs__mappings(k->pid, add_place, &s);
	if (!now.places)
		return;
	free_places(k);
	k->places = now.places;
}

void process_mappings__learn(struct addresses *a, pid_t pid)
{
	struct known *k = get_known(a, pid);

	if (k)
		learn(a, k);
}

void process_mappings__fork(struct addresses *a, pid_t parent, pid_t child)
{
	struct known *from = get_known(a, parent), *to = get_known(a, child);
	struct place *copy;

	if (!from || !to)
		return;
	free_places(to);
	for (const struct place *p = from->places; p; p = p->next) {
		copy = malloc(sizeof(*copy));
		if (!copy)
			return;
		*copy = *p;
		copy->next = to->places;
		to->places = copy;
	}
}

const struct library *process_mappings__find(struct addresses *a, pid_t pid, uint64_t address,
					     uint64_t *offset)
{
	struct known *k = get_known(a, pid);
	const struct place *p;

	if (!k)
		return NULL;
	p = find_place(k, address);
	if (!p) {
		learn(a, k); /* mapped since the last look */
		p = find_place(k, address);
	}
	if (!p)
		return NULL;
	*offset = address - p->start + p->offset;
	return p->lib;
}
