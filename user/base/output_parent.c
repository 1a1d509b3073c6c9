// SPDX-License-Identifier: MIT
/*
 * Walks a path name by name, each opened below the folder before it.
 */
#include "user/base/output_parent.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "user/base/output_file.h"

#define LINKS_MAX 40 /* as the kernel's */

/* What is left of the way. */
struct walk {
	int fd; /* the folder so far */
	char rest[PATH_MAX];
	int links;
};

bool output_parent__trusts(uid_t owner)
{
	uid_t caller;

	return !owner || owner == geteuid() || (output_file__caller(&caller) && owner == caller);
}

static int enter(struct walk *w, int fd)
{
	if (fd < 0)
		return -errno;
	close(w->fd);
	w->fd = fd;
	return 0;
}

static int start_at_root(struct walk *w)
{
	return enter(w, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* A link of /proc is no text: only the kernel knows where it leads. */
static bool is_magic(int link)
{
	struct statfs fs;

	return !fstatfs(link, &fs) && fs.f_type == PROC_SUPER_MAGIC;
}

/* Puts the link's target before the rest of the path. */
static int follow(struct walk *w, const char *name, int link, const struct stat *st)
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t len;

	if (!output_parent__trusts(st->st_uid))
		return -EPERM;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (is_magic(link))
		return enter(w, openat(w->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC));
	len = readlinkat(link, "", text, sizeof(text) - 1);
	if (len < 0)
		return -errno;
	text[len] = '\0';
	if (snprintf(rest, sizeof(rest), "%s/%s", text, w->rest) >= (int)sizeof(rest))
		return -ENAMETOOLONG;
	memcpy(w->rest, rest, sizeof(rest));
	return *text == '/' ? start_at_root(w) : 0;
}

/* Takes the next name off the rest; false: there is none. */
static bool next_name(struct walk *w, char name[NAME_MAX + 1])
{
	const char *begin = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(begin, "/");

	if (!len || len > NAME_MAX)
		return false;
	memcpy(name, begin, len);
	name[len] = '\0';
	memmove(w->rest, begin + len, strlen(begin + len) + 1);
	return true;
}

static int step(struct walk *w, const char *name)
{
	int fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (S_ISLNK(st.st_mode)) {
		err = follow(w, name, fd, &st);
	} else if (!S_ISDIR(st.st_mode)) {
		err = -ENOTDIR;
	} else {
		return enter(w, fd);
	}
	close(fd);
	return err;
}

int output_parent__open(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	struct walk w = {.fd = -1};
	char part[NAME_MAX + 1];
	int err;

	*name = slash ? slash + 1 : path;
	if (slash && slash - path >= (ssize_t)sizeof(w.rest))
		return -ENAMETOOLONG;
	if (slash)
		memcpy(w.rest, path, slash - path);
	w.fd = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = w.fd < 0 ? -errno : 0;
	while (!err && next_name(&w, part))
		err = step(&w, part);
	if (!err && w.rest[strspn(w.rest, "/")])
		err = -ENAMETOOLONG;
	if (!err)
		return w.fd;
	if (w.fd >= 0)
		close(w.fd);
	return err;
}
