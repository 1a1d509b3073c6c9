// SPDX-License-Identifier: MIT
/*
 * What agents hand out apart from the records of the GPU: the calls that they have captured, and
 * what a process has left when it has ended.
 */
#include <stdlib.h>

#include "user/agent/agent_calls.h"
#include "user/agent/agent_set_internal.h"

/* Ends that the kernel reports of one process: as many as it can have in flight. */
#define ENDS_MAX RT_AGENT_FLIGHT_SLOTS

struct call_arg {
	struct agents *a;
	struct agent_view *view;
};

static void on_call(const struct rt_rec *rec, void *arg)
{
	struct call_arg *c = arg;

	c->a->callbacks.call(c->view, rec, c->a->callbacks.arg);
}

bool agent_rest__drain_calls(struct agents *a, struct agent_view *view)
{
	struct agent_spans *spans = a->capture ? agent_memory__spans(view) : NULL;
	struct call_arg c = {a, view};

	return !spans || agent_calls__drain(spans, on_call, &c);
}

void agent_rest__end_calls(struct agents *a, struct member *m, uint64_t at)
{
	struct agent_spans *spans = a->capture && m->view ? agent_memory__spans(m->view) : NULL;
	struct call_arg c = {a, m->view};

	if (spans && !m->calls_ended)
		agent_calls__finish(spans, at, on_call, &c);
	m->calls_ended = true;
}

void agent_set__end_calls(struct agents *a, pid_t pid, uint64_t at)
{
	struct member *m = agent_set__find(a, pid);

	if (m && m->since < at)
		agent_rest__end_calls(a, m, at);
}

void agent_set__end_calls_of(struct agents *a, pid_t pid, uint32_t tid, uint64_t since, uint64_t at)
{
	struct agent_view *view = agent_set__capturing(a, pid);
	struct call_arg c = {a, view};

	if (view)
		agent_calls__finish_thread(agent_memory__spans(view), tid, since, at, on_call, &c);
}

void agent_set__ended(struct agents *a, const struct rt_rec_ended *rec)
{
	struct member *m;
	uint32_t room;
	void *grown;

	for (m = a->members; m && (m->pid != (pid_t)rec->h.pid || m->gone); m = m->next)
		;
	if (!m || !m->view || m->end_count == ENDS_MAX)
		return;
	if (m->end_count == m->end_room) {
		room = m->end_room ? 2 * m->end_room : 64;
		grown = realloc(m->ends, room * sizeof(*m->ends));
		if (!grown)
			return;
		m->ends = grown;
		m->end_room = room;
	}
	m->ends[m->end_count++] = *rec;
}

bool agent_rest__read(struct agents *a, struct member *m)
{
	agent_rest__end_calls(a, m, clock__boot_ns());
	if (!agent_memory__drain(m->view, true, a->callbacks.record, a->callbacks.arg))
		return false;
	for (uint32_t i = 0; i < m->end_count; i++)
		agent_memory__hand_out_end(m->view, &m->ends[i], a->callbacks.record,
					   a->callbacks.arg);
	m->gone = true;
	a->callbacks.gone(m->view, a->callbacks.arg);
	return true;
}
