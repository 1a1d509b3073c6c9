// SPDX-License-Identifier: MIT
/*
 * Adds up what each process has lost, and reports the difference from the sum before. Only
 * processes that have lost something are in the table, which lasts as long as the trace.
 */
#define HASH_NONFATAL_OOM 1
#include "user/record/losses_by_process.h"

#include <stdlib.h>

#include "common/hash.h"

struct losses {
	uint64_t calls, gpu;
};

struct loser {
	uint32_t pid;
	struct losses told, now;
	UT_hash_handle hh;
};

struct lost_by {
	struct loser *losers;
};

struct lost_by *losses_by_process__new(void)
{
	return calloc(1, sizeof(struct lost_by));
}

void losses_by_process__free(struct lost_by *l)
{
	struct loser *p, *next;

	if (!l)
		return;
	HASH_ITER (hh, l->losers, p, next) {
		HASH_DEL(l->losers, p);
		free(p);
	}
	free(l);
}

/* NULL: no memory; then the loss is not reported by process. */
static struct loser *get(struct lost_by *l, uint32_t pid)
{
	struct loser *p;

	HASH_FIND_OR_ADD(l->losers, pid, pid, p);
	return p;
}

static void add_calls(uint32_t pid, uint64_t lost, void *arg)
{
	struct loser *p = lost ? get(arg, pid) : NULL;

	if (p)
		p->now.calls += lost;
}

static void add_agent(struct agent_view *v, void *arg)
{
	uint64_t lost = agent_memory__lost(v), calls = agent_memory__lost_calls(v);
	struct loser *p = lost || calls ? get(arg, (uint32_t)agent_memory__pid(v)) : NULL;

	if (!p)
		return;
	p->now.gpu += lost;
	p->now.calls += calls;
}

/* A count that an agent reports may shrink; it is not accepted as valid then. */
static uint64_t grown(uint64_t *told, uint64_t now)
{
	uint64_t more = now > *told ? now - *told : 0;

	*told += more;
	return more;
}

void losses_by_process__tell(struct lost_by *l, struct capture *capture, struct agents *agents,
			     struct output *out)
{
	struct loser *p, *next;
	struct losses more;

	capture__each_lost(capture, add_calls, l);
	agent_set__each(agents, add_agent, l);
	HASH_ITER (hh, l->losers, p, next) {
		more.calls = grown(&p->told.calls, p->now.calls);
		more.gpu = grown(&p->told.gpu, p->now.gpu);
		if (more.calls || more.gpu)
			output_set__lost(out, p->pid, more.calls, more.gpu);
		p->now = (struct losses){};
	}
}
