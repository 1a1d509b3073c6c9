// SPDX-License-Identifier: MIT
/*
 * The stacks seen so far, by process and id.
 */
#include "user/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "user/symbols.h"

struct stack {
	struct stack_key {
		int32_t pid, id;
	} key;
	UT_hash_handle hh;
	uint32_t depth;
	const char *calls[];
};

struct stacks {
	struct strings *strings;
	struct symbols *symbols;
	struct stack *all;
};

struct stacks *stacks__new(struct strings *strings)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->strings = strings;
	s->symbols = symbols__new(strings);
	if (!s->symbols) {
		free(s);
		return NULL;
	}
	return s;
}

static void remove_stack(struct stacks *s, struct stack *st)
{
	HASH_DEL(s->all, st);
	free(st);
}

void stacks__free(struct stacks *s)
{
	struct stack *st, *next;

	if (!s)
		return;
	HASH_ITER (hh, s->all, st, next) {
		remove_stack(s, st);
	}
	symbols__free(s->symbols);
	free(s);
}

static struct stack *find(const struct stacks *s, pid_t pid, int32_t id)
{
	const struct stack_key key = {pid, id};
	struct stack *st;

	HASH_FIND(hh, s->all, &key, sizeof(key), st);
	return st;
}

void stacks__resolve(struct stacks *s, struct capture *capture, pid_t pid, int32_t id)
{
	uint64_t addresses[RT_STACK_DEPTH];
	char call[512];
	struct stack *st;
	size_t n;

	if (id < 0 || find(s, pid, id))
		return;
	n = capture__stack(capture, id, addresses);
	st = calloc(1, sizeof(*st) + n * sizeof(st->calls[0]));
	if (!st)
		return;
	st->key = (struct stack_key){pid, id};
	st->depth = n;
	for (size_t i = 0; i < n; i++) {
		symbols__describe(s->symbols, pid, addresses[i], call, sizeof(call));
		st->calls[i] = strings__keep(s->strings, call, strlen(call));
	}
	HASH_ADD(hh, s->all, key, sizeof(st->key), st);
}

const char *const *stacks__find(const struct stacks *s, pid_t pid, int32_t id, uint32_t *depth)
{
	const struct stack *st = id < 0 ? NULL : find(s, pid, id);

	*depth = st ? st->depth : 0;
	return st ? st->calls : NULL;
}

void stacks__forget(struct stacks *s, pid_t pid)
{
	struct stack *st, *next;

	HASH_ITER (hh, s->all, st, next) {
		if (st->key.pid == pid)
			remove_stack(s, st);
	}
}
