// SPDX-License-Identifier: MIT
/*
 * Creates and removes files by these rules.
 */
#include "user/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BUFFER (256u << 10) /* bytes a write */

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

/* What root makes for a user is the user's; where the file system knows no owners, nobody's. */
static bool is_behind_sudo(unsigned int *uid, unsigned int *gid)
{
	return !geteuid() && id_from("SUDO_UID", uid) && id_from("SUDO_GID", gid);
}

bool outfile__is_behind_sudo(void)
{
	unsigned int uid, gid;

	return is_behind_sudo(&uid, &gid);
}

static void give_to_caller(int fd)
{
	unsigned int uid, gid;

	if (is_behind_sudo(&uid, &gid) && fchown(fd, uid, gid))
		return; /* better root's than none */
}

/* -EEXIST: there is something of that name. */
static int create_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	give_to_caller(fd);
	return fd;
}

static int open_special(const char *path)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && !S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EEXIST;
}

int outfile__create(const char *path)
{
	struct stat st;
	int fd;

	if (names_descriptor(path)) {
		fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}
	fd = create_new(path);
	if (fd != -EEXIST)
		return fd;
	if (lstat(path, &st))
		return -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return open_special(path);
	return unlink(path) ? -errno : create_new(path);
}

FILE *outfile__open(const char *path)
{
	int fd = outfile__create(path);
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

int outfile__make_folder(const char *path)
{
	unsigned int uid, gid;

	if (mkdir(path, 0777))
		return -errno;
	if (is_behind_sudo(&uid, &gid) && lchown(path, uid, gid))
		return 0; /* likewise */
	return 0;
}

void outfile__give(int folder, const char *name)
{
	unsigned int uid, gid;

	if (is_behind_sudo(&uid, &gid) && fchownat(folder, name, uid, gid, AT_SYMLINK_NOFOLLOW))
		return; /* likewise */
}

bool outfile__is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

void outfile__remove(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISREG(st.st_mode))
		unlink(path);
}
