// SPDX-License-Identifier: MIT
/*
 * The stacks seen so far, by process and addresses.
 */
#include "user/merge/user_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "user/api/span_items.h"

#define STACKS_MAX 65536 /* different ones; more are not put into words */

struct stack_key {
	uint32_t pid, program;
	uint64_t addresses[RT_STACK_DEPTH];
};

struct stack {
	struct stack_key key;
	UT_hash_handle hh;
	uint32_t depth;
	const char *callers[RT_STACK_DEPTH];
};

struct stacks {
	struct strings *strings;
	struct symbols *symbols;
	struct stack *all;
};

struct stacks *user_stacks__new(struct strings *strings, struct symbols *symbols)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->strings = strings;
	s->symbols = symbols;
	return s;
}

static void remove_stack(struct stacks *s, struct stack *st)
{
	HASH_DEL(s->all, st);
	free(st);
}

void user_stacks__free(struct stacks *s)
{
	struct stack *st, *next;

	if (!s)
		return;
	HASH_ITER (hh, s->all, st, next) {
		remove_stack(s, st);
	}
	free(s);
}

/* The key of the span's stack; how deep it is, 0: it has none. */
static uint32_t key_of(const struct rt_rec_span *rec, uint32_t program, struct stack_key *key)
{
	const struct rt_item *item = NULL;

	if (rec->h.size == sizeof(*rec)) /* as nearly all */
		return 0;
	while ((item = span_items__next(rec, item)))
		if (item->kind == RT_ITEM_CALLERS && item->len <= sizeof(key->addresses))
			break;
	if (!item)
		return 0;
	memset(key, 0, sizeof(*key));
	key->pid = rec->h.pid;
	key->program = program;
	memcpy(key->addresses, span_items__data(item), item->len);
	return item->len / sizeof(key->addresses[0]);
}

static struct stack *find(const struct stacks *s, const struct stack_key *key)
{
	struct stack *st;

	HASH_FIND(hh, s->all, key, sizeof(*key), st);
	return st;
}

void user_stacks__resolve(struct stacks *s, const struct rt_rec_span *rec, uint32_t program)
{
	struct stack_key key;
	uint32_t depth = key_of(rec, program, &key);
	struct stack *st;
	char text[512];

	if (!depth || find(s, &key) || HASH_COUNT(s->all) >= STACKS_MAX)
		return;
	st = calloc(1, sizeof(*st));
	if (!st)
		return;
	st->key = key;
	st->depth = depth;
	for (uint32_t i = 0; i < depth; i++) {
		symbols__describe(s->symbols, rec->h.pid, key.addresses[i], text, sizeof(text));
		st->callers[i] = string_pool__keep(s->strings, text, strlen(text));
	}
	HASH_ADD(hh, s->all, key, sizeof(st->key), st);
}

const char *const *user_stacks__find(const struct stacks *s, const struct rt_rec_span *rec,
				     uint32_t program, uint32_t *depth)
{
	struct stack_key key;
	const struct stack *st = key_of(rec, program, &key) ? find(s, &key) : NULL;

	*depth = st ? st->depth : 0;
	return st ? st->callers : NULL;
}

void user_stacks__forget(struct stacks *s, pid_t pid)
{
	struct stack *st, *next;

	HASH_ITER (hh, s->all, st, next) {
		if (st->key.pid == (uint32_t)pid)
			remove_stack(s, st);
	}
}
