// SPDX-License-Identifier: MIT
/*
 * Chooses among the lines of /proc/PID/cgroup: HIERARCHY:CONTROLLERS:PATH
 */
#include "user/base/control_group.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The path of a line, and its length. NULL: it is no line of that form. */
static const char *path_of(const char *line, size_t *len)
{
	size_t line_len = strcspn(line, "\n");
	const char *colon = memchr(line, ':', line_len);

	if (colon)
		colon = memchr(colon + 1, ':', line + line_len - colon - 1);
	if (!colon || colon[1] != '/')
		return NULL;
	*len = line + line_len - colon - 1;
	return colon + 1;
}

static unsigned int depth_of(const char *path, size_t len)
{
	unsigned int depth = 0;

	for (size_t i = 0; i + 1 < len; i++)
		depth += path[i] == '/';
	return depth;
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line ? line + 1 : line;
}

/* Is the line among the others? */
static bool has_line(const char *lines, const char *line)
{
	size_t len = strcspn(line, "\n");

	for (; *lines; lines = next_line(lines))
		if (strcspn(lines, "\n") == len && !memcmp(lines, line, len))
			return true;
	return false;
}

void control_group__choose(const char *groups, const char *own, char *path, size_t size)
{
	bool best_is_other = false;
	int best_depth = -1;

	*path = '\0';
	for (const char *line = groups; *line; line = next_line(line)) {
		size_t len;
		const char *text = path_of(line, &len);
		int depth;
		bool other;

		if (!text)
			continue;
		depth = (int)depth_of(text, len);
		other = !has_line(own, line);
		if (other < best_is_other || (other == best_is_other && depth <= best_depth))
			continue;
		best_is_other = other;
		best_depth = depth;
		snprintf(path, size, "%.*s", (int)len, text);
	}
}
