// SPDX-License-Identifier: MIT
/*
 * Slots of fixed size: a signal handler reads them while the thread that it interrupts changes
 * them.
 */
#include "user/base/unfinished_outputs.h"

#include <signal.h>
#include <string.h>

#define SLOTS	  16
#define PLACE_MAX 240

static struct {
	volatile sig_atomic_t used; /* set last, cleared first */
	char place[PLACE_MAX];
} slots[SLOTS];

int unfinished_outputs__add(const char *place)
{
	for (int i = 0; i < SLOTS; i++) {
		if (slots[i].used)
			continue;
		strncpy(slots[i].place, place, PLACE_MAX - 1);
		slots[i].used = 1;
		return i;
	}
	return -1;
}

void unfinished_outputs__remove(int number)
{
	if (number >= 0)
		slots[number].used = 0;
}

static size_t append(char *buf, size_t size, size_t length, const char *text)
{
	size_t n = strlen(text);

	if (n > size - length)
		n = size - length;
	memcpy(buf + length, text, n);
	return length + n;
}

size_t unfinished_outputs__list(char *buf, size_t size)
{
	size_t length = 0;

	for (int i = 0; i < SLOTS; i++) {
		if (!slots[i].used)
			continue;
		if (length)
			length = append(buf, size, length, ", ");
		length = append(buf, size, length, slots[i].place);
	}
	return length;
}
