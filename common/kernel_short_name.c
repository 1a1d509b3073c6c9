// SPDX-License-Identifier: MIT
/*
 * Finds the short name by its end, as rocprof's readers expect it.
 */
#include "common/kernel_short_name.h"

#include <string.h>

/* The last part of a name, without its bracketed parts and the text after them. */
static size_t last_part(const char *name, const char **begin)
{
	const char *at = name + strlen(name), *end;
	int inside = 0;

	for (; at > name; at--) {
		if (strchr(")>]", at[-1]))
			inside++;
		else if (strchr("(<[", at[-1]))
			inside -= inside > 0;
		else if (!inside && at[-1] != ' ')
			break;
	}
	end = at;
	while (at > name && at[-1] != ' ' && at[-1] != ':')
		at--;
	*begin = at;
	return end - at;
}

/* Colons end a name in the files. */
void kernel_short_name__put_last(struct textbuf *t, const char *name)
{
	size_t begin = t->len, len;
	const char *last;

	len = last_part(name, &last);
	if (len)
		text_buffer__escaped(t, last, len, '\0');
	else if (*name)
		text_buffer__escaped(t, name, strlen(name), '\0');
	else
		text_buffer__char(t, '?');
	for (size_t i = begin; i < t->len; i++)
		if (t->data[i] == ':')
			t->data[i] = '_';
}
