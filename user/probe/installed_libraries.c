// SPDX-License-Identifier: MIT
/*
 * Looks for ROCm libraries in directories and processes.
 */
#include "user/probe/installed_libraries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/probe/library_probes.h"
#include "user/base/procfs.h"

/* The loader's own directories, and where AMD's packages and pip's put theirs. */
static const char *const directories[] = {
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
	"/usr/local/lib",
	"/usr/local/lib/x86_64-linux-gnu",
	"/opt/rocm*/lib",
	"/opt/rocm*/lib64",
	"/usr/local/lib/rtrace",
};

static bool is_known(const struct installed *in, const struct stat *st)
{
	for (size_t i = 0; i < in->count; i++)
		if (in->files[i].dev == st->st_dev && in->files[i].ino == st->st_ino)
			return true;
	return false;
}

/* Takes over fd. */
static int add(struct installed *in, int fd, const char *path)
{
	struct installed_file *grown;
	char real[PATH_MAX];
	struct stat st;
	int err = 0;

	if (fstat(fd, &st))
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (err || is_known(in, &st)) {
		close(fd);
		return err;
	}
	grown = realloc(in->files, (in->count + 1) * sizeof(*grown));
	if (grown)
		in->files = grown;
	path = strdup(realpath(path, real) ? real : path);
	if (!grown || !path) {
		free((char *)path);
		close(fd);
		return -ENOMEM;
	}
	in->files[in->count++] = (struct installed_file){(char *)path, fd, st.st_dev, st.st_ino};
	return 0;
}

int installed_libraries__add_file(struct installed *in, const char *path)
{
	/* Does not block on a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -errno : add(in, fd, path);
}

static int add_directory(struct installed *in, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char full[PATH_MAX];
	int err = 0;

	while (dir && err != -ENOMEM && (entry = readdir(dir))) {
		if (!library_probes__is_rocm(entry->d_name) ||
		    snprintf(full, sizeof(full), "%s/%s", path, entry->d_name) >= (int)sizeof(full))
			continue;
		err = installed_libraries__add_file(in, full);
	}
	if (dir)
		closedir(dir);
	return err == -ENOMEM ? err : 0;
}

int installed_libraries__add_all(struct installed *in)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]) && !err; i++) {
		glob_t found;

		if (glob(directories[i], GLOB_ONLYDIR, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc && !err; k++)
			err = add_directory(in, found.gl_pathv[k]);
		globfree(&found);
	}
	return err;
}

struct scan {
	struct installed *in;
	pid_t pid;
	int found;
};

static int on_mapping(const struct mapping *m, void *arg)
{
	struct scan *s = arg;
	char name[256];
	int fd, err;

	procfs__basename(m->path, name, sizeof(name));
	if (!m->exec || !library_probes__is_rocm(name))
		return 0;
	fd = procfs__open_mapping(s->pid, m, O_RDONLY);
	if (fd < 0)
		return fd;
	err = add(s->in, fd, m->path);
	s->found += !err;
	return err;
}

int installed_libraries__add_process(struct installed *in, pid_t pid)
{
	struct scan s = {.in = in, .pid = pid};
	int err = procfs__mappings(pid, on_mapping, &s);

	return err ? err : s.found;
}

void installed_libraries__free(struct installed *in)
{
	for (size_t i = 0; i < in->count; i++) {
		free(in->files[i].path);
		if (in->files[i].fd >= 0)
			close(in->files[i].fd);
	}
	free(in->files);
	memset(in, 0, sizeof(*in));
}
