// SPDX-License-Identifier: MIT
/*
 * The HIP streams of a process.
 */
#include "user/merge/hip_streams.h"

#include <stdlib.h>
#include <utlist.h>

#include "user/merge/runtime_threads.h"

#define STREAMS_MAX 65536 /* of a process: what a hostile one can make us keep */

/* What hip_runtime_api.h calls hipStreamLegacy and hipStreamPerThread. */
#define LEGACY	   1
#define PER_THREAD 2

/* No address of a stream. */
#define KEY_DEVICE (1ULL << 63)
#define KEY_THREAD (1ULL << 62)

static uint64_t key_of(uint64_t handle, uint32_t device, uint32_t tid)
{
	if (!handle || handle == LEGACY)
		return KEY_DEVICE | device;
	return handle == PER_THREAD ? KEY_THREAD | tid : handle;
}

static struct stream *find(const struct streams *s, uint64_t key)
{
	struct stream *stream;

	HASH_FIND(hh, s->by_key, &key, sizeof(key), stream);
	return stream;
}

static struct stream *add(struct streams *s, uint64_t key)
{
	struct stream *stream;

	if (s->count >= STREAMS_MAX)
		return NULL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return NULL;
	s->count++;
	stream->key = key;
	stream->number = key & KEY_DEVICE ? 0 : ++s->last_number;
	HASH_ADD(hh, s->by_key, key, sizeof(stream->key), stream);
	LL_PREPEND(s->all, stream);
	return stream;
}

struct stream *hip_streams__get(struct streams *s, uint64_t handle, uint32_t device, uint32_t tid)
{
	uint64_t key = key_of(handle, device, tid);
	struct stream *stream = find(s, key);

	return stream ? stream : add(s, key);
}

struct stream *hip_streams__created(struct streams *s, uint64_t handle)
{
	struct stream *old = find(s, handle), *stream;

	if (handle <= PER_THREAD)
		return NULL;
	if (old)
		HASH_DEL(s->by_key, old);
	stream = add(s, handle);
	if (stream)
		stream->complete = true;
	return stream;
}

void hip_streams__clear(struct streams *s)
{
	struct stream *stream, *next;

	HASH_CLEAR(hh, s->by_key);
	LL_FOREACH_SAFE (s->all, stream, next) {
		runtime_threads__forget_launches(stream);
		free(stream);
	}
	*s = (struct streams){0};
}
