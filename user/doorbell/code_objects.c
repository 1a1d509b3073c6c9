// SPDX-License-Identifier: MIT
/*
 * The table of kernels by process and address.
 *
 * The list of a process is read when a caller asks for a kernel that the last walk has not found.
 * An address means another kernel when its code has been unloaded and other code loaded in its
 * place. So what a walk finds counts for packets between which and the walk the process has not
 * begun to unload code: packets carry the time when it last did, and the walk compares that with
 * what is so now. While code may be going, the walk may still see it: then it counts only for
 * packets that were submitted before, as nobody runs what is going. A name that was certain once is
 * so for all packets with that address and that time.
 */
#include "user/doorbell/code_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/clock/clock_map.h"
#include "common/hash.h"
#include "user/elf/elf_image.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

#define LIST_SYMBOL "_amdgpu_r_debug"
#define HSA_LIBRARY "libhsa-runtime64.so"
#define LIST_TRIES  20
#define KERNELS_MAX 262144	   /* of a process */
#define CERTAIN_MAX 65536	   /* names of a process that are certain */
#define READS_MAX   65536	   /* code objects of a process in ... */
#define READS_NS    60000000000ULL /* ... this time */
#define RETRY_NS    50000000	   /* after that a kernel that was not found is looked for again */
#define PAUSE	    3		   /* times the length of a walk, before the next one */

struct kernel {
	uint64_t address;
	const char *name;
	const struct object *object;
	uint64_t number; /* of the object's reading that found it */
	UT_hash_handle hh;
};

struct object {
	struct object_key {
		uint64_t base, hash; /* of its URI */
	} key;
	uint64_t seen;	   /* number of the walk that found it last */
	uint64_t number;   /* of its last reading; ... */
	uint64_t unloaded; /* ... it has not been read since code was unloaded */
	UT_hash_handle hh;
};

/* A name that is certain. */
struct certain {
	struct certain_key {
		uint64_t address, unloaded;
	} key;
	const char *name;
	UT_hash_handle hh;
};

struct owner {
	pid_t pid;
	uint64_t r_debug; /* its address, 0: not found yet */
	uint64_t walks, kernel_count, certain_count;
	uint64_t reads, reads_since;
	/* The last walk: when it began, 0: it means nothing; what was unloaded before. */
	uint64_t walked;
	struct code_unloads unloads;
	uint64_t next_walk; /* not before */
	struct object *objects;
	struct kernel *kernels;
	struct certain *certain;
	UT_hash_handle hh;
};

struct codeobjects {
	struct strings *strings;
	code_unloads_fn *unloads;
	void *arg;
	struct owner *owners;
};

struct codeobjects *code_objects__new(struct strings *strings, code_unloads_fn *unloads, void *arg)
{
	struct codeobjects *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->strings = strings;
	c->unloads = unloads;
	c->arg = arg;
	return c;
}

static void drop_certain(struct owner *o)
{
	struct certain *name, *next;

	HASH_ITER (hh, o->certain, name, next) {
		HASH_DEL(o->certain, name);
		free(name);
	}
	o->certain_count = 0;
}

static void remove_owner(struct codeobjects *c, struct owner *o)
{
	struct object *object, *next_object;
	struct kernel *k, *next;

	drop_certain(o);
	HASH_ITER (hh, o->kernels, k, next) {
		HASH_DEL(o->kernels, k);
		free(k);
	}
	HASH_ITER (hh, o->objects, object, next_object) {
		HASH_DEL(o->objects, object);
		free(object);
	}
	HASH_DEL(c->owners, o);
	free(o);
}

void code_objects__free(struct codeobjects *c)
{
	struct owner *o, *next;

	if (!c)
		return;
	HASH_ITER (hh, c->owners, o, next) {
		remove_owner(c, o);
	}
	free(c);
}

static struct owner *get_owner(struct codeobjects *c, pid_t pid)
{
	struct owner *o;

	HASH_FIND(hh, c->owners, &pid, sizeof(pid), o);
	if (o)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->pid = pid;
	HASH_ADD(hh, c->owners, pid, sizeof(o->pid), o);
	return o;
}

/* ---- where the list is ---- */

static void find_in_file(struct owner *o, const struct mapping *m)
{
	int fd = procfs__open_mapping(o->pid, m, O_RDONLY);
	uint64_t base, address;
	struct image image;

	if (fd < 0)
		return;
	if (!elf_image__open_program(&image, fd)) {
		if (elf_image__variable(&image, LIST_SYMBOL, &address) &&
		    !elf_image__base(fd, m->start, m->offset, &base))
			o->r_debug = base + address;
		elf_image__close(&image);
	}
	close(fd);
}

struct search {
	struct owner *owner;
	char program[4096]; /* it may have the runtime linked in */
};

static int find_list(const struct mapping *m, void *arg)
{
	struct search *s = arg;
	char name[256];

	if (!m->exec || m->path[0] != '/')
		return 0;
	procfs__basename(m->path, name, sizeof(name));
	if (!strncmp(name, HSA_LIBRARY, strlen(HSA_LIBRARY)) || !strcmp(m->path, s->program))
		find_in_file(s->owner, m);
	return s->owner->r_debug != 0;
}

static bool has_list(struct owner *o)
{
	struct search s = {.owner = o};
	char link[PROCFS_PATH];
	ssize_t n;

	if (o->r_debug)
		return true;
	procfs__path(link, o->pid, "exe");
	n = readlink(link, s.program, sizeof(s.program) - 1);
	s.program[n > 0 ? n : 0] = '\0';
	procfs__mappings(o->pid, find_list, &s);
	return o->r_debug;
}

/* ---- what is in it ---- */

struct walk {
	struct codeobjects *c;
	struct owner *owner;
	struct object *object;
	struct code_unloads unloads;
};

static void add_kernel(uint64_t address, const char *name, size_t len, void *arg)
{
	struct walk *w = arg;
	struct owner *o = w->owner;
	struct kernel *k;

	address += w->object->key.base;
	HASH_FIND(hh, o->kernels, &address, sizeof(address), k);
	if (!k) {
		if (o->kernel_count >= KERNELS_MAX)
			return;
		k = calloc(1, sizeof(*k));
		if (!k)
			return;
		k->address = address;
		HASH_ADD(hh, o->kernels, address, sizeof(k->address), k);
		o->kernel_count++;
	}
	k->name = string_pool__keep_kernel(w->c->strings, name, len);
	k->object = w->object;
	k->number = w->object->number;
}

struct source {
	pid_t pid;
	int fd; /* -1: in memory */
	uint64_t offset, size;
};

static ssize_t read_source(void *arg, uint64_t offset, void *buf, size_t size)
{
	const struct source *s = arg;

	if (s->fd >= 0)
		return pread(s->fd, buf, size, s->offset + offset);
	return procfs__read_memory(s->pid, s->offset + offset, buf, size);
}

/* Opens it as the process sees it; its size is known then. */
static int open_source(struct source *s, const struct code_place *place)
{
	char path[sizeof(place->path) + 64];
	struct stat st;

	s->fd = -1;
	s->offset = place->offset;
	s->size = place->size;
	if (place->in_memory)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/root%s", procfs__living(s->pid), place->path);
	s->fd = procfs__open_regular(path);
	if (s->fd < 0)
		return s->fd;
	if (fstat(s->fd, &st) || s->offset > (uint64_t)st.st_size)
		return -EINVAL;
	if (!s->size || s->size > st.st_size - s->offset)
		s->size = st.st_size - s->offset;
	return 0;
}

static bool may_read(struct owner *o)
{
	uint64_t now = clock__boot_ns();

	if (now > o->reads_since + READS_NS) {
		o->reads_since = now;
		o->reads = 0;
	}
	return o->reads++ < READS_MAX;
}

static void read_kernels(struct walk *w, const struct code_entry *e)
{
	struct source s = {.pid = w->owner->pid};
	struct code_place place;
	int err;

	w->object->number++;
	w->object->unloaded = w->unloads.began;
	if (!may_read(w->owner))
		return;
	err = code_place__parse(&place, e->uri) ? open_source(&s, &place) : -EINVAL;
	if (!err)
		err = code_elf__kernels(read_source, &s, s.size, add_kernel, w);
	if (err)
		log_info("process %d: kernels of a code object: %s", s.pid, strerror(-err));
	if (s.fd > 0)
		close(s.fd);
}

static uint64_t hash_of(const char *uri)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *uri; uri++)
		hash = (hash ^ (unsigned char)*uri) * 0x100000001b3;
	return hash;
}

static void on_entry(const struct code_entry *e, void *arg)
{
	struct object_key key = {e->base, hash_of(e->uri)};
	struct walk *w = arg;
	struct owner *o = w->owner;

	HASH_FIND(hh, o->objects, &key, sizeof(key), w->object);
	if (!w->object) {
		w->object = calloc(1, sizeof(*w->object));
		if (!w->object)
			return;
		w->object->key = key;
		HASH_ADD(hh, o->objects, key, sizeof(key), w->object);
	}
	/* What was loaded at the same place from the same buffer or file may be something else. */
	if (!w->object->number || w->object->unloaded != w->unloads.began)
		read_kernels(w, e);
	w->object->seen = o->walks;
}

static bool is_there(const struct owner *o, const struct kernel *k)
{
	return k->object->seen == o->walks && k->object->number == k->number;
}

static void drop_unloaded(struct owner *o)
{
	struct object *object, *next_object;
	struct kernel *k, *next;

	HASH_ITER (hh, o->kernels, k, next) {
		if (is_there(o, k))
			continue;
		HASH_DEL(o->kernels, k);
		free(k);
		o->kernel_count--;
	}
	HASH_ITER (hh, o->objects, object, next_object) {
		if (object->seen == o->walks)
			continue;
		HASH_DEL(o->objects, object);
		free(object);
	}
}

static ssize_t read_process(void *arg, uint64_t offset, void *buf, size_t size)
{
	return procfs__read_memory(*(const pid_t *)arg, offset, buf, size);
}

/* 0 or -errno: then which code has been unloaded is not known. */
static int read_list(struct codeobjects *c, struct owner *o, const struct code_unloads *unloads)
{
	struct walk w = {.c = c, .owner = o, .unloads = *unloads};
	int tries = LIST_TRIES, err;

	if (!has_list(o))
		return -ENOENT;
	o->walks++;
	do {
		err = code_list__walk(read_process, &o->pid, o->r_debug, on_entry, &w);
	} while (err == -EAGAIN && tries--);
	if (!err)
		drop_unloaded(o);
	return err;
}

static void walk(struct codeobjects *c, struct owner *o, const struct code_unloads *unloads)
{
	uint64_t began = clock__boot_ns(), ended;
	struct code_unloads after;
	int err = read_list(c, o, unloads);

	ended = clock__boot_ns();
	o->next_walk = ended + PAUSE * (ended - began);
	o->walked = 0;
	if (err || !c->unloads(o->pid, &after, c->arg) || after.began != unloads->began)
		return;
	o->walked = began;
	o->unloads = *unloads;
}

/* ---- names ---- */

static const struct kernel *find(const struct owner *o, const struct code_use *use)
{
	const struct kernel *k;

	HASH_FIND(hh, o->kernels, &use->object, sizeof(use->object), k);
	return k;
}

/* Is it what the last walk has found? NULL: that is not certain. */
static const struct kernel *find_certain(const struct owner *o, const struct code_use *use)
{
	if (!o->walked || o->unloads.began != use->unloaded ||
	    (o->unloads.may_go_on && o->walked < use->ts))
		return NULL;
	return find(o, use);
}

static const char *keep_certain(struct owner *o, const struct code_use *use, const char *name)
{
	struct certain *certain;

	if (o->certain_count >= CERTAIN_MAX)
		drop_certain(o);
	certain = calloc(1, sizeof(*certain));
	if (!certain)
		return name;
	certain->key = (struct certain_key){use->object, use->unloaded};
	certain->name = name;
	HASH_ADD(hh, o->certain, key, sizeof(certain->key), certain);
	o->certain_count++;
	return name;
}

static const struct kernel *look_for(struct codeobjects *c, struct owner *o,
				     const struct code_use *use)
{
	const struct kernel *k = find_certain(o, use);
	struct code_unloads now;

	if (k || clock__boot_ns() < o->next_walk || !c->unloads(o->pid, &now, c->arg) ||
	    now.began != use->unloaded)
		return k;
	walk(c, o, &now);
	k = find_certain(o, use);
	if (!k && o->next_walk < clock__boot_ns() + RETRY_NS)
		o->next_walk = clock__boot_ns() + RETRY_NS;
	return k;
}

const char *code_objects__kernel(struct codeobjects *c, const struct code_use *use, bool *is_kernel)
{
	struct certain_key key = {use->object, use->unloaded};
	struct owner *o = get_owner(c, use->pid);
	const struct kernel *k;
	struct certain *certain;

	*is_kernel = false;
	if (!o)
		return NULL;
	HASH_FIND(hh, o->certain, &key, sizeof(key), certain);
	*is_kernel = certain;
	if (certain)
		return certain->name;
	k = look_for(c, o, use);
	*is_kernel = k || find(o, use);
	return k ? keep_certain(o, use, k->name) : NULL;
}

void code_objects__forget(struct codeobjects *c, pid_t pid)
{
	struct owner *o;

	HASH_FIND(hh, c->owners, &pid, sizeof(pid), o);
	if (o)
		remove_owner(c, o);
}
