// SPDX-License-Identifier: MIT
/*
 * Writes, renames and removes the files of a recording.
 */
#include "user/recording/recording_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "user/clock/clock_map.h"
#include "user/base/output_file.h"

#define SUFFIX ".rtrace"

struct rec_files {
	FILE *out;
	char *path;
	struct rec_limits limits;
	struct trace_origin origin;
	uint64_t part, oldest; /* numbers of the file that is written, and of the first there is */
	uint64_t begun, written; /* of that file: when, and how many bytes */
	uint64_t *sizes;	 /* of those before */
	size_t room;
	uint64_t behind; /* bytes in them */
};

/* The name of a file that is done; to be freed. */
static char *name_of(const struct rec_files *f, uint64_t part)
{
	size_t len = strlen(f->path), suffix = strlen(SUFFIX);
	char *name;

	if (len > suffix && !strcmp(f->path + len - suffix, SUFFIX))
		len -= suffix;
	return asprintf(&name, "%.*s.%" PRIu64 SUFFIX, (int)len, f->path, part) < 0 ? NULL : name;
}

int recording_files__write(struct rec_files *f, const void *data, size_t len)
{
	f->written += len;
	return fwrite(data, 1, len, f->out) == len ? 0 : -(errno ? errno : EIO);
}

int recording_files__flush(struct rec_files *f)
{
	return fflush(f->out) ? -(errno ? errno : EIO) : 0;
}

uint64_t recording_files__bytes(const struct rec_files *f)
{
	return f->behind + f->written;
}

static int begin(struct rec_files *f)
{
	struct rec_header h;
	int err;

	rec_header__make(&h, &f->origin, f->part);
	f->begun = clock__boot_ns();
	f->written = 0;
	err = recording_files__write(f, &h, sizeof(h));
	return err ? err : recording_files__flush(f);
}

/* Those that are too much, the oldest first. */
static void remove_old(struct rec_files *f, uint64_t more)
{
	while (f->limits.max_bytes && f->oldest < f->part &&
	       recording_files__bytes(f) + more > f->limits.max_bytes) {
		char *name = name_of(f, f->oldest);

		if (name)
			output_file__remove(name);
		free(name);
		f->behind -= f->sizes[f->oldest++];
	}
}

static bool is_rotated(const struct rec_files *f)
{
	return f->limits.rotate_bytes || f->limits.rotate_ns;
}

bool recording_files__is_full(const struct rec_files *f, size_t more)
{
	const struct rec_limits *l = &f->limits;

	if (l->rotate_bytes && f->written + more > l->rotate_bytes)
		return true;
	if (is_rotated(f) && l->max_bytes && f->written + more > l->max_bytes)
		return true;
	return l->rotate_ns && clock__boot_ns() - f->begun >= l->rotate_ns;
}

static int grow(struct rec_files *f)
{
	size_t room = f->room ? 2 * f->room : 64;
	uint64_t *sizes;

	if (f->part < f->room)
		return 0;
	sizes = realloc(f->sizes, room * sizeof(*sizes));
	if (!sizes)
		return -ENOMEM;
	f->sizes = sizes;
	f->room = room;
	return 0;
}

/* The stream goes on in a new file of the same name. */
static int replace(struct rec_files *f, const char *old)
{
	int fd, err = output_file__rename(f->path, old);

	if (err)
		return err;
	fd = output_file__create(f->path);
	if (fd < 0)
		return fd;
	if (dup3(fd, fileno(f->out), O_CLOEXEC) < 0)
		err = -errno;
	close(fd);
	return err;
}

int recording_files__next(struct rec_files *f)
{
	char *old = f->path ? name_of(f, f->part) : NULL;
	int err = old ? grow(f) : -ENOMEM;

	if (!err)
		err = recording_files__flush(f);
	if (!err)
		err = replace(f, old);
	free(old);
	if (err)
		return err;
	f->sizes[f->part++] = f->written;
	f->behind += f->written;
	err = begin(f);
	remove_old(f, f->limits.rotate_bytes);
	return err;
}

struct rec_files *recording_files__new(FILE *first, const char *path,
				       const struct rec_limits *limits,
				       const struct trace_origin *origin)
{
	struct rec_files *f = calloc(1, sizeof(*f));
	int err = f ? 0 : ENOMEM;

	if (!f)
		goto out;
	f->out = first;
	f->limits = *limits;
	f->origin = *origin;
	f->path = path ? strdup(path) : NULL;
	err = path && !f->path ? ENOMEM : -begin(f);
out:
	if (!err)
		return f;
	recording_files__free(f);
	errno = err;
	return NULL;
}

void recording_files__free(struct rec_files *f)
{
	if (!f)
		return;
	free(f->sizes);
	free(f->path);
	free(f);
}
