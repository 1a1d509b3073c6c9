// SPDX-License-Identifier: MIT
/*
 * Opens, or makes, and removes folders by these rules.
 */
#include "user/base/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/base/output_file.h"
#include "user/base/output_parent.h"

/* mkdir() leaves the rest to the umask. */
static int open_folder(const struct outfolder *folder)
{
	const char *name;
	int parent = output_parent__open(folder->path, &name), fd, err = 0;
	struct stat st;

	if (parent < 0)
		return parent;
	if (!*name)
		name = ".";
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || (folder->made && fchmod(fd, 0700)))
		err = -errno;
	if (err == -ENOTDIR && !fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    S_ISLNK(st.st_mode))
		err = -ELOOP;
	close(parent);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}

int output_folder__open(struct outfolder *folder, const char *path)
{
	int err;

	*folder = (struct outfolder){.path = strdup(path), .fd = -1};
	if (!folder->path)
		return -ENOMEM;
	err = output_file__make_folder(path);
	folder->made = !err;
	if (!err || err == -EEXIST) {
		folder->fd = open_folder(folder);
		err = folder->fd < 0 ? folder->fd : 0;
	}
	if (err)
		output_folder__close(folder, true);
	return err;
}

char *output_folder__path(const struct outfolder *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder->path, name) < 0 ? NULL : path;
}

void output_folder__close(struct outfolder *folder, bool remove)
{
	if (folder->fd >= 0)
		close(folder->fd);
	if (folder->path && folder->made && remove)
		rmdir(folder->path);
	free(folder->path);
	*folder = (struct outfolder){.fd = -1};
}
