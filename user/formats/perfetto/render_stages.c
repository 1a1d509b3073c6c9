// SPDX-License-Identifier: MIT
/*
 * Render stages: GPUs by what they are, queues, kernels and their launches.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/perfetto/render_stages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "user/formats/perfetto/protobuf_writer.h"

#define KERNELS_MAX 65536 /* bounds the memory; later ones have no description */

/* Numbers of the specifications that are always there. */
enum stage { STAGE_KERNEL = 1, STAGE_COPY, STAGE_BARRIER, STAGES };

enum arg {
	ARG_DEVICE = 1,
	ARG_STREAM,
	ARG_LDS,
	ARG_SCRATCH,
	ARG_VGPRS,
	ARG_ACCUM_VGPRS,
	ARG_SGPRS,
	ARGS,
};

static const char *const arg_names[ARGS] = {
	[ARG_DEVICE] = "device",   [ARG_STREAM] = "stream", [ARG_LDS] = "lds",
	[ARG_SCRATCH] = "scratch", [ARG_VGPRS] = "vgprs",   [ARG_ACCUM_VGPRS] = "accum_vgprs",
	[ARG_SGPRS] = "sgprs",
};

struct pf_gpu {
	uint32_t number;
	char *name; /* NULL: not known */
	UT_hash_handle hh;
	char what[];
};

struct device_key {
	uint32_t pid;
	int32_t device;
};

struct pf_device {
	struct device_key key;
	struct pf_gpu *gpu;
	UT_hash_handle hh;
};

struct pf_context {
	uint32_t pid;
	UT_hash_handle hh;
};

struct queue_key {
	uint32_t pid;
	int32_t device;
	uint32_t copies, unit; /* direction or queue */
};

struct pf_queue {
	struct queue_key key;
	uint32_t spec;
	UT_hash_handle hh;
};

struct kernel_key {
	const char *name;
	uint32_t vgprs, accum_vgprs, sgprs, zero;
};

struct pf_kernel {
	struct kernel_key key;
	uint64_t iid;
	UT_hash_handle hh;
};

/* ---- which GPU it is ---- */

/* `what`: its place in the machine, or a made-up text if that is not known. */
static struct pf_gpu *get_gpu(struct pf_stages *s, const char *what)
{
	size_t len = event__device_place_len(what);
	struct pf_gpu *gpu;

	HASH_FIND(hh, s->gpus, what, len, gpu);
	if (gpu)
		return gpu;
	gpu = calloc(1, sizeof(*gpu) + len + 1);
	if (!gpu)
		return NULL;
	memcpy(gpu->what, what, len);
	HASH_ADD_KEYPTR(hh, s->gpus, gpu->what, len, gpu);
	if (!gpu->hh.tbl) {
		free(gpu);
		return NULL;
	}
	gpu->number = s->gpu_count++;
	return gpu;
}

static struct pf_device *find_device(const struct pf_stages *s, uint32_t pid, int32_t device)
{
	const struct device_key key = {pid, device};
	struct pf_device *d;

	HASH_FIND(hh, s->devices, &key, sizeof(key), d);
	return d;
}

static struct pf_device *add_device(struct pf_stages *s, uint32_t pid, int32_t device,
				    struct pf_gpu *gpu)
{
	struct pf_device *d = gpu ? calloc(1, sizeof(*d)) : NULL;

	if (!d)
		return NULL;
	d->key = (struct device_key){pid, device};
	d->gpu = gpu;
	HASH_ADD(hh, s->devices, key, sizeof(d->key), d);
	if (d->hh.tbl)
		return d;
	free(d);
	return NULL;
}

void render_stages__device(struct pf_stages *s, const struct device_info *info)
{
	struct pf_device *d = find_device(s, info->pid, info->device);
	struct pf_gpu *gpu;

	if (info->device < 0 || !info->details || !*info->details)
		return;
	gpu = get_gpu(s, info->details);
	if (gpu && !gpu->name)
		gpu->name = strdup(info->name);
	if (d && gpu)
		d->gpu = gpu;
	else
		add_device(s, info->pid, info->device, gpu);
}

/* A device without a description is known only by its number in this process. */
static const struct pf_gpu *gpu_of(struct pf_stages *s, const struct event *ev)
{
	struct pf_device *d = find_device(s, ev->pid, ev->gpu.device);
	char what[64];

	if (!d) {
		snprintf(what, sizeof(what), "device %" PRId32 " of process %" PRIu32,
			 ev->gpu.device, ev->pid);
		d = add_device(s, ev->pid, ev->gpu.device, get_gpu(s, what));
	}
	return d ? d->gpu : NULL;
}

/* ---- what is emitted once ---- */

static void tell_spec(struct pftrace *p, uint64_t iid, const char *name, int category)
{
	size_t begun = protobuf_writer__begin(&p->interned, PF_INTERNED_STAGE);

	protobuf_writer__number(&p->interned, PF_IID, iid);
	protobuf_writer__text(&p->interned, PF_IID_NAME, name);
	protobuf_writer__number(&p->interned, PF_STAGE_CATEGORY, category);
	protobuf_writer__end(&p->interned, begun);
}

static void tell_fixed(struct pf_stages *s, struct pftrace *p)
{
	if (s->begun)
		return;
	s->begun = true;
	s->spec_count = STAGES - 1;
	tell_spec(p, STAGE_KERNEL, "kernel", PF_STAGE_COMPUTE);
	tell_spec(p, STAGE_COPY, "copy", PF_STAGE_OTHER);
	tell_spec(p, STAGE_BARRIER, "barrier", PF_STAGE_OTHER);
	for (int i = 1; i < ARGS; i++) {
		size_t begun = protobuf_writer__begin(&p->interned, PF_INTERNED_ARG);

		protobuf_writer__number(&p->interned, PF_IID, i);
		protobuf_writer__text(&p->interned, PF_IID_NAME, arg_names[i]);
		protobuf_writer__end(&p->interned, begun);
	}
}

/* A context is a process here. */
static void tell_context(struct pf_stages *s, struct pftrace *p, uint32_t pid)
{
	struct pf_context *c;
	size_t begun;

	HASH_FIND(hh, s->contexts, &pid, sizeof(pid), c);
	if (c)
		return;
	c = calloc(1, sizeof(*c));
	if (!c)
		return;
	c->pid = pid;
	HASH_ADD(hh, s->contexts, pid, sizeof(c->pid), c);
	if (!c->hh.tbl)
		free(c);
	begun = protobuf_writer__begin(&p->interned, PF_INTERNED_CONTEXT);
	protobuf_writer__number(&p->interned, PF_IID, pid);
	protobuf_writer__number(&p->interned, PF_CONTEXT_PID, pid);
	protobuf_writer__number(&p->interned, PF_CONTEXT_API, PF_API_HIP);
	protobuf_writer__end(&p->interned, begun);
}

static uint32_t queue_spec(struct pf_stages *s, struct pftrace *p, const struct event *ev)
{
	const bool copies = ev->kind == EV_COPY;
	const struct queue_key key = {ev->pid, ev->gpu.device, copies,
				      copies ? (uint32_t)ev->gpu.dir : ev->gpu.queue};
	char name[64];
	struct pf_queue *q;

	HASH_FIND(hh, s->queues, &key, sizeof(key), q);
	if (q)
		return q->spec;
	q = calloc(1, sizeof(*q));
	if (!q)
		return 0;
	q->key = key;
	q->spec = ++s->spec_count;
	HASH_ADD(hh, s->queues, key, sizeof(q->key), q);
	if (!q->hh.tbl) {
		free(q);
		return 0;
	}
	if (copies)
		snprintf(name, sizeof(name), "%s", event__copy_title(ev->gpu.dir));
	else
		snprintf(name, sizeof(name), "queue %" PRIu32, ev->gpu.queue);
	tell_spec(p, q->spec, name, copies ? PF_STAGE_OTHER : PF_STAGE_COMPUTE);
	return q->spec;
}

static void put_arg(struct bytes *b, uint32_t field, enum arg arg, uint64_t value)
{
	size_t begun = protobuf_writer__begin(b, field);

	protobuf_writer__number(b, PF_ARG_NAME_IID, arg);
	protobuf_writer__number(b, PF_ARG_UINT, value);
	protobuf_writer__end(b, begun);
}

static void tell_kernel(struct pftrace *p, const struct pf_kernel *k)
{
	struct bytes *b = &p->interned;
	size_t begun = protobuf_writer__begin(b, PF_INTERNED_KERNEL);
	const char *name = pf__clean(p, k->key.name);

	protobuf_writer__number(b, PF_IID, k->iid);
	protobuf_writer__text(b, PF_IID_NAME, name);
	protobuf_writer__text(b, PF_KERNEL_DEMANGLED, name);
	if (k->key.vgprs) {
		put_arg(b, PF_KERNEL_ARGS, ARG_VGPRS, k->key.vgprs);
		put_arg(b, PF_KERNEL_ARGS, ARG_ACCUM_VGPRS, k->key.accum_vgprs);
		put_arg(b, PF_KERNEL_ARGS, ARG_SGPRS, k->key.sgprs);
	}
	protobuf_writer__end(b, begun);
}

/* 0: none. */
static uint64_t kernel_iid(struct pf_stages *s, struct pftrace *p, const struct event *ev)
{
	const struct gpu_info *g = &ev->gpu;
	const struct kernel_key key = {event__name(ev), g->vgprs, g->accum_vgprs, g->sgprs, 0};
	struct pf_kernel *k;

	HASH_FIND(hh, s->kernels, &key, sizeof(key), k);
	if (k)
		return k->iid;
	k = HASH_COUNT(s->kernels) < KERNELS_MAX ? calloc(1, sizeof(*k)) : NULL;
	if (!k)
		return 0;
	k->key = key;
	k->iid = HASH_COUNT(s->kernels) + 1;
	HASH_ADD(hh, s->kernels, key, sizeof(k->key), k);
	if (!k->hh.tbl) {
		free(k);
		return 0;
	}
	tell_kernel(p, k);
	return k->iid;
}

/* ---- operations ---- */

static void put_dim3(struct bytes *b, uint32_t field, const uint32_t sizes[3])
{
	size_t begun = protobuf_writer__begin(b, field);

	for (int i = 0; i < 3; i++)
		protobuf_writer__number(b, 1 + i, sizes[i]);
	protobuf_writer__end(b, begun);
}

/* A grid is in workgroups there, and in threads here. */
static void put_launch(struct bytes *b, const struct gpu_info *g)
{
	size_t begun = protobuf_writer__begin(b, PF_STAGE_LAUNCH);
	uint32_t groups[3];

	for (int i = 0; i < 3; i++)
		groups[i] = g->workgroup[i]
				    ? ((uint64_t)g->grid[i] + g->workgroup[i] - 1) / g->workgroup[i]
				    : 0;
	put_dim3(b, PF_LAUNCH_GRID, groups);
	put_dim3(b, PF_LAUNCH_WORKGROUP, g->workgroup);
	put_arg(b, PF_LAUNCH_ARG, ARG_DEVICE, g->device);
	if (g->stream != STREAM_NONE)
		put_arg(b, PF_LAUNCH_ARG, ARG_STREAM, g->stream);
	put_arg(b, PF_LAUNCH_ARG, ARG_LDS, g->lds);
	put_arg(b, PF_LAUNCH_ARG, ARG_SCRATCH, g->scratch);
	protobuf_writer__end(b, begun);
}

static enum stage stage_of(const struct event *ev)
{
	return ev->kind == EV_DISPATCH ? STAGE_KERNEL
	       : ev->kind == EV_COPY   ? STAGE_COPY
				       : STAGE_BARRIER;
}

static void put_stage(struct pf_stages *s, struct pftrace *p, const struct event *ev, uint32_t gpu,
		      uint32_t queue)
{
	uint64_t name = pf__intern_name(p, event__name(ev)), kernel = 0;
	struct bytes *b = &p->packet;
	size_t begun;

	if (ev->kind == EV_DISPATCH)
		kernel = kernel_iid(s, p, ev);
	pf__packet_begin(p);
	protobuf_writer__number(b, PF_TIMESTAMP, ev->begin);
	begun = protobuf_writer__begin(b, PF_RENDER_STAGE);
	protobuf_writer__number(b, PF_STAGE_EVENT_ID, ++s->events);
	protobuf_writer__number(b, PF_STAGE_DURATION, ev->end - ev->begin);
	protobuf_writer__number(b, PF_STAGE_CONTEXT, ev->pid);
	protobuf_writer__number(b, PF_STAGE_SUBMISSION, (uint32_t)ev->corr);
	protobuf_writer__number(b, PF_STAGE_GPU, gpu);
	protobuf_writer__number(b, PF_STAGE_QUEUE_IID, queue);
	protobuf_writer__number(b, PF_STAGE_IID, stage_of(ev));
	if (name)
		protobuf_writer__number(b, PF_STAGE_NAME_IID, name);
	if (kernel)
		protobuf_writer__number(b, PF_STAGE_KERNEL_IID, kernel);
	if (ev->kind == EV_DISPATCH)
		put_launch(b, &ev->gpu);
	protobuf_writer__end(b, begun);
	pf__packet_end(p);
}

void render_stages__add(struct pf_stages *s, struct pftrace *p, const struct event *ev)
{
	const struct pf_gpu *gpu;
	uint32_t queue;

	if (ev->gpu.device < 0)
		return;
	tell_fixed(s, p);
	tell_context(s, p, ev->pid);
	gpu = gpu_of(s, ev);
	queue = gpu ? queue_spec(s, p, ev) : 0;
	if (queue)
		put_stage(s, p, ev, gpu->number, queue);
	else
		sink__fail(&p->sink, -ENOMEM);
}

/* ---- the end ---- */

/* "gfx906 AMD Instinct MI50": the architecture comes first, its place is in the details. */
static void put_gpu(struct pftrace *p, const struct pf_gpu *gpu)
{
	const char *name = gpu->name ? pf__clean(p, gpu->name) : "", *pci;
	size_t begun = protobuf_writer__begin(&p->packet, PF_GPUS), arch = strcspn(name, " ");

	protobuf_writer__text(&p->packet, PF_GPU_NAME, name[arch] ? name + arch + 1 : name);
	if (name[arch])
		protobuf_writer__bytes(&p->packet, PF_GPU_ARCHITECTURE, name, arch);
	protobuf_writer__text(&p->packet, PF_GPU_VENDOR, "AMD");
	pci = strstr(gpu->what, "PCI ");
	if (pci)
		protobuf_writer__bytes(&p->packet, PF_GPU_BDF, pci + 4, strcspn(pci + 4, ", "));
	protobuf_writer__end(&p->packet, begun);
}

/* They were added in the order of their numbers. */
static void tell_gpus(const struct pf_stages *s, struct pftrace *p)
{
	size_t begun;

	pf__packet_begin(p);
	begun = protobuf_writer__begin(&p->packet, PF_GPU_INFO);
	for (const struct pf_gpu *gpu = s->gpus; gpu; gpu = gpu->hh.next)
		put_gpu(p, gpu);
	protobuf_writer__end(&p->packet, begun);
	pf__packet_end(p);
}

#define FREE_ALL(table, type)                       \
	do {                                        \
		struct type *item, *next;           \
                                                    \
		HASH_ITER (hh, table, item, next) { \
			HASH_DEL(table, item);      \
			free(item);                 \
		}                                   \
	} while (0)

void render_stages__close(struct pf_stages *s, struct pftrace *p)
{
	if (s->gpus)
		tell_gpus(s, p);
	for (struct pf_gpu *gpu = s->gpus; gpu; gpu = gpu->hh.next)
		free(gpu->name);
	FREE_ALL(s->gpus, pf_gpu);
	FREE_ALL(s->devices, pf_device);
	FREE_ALL(s->contexts, pf_context);
	FREE_ALL(s->queues, pf_queue);
	FREE_ALL(s->kernels, pf_kernel);
}
