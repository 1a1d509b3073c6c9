// SPDX-License-Identifier: MIT
/*
 * Reads the states of the threads in /proc.
 */
#include "inprocess/running_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "ID (NAME) STATE ...", where the name may hold anything. 0: the thread has ended. */
static char state_of(const char *tid)
{
	char path[64], text[128];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : 0;
}

bool running_threads__any(void)
{
	DIR *dir = opendir("/proc/self/task");
	const pid_t self = gettid();
	struct dirent *entry;
	bool any = false;
	char state;

	while (dir && !any && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == self)
			continue;
		state = state_of(entry->d_name);
		any = state == 'R' || state == 'D';
	}
	if (dir)
		closedir(dir);
	return any;
}
