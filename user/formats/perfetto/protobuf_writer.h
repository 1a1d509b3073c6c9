/* SPDX-License-Identifier: MIT */
/*
 * Protocol buffers on the wire, a field appended at a time.
 *
 * A generated writer fills structs, measures them and packs them; for events of which there are
 * millions that is what an export spends its time with.
 */
#ifndef RTRACE_FORMATS_PERFETTO_PROTOBUF_WRITER_H
#define RTRACE_FORMATS_PERFETTO_PROTOBUF_WRITER_H

#include <string.h>

#include "user/base/byte_buffer.h"

enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
};

static inline void protobuf_writer__tag(struct bytes *b, uint32_t field, enum proto_wire wire)
{
	byte_buffer__put_number(b, (uint64_t)field << 3 | wire);
}

/* uint32, uint64, bool, enum; int32 and int64 as they are, two's complement. */
static inline void protobuf_writer__number(struct bytes *b, uint32_t field, uint64_t value)
{
	protobuf_writer__tag(b, field, PROTO_VARINT);
	byte_buffer__put_number(b, value);
}

static inline void protobuf_writer__fixed64(struct bytes *b, uint32_t field, uint64_t value)
{
	protobuf_writer__tag(b, field, PROTO_FIXED64);
	if (!byte_buffer__room(b, sizeof(value)))
		return;
	memcpy(b->data + b->len, &value, sizeof(value));
	b->len += sizeof(value);
}

static inline void protobuf_writer__bytes(struct bytes *b, uint32_t field, const void *data,
					  size_t len)
{
	protobuf_writer__tag(b, field, PROTO_BYTES);
	byte_buffer__put(b, data, len);
}

static inline void protobuf_writer__text(struct bytes *b, uint32_t field, const char *text)
{
	protobuf_writer__bytes(b, field, text, strlen(text));
}

/* What follows is a message inside, up to protobuf_writer__end with what this returns. */
static inline size_t protobuf_writer__begin(struct bytes *b, uint32_t field)
{
	protobuf_writer__tag(b, field, PROTO_BYTES);
	byte_buffer__put_number(b, 0); /* its length, which is a byte most times */
	return b->len;
}

void protobuf_writer__end(struct bytes *b, size_t begun);

#endif
