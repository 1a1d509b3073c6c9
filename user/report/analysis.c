// SPDX-License-Identifier: MIT
/*
 * Hands each event of a recording to what counts it.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/analysis.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "user/log.h"

static bool is_complete(const struct analysis *a)
{
	return a->names && a->tally && a->outermost && a->idle && a->failures && a->unfreed &&
	       a->phases && a->who;
}

struct analysis *analysis__new(const char *path, bool kernel_rename)
{
	struct analysis *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->path = path;
	a->kernel_rename = kernel_rename;
	a->begin = UINT64_MAX;
	a->names = names__new();
	a->tally = tally__new(a->names);
	a->outermost = tally__new(a->names);
	a->idle = idle__new(NULL);
	a->failures = failures__new(a->names);
	a->unfreed = unfreed__new();
	a->phases = phases__new();
	a->who = who__new();
	if (is_complete(a))
		return a;
	analysis__free(a);
	return NULL;
}

void analysis__free(struct analysis *a)
{
	struct device_latency *l, *next;

	if (!a)
		return;
	HASH_ITER (hh, a->latencies, l, next) {
		HASH_DEL(a->latencies, l);
		latency__free(l->latency);
		free(l);
	}
	who__free(a->who);
	phases__free(a->phases);
	unfreed__free(a->unfreed);
	failures__free(a->failures);
	idle__free(a->idle);
	tally__free(a->outermost);
	tally__free(a->tally);
	names__free(a->names);
	free(a);
}

bool analysis__is_wait(const char *function)
{
	static const char *const waits[] = {"hip*Synchronize", "hipMemcpy*", "hsa_signal_wait_*",
					    "hsa_amd_signal_wait_*"};

	/* What only enqueues. */
	if (strstr(function, "Async"))
		return false;
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!fnmatch(waits[i], function, 0))
			return true;
	return false;
}

static void note(struct analysis *a, int err)
{
	if (err && !a->error)
		a->error = err;
}

/* ---- latencies ---- */

static struct device_latency *get_latency(struct analysis *a, uint32_t pid, int32_t device)
{
	struct device_latency key = {.key = {pid, device}}, *l;

	HASH_FIND(hh, a->latencies, &key.key, sizeof(key.key), l);
	if (l)
		return l;
	l = calloc(1, sizeof(*l));
	if (!l)
		return NULL;
	l->key = key.key;
	l->latency = latency__new();
	if (l->latency)
		HASH_ADD(hh, a->latencies, key, sizeof(l->key), l);
	if (l->hh.tbl)
		return l;
	latency__free(l->latency);
	free(l);
	return NULL;
}

static void on_latency(struct analysis *a, const struct event *ev)
{
	struct device_latency *l;

	if (ev->kind != EV_DISPATCH || ev->flags & EV_F_NO_TIMES)
		return;
	l = get_latency(a, ev->pid, ev->gpu.device);
	if (!l) {
		note(a, -ENOMEM);
		return;
	}
	l->early += ev->begin < ev->gpu.submit;
	latency__add(l->latency, ev->begin < ev->gpu.submit ? 0 : ev->begin - ev->gpu.submit);
}

/* ---- events ---- */

static void on_call(struct analysis *a, const struct event *ev, uint32_t name)
{
	note(a, failures__call(a->failures, ev, name));
	if (ev->depth)
		return;
	note(a, tally__event(a->outermost, ev, name));
	if (ev->domain != DOMAIN_ROCTX)
		note(a, phases__event(a->phases, ev, name));
	note(a, unfreed__call(a->unfreed, ev, name));
	if (!(ev->flags & EV_F_ENTRY))
		note(a, idle__call(a->idle, ev, name));
}

/* Its kernels are counted by range, see name_kernels(). */
static bool is_renamed(const struct analysis *a, const struct event *ev)
{
	return a->kernel_rename && ev->kind == EV_DISPATCH && ev->in_range;
}

static void note_time(struct analysis *a, const struct event *ev)
{
	uint64_t begin = ev->begin;

	if (ev_is_operation(ev->kind) && ev->gpu.submit < begin)
		begin = ev->gpu.submit;
	a->begin = begin < a->begin ? begin : a->begin;
	a->end = ev->end > a->end ? ev->end : a->end;
}

void analysis__event(struct analysis *a, const struct event *ev)
{
	uint32_t name;

	if (a->error)
		return;
	note_time(a, ev);
	if (tally__domain(ev) == TALLY_COUNT)
		return;
	if (ev->kind == EV_RANGE)
		name = names__message(a->names, ev_name(ev));
	else
		name = names__id(a->names, ev_name(ev));
	if (!is_renamed(a, ev))
		note(a, tally__event(a->tally, ev, name));
	if (ev->kind == EV_SPAN) {
		on_call(a, ev, name);
	} else if (ev->kind == EV_MEMORY) {
		note(a, unfreed__memory(a->unfreed, ev));
	} else {
		on_latency(a, ev);
		note(a, idle__operation(a->idle, ev));
		note(a, phases__event(a->phases, ev, name));
	}
}

/* The kernels of a range become one of its name. */
static int rename_kernels(struct analysis *a, const struct phase *phase, uint32_t name)
{
	struct tally_row *row;

	if (!phase->kernels.calls)
		return 0;
	row = tally__row(a->tally, TALLY_KERNELS, name);
	if (!row)
		return -ENOMEM;
	spread__merge(&row->spread, &phase->kernels);
	return 0;
}

static int name_kernels(struct analysis *a)
{
	const struct phase **phases;
	size_t count;
	int err;

	phases = phases__sorted(a->phases, &count);
	if (!phases)
		return -ENOMEM;
	err = rename_kernels(a, phases__unknown(a->phases), names__id(a->names, "(unknown range)"));
	for (size_t i = 0; i < count && !err; i++)
		err = rename_kernels(a, phases[i], phases[i]->name);
	free(phases);
	return err;
}

void analysis__end(struct analysis *a)
{
	phases__end(a->phases);
	if (a->kernel_rename && !a->error)
		note(a, name_kernels(a));
	note(a, idle__end(a->idle));
}

/* ---- the recording ---- */

static void tell_process(const struct process_info *info, void *arg)
{
	who__process(((struct analysis *)arg)->who, info);
}

static void tell_thread(const struct thread_info *info, void *arg)
{
}

static void tell_device(const struct device_info *info, void *arg)
{
	who__device(((struct analysis *)arg)->who, info);
}

static void tell_event(const struct event *ev, void *arg)
{
	analysis__event(arg, ev);
}

int analysis__read(struct analysis *a, struct recording *r)
{
	const struct decoder_to to = {tell_process, tell_thread, tell_device, tell_event, NULL, a};
	struct strings *strings = strings__new();
	int err = strings ? recording__read(r, strings, &to) : -ENOMEM;

	if (!err)
		analysis__end(a);
	strings__free(strings);
	if (!err && a->error) {
		err = a->error;
		log_err("%s: %s", a->path, strerror(-err));
	}
	a->stats = *recording__stats(r);
	a->origin = *recording__origin(r);
	a->damage = recording__damage(r);
	return err;
}
