// SPDX-License-Identifier: MIT
/*
 * The devices, kernels, code objects and the runtime in an agent's meta log, remembered by id.
 *
 * Another process writes the log: its contents are bounded in number and in size, and what exceeds
 * that is counted as names that were lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/agent/agent_memory_internal.h"
#include "user/event/event.h"
#include "user/base/log.h"

/* Ids and names beyond these are dropped. Kernels and code objects are counted per device. */
#define DEVICES_MAX  256u
#define KERNELS_MAX  (1u << 20)
#define CODE_MAX     (1u << 20)
#define RUNTIMES_MAX 256u
#define SHOWN_MAX    (128ull << 20) /* bytes of names that are asked for */

struct device_entry {
	struct clock_map clock;
	struct agent_device device;
};

/*
 * As the log has them. Most kernels that are loaded never run: what a name is to be shown as, which
 * is kept until the end of the trace, is made up when it is first asked for.
 */
struct kernel_entry {
	struct agent_kernel kernel; /* its name NULL: not asked for */
	uint32_t len;
	char name[];
};

struct code_entry {
	struct agent_code code; /* its uri NULL: likewise */
	uint32_t len;
	char uri[];
};

/* ---- tables ---- */

static void *table_get(const struct agent_table *t, uint32_t id)
{
	return id && id <= t->size ? t->entries[id - 1] : NULL;
}

static int table_grow(struct agent_table *t, uint32_t id)
{
	uint32_t size = t->size ? t->size : 16;
	void **entries;

	while (size < id)
		size *= 2;
	if (size == t->size)
		return 0;
	entries = realloc(t->entries, size * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	memset(entries + t->size, 0, (size - t->size) * sizeof(*entries));
	t->entries = entries;
	t->size = size;
	return 0;
}

static void drop_name(struct agent_view *v)
{
	if (!v->names_dropped++)
		log_warn("process %d: its agent has more devices, kernels or code objects than are "
			 "kept: the rest has no names",
			 v->pid);
}

/* Room for what has that id, zeroed; NULL if it is known already, or too much. */
static void *table_add(struct agent_view *v, struct agent_table *t, uint32_t id, uint32_t max,
		       size_t size)
{
	void *entry;

	if (table_get(t, id))
		return NULL;
	entry = id && id <= max && !table_grow(t, id) ? calloc(1, size) : NULL;
	if (entry)
		t->entries[id - 1] = entry;
	else
		drop_name(v);
	return entry;
}

static void table_free(struct agent_table *t)
{
	for (uint32_t i = 0; i < t->size; i++)
		free(t->entries[i]);
	free(t->entries);
	*t = (struct agent_table){};
}

/* ---- the log ---- */

/* What to know of a GPU beyond its name. PCI: bus, device and function are in one number. */
static void put_details(struct agent_device *d, const struct rt_meta_agent *m)
{
	snprintf(d->details, sizeof(d->details),
		 "%u CUs, PCI %04x:%02x:%02x.%x, %.24s, node %u, gpu_id %u", m->cu_count, m->domain,
		 m->bdf >> 8 & 0xff, m->bdf >> 3 & 0x1f, m->bdf & 7, m->uuid, m->kfd_node,
		 m->gpu_id);
	if (d->hip >= 0 && d->hip != d->gpu) {
		size_t len = strlen(d->details);

		snprintf(d->details + len, sizeof(d->details) - len, DEVICE_OWN "%d of the process",
			 d->hip);
	}
}

static void add_device(struct agent_view *v, const struct rt_meta_agent *m)
{
	struct device_entry *d = table_add(v, &v->devices, m->id, DEVICES_MAX, sizeof(*d));

	if (!d)
		return;
	d->device.gpu = m->is_gpu ? (int32_t)(m->gpu_index & 0xffff) : -1;
	d->device.hip = m->is_gpu && m->hip_index <= 0xffff ? (int32_t)m->hip_index : -1;
	snprintf(d->device.name, sizeof(d->device.name), "%.64s %.64s", m->name, m->product);
	put_details(&d->device, m);
}

static void add_code(struct agent_view *v, const struct rt_meta_code *m, uint32_t uri_len)
{
	struct code_entry *c = table_add(v, &v->code, m->id, CODE_MAX, sizeof(*c) + uri_len);

	if (!c)
		return;
	c->len = uri_len;
	memcpy(c->uri, m->uri, uri_len);
}

/* The build is the runtime's own text, which may be in quotes. */
static void add_runtime(struct agent_view *v, const struct rt_meta_runtime *m)
{
	char text[160];
	int n;

	n = snprintf(text, sizeof(text), "HSA %u.%u, build %.64s", m->major, m->minor, m->build);
	if (v->runtime && !strcmp(v->runtime, text))
		return;
	if (v->runtimes++ < RUNTIMES_MAX)
		v->runtime = string_pool__keep(v->strings, text, n);
	else
		drop_name(v);
}

static void add_kernel(struct agent_view *v, const struct rt_meta_kernel *m, uint32_t name_len)
{
	struct kernel_entry *k =
		table_add(v, &v->kernels, m->id, KERNELS_MAX, sizeof(*k) + name_len);

	if (!k)
		return;
	k->len = name_len;
	memcpy(k->name, m->name, name_len);
	k->kernel.code = m->code;
	k->kernel.vgprs = m->vgprs;
	k->kernel.accum_vgprs = m->accum_vgprs;
	k->kernel.sgprs = m->sgprs;
}

/* One from the future would make all that follow go backwards. */
bool agent_meta_log__clock(struct agent_view *v, uint32_t device, const struct clock_pair *pair)
{
	struct device_entry *d = table_get(&v->devices, device);

	if ((device && !d) || pair->boot > clock__boot_ns())
		return false;
	clock_map__add(device ? &d->clock : &v->clock, pair);
	return true;
}

static void read_meta_record(struct agent_view *v, const struct rt_meta_hdr *h)
{
	const struct rt_meta_kernel *kernel = (const void *)h;
	const struct rt_meta_clock *clock = (const void *)h;
	const struct rt_meta_code *code = (const void *)h;
	struct clock_pair pair;

	switch (h->kind) {
	case RT_META_AGENT:
		if (h->size >= sizeof(struct rt_meta_agent))
			add_device(v, (const void *)h);
		break;
	case RT_META_KERNEL:
		if (h->size >= sizeof(*kernel) && kernel->name_len <= h->size - sizeof(*kernel))
			add_kernel(v, kernel, kernel->name_len);
		break;
	case RT_META_CLOCK:
		if (h->size < sizeof(*clock))
			break;
		pair = (struct clock_pair){clock->boottime, clock->hsa, clock->error};
		if (!agent_meta_log__clock(v, 0, &pair))
			v->bad++;
		break;
	case RT_META_CODE:
		if (h->size >= sizeof(*code) && code->uri_len <= h->size - sizeof(*code))
			add_code(v, code, code->uri_len);
		break;
	case RT_META_RUNTIME:
		if (h->size >= sizeof(struct rt_meta_runtime))
			add_runtime(v, (const void *)h);
		break;
	default: /* queues, which have records in the ring, and what later versions add */
		break;
	}
}

#define META_RECORD_MAX (sizeof(struct rt_meta_kernel) + RT_META_NAME_MAX + 8)

void agent_meta_log__read(struct agent_view *v)
{
	union {
		struct rt_meta_hdr h;
		char bytes[META_RECORD_MAX];
	} copy;
	const struct rt_agent_state *state = (const void *)(v->base + RT_AGENT_STATE);
	uint64_t tail = __atomic_load_n(&state->meta_tail, __ATOMIC_ACQUIRE);
	const char *log = v->base + v->header.meta_off;
	struct rt_meta_hdr h;

	if (tail > v->header.meta_size)
		tail = v->header.meta_size;
	while (!v->meta_broken && v->meta_read + sizeof(h) <= tail) {
		memcpy(&h, log + v->meta_read, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > META_RECORD_MAX ||
		    h.size > tail - v->meta_read) {
			log_warn(
				"agent: process %d: damaged list of names; kernels may be nameless",
				v->pid);
			v->meta_broken = true;
			v->bad++;
			return;
		}
		memcpy(copy.bytes, log + v->meta_read, h.size);
		copy.h = h;
		read_meta_record(v, &copy.h);
		v->meta_read += h.size;
	}
}

/* ---- what is asked ---- */

const struct agent_device *agent_memory__device(const struct agent_view *v, uint32_t id)
{
	const struct device_entry *d = table_get(&v->devices, id);

	return d ? &d->device : NULL;
}

/* A short mangled name may stand for a long one. */
static const char *shown(struct agent_view *v, const char *text, size_t len,
			 const char *(*keep)(struct strings *s, const char *text, size_t len))
{
	const char *kept;

	if (v->shown >= SHOWN_MAX) {
		drop_name(v);
		return "?";
	}
	kept = keep(v->strings, text, len);
	v->shown += strlen(kept) + len;
	return kept;
}

const struct agent_kernel *agent_memory__kernel(struct agent_view *v, uint32_t id)
{
	struct kernel_entry *k = table_get(&v->kernels, id);

	if (k && !k->kernel.name)
		k->kernel.name = shown(v, k->name, k->len, string_pool__keep_kernel);
	return k ? &k->kernel : NULL;
}

const struct agent_code *agent_memory__code(struct agent_view *v, uint32_t id)
{
	struct code_entry *c = table_get(&v->code, id);

	if (c && !c->code.uri)
		c->code.uri = shown(v, c->uri, c->len, string_pool__keep);
	return c ? &c->code : NULL;
}

const char *agent_memory__runtime(const struct agent_view *v)
{
	return v->runtime;
}

const struct clock_map *agent_memory__clock(const struct agent_view *v, uint32_t device)
{
	const struct device_entry *d = table_get(&v->devices, device);

	if (!device)
		return &v->clock;
	return d ? &d->clock : NULL;
}

uint64_t agent_memory__clock_error(const struct agent_view *v)
{
	uint64_t error = v->last.clock_error;

	for (uint32_t id = 1; id <= v->devices.size; id++) {
		const struct device_entry *d = table_get(&v->devices, id);

		if (d && d->clock.error > error)
			error = d->clock.error;
	}
	return error;
}

int32_t agent_memory__hip_device(const struct agent_view *v, int32_t hip)
{
	for (uint32_t id = 1; id <= v->devices.size; id++) {
		const struct device_entry *d = table_get(&v->devices, id);

		if (d && d->device.gpu >= 0 && d->device.hip == hip)
			return d->device.gpu;
	}
	return -1;
}

void agent_memory__each_device(const struct agent_view *v,
			       void (*fn)(const struct agent_device *, void *arg), void *arg)
{
	for (uint32_t id = 1; id <= v->devices.size; id++) {
		const struct device_entry *d = table_get(&v->devices, id);

		if (d)
			fn(&d->device, arg);
	}
}

void agent_meta_log__free(struct agent_view *v)
{
	for (uint32_t id = 1; id <= v->devices.size; id++) {
		struct device_entry *d = table_get(&v->devices, id);

		if (d)
			clock_map__free(&d->clock);
	}
	table_free(&v->devices);
	table_free(&v->kernels);
	table_free(&v->code);
	clock_map__free(&v->clock);
}
