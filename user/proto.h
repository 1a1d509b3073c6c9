/* SPDX-License-Identifier: MIT */
/*
 * Protocol buffers on the wire, a field appended at a time.
 *
 * A generated writer fills structs, measures them and packs them; for events of which there are
 * millions that is what an export spends its time with.
 */
#ifndef RTRACE_PROTO_H
#define RTRACE_PROTO_H

#include <string.h>

#include "user/bytes.h"

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
};

static inline void proto__tag(struct bytes *b, uint32_t field, enum proto_wire wire)
{
	bytes__put_number(b, (uint64_t)field << 3 | wire);
}

/* uint32, uint64, bool, enum; int32 and int64 as they are, two's complement. */
static inline void proto__number(struct bytes *b, uint32_t field, uint64_t value)
{
	proto__tag(b, field, PROTO_VARINT);
	bytes__put_number(b, value);
}

static inline void proto__fixed64(struct bytes *b, uint32_t field, uint64_t value)
{
	proto__tag(b, field, PROTO_FIXED64);
	if (!bytes__room(b, sizeof(value)))
		return;
	memcpy(b->data + b->len, &value, sizeof(value));
	b->len += sizeof(value);
}

static inline void proto__bytes(struct bytes *b, uint32_t field, const void *data, size_t len)
{
	proto__tag(b, field, PROTO_BYTES);
	bytes__put(b, data, len);
}

static inline void proto__text(struct bytes *b, uint32_t field, const char *text)
{
	proto__bytes(b, field, text, strlen(text));
}

/* What follows is a message inside, up to proto__end with what this returns. */
static inline size_t proto__begin(struct bytes *b, uint32_t field)
{
	proto__tag(b, field, PROTO_BYTES);
	bytes__put_number(b, 0); /* its length, which is a byte most times */
	return b->len;
}

void proto__end(struct bytes *b, size_t begun);

#endif
