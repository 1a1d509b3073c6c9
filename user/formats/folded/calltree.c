// SPDX-License-Identifier: MIT
/*
 * The tree of frames.
 *
 * A frame that became one with another stays as long as there is a pointer to it, and leads there.
 * No function here recurs, as traced processes choose how deep calls and ranges nest.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/folded/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define WAYS 8 /* places for a call */
#define SETS (CALLTREE_CALLS / WAYS)

struct frame {
	struct frame_key {
		struct frame *parent;
		const char *name; /* of the tree's; NULL: open */
	} key;
	struct frame *children, *next;
	struct frame *into; /* it became one with that */
	uint32_t users;	    /* pointers to it, other than the tree's */
	uint64_t ns[CALLTREE_CLOCKS];
	UT_hash_handle hh;
};

struct name {
	UT_hash_handle hh;
	char text[];
};

struct opened {
	uint64_t key;
	struct frame *frame, *home;
	uint64_t inner;
	UT_hash_handle hh;
};

struct call {
	uint64_t number;
	struct frame *frame;
};

struct calltree {
	struct frame root, others;
	struct frame *frames; /* by parent and name */
	struct name *names;
	struct opened *open;
	struct call *calls;
	uint32_t frame_count; /* without those that became one with others */
	size_t name_bytes;
	bool failed;
};

struct calltree *calltree__new(void)
{
	struct calltree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->calls = calloc(CALLTREE_CALLS, sizeof(*t->calls));
	if (!t->calls) {
		free(t);
		return NULL;
	}
	t->others.key = (struct frame_key){&t->root, "(others)"};
	t->root.children = &t->others;
	return t;
}

bool calltree__failed(const struct calltree *t)
{
	return t->failed;
}

struct frame *calltree__root(struct calltree *t)
{
	return &t->root;
}

struct frame *calltree__others(struct calltree *t)
{
	return &t->others;
}

/* ---- names ---- */

static const char *intern(struct calltree *t, const char *text)
{
	size_t len = strlen(text);
	struct name *name;

	HASH_FIND(hh, t->names, text, len, name);
	if (name)
		return name->text;
	if (t->name_bytes + len > CALLTREE_NAMES)
		return NULL;
	name = calloc(1, sizeof(*name) + len + 1);
	if (!name) {
		t->failed = true;
		return NULL;
	}
	memcpy(name->text, text, len);
	HASH_ADD_KEYPTR(hh, t->names, name->text, len, name);
	if (!name->hh.tbl) {
		free(name);
		t->failed = true;
		return NULL;
	}
	t->name_bytes += len;
	return name->text;
}

/* ---- places in the tree ---- */

static void link_below(struct frame *parent, struct frame *f)
{
	f->next = parent->children;
	parent->children = f;
}

static struct frame *find(const struct calltree *t, struct frame *parent, const char *name)
{
	struct frame_key key = {parent, name};
	struct frame *f;

	HASH_FIND(hh, t->frames, &key, sizeof(key), f);
	return f;
}

/* Gives a frame that is nowhere a place that is free. */
static bool put(struct calltree *t, struct frame *f, struct frame *parent, const char *name)
{
	f->key = (struct frame_key){parent, name};
	HASH_ADD(hh, t->frames, key, sizeof(f->key), f);
	if (!f->hh.tbl) {
		t->failed = true;
		return false;
	}
	link_below(parent, f);
	return true;
}

static struct frame *new_frame(struct calltree *t)
{
	struct frame *f;

	if (t->frame_count == CALLTREE_FRAMES)
		return NULL;
	f = calloc(1, sizeof(*f));
	if (f)
		t->frame_count++;
	else
		t->failed = true;
	return f;
}

static struct frame *resolve(struct frame *f)
{
	while (f->into)
		f = f->into;
	return f;
}

/* Frees those that lead elsewhere and have no pointer to them any more. */
static void release(struct frame *f)
{
	while (f->into && !f->users) {
		struct frame *into = f->into;

		free(f);
		into->users--;
		f = into;
	}
}

struct frame *calltree__child(struct calltree *t, struct frame *parent, const char *name)
{
	const char *text;
	struct frame *f;

	if (parent == &t->others)
		return parent;
	text = intern(t, name);
	if (!text)
		return &t->others;
	f = find(t, parent, text);
	if (f)
		return f;
	f = new_frame(t);
	if (!f)
		return &t->others;
	if (put(t, f, parent, text))
		return f;
	free(f);
	t->frame_count--;
	return &t->others;
}

static void unlink_from_parent(struct frame *f)
{
	struct frame **at = &f->key.parent->children;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
}

struct frame *calltree__rename(struct calltree *t, struct frame *f, const char *name)
{
	struct frame *parent = f->key.parent, *there;
	const char *text = f == &t->others ? NULL : intern(t, name);

	there = text ? find(t, parent, text) : f;
	if (there)
		return there;
	HASH_DEL(t->frames, f);
	unlink_from_parent(f);
	return put(t, f, parent, text) ? f : &t->others;
}

void calltree__add(struct frame *f, enum calltree_clock clock, uint64_t ns)
{
	if (__builtin_add_overflow(f->ns[clock], ns, &f->ns[clock]))
		f->ns[clock] = UINT64_MAX;
}

/* ---- two that become one ---- */

static void lead(struct calltree *t, struct frame *from, struct frame *into)
{
	t->frame_count--;
	from->into = into;
	into->users++;
	for (int i = 0; i < CALLTREE_CLOCKS; i++)
		calltree__add(into, i, from->ns[i]);
}

/* A frame below one that goes: it finds its place below `into`, or is to go as well. */
static bool move(struct calltree *t, struct frame *f, struct frame *into)
{
	const char *name = f->key.name;
	struct frame *there = into == &t->others ? into : find(t, into, name);

	HASH_DEL(t->frames, f);
	f->next = NULL;
	if (!there && put(t, f, into, name))
		return true;
	lead(t, f, there ? there : &t->others);
	return false;
}

/* `from` is nowhere in the tree. Those that are to go are a list by `next`. */
static void merge(struct calltree *t, struct frame *from, struct frame *into)
{
	struct frame *todo = from, *f, *next;

	lead(t, from, into);
	from->next = NULL;
	while (todo) {
		from = todo;
		todo = from->next;
		for (f = from->children; f; f = next) {
			next = f->next;
			if (!move(t, f, from->into)) {
				f->next = todo;
				todo = f;
			}
		}
		from->children = NULL;
		release(from);
	}
}

/* ---- open frames ---- */

static struct opened *find_open(const struct calltree *t, uint64_t key)
{
	struct opened *o;

	HASH_FIND(hh, t->open, &key, sizeof(key), o);
	return o;
}

static struct opened *add_open(struct calltree *t, uint64_t key)
{
	struct opened *o = calloc(1, sizeof(*o));

	if (!o) {
		t->failed = true;
		return NULL;
	}
	o->key = key;
	o->frame = new_frame(t);
	if (o->frame)
		HASH_ADD(hh, t->open, key, sizeof(o->key), o);
	if (o->frame && o->hh.tbl)
		return o;
	t->frame_count -= !!o->frame;
	free(o->frame);
	free(o);
	return NULL;
}

struct frame *calltree__open(struct calltree *t, uint64_t key, struct frame *home)
{
	struct opened *o = find_open(t, key);

	if (!o && HASH_COUNT(t->open) < CALLTREE_OPEN)
		o = add_open(t, key);
	if (!o)
		return NULL;
	o->home = home;
	return o->frame;
}

void calltree__add_inner(struct calltree *t, uint64_t key, uint64_t ns)
{
	struct opened *o = find_open(t, key);

	if (o && __builtin_add_overflow(o->inner, ns, &o->inner))
		o->inner = UINT64_MAX;
}

static struct frame *place(struct calltree *t, struct frame *f, struct frame *parent,
			   const char *name)
{
	const char *text = parent == &t->others ? NULL : intern(t, name);
	struct frame *there = text ? find(t, parent, text) : &t->others;

	if (!there && put(t, f, parent, text))
		return f;
	there = there ? there : &t->others;
	merge(t, f, there);
	return there;
}

struct frame *calltree__settle(struct calltree *t, uint64_t key, struct frame *parent,
			       const char *name, uint64_t *inner)
{
	struct opened *o = find_open(t, key);
	struct frame *f;

	*inner = o ? o->inner : 0;
	if (!o)
		return calltree__child(t, parent, name);
	f = place(t, o->frame, parent, name);
	HASH_DEL(t->open, o);
	free(o);
	return f;
}

void calltree__end(struct calltree *t)
{
	struct opened *o, *next;
	uint64_t inner;

	HASH_ITER (hh, t->open, o, next)
		calltree__settle(t, o->key, o->home, "(unknown)", &inner);
}

/* ---- calls that are remembered ---- */

static struct call *find_call(const struct calltree *t, uint64_t number)
{
	struct call *set = &t->calls[number % SETS * WAYS];

	for (int i = 0; i < WAYS; i++)
		if (set[i].frame && set[i].number == number)
			return &set[i];
	return NULL;
}

/* Where it goes: in place of the oldest, if need be. */
static struct call *make_call(const struct calltree *t, uint64_t number)
{
	struct call *set = &t->calls[number % SETS * WAYS], *oldest = set;

	for (int i = 0; i < WAYS && oldest->frame; i++)
		if (!set[i].frame || set[i].number < oldest->number)
			oldest = &set[i];
	return oldest;
}

static void point(struct call *call, struct frame *f)
{
	struct frame *before = call->frame;

	call->frame = f;
	f->users++;
	if (!before)
		return;
	before->users--;
	release(before);
}

void calltree__remember(struct calltree *t, uint64_t number, struct frame *f)
{
	struct call *call = find_call(t, number);

	if (!call)
		call = make_call(t, number);
	call->number = number;
	point(call, f);
}

struct frame *calltree__recall(struct calltree *t, uint64_t number)
{
	struct call *call = find_call(t, number);

	if (!call)
		return NULL;
	if (call->frame->into)
		point(call, resolve(call->frame));
	return call->frame;
}

/* ---- all of it ---- */

void calltree__each(const struct calltree *t, calltree_fn each, void *arg)
{
	const struct frame *f = t->root.children;
	unsigned int depth = 0;

	while (f) {
		each(arg, f->key.name, depth, f->ns);
		if (f->children) {
			f = f->children;
			depth++;
			continue;
		}
		while (f != &t->root && !f->next) {
			f = f->key.parent;
			depth--;
		}
		f = f->next;
	}
}

static void free_open(struct calltree *t)
{
	struct opened *o, *next;

	HASH_ITER (hh, t->open, o, next) {
		HASH_DEL(t->open, o);
		free(o->frame);
		free(o);
	}
}

static void free_names(struct calltree *t)
{
	struct name *name, *next;

	HASH_ITER (hh, t->names, name, next) {
		HASH_DEL(t->names, name);
		free(name);
	}
}

void calltree__free(struct calltree *t)
{
	struct frame *f, *next;

	if (!t)
		return;
	/* First the frames that became one with others: only remembered calls still need them. */
	for (size_t i = 0; i < CALLTREE_CALLS; i++)
		if (t->calls[i].frame) {
			t->calls[i].frame->users--;
			release(t->calls[i].frame);
		}
	HASH_ITER (hh, t->frames, f, next) {
		HASH_DEL(t->frames, f);
		free(f);
	}
	free_open(t);
	free_names(t);
	free(t->calls);
	free(t);
}
