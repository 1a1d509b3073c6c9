// SPDX-License-Identifier: MIT
/*
 * Reads /proc/self/maps: lines that begin with `BEGIN-END rwxp `, in the order of addresses.
 */
#include "inprocess/mappings.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>

#include "inprocess/raw_syscall.h"

enum field { BEGIN, END, PROTECTION, REST };

/* The line that is being read. */
struct line {
	enum field field;
	uintptr_t begin, end;
	char protection[4];
	size_t have; /* characters of that */
};

static uintptr_t add_digit(uintptr_t number, char c)
{
	return number << 4 | (c <= '9' ? c - '0' : c - 'a' + 10);
}

static void take(struct line *l, char c)
{
	switch (l->field) {
	case BEGIN:
		if (c == '-')
			l->field = END;
		else
			l->begin = add_digit(l->begin, c);
		break;
	case END:
		if (c == ' ')
			l->field = PROTECTION;
		else
			l->end = add_digit(l->end, c);
		break;
	case PROTECTION:
		l->protection[l->have++] = c;
		if (l->have == sizeof(l->protection))
			l->field = REST;
		break;
	case REST:
		if (c == '\n')
			*l = (struct line){.field = BEGIN};
		break;
	}
}

static bool is_found(const struct line *l, uintptr_t at)
{
	return l->field == REST && at >= l->begin && at < l->end;
}

bool mappings__protection(const void *address, char protection[4])
{
	long fd = raw_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC,
			      0, 0, 0);
	struct line line = {.field = BEGIN};
	char text[1024];
	bool found = false;
	long n;

	if (fd < 0)
		return false;
	while (!found && (n = raw_syscall(SYS_read, fd, (long)text, sizeof(text), 0, 0, 0)) > 0) {
		for (long i = 0; i < n && !found; i++) {
			take(&line, text[i]);
			found = is_found(&line, (uintptr_t)address);
		}
	}
	raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
	for (int i = 0; found && i < 4; i++)
		protection[i] = line.protection[i];
	return found;
}
