// SPDX-License-Identifier: MIT
/*
 * Opens, or makes, and removes folders by these rules.
 */
#include "user/outfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/outfile.h"

/* mkdir() leaves the rest to the umask. */
static int open_folder(const struct outfolder *folder)
{
	int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && (!folder->made || !fchmod(fd, 0700)))
		return fd;
	if (fd >= 0)
		close(fd);
	else if (errno == ENOTDIR && !lstat(folder->path, &st) && S_ISLNK(st.st_mode))
		return -ELOOP;
	return -errno;
}

int outfolder__open(struct outfolder *folder, const char *path)
{
	int err;

	*folder = (struct outfolder){.path = strdup(path), .fd = -1};
	if (!folder->path)
		return -ENOMEM;
	err = outfile__make_folder(path);
	folder->made = !err;
	if (!err || err == -EEXIST) {
		folder->fd = open_folder(folder);
		err = folder->fd < 0 ? folder->fd : 0;
	}
	if (err)
		outfolder__close(folder, true);
	return err;
}

char *outfolder__path(const struct outfolder *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder->path, name) < 0 ? NULL : path;
}

void outfolder__close(struct outfolder *folder, bool remove)
{
	if (folder->fd >= 0)
		close(folder->fd);
	if (folder->path && folder->made && remove)
		rmdir(folder->path);
	free(folder->path);
	*folder = (struct outfolder){.fd = -1};
}
