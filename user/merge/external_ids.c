// SPDX-License-Identifier: MIT
/*
 * The stack of external correlation IDs of a thread.
 */
#include "user/merge/external_ids.h"

#include <errno.h>
#include <stdlib.h>

#define DEPTH_MAX 4096 /* what a program that never pops can make us keep */

int external_ids__push(struct external_stack *s, uint64_t id, uint64_t now)
{
	if (s->beyond || s->count == DEPTH_MAX) {
		s->beyond++;
		return -E2BIG;
	}
	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? s->capacity * 2 : 8;
		struct external_id *ids = realloc(s->ids, capacity * sizeof(*ids));

		if (!ids)
			return -ENOMEM;
		s->ids = ids;
		s->capacity = capacity;
	}
	s->ids[s->count++] = (struct external_id){id, now};
	return 0;
}

void external_ids__pop(struct external_stack *s)
{
	if (s->beyond)
		s->beyond--;
	else if (s->count)
		s->count--;
}

bool external_ids__at(const struct external_stack *s, uint64_t instant, uint64_t *id)
{
	for (size_t i = s->beyond ? 0 : s->count; i > 0; i--) {
		if (s->ids[i - 1].since <= instant) {
			*id = s->ids[i - 1].id;
			return true;
		}
	}
	return false;
}

void external_ids__clear(struct external_stack *s)
{
	free(s->ids);
	*s = (struct external_stack){};
}

int external_ids__copy(struct external_stack *to, const struct external_stack *from)
{
	int err = 0;

	external_ids__clear(to);
	for (size_t i = 0; i < from->count && !err; i++)
		err = external_ids__push(to, from->ids[i].id, from->ids[i].since);
	return err;
}
