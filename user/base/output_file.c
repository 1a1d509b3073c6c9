// SPDX-License-Identifier: MIT
/*
 * Creates and removes files by these rules.
 */
#include "user/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/base/output_parent.h"

#define FILE_BUFFER  (256u << 10) /* bytes a write */
#define READER_TRIES 100	  /* of 50 ms */

/* Links that the kernel makes to what we have open already. */
static bool names_descriptor(const char *path)
{
	static const char *const places[] = {"/proc/self/fd/", "/dev/fd/"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!strncmp(path, places[i], strlen(places[i])))
			return true;
	return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr");
}

static bool id_from(const char *name, unsigned int *id)
{
	const char *text = getenv(name);
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = value;
	return !errno && !*end && value < (unsigned int)-1;
}

/* A file that root makes for a user becomes the user's, unless the file system has no owners. */
static bool is_behind_sudo(unsigned int *uid, unsigned int *gid)
{
	return !geteuid() && id_from("SUDO_UID", uid) && id_from("SUDO_GID", gid);
}

bool output_file__caller(unsigned int *uid)
{
	unsigned int gid;

	return is_behind_sudo(uid, &gid);
}

static void give_to_caller(int fd)
{
	unsigned int uid, gid;

	if (is_behind_sudo(&uid, &gid) && fchown(fd, uid, gid))
		return; /* better root's than none */
}

/* -EEXIST: there is something of that name. */
static int create_new(int folder, const char *name)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	give_to_caller(fd);
	return fd;
}

/* A pipe's reader may start after the tracer: waits for it a while. -ENXIO: none came. */
static int open_when_read(int folder, const char *name)
{
	const struct timespec pause = {0, 50 * 1000 * 1000};
	int fd;

	for (int i = 0; i < READER_TRIES; i++) {
		fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 || errno != ENXIO)
			return fd < 0 ? -errno : fd;
		if (nanosleep(&pause, NULL))
			return -EINTR;
	}
	return -ENXIO;
}

/* If another user made the pipe, that user could read the tracer's output, or never read it. */
static int judge_special(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode))
		return -EEXIST;
	if (S_ISFIFO(st.st_mode) && !output_parent__trusts(st.st_uid))
		return -EACCES;
	return fcntl(fd, F_SETFL, 0) ? -errno : 0;
}

static int open_special(int folder, const char *name)
{
	struct stat st;
	int fd, err;

	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISFIFO(st.st_mode) &&
	    !output_parent__trusts(st.st_uid))
		return -EACCES;
	fd = open_when_read(folder, name);
	if (fd < 0)
		return fd;
	err = judge_special(fd);
	if (!err)
		return fd;
	close(fd);
	return err;
}

static int create_in(int folder, const char *name)
{
	int fd = create_new(folder, name);
	struct stat st;

	if (fd != -EEXIST)
		return fd;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return open_special(folder, name);
	return unlinkat(folder, name, 0) ? -errno : create_new(folder, name);
}

int output_file__create(const char *path)
{
	const char *name;
	int folder, fd;

	if (names_descriptor(path)) {
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	folder = output_parent__open(path, &name);
	if (folder < 0)
		return folder;
	fd = *name ? create_in(folder, name) : -EISDIR;
	close(folder);
	return fd;
}

FILE *output_file__open(const char *path)
{
	int fd = output_file__create(path);
	FILE *f;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	f = fdopen(fd, "w");
	if (f)
		setvbuf(f, NULL, _IOFBF, FILE_BUFFER);
	else
		close(fd);
	return f;
}

int output_file__make_folder(const char *path)
{
	const char *name;
	int folder = output_parent__open(path, &name), err = 0;

	if (folder < 0)
		return folder;
	if (!*name)
		err = -EEXIST; /* "a/b/": made with "a/b" */
	else if (mkdirat(folder, name, 0777))
		err = -errno;
	else
		output_file__give(folder, name);
	close(folder);
	return err;
}

void output_file__give(int folder, const char *name)
{
	unsigned int uid, gid;

	if (is_behind_sudo(&uid, &gid) && fchownat(folder, name, uid, gid, AT_SYMLINK_NOFOLLOW))
		return; /* likewise */
}

bool output_file__is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void output_file__remove(const char *path)
{
	const char *name;
	int folder = output_parent__open(path, &name);
	struct stat st;

	if (folder < 0)
		return;
	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
		unlinkat(folder, name, 0);
	close(folder);
}

int output_file__rename(const char *from, const char *to)
{
	const char *old, *new;
	int folder = output_parent__open(from, &old), into, err = 0;

	if (folder < 0)
		return folder;
	into = output_parent__open(to, &new);
	if (into < 0)
		err = into;
	else if (renameat(folder, old, into, new))
		err = -errno;
	close(folder);
	if (into >= 0)
		close(into);
	return err;
}
