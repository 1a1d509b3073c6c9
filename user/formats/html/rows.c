// SPDX-License-Identifier: MIT
/*
 * Rows by key and number.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/html/rows.h"

#include <errno.h>
#include <stdlib.h>

static struct row *add(struct rows *r, const struct row_key *key)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->key = *key;
	row->number = r->count;
	HASH_ADD(hh, r->by_key, key, sizeof(row->key), row);
	if (!row->hh.tbl) {
		free(row);
		return NULL;
	}
	r->all[r->count++] = row;
	return row;
}

int rows__init(struct rows *r)
{
	const struct row_key further = {.kind = ROW_FURTHER};

	return add(r, &further) ? 0 : -ENOMEM;
}

struct row *rows__get(struct rows *r, struct row_key key)
{
	struct row *row;

	HASH_FIND(hh, r->by_key, &key, sizeof(key), row);
	if (row)
		return row;
	return r->count < ROWS_MAX ? add(r, &key) : r->all[0];
}

void rows__free(struct rows *r)
{
	HASH_CLEAR(hh, r->by_key);
	for (uint32_t i = 0; i < r->count; i++) {
		density__free(&r->all[i]->density);
		free(r->all[i]->name);
		free(r->all[i]);
	}
}
