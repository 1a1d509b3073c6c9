// SPDX-License-Identifier: MIT
/*
 * Puts slices into blocks, chained from the last to the first of each track, and turns them round.
 */
#include "user/formats/otf2/slice_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLICES 100  /* of a block */
#define EDGES  4096 /* of a block of the second file */

/* A block as it is in the file. */
struct block {
	uint64_t before; /* the track's block before: its number from 1, 0 none */
	uint64_t count;
	uint64_t last; /* end, of those so far */
	struct slice slices[SLICES];
};

struct slices {
	int slices, edges; /* files */
	struct block **tracks;
	uint32_t track_count;
	uint64_t block_count; /* in the file */
	/* Of the track that is read. */
	struct slice *open;
	size_t depth, room;
	struct slice_edge buffer[EDGES];
	size_t buffered;
	uint64_t edge_blocks;
	uint64_t last; /* time */
};

/* ---- files ---- */

static int nameless(int folder)
{
	char name[] = "slices.tmp";
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* A file system that knows no files without names. */
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(folder, name, 0);
	return fd;
}

static int write_at(int fd, const void *data, size_t size, uint64_t number)
{
	const char *at = data;
	off_t place = (off_t)(number * size);
	ssize_t n;

	while (size) {
		n = pwrite(fd, at, size, place);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		place += n;
		size -= n;
	}
	return 0;
}

static int read_at(int fd, void *data, size_t size, uint64_t number)
{
	char *at = data;
	off_t place = (off_t)(number * size);
	ssize_t n;

	while (size) {
		n = pread(fd, at, size, place);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		place += n;
		size -= n;
	}
	return 0;
}

struct slices *slice_store__new(int folder)
{
	struct slices *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return NULL;
	s->slices = nameless(folder);
	s->edges = s->slices < 0 ? -1 : nameless(folder);
	if (s->edges >= 0)
		return s;
	err = errno;
	slice_store__free(s);
	errno = err;
	return NULL;
}

void slice_store__free(struct slices *s)
{
	if (!s)
		return;
	if (s->slices >= 0)
		close(s->slices);
	if (s->edges >= 0)
		close(s->edges);
	for (uint32_t i = 0; i < s->track_count; i++)
		free(s->tracks[i]);
	free(s->tracks);
	free(s->open);
	free(s);
}

/* ---- in ---- */

static int add_numbers(struct slices *s, uint32_t track)
{
	uint32_t count = track + track / 2 + 16;
	struct block **tracks = realloc(s->tracks, count * sizeof(*tracks));

	if (!tracks)
		return -ENOMEM;
	memset(tracks + s->track_count, 0, (count - s->track_count) * sizeof(*tracks));
	s->tracks = tracks;
	s->track_count = count;
	return 0;
}

static struct block *get_track(struct slices *s, uint32_t track)
{
	if (track >= s->track_count && add_numbers(s, track))
		return NULL;
	if (!s->tracks[track])
		s->tracks[track] = calloc(1, sizeof(struct block));
	return s->tracks[track];
}

static int write_block(struct slices *s, struct block *block)
{
	int err = write_at(s->slices, block, sizeof(*block), s->block_count);

	if (err)
		return err;
	block->before = ++s->block_count;
	block->count = 0;
	return 0;
}

/* One that ended before others that were there first is an instant now: they keep their times. */
static void in_order(struct block *block, struct slice *slice)
{
	if (slice->end < block->last)
		slice->begin = slice->end = block->last;
	if (slice->begin > slice->end)
		slice->begin = slice->end;
	block->last = slice->end;
}

int slice_store__add(struct slices *s, uint32_t track, const struct slice *slice)
{
	struct block *block = get_track(s, track);
	int err;

	if (!block)
		return -ENOMEM;
	if (block->count == SLICES) {
		err = write_block(s, block);
		if (err)
			return err;
	}
	block->slices[block->count++] = *slice;
	in_order(block, &block->slices[block->count - 1]);
	return 0;
}

/* ---- turned round ---- */

/* Time does not go forward here, whatever the times of the slices. */
static int add_edge(struct slices *s, const struct slice *slice, bool begins)
{
	uint64_t time = begins ? slice->begin : slice->end;
	int err;

	if (s->buffered == EDGES) {
		err = write_at(s->edges, s->buffer, sizeof(s->buffer), s->edge_blocks);
		if (err)
			return err;
		s->edge_blocks++;
		s->buffered = 0;
	}
	s->last = time < s->last ? time : s->last;
	s->buffer[s->buffered++] = (struct slice_edge){s->last, slice->value, slice->kind, begins};
	return 0;
}

static int close_last(struct slices *s)
{
	return add_edge(s, &s->open[--s->depth], true);
}

/* Is it inside of the last open one? The number of a parent that is not open proves nothing. */
static bool is_inside(const struct slices *s, const struct slice *slice)
{
	const struct slice *outer = &s->open[s->depth - 1];

	return (slice->parent && outer->id == slice->parent) ||
	       (outer->begin < slice->begin && slice->begin < outer->end);
}

static int push(struct slices *s, const struct slice *slice)
{
	size_t room = s->room ? 2 * s->room : 64;
	struct slice *open;

	if (s->depth == s->room) {
		open = realloc(s->open, room * sizeof(*open));
		if (!open)
			return -ENOMEM;
		s->open = open;
		s->room = room;
	}
	s->open[s->depth++] = *slice;
	return add_edge(s, slice, false);
}

static int turn_slice(struct slices *s, const struct slice *slice)
{
	int err = 0;

	while (s->depth && !err && !is_inside(s, slice))
		err = close_last(s);
	return err ? err : push(s, slice);
}

static int turn_block(struct slices *s, const struct block *block)
{
	int err = 0;

	for (uint64_t i = block->count; i-- > 0 && !err;)
		err = turn_slice(s, &block->slices[i]);
	return err;
}

static int turn_track(struct slices *s, const struct block *newest)
{
	struct block block = {.before = newest->before};
	int err = turn_block(s, newest);

	while (!err && block.before) {
		err = read_at(s->slices, &block, sizeof(block), block.before - 1);
		err = err ? err : turn_block(s, &block);
	}
	while (!err && s->depth)
		err = close_last(s);
	return err;
}

/* ---- out ---- */

static int tell_buffer(struct slices *s, slices_fn each, void *arg)
{
	int err = 0;

	while (s->buffered && !err)
		err = each(arg, &s->buffer[--s->buffered]);
	return err;
}

int slice_store__read(struct slices *s, uint32_t track, slices_fn each, void *arg)
{
	int err;

	if (track >= s->track_count || !s->tracks[track])
		return 0;
	s->depth = s->buffered = s->edge_blocks = 0;
	s->last = UINT64_MAX;
	err = turn_track(s, s->tracks[track]);
	if (!err)
		err = tell_buffer(s, each, arg);
	while (!err && s->edge_blocks) {
		err = read_at(s->edges, s->buffer, sizeof(s->buffer), --s->edge_blocks);
		s->buffered = EDGES;
		err = err ? err : tell_buffer(s, each, arg);
	}
	return err;
}
