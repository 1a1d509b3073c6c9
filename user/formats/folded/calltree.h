/* SPDX-License-Identifier: MIT */
/*
 * Times by call stack: a tree of frames that receives calls before it receives their callers.
 *
 * Events come in the order of their ends. So a frame can be open: it has a key and frames below it,
 * but neither name nor place. When it is settled it becomes a frame of its caller, and one with a
 * frame of that name that is there already. Of a call that repeats there is one frame, however
 * often it is made: the tree is as large as there are different stacks. Where CALLTREE_FRAMES or
 * CALLTREE_NAMES are reached, times of further stacks are those of the frame "(others)".
 */
#ifndef RTRACE_FORMATS_FOLDED_CALLTREE_H
#define RTRACE_FORMATS_FOLDED_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLTREE_FRAMES 131072
#define CALLTREE_NAMES	(16u << 20) /* bytes */
#define CALLTREE_OPEN	65536	    /* frames */
#define CALLTREE_CALLS	131072	    /* that are remembered */

enum calltree_clock { CALLTREE_HOST, CALLTREE_GPU, CALLTREE_CLOCKS };

struct calltree;
struct frame;

struct calltree *calltree__new(void);
void calltree__free(struct calltree *t);

/* Did memory run out? What found none is with the others. */
bool calltree__failed(const struct calltree *t);

struct frame *calltree__root(struct calltree *t);
struct frame *calltree__others(struct calltree *t);

/* The frame of that name below another. The name is copied. */
struct frame *calltree__child(struct calltree *t, struct frame *parent, const char *name);

/*
 * Gives a frame another name, and returns it; if there is one of that name beside it, returns that,
 * and the frame stays as it is. The name is copied.
 */
struct frame *calltree__rename(struct calltree *t, struct frame *f, const char *name);

/*
 * The open frame of that key. If it is not settled before the end, its frames are reported under
 * "(unknown)" below `home`. NULL: there are too many.
 */
struct frame *calltree__open(struct calltree *t, uint64_t key, struct frame *home);

/*
 * Settles the key's frame as `name` below `parent` and returns that frame. *inner: the sum of what
 * was passed to calltree__add_inner for the key.
 */
struct frame *calltree__settle(struct calltree *t, uint64_t key, struct frame *parent,
			       const char *name, uint64_t *inner);

/* Adds `ns`, the time of a call in an open frame. Does nothing if the frame is not open. */
void calltree__add_inner(struct calltree *t, uint64_t key, uint64_t ns);

void calltree__add(struct frame *f, enum calltree_clock clock, uint64_t ns);

/*
 * The frame of a call, for operations that are reported after it. Calls are numbered as they are
 * made, and newer ones replace older ones. NULL: not known, or no more.
 */
void calltree__remember(struct calltree *t, uint64_t number, struct frame *f);
struct frame *calltree__recall(struct calltree *t, uint64_t number);

/* Settles what is open. */
void calltree__end(struct calltree *t);

/*
 * Visits all frames, callers first. `depth`: 0 for those below the root. Names are what was given.
 */
typedef void (*calltree_fn)(void *arg, const char *name, unsigned int depth,
			    const uint64_t ns[CALLTREE_CLOCKS]);
void calltree__each(const struct calltree *t, calltree_fn each, void *arg);

#endif
