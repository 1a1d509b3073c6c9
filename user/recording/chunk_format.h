/* SPDX-License-Identifier: MIT */
/*
 * The frame of a recording: its header, and chunks, each checked and compressed. See recording.md.
 */
#ifndef RTRACE_RECORDING_CHUNK_FORMAT_H
#define RTRACE_RECORDING_CHUNK_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/event/trace_origin.h"

#define REC_MAGIC   "\x89RTRACE\n"
#define REC_VERSION 1

struct rec_header {
	char magic[8];
	uint32_t version;
	uint32_t crc; /* of what follows */
	uint8_t uuid[16];
	uint64_t boot_ns, mono_ns, real_ns; /* as in struct trace_clocks */
	uint64_t part;			    /* of the recording, from 0 */
};

#define CHUNK_MAGIC 0x4b435452u /* "RTCK" */
#define CHUNK_MAX   (16u << 20) /* bytes of a payload, decompressed */

enum chunk_type {
	CHUNK_INFO = 1,
	CHUNK_EVENTS = 2,
	CHUNK_END = 3,
	CHUNK_NUMBERS = 4, /* as the end has them, so far */
	CHUNK_MORE = 5,	   /* the same: the recording goes on in the next file */
};

enum chunk_compression {
	CHUNK_PLAIN = 0,
	CHUNK_ZSTD = 1,
};

struct chunk_header {
	uint32_t magic;
	uint32_t crc;	 /* of what follows, and of the payload */
	uint32_t stored; /* bytes of the payload in the file */
	uint32_t size;	 /* and decompressed */
	uint16_t type;	 /* enum chunk_type */
	uint16_t compression;
	uint32_t events;
	uint64_t number;      /* of the chunk in the recording, from 0 */
	uint64_t first, last; /* earliest begin and latest end of its events */
};

_Static_assert(sizeof(struct rec_header) == 64, "layout of recording.md");
_Static_assert(sizeof(struct chunk_header) == 48, "layout of recording.md");

/* Makes the header of part `part`. */
void rec_header__make(struct rec_header *h, const struct trace_origin *origin, uint64_t part);

/* 0, -EBADMSG: it is none; -EPROTONOSUPPORT: of another version. */
int rec_header__check(const struct rec_header *h);

/* Fills in the magic number and the checksum of both; the payload is as it is in the file. */
void chunk_header__seal(struct chunk_header *h, const void *payload);

/* Can the header be one? Then the payload may be read, and checked. */
bool chunk_header__is_sane(const struct chunk_header *h);
bool chunk_header__matches(const struct chunk_header *h, const void *payload);

#endif
