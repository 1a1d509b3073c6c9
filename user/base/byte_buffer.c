// SPDX-License-Identifier: MIT
/*
 * A growing buffer of bytes.
 */
#include "user/base/byte_buffer.h"

#include <stdlib.h>

#define FIRST_SIZE 4096

bool byte_buffer__room(struct bytes *b, size_t need)
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

void byte_buffer__free(struct bytes *b)
{
	free(b->data);
	*b = (struct bytes){};
}

void byte_buffer__add(struct bytes *b, const void *data, size_t len)
{
	if (!len || !byte_buffer__room(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

void byte_buffer__put(struct bytes *b, const void *data, size_t len)
{
	byte_buffer__put_number(b, len);
	byte_buffer__add(b, data, len);
}

void byte_buffer__put_string(struct bytes *b, const char *text)
{
	byte_buffer__put(b, text, text ? strlen(text) : 0);
}
