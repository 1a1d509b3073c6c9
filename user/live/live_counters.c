// SPDX-License-Identifier: MIT
/*
 * Tables of rows: processes by pid, containers by control group, GPUs by where they are plugged in.
 *
 * All are bounded, as processes choose how many there are. What exceeds that is counted in a row
 * that is called "(others)".
 */
#define HASH_NONFATAL_OOM 1
#include "user/live/live_counters.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "common/hash.h"
#include "user/live/busy_time.h"

#define ROWS_MAX    4096 /* of a kind */
#define DEVICES_MAX 64	 /* of a process */
#define OTHERS	    "(others)"
#define NO_NUMBER   INT32_MIN

struct row {
	struct live_row shown;
	struct live_counts before; /* total at the last turn */
	uint64_t active;	   /* events since then */
	struct busy busy;	   /* of a GPU */
	struct device *devices;	   /* of a process */
	size_t device_count;
	struct row *container; /* likewise */
	UT_hash_handle hh;
	char key[];
};

/* A GPU as a process sees it. */
struct device {
	int32_t number;
	struct row *gpu;
	struct busy busy;
};

struct live {
	struct row *rows[LIVE_KINDS];
	struct row *last; /* process that was asked for */
	int error;
};

struct live *live_counters__new(void)
{
	return calloc(1, sizeof(struct live));
}

static void free_row(struct row *row)
{
	free((char *)row->shown.name);
	free((char *)row->shown.model);
	free(row->devices);
	free(row);
}

void live_counters__free(struct live *l)
{
	struct row *row, *next;

	if (!l)
		return;
	for (int kind = 0; kind < LIVE_KINDS; kind++) {
		HASH_ITER (hh, l->rows[kind], row, next) {
			HASH_DEL(l->rows[kind], row);
			free_row(row);
		}
	}
	free(l);
}

/* ---- rows ---- */

static struct row *find_row(const struct live *l, enum live_kind kind, const char *key)
{
	struct row *row;

	HASH_FIND(hh, l->rows[kind], key, strlen(key), row);
	return row;
}

static struct row *add_row(struct live *l, enum live_kind kind, const char *key, const char *name)
{
	struct row *row = calloc(1, sizeof(*row) + strlen(key) + 1);

	if (!row)
		return NULL;
	strcpy(row->key, key);
	row->shown.kind = kind;
	row->shown.gpu_known = kind == LIVE_GPU;
	row->shown.name = strdup(name);
	if (row->shown.name)
		HASH_ADD_KEYPTR(hh, l->rows[kind], row->key, strlen(row->key), row);
	if (row->shown.name && row->hh.tbl)
		return row;
	free_row(row);
	return NULL;
}

/* NULL: no memory, which is noted. */
static struct row *get_row(struct live *l, enum live_kind kind, const char *key, const char *name)
{
	struct row *row = find_row(l, kind, key);

	if (!row && HASH_COUNT(l->rows[kind]) >= ROWS_MAX) {
		key = name = OTHERS;
		row = find_row(l, kind, key);
	}
	if (!row)
		row = add_row(l, kind, key, name);
	if (!row)
		l->error = -ENOMEM;
	return row;
}

static struct row *get_process(struct live *l, uint32_t pid)
{
	char key[16];
	struct row *row;

	if (l->last && l->last->shown.pid == pid)
		return l->last;
	snprintf(key, sizeof(key), "%" PRIu32, pid);
	row = get_row(l, LIVE_PROCESS, key, "");
	if (row && strcmp(row->key, OTHERS))
		row->shown.pid = pid;
	l->last = row;
	return row;
}

static int take_error(struct live *l)
{
	int err = l->error;

	l->error = 0;
	return err;
}

static void leave_container(struct row *process)
{
	if (process->container)
		process->container->shown.processes--;
	process->container = NULL;
	process->shown.container = NULL;
}

/* Its agent reports its devices, or they come with what was read at its doorbells. */
static void know_gpu(struct row *process)
{
	process->shown.gpu_known |= process->device_count > 0;
	if (process->container)
		process->container->shown.gpu_known |= process->shown.gpu_known;
}

/* It may be passed again, with another name, or after it has moved to another control group. */
int live_counters__process(struct live *l, const struct process_info *info)
{
	struct row *process = get_process(l, info->pid);
	struct row *container = get_row(l, LIVE_CONTAINER, info->cgroup, info->cgroup);
	char *comm = strdup(info->comm);

	if (process && comm && process->shown.pid) {
		free((char *)process->shown.name);
		process->shown.name = comm;
		comm = NULL;
	}
	if (process && process->shown.pid && container) {
		leave_container(process);
		process->container = container;
		process->shown.container = container->shown.name;
		container->shown.processes++;
		know_gpu(process);
	}
	free(comm);
	return take_error(l);
}

/* ---- GPUs ---- */

static struct device *find_device(const struct row *process, int32_t number)
{
	for (size_t i = 0; i < process->device_count; i++)
		if (process->devices[i].number == number)
			return &process->devices[i];
	return NULL;
}

/* The last one collects all for which there is no room. */
static struct device *add_device(struct live *l, struct row *process, int32_t number,
				 struct row *gpu)
{
	struct device *grown;

	if (process->device_count == DEVICES_MAX)
		return &process->devices[DEVICES_MAX - 1];
	if (process->device_count == DEVICES_MAX - 1) {
		gpu = get_row(l, LIVE_GPU, OTHERS, OTHERS);
		number = NO_NUMBER;
	}
	if (!gpu)
		return NULL;
	grown = reallocarray(process->devices, process->device_count + 1, sizeof(*grown));
	if (!grown) {
		l->error = -ENOMEM;
		return NULL;
	}
	process->devices = grown;
	grown += process->device_count++;
	*grown = (struct device){.number = number, .gpu = gpu};
	gpu->shown.processes++;
	know_gpu(process);
	return grown;
}

/* "60 CUs, PCI 0000:03:00.0, ...": its address, else all of it. */
static const char *place_of(const char *details, char *buf, size_t size)
{
	const char *pci = strstr(details, "PCI ");

	if (!pci)
		return details;
	pci += strlen("PCI ");
	snprintf(buf, size, "%.*s", (int)strcspn(pci, ","), pci);
	return buf;
}

/* One that the user has named, or that has no description, is counted when it has work to do. */
int live_counters__device(struct live *l, const struct device_info *info)
{
	struct row *process, *gpu;
	struct device *device;
	char buf[64], key[256];

	if (info->device < 0 || !info->details || !*info->details)
		return 0;
	process = get_process(l, info->pid);
	snprintf(key, sizeof(key), "%.*s", (int)event__device_place_len(info->details),
		 info->details);
	gpu = get_row(l, LIVE_GPU, key, place_of(info->details, buf, sizeof(buf)));
	if (gpu && !gpu->shown.model)
		gpu->shown.model = strdup(info->name);
	device = process ? find_device(process, info->device) : NULL;
	if (device && gpu && device->gpu != gpu) {
		device->gpu->shown.processes--;
		device->gpu = gpu;
		gpu->shown.processes++;
	} else if (process && !device) {
		add_device(l, process, info->device, gpu);
	}
	return take_error(l);
}

static struct device *get_device(struct live *l, struct row *process, int32_t number)
{
	struct device *device = find_device(process, number);
	char key[48];

	if (device || number < 0)
		return device;
	snprintf(key, sizeof(key), "gpu %" PRId32 " of process %s", number, process->key);
	return add_device(l, process, number, get_row(l, LIVE_GPU, key, key));
}

/* ---- events ---- */

static void count(struct live_counts *c, const struct event *ev)
{
	switch (ev->kind) {
	case EV_SPAN:
		c->calls[ev->domain]++;
		c->errors += ev->api && call_arguments__failed(ev->api, ev->values);
		break;
	case EV_DISPATCH:
		c->launches++;
		break;
	case EV_COPY:
		c->copies++;
		c->copy_bytes += ev->gpu.bytes;
		break;
	default:
		break;
	}
}

static void count_in(struct row *row, const struct event *ev)
{
	if (!row)
		return;
	count(&row->shown.total, ev);
	row->active++;
}

static void count_operation(struct live *l, struct row *process, const struct event *ev)
{
	struct device *device = get_device(l, process, ev->gpu.device);
	uint64_t ns;

	if (!device)
		return;
	count_in(device->gpu, ev);
	if (ev->flags & EV_F_NO_TIMES)
		return;
	device->gpu->shown.total.busy_ns += busy_time__add(&device->gpu->busy, ev->begin, ev->end);
	ns = busy_time__add(&device->busy, ev->begin, ev->end);
	process->shown.total.busy_ns += ns;
	if (process->container)
		process->container->shown.total.busy_ns += ns;
}

int live_counters__event(struct live *l, const struct event *ev)
{
	struct row *process;

	if (ev->kind != EV_SPAN && ev->kind != EV_DISPATCH && ev->kind != EV_COPY)
		return 0;
	process = get_process(l, ev->pid);
	if (process) {
		count_in(process, ev);
		count_in(process->container, ev);
		if (ev->kind != EV_SPAN)
			count_operation(l, process, ev);
	}
	return take_error(l);
}

static void count_lost(struct row *row, uint64_t count)
{
	if (!row)
		return;
	row->shown.total.lost += count;
	row->active++;
}

int live_counters__lost(struct live *l, uint32_t pid, uint64_t count)
{
	struct row *process = get_process(l, pid);

	count_lost(process, count);
	if (process)
		count_lost(process->container, count);
	return take_error(l);
}

/* ---- looking ---- */

static void subtract(struct live_counts *out, const struct live_counts *a,
		     const struct live_counts *b)
{
	for (int i = 0; i < DOMAIN_COUNT; i++)
		out->calls[i] = a->calls[i] - b->calls[i];
	out->errors = a->errors - b->errors;
	out->launches = a->launches - b->launches;
	out->copies = a->copies - b->copies;
	out->copy_bytes = a->copy_bytes - b->copy_bytes;
	out->lost = a->lost - b->lost;
	out->busy_ns = a->busy_ns - b->busy_ns;
}

void live_counters__each(struct live *l, enum live_kind kind,
			 void (*fn)(const struct live_row *row, void *arg), void *arg)
{
	struct row *row, *next;

	HASH_ITER (hh, l->rows[kind], row, next)
		fn(&row->shown, arg);
}

static bool has_ended(const struct row *process)
{
	return process->shown.pid && kill((pid_t)process->shown.pid, 0) && errno == ESRCH;
}

static void drop_process(struct live *l, struct row *process)
{
	leave_container(process);
	for (size_t i = 0; i < process->device_count; i++)
		process->devices[i].gpu->shown.processes--;
	if (l->last == process)
		l->last = NULL;
	HASH_DEL(l->rows[LIVE_PROCESS], process);
	free_row(process);
}

void live_counters__turn(struct live *l)
{
	struct row *row, *next;

	for (int kind = 0; kind < LIVE_KINDS; kind++) {
		HASH_ITER (hh, l->rows[kind], row, next) {
			bool idle = !row->active;

			subtract(&row->shown.recent, &row->shown.total, &row->before);
			row->before = row->shown.total;
			row->active = 0;
			if (kind == LIVE_PROCESS && idle && has_ended(row))
				drop_process(l, row);
		}
	}
}

uint64_t live_counts__calls(const struct live_counts *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < DOMAIN_COUNT; i++)
		sum += c->calls[i];
	return sum;
}
