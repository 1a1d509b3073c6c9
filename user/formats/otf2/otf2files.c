// SPDX-License-Identifier: MIT
/*
 * Removes the files of an archive, and gives them to the user.
 */
#include "user/formats/otf2/otf2files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/base/output_file.h"

static const char *const files[] = {OTF2FILES_NAME ".otf2", OTF2FILES_NAME ".def"};

typedef int (*file_fn)(int folder, const char *name);

static int remove_file(int folder, const char *name)
{
	struct stat st;

	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (S_ISLNK(st.st_mode))
		return -ELOOP;
	if (!S_ISREG(st.st_mode))
		return -ENOTEMPTY;
	return unlinkat(folder, name, 0) ? -errno : 0;
}

static int give_file(int folder, const char *name)
{
	output_file__give(folder, name);
	return 0;
}

/* "12.evt", "12.def" */
static bool is_location(const char *name)
{
	size_t digits = strspn(name, "0123456789");

	return digits && (!strcmp(name + digits, ".evt") || !strcmp(name + digits, ".def"));
}

/* Those of the locations; 0 if there are none. */
static int each_location(int folder, file_fn fn)
{
	int fd = openat(folder, OTF2FILES_NAME, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (entry = readdir(dir)))
		if (is_location(entry->d_name))
			err = fn(dirfd(dir), entry->d_name);
	closedir(dir);
	return err;
}

int otf2files__remove(int folder)
{
	int err = each_location(folder, remove_file);

	if (err == -ENOTDIR) /* no folder: a link, or a file */
		err = remove_file(folder, OTF2FILES_NAME);
	else if (!err && unlinkat(folder, OTF2FILES_NAME, AT_REMOVEDIR) && errno != ENOENT)
		err = -errno;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++)
		err = remove_file(folder, files[i]);
	return err;
}

void otf2files__give(int folder)
{
	each_location(folder, give_file);
	give_file(folder, OTF2FILES_NAME);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		give_file(folder, files[i]);
}
