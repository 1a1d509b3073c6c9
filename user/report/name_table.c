// SPDX-License-Identifier: MIT
/*
 * A table of names, bounded in their number and in the bytes of all of them.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/name_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define NAMES_MAX  65536
#define TEXT_BYTES (32u << 20)

struct name {
	uint32_t id;
	UT_hash_handle hh;
	char text[];
};

struct names {
	struct name *by_text;
	const char **texts;
	uint32_t count, room;
	size_t bytes;
};

struct names *name_table__new(void)
{
	struct names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->room = 64;
	n->texts = malloc(n->room * sizeof(*n->texts));
	if (!n->texts) {
		free(n);
		return NULL;
	}
	n->texts[n->count++] = NAMES_OTHERS;
	return n;
}

void name_table__free(struct names *n)
{
	struct name *name, *next;

	if (!n)
		return;
	HASH_ITER (hh, n->by_text, name, next) {
		HASH_DEL(n->by_text, name);
		free(name);
	}
	free(n->texts);
	free(n);
}

/* In 1 / `part` of all the room. */
static bool has_room(struct names *n, size_t len, unsigned int part)
{
	const char **texts;

	if (n->count >= NAMES_MAX / part || n->bytes + len > TEXT_BYTES / part)
		return false;
	if (n->count < n->room)
		return true;
	texts = realloc(n->texts, 2 * n->room * sizeof(*texts));
	if (!texts)
		return false;
	n->texts = texts;
	n->room *= 2;
	return true;
}

static uint32_t add(struct names *n, const char *text, size_t len, unsigned int part)
{
	struct name *name = has_room(n, len, part) ? malloc(sizeof(*name) + len + 1) : NULL;

	if (!name)
		return 0;
	memcpy(name->text, text, len + 1);
	HASH_ADD_KEYPTR(hh, n->by_text, name->text, len, name);
	if (!name->hh.tbl) {
		free(name);
		return 0;
	}
	name->id = n->count++;
	n->texts[name->id] = name->text;
	n->bytes += len;
	return name->id;
}

static uint32_t id(struct names *n, const char *text, unsigned int part)
{
	size_t len = strlen(text);
	struct name *name;

	HASH_FIND(hh, n->by_text, text, len, name);
	return name ? name->id : add(n, text, len, part);
}

uint32_t name_table__id(struct names *n, const char *text)
{
	return id(n, text, 1);
}

uint32_t name_table__message(struct names *n, const char *text)
{
	return id(n, text, 2);
}

const char *name_table__text(const struct names *n, uint32_t id)
{
	return n->texts[id];
}

uint32_t name_table__count(const struct names *n)
{
	return n->count;
}
