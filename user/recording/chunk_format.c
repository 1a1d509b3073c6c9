// SPDX-License-Identifier: MIT
/*
 * The frame of a recording.
 */
#include "user/recording/chunk_format.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

static uint32_t crc_of(const void *data, size_t len, uint32_t crc)
{
	return crc32_z(crc, data, len);
}

static uint32_t crc_of_rec_header(const struct rec_header *h)
{
	const size_t behind = offsetof(struct rec_header, uuid);

	return crc_of((const char *)h + behind, sizeof(*h) - behind, 0);
}

void rec_header__make(struct rec_header *h, const struct trace_origin *origin, uint64_t part)
{
	*h = (struct rec_header){
		.magic = REC_MAGIC,
		.version = REC_VERSION,
		.boot_ns = origin->clocks.boot_ns,
		.mono_ns = origin->clocks.mono_ns,
		.real_ns = origin->clocks.real_ns,
		.part = part,
	};
	memcpy(h->uuid, origin->uuid, sizeof(h->uuid));
	h->crc = crc_of_rec_header(h);
}

int rec_header__check(const struct rec_header *h)
{
	if (memcmp(h->magic, REC_MAGIC, sizeof(h->magic)))
		return -EBADMSG;
	if (h->version != REC_VERSION)
		return -EPROTONOSUPPORT;
	return h->crc == crc_of_rec_header(h) ? 0 : -EBADMSG;
}

static uint32_t crc_of_chunk(const struct chunk_header *h, const void *payload)
{
	const size_t behind = offsetof(struct chunk_header, stored);

	return crc_of(payload, h->stored, crc_of((const char *)h + behind, sizeof(*h) - behind, 0));
}

void chunk_header__seal(struct chunk_header *h, const void *payload)
{
	h->magic = CHUNK_MAGIC;
	h->crc = crc_of_chunk(h, payload);
}

bool chunk_header__is_sane(const struct chunk_header *h)
{
	return h->magic == CHUNK_MAGIC && h->size <= CHUNK_MAX && h->stored <= CHUNK_MAX &&
	       (h->compression != CHUNK_PLAIN || h->size == h->stored);
}

bool chunk_header__matches(const struct chunk_header *h, const void *payload)
{
	return h->crc == crc_of_chunk(h, payload);
}
