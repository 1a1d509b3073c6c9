// SPDX-License-Identifier: MIT
/*
 * From packets to GPU operations: queues, who submitted, signals and their times.
 */
#include "user/dispatches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "user/codeobjects.h"
#include "user/doorbells.h"
#include "user/gpuclock.h"
#include "user/log.h"
#include "user/completions.h"

#define PACKET_INVALID	1
#define PACKET_DISPATCH 2

/* How long a packet that was passed over waits for its owner, who is between two stores. */
#define CLAIM_NS 500000000

#define UNKNOWN_NAMES_MAX 65536 /* kernels that are named by their addresses */
#define BEGIN_SLACK_NS	  2000	/* a begin before the submission is believed by so much */

/* A kernel dispatch that the operations know of, until its end and who submitted it are known. */
struct dispatch {
	uint64_t number; /* among the operations */
	uint64_t seen;	 /* or missing then: the GPU has not begun before; 0: it may have */
	bool passed;	 /* by who rang: its owner may ring yet */
	bool ended;
	uint64_t begin, end; /* 0: not known */
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
	uint64_t unknown_names;
};

/* ---- telling ---- */

/* Told when its times are known, or that they are not, and who has submitted it. */
static void end_if_over(struct dispatches *d, struct dispatch *one)
{
	if (one->passed || !one->ended)
		return;
	operations__end(d->operations, d, one->number, one->begin, one->end);
	free(one);
}

static void end(struct dispatches *d, struct dispatch *one, uint64_t begin, uint64_t end)
{
	one->ended = true;
	one->begin = begin;
	one->end = end;
	end_if_over(d, one);
}

/* ---- times ---- */

/* false: the clock has to be read once more first. */
static bool convert(struct dispatches *d, struct dispatch *one, bool now)
{
	uint64_t begin = 0, stop = 0;
	uint64_t slack = BEGIN_SLACK_NS + gpuclocks__error(d->clocks, one->gpu_id);
	int err = gpuclocks__to_boot(d->clocks, one->gpu_id, one->end_ticks, now, &stop);

	if (err == -EAGAIN && !now)
		return false;
	if (!err)
		err = gpuclocks__to_boot(d->clocks, one->gpu_id, one->start_ticks, now, &begin);
	/* Times from before it was seen are those of something else. */
	if (err || begin + slack < one->seen || stop < begin)
		begin = stop = 0;
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

/* From completions.c: the GPU has run it, at these ticks; 0: nobody knows when. */
static void on_signal(void *user, uint64_t start_ticks, uint64_t end_ticks, void *arg)
{
	struct dispatch *one = user;
	struct dispatches *d = arg;

	if (!end_ticks || end_ticks < start_ticks) {
		end(d, one, 0, 0);
		return;
	}
	one->start_ticks = start_ticks;
	one->end_ticks = end_ticks;
	DL_APPEND(d->timed, one);
}

/* ---- who submitted it ---- */

/* From doorbells.c: nobody has rung for a packet that was passed over. */
static void on_unclaimed(struct dispatch *one, void *arg)
{
	one->passed = false;
	end_if_over(arg, one);
}

static void claim(struct dispatches *d, struct doorbell_queue *q, const struct rt_rec_dispatch *rec)
{
	struct dispatch *one = doorbells__claim(d->queues, q, rec->index);

	if (!one)
		return;
	operations__resubmit(d->operations, d, one->number, rec->h.tid, rec->h.ts);
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
	if (d->unknown_names++ >= UNKNOWN_NAMES_MAX)
		return "(unknown kernel)";
	n = snprintf(name, sizeof(name), "(kernel %#lx)", (unsigned long)kernel);
	return strings__keep(d->trace->strings, name, n);
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
	ev->gpu.device = doorbells__device(q);
	ev->gpu.queue = doorbells__number(q);
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
	one->gpu_id = doorbells__gpu_id(q);
	/* What was taken before it was seen may have begun before. */
	one->seen = item->rec.h.flags & RT_DISPATCH_TAKEN ? missing : item->rec.h.ts;
	fill_event(d, &ev, q, item, p);
	if (!operations__submit(d->operations, d, one->number, &ev, item->kernel))
		return one;
	free(one);
	return NULL;
}

/*
 * A packet that the GPU had taken when it was read has lost its type. It was a dispatch if there is
 * a kernel at the address that it would name: in other packets signals stand there, or nothing.
 */
static bool is_dispatch(const struct dispatch_item *item, const struct packet *p)
{
	if (item->rec.h.flags & RT_DISPATCH_TAKEN)
		return item->kernel;
	return (uint8_t)p->header == PACKET_DISPATCH;
}

/* Will its signal have times? */
static bool has_signal(const struct rt_rec_dispatch *rec, const struct packet *p)
{
	return rec->properties & RT_QUEUE_PROFILED && p->signal &&
	       rec->h.flags & RT_DISPATCH_SIGNAL;
}

/* The signal has a new packet to wait for; `one` NULL: not one that is told. */
static bool use_signal(struct dispatches *d, const struct rt_rec_dispatch *rec,
		       const struct packet *p, struct dispatch *one)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};

	if (!has_signal(rec, p))
		return false;
	if (rec->h.flags & RT_DISPATCH_TAKEN)
		return completions__use_late(d->completions, rec->h.pid, p->signal, &words, one);
	return completions__use(d->completions, rec->h.pid, p->signal, &words, one);
}

/* It was taken before it was read, but is none of what began before it was passed over. */
static void settle_signal(struct dispatches *d, const struct rt_rec_dispatch *rec,
			  const struct packet *p)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};

	if (rec->h.flags & RT_DISPATCH_TAKEN && has_signal(rec, p))
		completions__settle(d->completions, rec->h.pid, p->signal, &words);
}

/* What is heard of for the first time; `missing`: when it was passed over and not there, or 0. */
static void on_packet(struct dispatches *d, struct doorbell_queue *q,
		      const struct dispatch_item *item, const struct packet *p, uint64_t missing)
{
	const struct rt_rec_dispatch *rec = &item->rec;
	struct dispatch *one = NULL;

	if (is_dispatch(item, p)) {
		one = new_dispatch(d, q, item, p, missing);
		if (!one)
			d->trace->stats.lost_other++;
	} else if (rec->h.flags & RT_DISPATCH_TAKEN && p->kernel) {
		d->trace->stats.unseen++;
	}
	if (one && rec->h.flags & RT_DISPATCH_PASSED)
		one->passed = !doorbells__pass(d->queues, q, rec->index, rec->h.ts, one);
	if (!use_signal(d, rec, p, one) && one)
		end(d, one, 0, 0); /* nothing will tell when */
}

void dispatches__submitted(struct dispatches *d, const struct dispatch_item *item)
{
	const struct rt_rec_dispatch *rec = &item->rec;
	struct doorbell_queue *q = doorbells__get(d->queues, rec);
	uint64_t missing;
	struct packet p;

	if (!q) {
		d->trace->stats.lost_other++;
		return;
	}
	memcpy(&p, rec->packet, sizeof(p));
	doorbells__tell(d->queues, q);
	if (rec->h.flags & RT_DISPATCH_MISSING) {
		doorbells__missing(q, rec->index, rec->h.ts);
		return;
	}
	missing = doorbells__missing_since(q, rec->index);
	if (missing)
		settle_signal(d, rec, &p);
	if (doorbells__first(q, rec->index))
		on_packet(d, q, item, &p, missing);
	else if (!(rec->h.flags & RT_DISPATCH_PASSED))
		claim(d, q, rec);
}

void dispatches__signal(struct dispatches *d, const struct rt_rec_signal *rec)
{
	const struct signal_words words = {rec->value, rec->start_ticks, rec->end_ticks};

	if (rec->h.flags & RT_SIGNAL_USED)
		completions__use(d->completions, rec->h.pid, rec->signal, &words, NULL);
	else
		completions__end(d->completions, rec->h.pid, rec->signal, &words);
}

void dispatches__drained(struct dispatches *d, const struct rt_rec_dispatch *rec,
			 struct dispatch_item *item)
{
	bool taken = rec->h.flags & RT_DISPATCH_TAKEN;
	struct packet p;

	*item = (struct dispatch_item){.rec = *rec};
	item->rec.h.size = sizeof(*item);
	doorbells__get(d->queues, rec); /* finds its GPU, while the process is there */
	memcpy(&p, rec->packet, sizeof(p));
	if (rec->h.flags & RT_DISPATCH_MISSING || !p.kernel ||
	    (!taken && (uint8_t)p.header != PACKET_DISPATCH))
		return;
	item->kernel = codeobjects__kernel(d->code, rec->h.pid, p.kernel, rec->h.ts);
}

void dispatches__code_changed(struct dispatches *d, const struct rt_rec *rec)
{
	codeobjects__changed(d->code, rec->pid, rec->ts);
}

/* ---- all ---- */

/* A packet that is missing was passed over before the GPU could begin it. */
static bool is_unsure(pid_t pid, void *user, uint64_t start_ticks, void *arg)
{
	const struct dispatch *one = user;
	struct dispatches *d = arg;
	uint64_t since = doorbells__oldest_hole(d->queues, pid, clock__boot_ns()), begin;

	return since != UINT64_MAX &&
	       (gpuclocks__to_boot(d->clocks, one->gpu_id, start_ticks, true, &begin) ||
		begin + gpuclocks__error(d->clocks, one->gpu_id) >= since);
}

struct dispatches *dispatches__new(struct trace *trace, struct operations *operations)
{
	struct dispatches *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->trace = trace;
	d->operations = operations;
	d->code = codeobjects__new(trace->strings);
	d->clocks = gpuclocks__new();
	d->queues = doorbells__new(trace, d->clocks, on_unclaimed, d);
	d->completions = completions__new(on_signal, is_unsure, d);
	if (!d->code || !d->clocks || !d->queues || !d->completions) {
		dispatches__free(d);
		return NULL;
	}
	return d;
}

void dispatches__process_gone(struct dispatches *d, pid_t pid)
{
	completions__forget(d->completions, pid);
	doorbells__forget(d->queues, pid);
	codeobjects__forget(d->code, pid);
}

void dispatches__round(struct dispatches *d, uint64_t released)
{
	completions__look(d->completions, released);
	if (released > CLAIM_NS)
		doorbells__give_up(d->queues, released - CLAIM_NS);
	convert_all(d, false);
}

void dispatches__finish(struct dispatches *d)
{
	completions__believe(d->completions, UINT64_MAX);
	doorbells__give_up(d->queues, UINT64_MAX);
	convert_all(d, true);
	completions__give_up(d->completions);
	d->trace->stats.unseen += doorbells__unseen(d->queues);
	gpuclocks__report(d->clocks);
}

/* Nobody wants to hear of them any more. */
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

void dispatches__free(struct dispatches *d)
{
	struct dispatch *one, *next;

	if (!d)
		return;
	DL_FOREACH_SAFE (d->timed, one, next) {
		DL_DELETE(d->timed, one);
		free(one);
	}
	completions__free(d->completions, drop_pending);
	doorbells__free(d->queues, drop_passed);
	gpuclocks__free(d->clocks);
	codeobjects__free(d->code);
	free(d);
}
