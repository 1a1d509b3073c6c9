// SPDX-License-Identifier: MIT
/*
 * Follows the lists of children in /proc/PID/task.
 */
#include "user/base/descendants.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX  8
#define LOOKED_MAX 256 /* processes that are looked at */
#define NAMED_MAX  4

struct search {
	bool (*is_meant)(pid_t pid, void *arg);
	void *arg;
	int looked, named;
	const char *before;
	char *buf;
	size_t size;
};

static void append(struct search *s, const char *text)
{
	size_t length = strlen(s->buf);

	snprintf(s->buf + length, s->size - length, "%s", text);
}

static void name(struct search *s, pid_t pid)
{
	char text[32];

	if (!s->named++)
		append(s, s->before);
	snprintf(text, sizeof(text), " -p %d", pid);
	append(s, text);
}

static void search_below(struct search *s, pid_t pid, int depth);

static void search_children_of_thread(struct search *s, pid_t pid, const char *tid, int depth)
{
	char path[64];
	pid_t child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", pid, tid);
	f = fopen(path, "re");
	while (f && s->looked < LOOKED_MAX && s->named < NAMED_MAX &&
	       fscanf(f, "%d", &child) == 1) {
		s->looked++;
		if (s->is_meant(child, s->arg))
			name(s, child);
		search_below(s, child, depth + 1);
	}
	if (f)
		fclose(f);
}

static void search_below(struct search *s, pid_t pid, int depth)
{
	struct dirent *entry;
	char path[64];
	DIR *tasks;

	if (depth == DEPTH_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks)))
		if (atoi(entry->d_name) > 0)
			search_children_of_thread(s, pid, entry->d_name, depth);
	if (tasks)
		closedir(tasks);
}

void descendants__name(pid_t pid, const char *before, bool (*is_meant)(pid_t pid, void *arg),
		       void *arg, char *buf, size_t size)
{
	struct search s = {
		.is_meant = is_meant, .arg = arg, .before = before, .buf = buf, .size = size};

	search_below(&s, pid, 0);
}
