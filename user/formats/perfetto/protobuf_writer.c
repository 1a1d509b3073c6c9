// SPDX-License-Identifier: MIT
/*
 * Lengths of messages inside of messages.
 */
#include "user/formats/perfetto/protobuf_writer.h"

void protobuf_writer__end(struct bytes *b, size_t begun)
{
	size_t len = b->len - begun, more = 0;

	if (b->failed)
		return;
	for (size_t rest = len >> 7; rest; rest >>= 7)
		more++;
	if (more && !byte_buffer__room(b, more))
		return;
	memmove(b->data + begun + more, b->data + begun, len);
	b->len = begun - 1;
	byte_buffer__put_number(b, len);
	b->len += len;
}
