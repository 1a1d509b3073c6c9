// SPDX-License-Identifier: MIT
/*
 * Regions by name.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/otf2/otf2regions.h"

#include <stdlib.h>
#include <string.h>

#include "common/format.h"
#include "common/hash.h"
#include "common/text_buffer.h"

/* A region's key is a character for its category, and its name as the caller passed it. */
struct entry {
	struct otf2region region;
	UT_hash_handle hh;
	char key[];
};

struct otf2regions {
	struct entry *by_key;
	struct entry **all;
	uint32_t count, room;
	size_t bytes;
	struct textbuf key, safe;
};

struct otf2regions *otf2regions__new(void)
{
	return calloc(1, sizeof(struct otf2regions));
}

void otf2regions__free(struct otf2regions *r)
{
	if (!r)
		return;
	HASH_CLEAR(hh, r->by_key);
	for (uint32_t i = 0; i < r->count; i++)
		free(r->all[i]);
	free(r->all);
	text_buffer__free(&r->key);
	text_buffer__free(&r->safe);
	free(r);
}

/* One character of a name; how many bytes it takes. */
static size_t put_character(struct textbuf *t, const char *s, size_t len)
{
	uint32_t code;
	size_t n = utf8__decode(s, len, &code);

	if (!n) {
		text_buffer__str(t, "\xef\xbf\xbd");
		return 1;
	}
	if (text__is_unsafe(code))
		text_buffer__char(t, '?');
	else
		text_buffer__mem(t, s, n);
	return n;
}

static const char *safe_name(struct otf2regions *r, const char *name)
{
	text_buffer__reset(&r->safe);
	for (size_t left = strlen(name), n; left; left -= n, name += n)
		n = put_character(&r->safe, name, left);
	return text_buffer__string(&r->safe);
}

static int grow(struct otf2regions *r)
{
	uint32_t room = r->room ? 2 * r->room : 64;
	struct entry **all;

	if (r->count < r->room)
		return 0;
	all = realloc(r->all, room * sizeof(*all));
	if (!all)
		return -1;
	r->all = all;
	r->room = room;
	return 0;
}

static struct entry *add(struct otf2regions *r, enum otf2_category category, const char *name)
{
	const char *safe = safe_name(r, name);
	size_t key_size = r->key.len + 1, size = key_size + strlen(safe) + 1;
	struct entry *e = grow(r) ? NULL : calloc(1, sizeof(*e) + size);

	if (!e)
		return NULL;
	memcpy(e->key, text_buffer__string(&r->key), key_size);
	memcpy(e->key + key_size, safe, size - key_size);
	e->region = (struct otf2region){r->count, category, e->key + key_size};
	HASH_ADD_KEYPTR(hh, r->by_key, e->key, key_size - 1, e);
	if (!e->hh.tbl) {
		free(e);
		return NULL;
	}
	r->all[r->count++] = e;
	r->bytes += size;
	return e;
}

static struct entry *find(struct otf2regions *r, enum otf2_category category, const char *name)
{
	struct entry *e;

	text_buffer__reset(&r->key);
	text_buffer__char(&r->key, 'a' + category);
	text_buffer__str(&r->key, name);
	HASH_FIND(hh, r->by_key, r->key.data, r->key.len, e);
	return e;
}

const struct otf2region *otf2regions__get(struct otf2regions *r, enum otf2_category category,
					  const char *name)
{
	struct entry *e = find(r, category, name);

	if (!e && (r->count >= OTF2REGIONS_MAX || r->bytes + strlen(name) > OTF2REGIONS_BYTES)) {
		name = "(others)";
		e = find(r, category, name);
	}
	if (!e)
		e = add(r, category, name);
	return e ? &e->region : NULL;
}

uint32_t otf2regions__count(const struct otf2regions *r)
{
	return r->count;
}

const struct otf2region *otf2regions__at(const struct otf2regions *r, uint32_t number)
{
	return &r->all[number]->region;
}
