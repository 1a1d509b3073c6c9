// SPDX-License-Identifier: MIT
/*
 * Keeps the times in which tracing was off.
 */
#include "user/merge/trace_control.h"

#include "user/merge/processes.h"

void off_times__set(struct off_times *o, uint32_t why, bool off, uint64_t now)
{
	uint32_t before = o->why;

	o->why = off ? before | why : before & ~why;
	if (!before && o->why) {
		o->times[o->count % OFF_TIMES].begin = now;
		o->times[o->count % OFF_TIMES].end = UINT64_MAX;
		o->count++;
	} else if (before && !o->why) {
		o->times[(o->count - 1) % OFF_TIMES].end = now;
	}
}

bool off_times__at(const struct off_times *o, uint64_t instant)
{
	uint64_t kept = o->count < OFF_TIMES ? o->count : OFF_TIMES;

	for (uint64_t i = 1; i <= kept; i++) {
		uint64_t n = (o->count - i) % OFF_TIMES;

		if (instant >= o->times[n].begin)
			return instant <= o->times[n].end;
	}
	return false;
}

bool trace_control__was_off(const struct off_times *all, const struct process *p,
			    const struct thread *th, uint64_t instant)
{
	return off_times__at(all, instant) || (p && off_times__at(&p->off, instant)) ||
	       (th && off_times__at(&th->off, instant));
}

struct resume {
	uint32_t pid;
	uint64_t now;
};

static void resume_thread(struct thread *th, void *arg)
{
	const struct resume *r = arg;

	if (th->pid == r->pid)
		off_times__set(&th->off, RT_OFF_PAUSED, false, r->now);
}

/* What is said of all threads ends what was said of single ones. */
static void pause(struct tasks *tasks, struct process *p, uint32_t tid, bool off, uint64_t now)
{
	struct resume r = {p->pid, now};
	struct thread *th;

	if (!tid) {
		off_times__set(&p->off, RT_OFF_PAUSED, off, now);
		processes__each_thread(tasks, resume_thread, &r);
		return;
	}
	th = processes__thread_by_ns_tid(tasks, p->pid, tid);
	if (th)
		off_times__set(&th->off, RT_OFF_PAUSED, off, now);
}

/* Off from when such a call begins, on from when one has returned: as in the kernel. */
void trace_control__call(struct tasks *tasks, struct process *p, enum rt_control what,
			 const struct rt_rec_span *rec)
{
	switch (what) {
	case RT_CONTROL_STOP:
		off_times__set(&p->off, RT_OFF_STOPPED, true, rec->begin);
		break;
	case RT_CONTROL_START:
		off_times__set(&p->off, RT_OFF_STOPPED, false, rec->h.ts);
		break;
	case RT_CONTROL_PAUSE:
		pause(tasks, p, rec->args[0], true, rec->begin);
		break;
	case RT_CONTROL_RESUME:
		pause(tasks, p, rec->args[0], false, rec->h.ts);
		break;
	default:
		break;
	}
}
