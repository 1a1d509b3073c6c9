// SPDX-License-Identifier: MIT
/*
 * A growing buffer of bytes.
 */
#include "user/bytes.h"

#include <stdlib.h>

#define FIRST_SIZE 4096

bool bytes__room(struct bytes *b, size_t need)
{
	size_t size = b->size ? b->size : FIRST_SIZE;
	unsigned char *data;

	if (need <= b->size - b->len)
		return true;
	while (size - b->len < need)
		size *= 2;
	data = realloc(b->data, size);
	if (!data) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->size = size;
	return true;
}

void bytes__free(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){};
}

void bytes__add(struct bytes *b, const void *data, size_t len)
{
	if (!len || !bytes__room(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void bytes__put(struct bytes *b, const void *data, size_t len)
{
	bytes__put_number(b, len);
	bytes__add(b, data, len);
}

void bytes__put_string(struct bytes *b, const char *text)
{
	bytes__put(b, text, text ? strlen(text) : 0);
}
