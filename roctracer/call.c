// SPDX-License-Identifier: MIT
/*
 * The begin and the end of a call that is wrapped.
 */
#include "roctracer/call.h"

#include "inprocess/tsc_clock.h"
#include "roctracer/enabled_operations.h"

void call__begin(const struct table *t, uint32_t op, struct call_data *data, struct call *c,
		 bool callback)
{
	bool record = table__has_pool(t, op), call = callback && table__is_heard(t, op);
	struct thread *self = record || call ? thread__self() : NULL;
	uint64_t id;

	if (!self || self->of_agent)
		return;
	id = thread__new_id(self);
	if (!ids__push(&self->calls, id))
		return;
	data->correlation_id = id;
	data->phase = ACTIVITY_API_PHASE_ENTER;
	c->told = call ? table__begin(t, self, op, data) : 0;
	if (record)
		c->begin_ns = clock__now(&self->clock);
}

void call__end(const struct table *t, uint32_t op, struct call_data *data, const struct call *c)
{
	struct thread *self = thread_current;

	if (!self || !data->correlation_id)
		return;
	table__record_call(t, self, op, data->correlation_id, c->begin_ns);
	data->phase = ACTIVITY_API_PHASE_EXIT;
	table__end(t, self, op, data, c->told);
	self->calls.count--;
}

bool call__set_wanted(const struct table *t, uint8_t *wanted)
{
	bool some = false;

	for (uint32_t op = 0; op < t->count; op++) {
		bool is_wanted = table__is_enabled(t, op);

		__atomic_store_n(&wanted[op], is_wanted, __ATOMIC_RELAXED);
		some |= is_wanted;
	}
	return some;
}
