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

#include "user/base/log.h"

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
	a->names = name_table__new();
	a->tally = totals__new(a->names);
	a->outermost = totals__new(a->names);
	a->idle = gpu_idle__new(NULL);
	a->failures = failures__new(a->names);
	a->unfreed = unfreed__new();
	a->phases = range_phases__new();
	a->who = process_names__new();
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
	process_names__free(a->who);
	range_phases__free(a->phases);
	unfreed__free(a->unfreed);
	failures__free(a->failures);
	gpu_idle__free(a->idle);
	totals__free(a->outermost);
	totals__free(a->tally);
	name_table__free(a->names);
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
	note(a, totals__event(a->outermost, ev, name));
	if (ev->domain != DOMAIN_ROCTX)
		note(a, range_phases__event(a->phases, ev, name));
	note(a, unfreed__call(a->unfreed, ev, name));
	if (!(ev->flags & EV_F_ENTRY))
		note(a, gpu_idle__call(a->idle, ev, name));
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
	if (totals__domain(ev) == TALLY_COUNT)
		return;
	if (ev->kind == EV_RANGE)
		name = name_table__message(a->names, event__name(ev));
	else
		name = name_table__id(a->names, event__name(ev));
	if (!is_renamed(a, ev))
		note(a, totals__event(a->tally, ev, name));
	if (ev->kind == EV_SPAN) {
		on_call(a, ev, name);
	} else if (ev->kind == EV_MEMORY) {
		note(a, unfreed__memory(a->unfreed, ev));
	} else {
		on_latency(a, ev);
		note(a, gpu_idle__operation(a->idle, ev));
		note(a, range_phases__event(a->phases, ev, name));
	}
}

/* The kernels of a range become one of its name. */
static int rename_kernels(struct analysis *a, const struct phase *phase, uint32_t name)
{
	struct tally_row *row;

	if (!phase->kernels.calls)
		return 0;
	row = totals__row(a->tally, TALLY_KERNELS, name);
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

	phases = range_phases__sorted(a->phases, &count);
	if (!phases)
		return -ENOMEM;
	err = rename_kernels(a, range_phases__unknown(a->phases),
			     name_table__id(a->names, "(unknown range)"));
	for (size_t i = 0; i < count && !err; i++)
		err = rename_kernels(a, phases[i], phases[i]->name);
	free(phases);
	return err;
}

void analysis__end(struct analysis *a)
{
	range_phases__end(a->phases);
	if (a->kernel_rename && !a->error)
		note(a, name_kernels(a));
	note(a, gpu_idle__end(a->idle));
}

/* ---- the recording ---- */

static void tell_process(const struct process_info *info, void *arg)
{
	process_names__process(((struct analysis *)arg)->who, info);
}

static void tell_thread(const struct thread_info *info, void *arg)
{
}

static void tell_device(const struct device_info *info, void *arg)
{
	struct analysis *a = arg;

	a->gpu_known = true;
	process_names__device(a->who, info);
}

static void tell_event(const struct event *ev, void *arg)
{
	analysis__event(arg, ev);
}

/* hipLaunchKernel, hipExtModuleLaunchKernel, hipLaunchCooperativeKernel, ... */
static bool is_launch(const char *function)
{
	const char *launch = strstr(function, "Launch");

	return !strncmp(function, "hip", 3) && launch && strstr(launch, "Kernel");
}

int analysis__requests(const struct analysis *a, struct gpu_requests *r)
{
	size_t count;
	struct tally_row **rows = totals__sorted(a->outermost, TALLY_BIT(TALLY_HIP), &count);

	*r = (struct gpu_requests){};
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const char *function = name_table__text(a->names, rows[i]->name);

		if (is_launch(function))
			r->launches += rows[i]->spread.calls;
		else if (!strncmp(function, "hipMemcpy", strlen("hipMemcpy")))
			r->copies += rows[i]->spread.calls;
	}
	free(rows);
	return 0;
}

int analysis__read(struct analysis *a, struct recording *r)
{
	const struct decoder_to to = {tell_process, tell_thread, tell_device, tell_event, NULL, a};
	struct strings *strings = string_pool__new();
	int err = strings ? recording_reader__read(r, strings, &to) : -ENOMEM;

	if (!err)
		analysis__end(a);
	string_pool__free(strings);
	if (!err && a->error) {
		err = a->error;
		log_err("%s: %s", a->path, strerror(-err));
	}
	a->stats = *recording_reader__stats(r);
	a->origin = *recording_reader__origin(r);
	a->damage = recording_reader__damage(r);
	return err;
}
