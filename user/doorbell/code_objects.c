// SPDX-License-Identifier: MIT
/*
 * The table of kernels by process and address.
 *
 * The list of a process is read when a caller asks for an unknown kernel. It is also read when the
 * process has loaded or unloaded code since: the address of unloaded code may be reused for other
 * code. So each kernel has a time range in which its address means that kernel.
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
#define KEPT_NS	    10000000000ULL /* how long a kernel is known after it was unloaded */
#define KERNELS_MAX 262144	   /* of a process */
#define READS_MAX   65536	   /* code objects of a process, over time */
#define RETRY_NS    50000000	   /* after that a kernel that was not found is looked for again */

struct kernel {
	uint64_t address;
	const char *name;
	uint64_t since, until; /* its address means it in that time */
	struct object *object; /* that it is of; NULL: unloaded */
	struct kernel *before; /* the kernel that had this address before */
	UT_hash_handle hh;
};

struct object {
	struct object_key {
		uint64_t base, hash; /* of its URI */
	} key;
	uint64_t seen; /* number of the walk that found it last */
	UT_hash_handle hh;
};

struct owner {
	pid_t pid;
	uint64_t r_debug; /* its address, 0: not found yet */
	uint64_t walks, reads, kernel_count;
	/* When code was loaded or unloaded since the last walk, first and last; 0: it was not. */
	uint64_t first_change, last_change;
	uint64_t boundary; /* of this walk: between unloaded code and the code that replaced it */
	uint64_t retry;	   /* not before */
	struct object *objects;
	struct kernel *kernels;
	UT_hash_handle hh;
};

struct codeobjects {
	struct strings *strings;
	struct owner *owners;
};

struct codeobjects *code_objects__new(struct strings *strings)
{
	struct codeobjects *c = calloc(1, sizeof(*c));

	if (c)
		c->strings = strings;
	return c;
}

static void remove_owner(struct codeobjects *c, struct owner *o)
{
	struct object *object, *next_object;
	struct kernel *k, *next, *before;

	HASH_ITER (hh, o->kernels, k, next) {
		HASH_DEL(o->kernels, k);
		for (; k; k = before) {
			before = k->before;
			free(k);
		}
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
	uint64_t base;
};

static void add_kernel(uint64_t address, const char *name, size_t len, void *arg)
{
	struct walk *w = arg;
	struct owner *o = w->owner;
	struct kernel *k, *old;

	if (o->kernel_count >= KERNELS_MAX)
		return;
	k = calloc(1, sizeof(*k));
	if (!k)
		return;
	k->address = w->base + address;
	k->name = string_pool__keep_kernel(w->c->strings, name, len);
	k->object = w->object;
	/* Kernels found in the first walk of a process were loaded before that walk. */
	k->since = o->walks > 1 ? o->first_change : 0;
	k->until = UINT64_MAX;
	HASH_FIND(hh, o->kernels, &k->address, sizeof(k->address), old);
	if (old) {
		HASH_DEL(o->kernels, old);
		k->since = o->boundary;
		if (old->until > k->since)
			old->until = k->since;
		k->before = old;
	}
	HASH_ADD(hh, o->kernels, address, sizeof(k->address), k);
	o->kernel_count++;
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

static void read_kernels(struct walk *w, const struct code_entry *e)
{
	struct source s = {.pid = w->owner->pid};
	struct code_place place;
	int err;

	if (w->owner->reads++ >= READS_MAX)
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
		w->base = e->base;
		read_kernels(w, e);
	}
	w->object->seen = o->walks;
}

static void end_kernel(struct owner *o, struct kernel *k)
{
	if (!k->object || k->object->seen == o->walks)
		return;
	k->object = NULL;
	if (k->until > o->boundary)
		k->until = o->boundary;
}

static bool is_over(const struct owner *o, const struct kernel *k)
{
	return !k->object && k->until + KEPT_NS < o->boundary;
}

/* Ends the kernels of unloaded objects at one address; frees those that ended long ago. */
static void end_kernels(struct owner *o, struct kernel *last)
{
	struct kernel **chain, *k;

	for (chain = &last->before; (k = *chain);) {
		end_kernel(o, k);
		if (!is_over(o, k)) {
			chain = &k->before;
			continue;
		}
		*chain = k->before;
		free(k);
		o->kernel_count--;
	}
	end_kernel(o, last);
	if (last->before || !is_over(o, last))
		return;
	HASH_DEL(o->kernels, last);
	free(last);
	o->kernel_count--;
}

/* What is no longer in the list is meant by nothing that was submitted after the change. */
static void drop_unloaded(struct owner *o)
{
	struct object *object, *next_object;
	struct kernel *k, *next;
	size_t unloaded = 0;

	HASH_ITER (hh, o->objects, object, next_object) {
		unloaded += object->seen != o->walks;
	}
	if (!unloaded)
		return;
	HASH_ITER (hh, o->kernels, k, next) {
		end_kernels(o, k);
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

static void walk(struct codeobjects *c, struct owner *o)
{
	struct walk w = {.c = c, .owner = o};
	int tries = LIST_TRIES, err;

	o->retry = clock__boot_ns() + RETRY_NS;
	if (!has_list(o))
		return;
	o->walks++;
	o->boundary = o->last_change ? o->last_change : clock__boot_ns();
	do {
		err = code_list__walk(read_process, &o->pid, o->r_debug, on_entry, &w);
	} while (err == -EAGAIN && tries--);
	if (err)
		return; /* the list was not read: which objects were unloaded is unknown */
	drop_unloaded(o);
	o->first_change = o->last_change = 0;
}

static const struct kernel *find(const struct owner *o, uint64_t object, uint64_t ts)
{
	const struct kernel *k;

	HASH_FIND(hh, o->kernels, &object, sizeof(object), k);
	while (k && !(ts >= k->since && ts < k->until))
		k = k->before;
	return k;
}

const char *code_objects__kernel(struct codeobjects *c, pid_t pid, uint64_t object, uint64_t ts)
{
	struct owner *o = get_owner(c, pid);
	const struct kernel *k;

	if (!o)
		return NULL;
	if (o->first_change && ts > o->first_change)
		walk(c, o);
	k = find(o, object, ts);
	if (!k && clock__boot_ns() >= o->retry) {
		walk(c, o);
		k = find(o, object, ts);
	}
	return k ? k->name : NULL;
}

void code_objects__changed(struct codeobjects *c, pid_t pid, uint64_t ts)
{
	struct owner *o = get_owner(c, pid);

	if (!o)
		return;
	/* What goes now is looked at once more, or its kernels would have no names. */
	if (!o->walks)
		walk(c, o);
	if (!o->first_change || ts < o->first_change)
		o->first_change = ts;
	if (ts > o->last_change)
		o->last_change = ts;
}

void code_objects__forget(struct codeobjects *c, pid_t pid)
{
	struct owner *o;

	HASH_FIND(hh, c->owners, &pid, sizeof(pid), o);
	if (o)
		remove_owner(c, o);
}
