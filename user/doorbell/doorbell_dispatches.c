// SPDX-License-Identifier: MIT
/*
 * From packets to GPU operations: queues, submitting threads, signals and their times.
 */
#include "user/doorbell/doorbell_dispatches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "user/doorbell/doorbell_queues.h"
#include "user/clock/gpu_clock_reader.h"
#include "user/base/log.h"
#include "user/doorbell/completion_signals.h"

#define PACKET_INVALID	1
#define PACKET_DISPATCH 2

/* How long a skipped packet waits for its owner, the thread that is between two doorbell stores. */
#define CLAIM_NS 500000000

#define UNKNOWN_NAMES_MAX 65536 /* packets with kernels that are named by their addresses */
#define BEGIN_SLACK_NS	  2000	/* a begin may precede the submission by this much */

/* A dispatch that was passed to the operations, until its end and submitting thread are known. */
struct dispatch {
	uint64_t number; /* among the operations */
	uint64_t seen;	 /* or missing then: the GPU has not begun before; 0: it may have */
	bool passed;	 /* skipped by a doorbell store: its owner's store may follow */
	bool ended;
	uint64_t begin, end; /* 0: not known, ... */
	enum ev_why why;     /* ... because of this */
	uint32_t gpu_id;
	uint64_t start_ticks, end_ticks;
	struct dispatch *prev, *next; /* in `timed` */
};

struct dispatches {
	struct trace *trace;
	struct operations *operations;
	struct codeobjects *code;
	struct gpuclocks *clocks;
	struct doorbells *queues;
	struct completions *completions;
	struct dispatch *timed; /* their ticks are to be converted */
	uint64_t count;
	uint64_t unknown; /* packets without a certain name */
};

/* ---- reporting the end ---- */

/* Reports the end once the submitting thread is known, and the times are known or never will be. */
static void end_if_over(struct dispatches *d, struct dispatch *one)
{
	if (one->passed || !one->ended)
		return;
	gpu_operations__end(d->operations, d, one->number, one->begin, one->end, one->why);
	free(one);
}

static void end(struct dispatches *d, struct dispatch *one, uint64_t begin, uint64_t end)
{
	one->ended = true;
	one->begin = begin;
	one->end = end;
	end_if_over(d, one);
}

static void end_unknown(struct dispatches *d, struct dispatch *one, enum ev_why why)
{
	one->why = why;
	end(d, one, 0, 0);
}

/* ---- times ---- */

/* false: the clock has to be read once more first. */
static bool convert(struct dispatches *d, struct dispatch *one, bool now)
{
	uint64_t begin = 0, stop = 0;
	uint64_t slack = BEGIN_SLACK_NS + gpu_clock_reader__error(d->clocks, one->gpu_id);
	int err = gpu_clock_reader__to_boot(d->clocks, one->gpu_id, one->end_ticks, now, &stop);

	if (err == -EAGAIN && !now)
		return false;
	if (!err)
		err = gpu_clock_reader__to_boot(d->clocks, one->gpu_id, one->start_ticks, now,
						&begin);
	/* Times from before it was seen are those of something else. */
	if (err)
		end_unknown(d, one, WHY_CLOCK);
	else if (begin + slack < one->seen || stop < begin)
		end_unknown(d, one, WHY_ODD_TIMES);
	else
		end(d, one, begin, stop);
	return true;
}

static void convert_all(struct dispatches *d, bool now)
{
	struct dispatch *one, *next;

	DL_FOREACH_SAFE (d->timed, one, next) {
		DL_DELETE(d->timed, one);
		if (!convert(d, one, now))
			DL_PREPEND(d->timed, one);
	}
}

/* From completion_signals.c: the GPU has run it, at these ticks. */
static void on_signal(void *user, uint64_t start_ticks, uint64_t end_ticks, void *arg)
{
	struct dispatch *one = user;
	struct dispatches *d = arg;

	if (!end_ticks || end_ticks < start_ticks) {
		end_unknown(d, one, WHY_ODD_TIMES);
		return;
	}
	one->start_ticks = start_ticks;
	one->end_ticks = end_ticks;
	DL_APPEND(d->timed, one);
}

/* From completion_signals.c: when the GPU has run it will never be known. */
static void on_unknown(void *user, enum ev_why why, void *arg)
{
	end_unknown(arg, user, why);
}

/* ---- the submitting thread ---- */

/* From doorbell_queues.c: no doorbell store for a skipped packet has followed. */
static void on_unclaimed(struct dispatch *one, void *arg)
{
	one->passed = false;
	end_if_over(arg, one);
}

static void claim(struct dispatches *d, struct doorbell_queue *q, const struct rt_rec_dispatch *rec)
{
	struct dispatch *one = doorbell_queues__claim(d->queues, q, rec->index);

	if (!one)
		return;
	gpu_operations__resubmit(d->operations, d, one->number, rec->h.tid, rec->h.ts);
	on_unclaimed(one, d);
}

/* ---- packets ---- */

struct packet {
	uint16_t header, setup;
	uint16_t workgroup[3], pad;
	uint32_t grid[3];
	uint32_t scratch, lds;
	uint64_t kernel;
	uint64_t args, pad2;
	uint64_t signal;
};

_Static_assert(sizeof(struct packet) == 64, "AQL packets have one size");

static const char *name_of(struct dispatches *d, const struct dispatch_item *item, uint64_t kernel)
{
	char name[64];
	int n;

	if (item->kernel)
		return item->kernel;
	if (d->unknown++ >= UNKNOWN_NAMES_MAX)
		return "(unknown kernel)";
	n = snprintf(name, sizeof(name), "(kernel %#lx)", (unsigned long)kernel);
	return string_pool__keep(d->trace->strings, name, n);
}

static void fill_event(struct dispatches *d, struct event *ev, const struct doorbell_queue *q,
		       const struct dispatch_item *item, const struct packet *p)
{
	const struct rt_rec_dispatch *rec = &item->rec;

	*ev = (struct event){
		.kind = EV_DISPATCH,
		.domain = DOMAIN_GPU,
		.flags = EV_F_DOORBELL,
		.pid = rec->h.pid,
		.tid = rec->h.tid,
		.begin = rec->h.ts,
		.end = rec->h.ts,
		.name = name_of(d, item, p->kernel),
	};
	ev->gpu.device = doorbell_queues__device(q);
	ev->gpu.queue = doorbell_queues__number(q);
	ev->gpu.submit = rec->h.ts;
	ev->gpu.op = d->count;
	ev->gpu.lds = p->lds;
	ev->gpu.scratch = p->scratch;
	for (int i = 0; i < 3; i++) {
		ev->gpu.grid[i] = p->grid[i];
		ev->gpu.workgroup[i] = p->workgroup[i];
	}
}

/* NULL: no memory. */
static struct dispatch *new_dispatch(struct dispatches *d, struct doorbell_queue *q,
				     const struct dispatch_item *item, const struct packet *p,
				     uint64_t missing)
{
	struct dispatch *one = calloc(1, sizeof(*one));
	struct event ev;

	if (!one)
		return NULL;
	one->number = ++d->count;
	one->gpu_id = doorbell_queues__gpu_id(q);
	/* What was taken before it was seen may have begun before. */
	one->seen = item->rec.h.flags & RT_DISPATCH_TAKEN ? missing : item->rec.h.ts;
	fill_event(d, &ev, q, item, p);
	if (!gpu_operations__submit(d->operations, d, one->number, &ev, item->kernel))
		return one;
	free(one);
	return NULL;
}

/*
 * A packet that the GPU had taken when it was read has lost its type. It was a dispatch if there is
 * a kernel at the address in its kernel field: other packets have signals there, or nothing.
 */
static bool is_dispatch(const struct dispatch_item *item, const struct packet *p)
{
	if (item->rec.h.flags & RT_DISPATCH_TAKEN)
		return item->is_kernel;
	return (uint8_t)p->header == PACKET_DISPATCH;
}

/* Will its signal have times? WHY_NOT_SAID: yes. */
static enum ev_why why_without(const struct rt_rec_dispatch *rec, const struct packet *p)
{
	if (!(rec->properties & RT_QUEUE_PROFILED))
		return WHY_QUEUE;
	return p->signal && rec->h.flags & RT_DISPATCH_SIGNAL ? WHY_NOT_SAID : WHY_NO_SIGNAL;
}

/*
 * The signal has a new packet to wait for; `one` NULL: a packet that is not reported. If its times
 * will never be known, it says why.
 */
static enum ev_why use_signal(struct dispatches *d, const struct rt_rec_dispatch *rec,
			      const struct packet *p, struct dispatch *one)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};
	struct completions *c = d->completions;
	enum ev_why why = why_without(rec, p);

	if (why)
		return why;
	if (rec->h.flags & RT_DISPATCH_TAKEN)
		return completion_signals__use_late(c, rec->h.pid, p->signal, &words, one)
			       ? WHY_NOT_SAID
			       : WHY_TAKEN;
	return completion_signals__use(c, rec->h.pid, p->signal, &words, one) ? WHY_NOT_SAID
									      : WHY_NO_ROOM;
}

/* The GPU took it before it was read, but cannot have begun it before it was skipped. */
static void settle_signal(struct dispatches *d, const struct rt_rec_dispatch *rec,
			  const struct packet *p)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};

	if (rec->h.flags & RT_DISPATCH_TAKEN && !why_without(rec, p))
		completion_signals__settle(d->completions, rec->h.pid, p->signal, &words);
}

/* The first record of a packet; `missing`: when it was skipped and not there, or 0. */
static void on_packet(struct dispatches *d, struct doorbell_queue *q,
		      const struct dispatch_item *item, const struct packet *p, uint64_t missing)
{
	const struct rt_rec_dispatch *rec = &item->rec;
	struct dispatch *one = NULL;
	enum ev_why why;

	if (is_dispatch(item, p)) {
		one = new_dispatch(d, q, item, p, missing);
		if (!one)
			d->trace->stats.lost_other++;
	} else if (rec->h.flags & RT_DISPATCH_TAKEN && p->kernel) {
		d->trace->stats.unseen++;
	}
	if (one && rec->h.flags & RT_DISPATCH_PASSED)
		one->passed = !doorbell_queues__pass(d->queues, q, rec->index, rec->h.ts, one);
	why = use_signal(d, rec, p, one);
	if (why && one)
		end_unknown(d, one, why);
}

void doorbell_dispatches__submitted(struct dispatches *d, const struct dispatch_item *item)
{
	const struct rt_rec_dispatch *rec = &item->rec;
	struct doorbell_queue *q = doorbell_queues__get(d->queues, rec);
	uint64_t missing;
	struct packet p;

	if (!q) {
		d->trace->stats.lost_other++;
		return;
	}
	memcpy(&p, rec->packet, sizeof(p));
	doorbell_queues__tell(d->queues, q);
	if (rec->h.flags & RT_DISPATCH_MISSING) {
		doorbell_queues__missing(q, rec->index, rec->h.ts);
		return;
	}
	missing = doorbell_queues__missing_since(q, rec->index);
	if (missing)
		settle_signal(d, rec, &p);
	if (doorbell_queues__first(q, rec->index))
		on_packet(d, q, item, &p, missing);
	else if (!(rec->h.flags & RT_DISPATCH_PASSED))
		claim(d, q, rec);
}

void doorbell_dispatches__signal(struct dispatches *d, const struct rt_rec_signal *rec)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};

	if (rec->h.flags & RT_SIGNAL_USED)
		completion_signals__use(d->completions, rec->h.pid, rec->signal, &words, NULL);
	else
		completion_signals__end(d->completions, rec->h.pid, rec->signal, &words);
}

void doorbell_dispatches__drained(struct dispatches *d, const struct rt_rec_dispatch *rec,
				  struct dispatch_item *item)
{
	bool taken = rec->h.flags & RT_DISPATCH_TAKEN;
	struct code_use use;
	struct packet p;

	*item = (struct dispatch_item){.rec = *rec};
	item->rec.h.size = sizeof(*item);
	doorbell_queues__get(d->queues, rec); /* finds its GPU, while the process is there */
	memcpy(&p, rec->packet, sizeof(p));
	if (rec->h.flags & RT_DISPATCH_MISSING || !p.kernel ||
	    (!taken && (uint8_t)p.header != PACKET_DISPATCH))
		return;
	use = (struct code_use){rec->h.pid, p.kernel, rec->h.ts, rec->unloaded};
	item->kernel = code_objects__kernel(d->code, &use, &item->is_kernel);
}

void doorbell_dispatches__executes(struct dispatches *d, pid_t pid)
{
	code_objects__forget(d->code, pid);
}

/* ---- all ---- */

/* A missing packet was skipped before the GPU could begin it. */
static bool is_unsure(pid_t pid, void *user, uint64_t start_ticks, void *arg)
{
	const struct dispatch *one = user;
	struct dispatches *d = arg;
	uint64_t since = doorbell_queues__oldest_hole(d->queues, pid, clock__boot_ns()), begin;

	return since != UINT64_MAX &&
	       (gpu_clock_reader__to_boot(d->clocks, one->gpu_id, start_ticks, true, &begin) ||
		begin + gpu_clock_reader__error(d->clocks, one->gpu_id) >= since);
}

struct dispatches *doorbell_dispatches__new(struct trace *trace, struct operations *operations,
					    code_unloads_fn *unloads, void *arg)
{
	struct dispatches *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->trace = trace;
	d->operations = operations;
	d->code = code_objects__new(trace->strings, unloads, arg);
	d->clocks = gpu_clock_reader__new();
	d->queues = doorbell_queues__new(trace, d->clocks, on_unclaimed, d);
	d->completions = completion_signals__new(on_signal, on_unknown, is_unsure, d);
	if (!d->code || !d->clocks || !d->queues || !d->completions) {
		doorbell_dispatches__free(d);
		return NULL;
	}
	return d;
}

void doorbell_dispatches__process_gone(struct dispatches *d, pid_t pid)
{
	completion_signals__forget(d->completions, pid);
	doorbell_queues__forget(d->queues, pid);
	code_objects__forget(d->code, pid);
}

void doorbell_dispatches__round(struct dispatches *d, uint64_t released)
{
	completion_signals__look(d->completions, released);
	if (released > CLAIM_NS)
		doorbell_queues__give_up(d->queues, released - CLAIM_NS);
	convert_all(d, false);
}

void doorbell_dispatches__finish(struct dispatches *d)
{
	completion_signals__believe(d->completions, UINT64_MAX);
	doorbell_queues__give_up(d->queues, UINT64_MAX);
	convert_all(d, true);
	completion_signals__give_up(d->completions);
	d->trace->stats.unseen += doorbell_queues__unseen(d->queues);
	gpu_clock_reader__report(d->clocks);
}

/* The packets are not reported any more. */
static void drop_pending(void *user)
{
	struct dispatch *one = user;

	one->ended = true;
	if (!one->passed)
		free(one);
}

static void drop_passed(struct dispatch *one)
{
	if (one->ended)
		free(one);
	else
		one->passed = false; /* it is in `timed` */
}

void doorbell_dispatches__free(struct dispatches *d)
{
	struct dispatch *one, *next;

	if (!d)
		return;
	DL_FOREACH_SAFE (d->timed, one, next) {
		DL_DELETE(d->timed, one);
		free(one);
	}
	completion_signals__free(d->completions, drop_pending);
	doorbell_queues__free(d->queues, drop_passed);
	gpu_clock_reader__free(d->clocks);
	code_objects__free(d->code);
	free(d);
}
