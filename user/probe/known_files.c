// SPDX-License-Identifier: MIT
/*
 * Remembers what each file was found to be.
 */
#include "user/probe/known_files.h"

#define HASH_NONFATAL_OOM 1

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hash.h"
#include "user/base/same_file.h"

struct file {
	struct file_key {
		uint64_t dev, ino;
	} key;
	struct timespec changed; /* st_ctim: an inode that is free may become another file's */
	struct library *lib;	 /* NULL: it could not be read */
	bool alias;		 /* the library is another file's: of overlayfs */
	int error;		 /* errno of that */
	UT_hash_handle hh;
	struct file *older, *newer; /* among those that are of no use */
};

struct known_files {
	struct functions *fns;
	struct file *files;
	struct file *oldest, *newest; /* of no use */
	size_t useless;
};

struct known_files *known_files__new(struct functions *fns)
{
	struct known_files *files = calloc(1, sizeof(*files));

	if (files)
		files->fns = fns;
	return files;
}

static void remove_file(struct known_files *files, struct file *f)
{
	HASH_DEL(files->files, f);
	if (!f->alias)
		library_probes__close(f->lib);
	free(f);
}

void known_files__free(struct known_files *files)
{
	struct file *f, *next;

	if (!files)
		return;
	HASH_ITER (hh, files->files, f, next) {
		remove_file(files, f);
	}
	free(files);
}

/* A file that is kept open cannot become another one. */
static bool is_still(const struct file *f, const struct stat *st)
{
	if (f->lib && !f->alias && f->lib->fd >= 0)
		return true;
	return f->changed.tv_sec == st->st_ctim.tv_sec && f->changed.tv_nsec == st->st_ctim.tv_nsec;
}

/* Its descriptor was closed: there is nothing in it to be probed. */
static bool is_useless(const struct file *f)
{
	return !f->lib || f->lib->fd < 0;
}

static struct file *find(const struct known_files *files, const struct stat *st)
{
	const struct file_key key = {st->st_dev, st->st_ino};
	struct file *f;

	HASH_FIND(hh, files->files, &key, sizeof(key), f);
	return f;
}

struct library *known_files__find(const struct known_files *files, const struct stat *st)
{
	const struct file *f = find(files, st);

	return f && is_still(f, st) && !is_useless(f) ? f->lib : NULL;
}

/*
 * A library that the file is, under other numbers: probed twice, each of its calls would be
 * recorded twice. Times of change say which files are worth a look.
 */
static struct library *find_original(const struct known_files *files, int fd, const struct stat *st)
{
	struct file *f, *next;

	HASH_ITER (hh, files->files, f, next) {
		if (f->alias || !f->lib || f->lib->fd < 0 || f->key.dev == st->st_dev ||
		    f->changed.tv_sec != st->st_ctim.tv_sec ||
		    f->changed.tv_nsec != st->st_ctim.tv_nsec ||
		    !same_file__shares_memory(f->lib->fd, fd))
			continue;
		return f->lib;
	}
	return NULL;
}

static void unlink_useless(struct known_files *files, struct file *f)
{
	*(f->older ? &f->older->newer : &files->oldest) = f->newer;
	*(f->newer ? &f->newer->older : &files->newest) = f->older;
	files->useless--;
}

static void forget(struct known_files *files, struct file *f)
{
	if (is_useless(f))
		unlink_useless(files, f);
	remove_file(files, f);
}

static void note_useless(struct known_files *files, struct file *f)
{
	f->older = files->newest;
	*(f->older ? &f->older->newer : &files->oldest) = f;
	files->newest = f;
	if (++files->useless > KNOWN_FILES_USELESS)
		forget(files, files->oldest);
}

/* What the file is. Takes over fd. */
static void read_file(struct known_files *files, struct file *f, int fd, const char *name,
		      bool program, const struct stat *st)
{
	f->lib = find_original(files, fd, st);
	f->alias = f->lib;
	if (f->alias) {
		close(fd);
		return;
	}
	f->lib = program ? library_probes__open_program(fd, name, files->fns)
			 : library_probes__open(fd, name, files->fns);
	f->error = f->lib ? 0 : errno;
	if (f->lib && f->lib->fd >= 0 && !(f->lib->probe_count + f->lib->door_count)) {
		close(f->lib->fd);
		f->lib->fd = -1;
	}
}

static struct file *add(struct known_files *files, int fd, const char *name, bool program,
			const struct stat *st)
{
	struct file *f = calloc(1, sizeof(*f));

	if (!f) {
		close(fd);
		return NULL;
	}
	f->key = (struct file_key){st->st_dev, st->st_ino};
	f->changed = st->st_ctim;
	read_file(files, f, fd, name, program, st);
	HASH_ADD(hh, files->files, key, sizeof(f->key), f);
	if (!f->hh.tbl) {
		if (!f->alias)
			library_probes__close(f->lib);
		free(f);
		return NULL;
	}
	if (is_useless(f))
		note_useless(files, f);
	return f;
}

struct library *known_files__get(struct known_files *files, int fd, const char *name, bool program,
				 bool *again)
{
	struct stat st;
	struct file *f;

	*again = false;
	if (fstat(fd, &st)) {
		close(fd);
		return NULL;
	}
	f = find(files, &st);
	if (f && !is_still(f, &st)) {
		forget(files, f);
		f = NULL;
	}
	*again = f;
	if (f)
		close(fd);
	else
		f = add(files, fd, name, program, &st);
	if (!f)
		errno = ENOMEM;
	else if (!f->lib)
		errno = f->error;
	return f ? f->lib : NULL;
}

size_t known_files__probes(const struct known_files *files)
{
	struct file *f, *next;
	size_t n = 0;

	HASH_ITER (hh, files->files, f, next) {
		if (f->lib && !f->alias)
			n += f->lib->probe_count;
	}
	return n;
}
