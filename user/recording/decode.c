// SPDX-License-Identifier: MIT
/*
 * Bytes to events. Definitions live as long as their chunk; names that sinks may keep live in the
 * strings that the caller gave.
 */
#include "user/recording/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "user/base/byte_buffer.h"
#include "user/recording/record_tags.h"

#define LEAVES_MAX 65536 /* values in one type: what a call's text is made of */
#define WORDS_MAX  64	 /* of the stack, or SSE */

/* A list that grows; forgotten with each chunk. */
struct list {
	void *items;
	size_t count, room;
};

struct name {
	const char *text;      /* of this chunk */
	const char *kept;      /* the same for good, NULL: not yet */
	struct gpu_info shape; /* of the last dispatch of that kernel */
};

struct type {
	struct api_type api;
	uint64_t leaves;
};

struct function {
	const char *name;
	enum ev_domain domain;
	bool described;
	struct api_function api;
	uint32_t registers;
	uint64_t args[RT_ARGS];
};

struct thread {
	uint32_t pid, tid;
	uint64_t corr, in_range, op;
};

/* Memory that is given back with the chunk. */
struct block {
	struct block *next;
	max_align_t data[];
};

struct decoder {
	struct strings *strings;
	struct decoder_to to;
	struct list names, types, functions, threads; /* types: pointers, as others point to them */
	struct block *blocks;
	uint64_t last_end;
	struct bytes_in in;
	bool no_memory;
};

/* ---- memory ---- */

static void *allocate(struct decoder *d, size_t size)
{
	struct block *b = calloc(1, sizeof(*b) + size);

	if (!b) {
		d->no_memory = d->in.bad = true;
		return NULL;
	}
	b->next = d->blocks;
	d->blocks = b;
	return b->data;
}

/* Room for one more item, zeroed; NULL: no memory. */
static void *append(struct decoder *d, struct list *l, size_t size)
{
	size_t room = l->room ? 2 * l->room : 64;
	void *items;

	if (l->count == l->room) {
		items = realloc(l->items, room * size);
		if (!items) {
			d->no_memory = d->in.bad = true;
			return NULL;
		}
		l->items = items;
		l->room = room;
	}
	items = (char *)l->items + l->count++ * size;
	return memset(items, 0, size);
}

static void forget(struct decoder *d)
{
	for (struct block *b = d->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	d->blocks = NULL;
	d->names.count = d->types.count = d->functions.count = d->threads.count = 0;
	d->last_end = 0;
}

/* ---- what records are made of ---- */

static uint64_t number(struct decoder *d)
{
	return byte_buffer__number(&d->in);
}

/* A number that must be below the limit. */
static uint32_t below(struct decoder *d, uint64_t limit)
{
	uint64_t value = number(d);

	if (value < limit)
		return value;
	d->in.bad = true;
	return 0;
}

static uint32_t u32(struct decoder *d)
{
	return below(d, 1ULL << 32);
}

/* Kept for good; "" if there is none. */
static const char *text(struct decoder *d)
{
	size_t len;
	const char *data = byte_buffer__take(&d->in, &len);

	return string_pool__keep(d->strings, data ? data : "", len);
}

/* A name from a header, which is written as it is. */
static const char *identifier(struct decoder *d)
{
	const char *name = text(d);

	for (const char *p = name; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\')
			d->in.bad = true;
	return name;
}

/* Of the definition with that number; NULL for 0. */
static void *defined(struct decoder *d, const struct list *l, size_t size)
{
	uint32_t id = below(d, l->count + 1);

	return id ? (char *)l->items + (id - 1) * size : NULL;
}

static struct name *name(struct decoder *d)
{
	return defined(d, &d->names, sizeof(struct name));
}

/* NULL: there is none. */
static const char *passing_text(struct decoder *d)
{
	const struct name *n = name(d);

	return n ? n->text : NULL;
}

static const char *keep(struct decoder *d, struct name *n)
{
	if (n && !n->kept)
		n->kept = string_pool__keep(d->strings, n->text, strlen(n->text));
	return n ? n->kept : NULL;
}

static const char *name_text(struct decoder *d)
{
	return keep(d, name(d));
}

static const struct type *type(struct decoder *d)
{
	struct type **t = defined(d, &d->types, sizeof(*t));

	return t ? *t : NULL;
}

/* One that must be there. */
static const struct type *needed_type(struct decoder *d)
{
	static const struct type nothing;
	const struct type *t = type(d);

	if (t)
		return t;
	d->in.bad = true;
	return &nothing;
}

/* ---- definitions ---- */

static void read_constants(struct decoder *d, struct api_type *t)
{
	struct api_constant *c = allocate(d, t->count * sizeof(*c));

	for (unsigned int i = 0; c && i < t->count && !d->in.bad; i++) {
		c[i].name = identifier(d);
		c[i].value = number(d);
	}
	t->constants = c;
}

static void read_fields(struct decoder *d, struct type *t)
{
	struct api_field *f = allocate(d, t->api.count * sizeof(*f));

	for (unsigned int i = 0; f && i < t->api.count && !d->in.bad; i++) {
		const char *field = identifier(d);
		const struct type *of = needed_type(d);

		f[i] = (struct api_field){field, &of->api, below(d, t->api.size)};
		t->leaves += of->leaves;
		if (f[i].offset + (uint64_t)of->api.size > t->api.size || t->leaves > LEAVES_MAX)
			d->in.bad = true;
	}
	t->api.fields = f;
}

static void read_elements(struct decoder *d, struct type *t)
{
	const struct type *of = needed_type(d);

	t->api.target = &of->api;
	t->leaves = t->api.count * of->leaves;
	if (!of->api.size || (uint64_t)of->api.size * t->api.count != t->api.size ||
	    t->leaves > LEAVES_MAX)
		d->in.bad = true;
}

/* Do values of the kind come in that size? */
static bool has_size(uint8_t kind, uint32_t size)
{
	switch (kind) {
	case API_FLOAT:
		return size == 4 || size == 8;
	case API_BOOL:
		return size == 1;
	case API_POINTER:
	case API_STRING:
		return size == 8;
	case API_INT:
	case API_UINT:
	case API_HEX:
	case API_ENUM:
	case API_FLAGS:
		return size == 1 || size == 2 || size == 4 || size == 8;
	default:
		return size <= LEAVES_MAX;
	}
}

static void read_type(struct decoder *d)
{
	struct type *t = allocate(d, sizeof(*t)), **slot;

	if (!t)
		return;
	t->api.kind = below(d, API_BYTES + 1);
	t->api.size = u32(d);
	t->api.count = below(d, UINT16_MAX + 1);
	t->leaves = 1;
	if (!has_size(t->api.kind, t->api.size))
		d->in.bad = true;
	/* Each takes a byte at least. */
	if (t->api.count > d->in.end - d->in.at && t->api.kind != API_ARRAY &&
	    t->api.kind != API_CHARS)
		d->in.bad = true;
	if (d->in.bad)
		return;
	if (t->api.kind == API_ENUM || t->api.kind == API_FLAGS)
		read_constants(d, &t->api);
	else if (t->api.kind == API_STRUCT)
		read_fields(d, t);
	else if (t->api.kind == API_ARRAY)
		read_elements(d, t);
	else if (t->api.kind == API_POINTER) {
		const struct type *to = type(d);

		t->api.target = to ? &to->api : NULL;
	}
	slot = d->in.bad ? NULL : append(d, &d->types, sizeof(*slot));
	if (slot)
		*slot = t;
}

static void read_parameter(struct decoder *d, struct api_param *p, uint32_t *registers)
{
	p->name = identifier(d);
	p->type = &needed_type(d)->api;
	p->place[0] = below(d, 256);
	p->place[1] = below(d, 256);
	p->read = below(d, 256);
	p->flags = below(d, 256);
	if (p->read != API_UNREAD && p->read >= RT_READS)
		d->in.bad = true;
	for (int k = 0; k < 2; k++)
		if (p->place[k] < RT_ARGS)
			*registers |= 1u << p->place[k];
}

static void read_description(struct decoder *d, struct function *f)
{
	struct api_param *params;

	f->api.name = f->name;
	f->api.ret = &needed_type(d)->api;
	f->api.ret_read = below(d, 256);
	f->api.failure = below(d, RT_FAILURE_NEGATIVE + 1);
	f->api.benign = u32(d);
	f->api.param_count = below(d, 256);
	if (f->api.ret_read != API_UNREAD && f->api.ret_read >= RT_READS)
		d->in.bad = true;
	f->registers = 0;
	params = d->in.bad ? NULL : allocate(d, f->api.param_count * sizeof(*params));
	for (unsigned int i = 0; params && i < f->api.param_count && !d->in.bad; i++)
		read_parameter(d, &params[i], &f->registers);
	f->api.params = params;
}

static void read_function(struct decoder *d)
{
	struct function *f = append(d, &d->functions, sizeof(*f));

	if (!f)
		return;
	f->name = text(d);
	f->domain = below(d, DOMAIN_COUNT);
	f->described = below(d, 2);
	f->registers = (1u << RT_ARGS) - 1;
	if (f->described)
		read_description(d, f);
}

static void read_process(struct decoder *d)
{
	struct process_info info = {.again = !below(d, 2)};

	info.pid = u32(d);
	info.comm = text(d);
	info.cmdline = text(d);
	info.cgroup = text(d);
	info.ns_pid = u32(d);
	info.libraries = text(d);
	if (!d->in.bad)
		d->to.process(&info, d->to.arg);
}

static void read_thread(struct decoder *d)
{
	struct thread *t = append(d, &d->threads, sizeof(*t));
	struct thread_info info = {};
	bool named;

	if (!t)
		return;
	info.again = !below(d, 2);
	info.pid = t->pid = u32(d);
	info.tid = t->tid = u32(d);
	named = below(d, 2);
	info.comm = text(d);
	if (!d->in.bad && named)
		d->to.thread(&info, d->to.arg);
}

static int32_t device_number(struct decoder *d)
{
	int64_t value = byte_buffer__signed(&d->in);

	if (value < DEVICE_UNKNOWN || value > INT32_MAX)
		d->in.bad = true;
	return (int32_t)value;
}

static void read_device(struct decoder *d)
{
	struct device_info info = {.again = !below(d, 2)};
	bool has_details;

	info.pid = u32(d);
	info.device = device_number(d);
	has_details = below(d, 2);
	info.name = text(d);
	info.details = text(d);
	if (!has_details)
		info.details = NULL;
	if (!d->in.bad)
		d->to.device(&info, d->to.arg);
}

static void read_string(struct decoder *d)
{
	struct name *n = append(d, &d->names, sizeof(*n));
	size_t len;
	const char *data = byte_buffer__take(&d->in, &len);
	char *copy = data ? allocate(d, len + 1) : NULL;

	if (copy)
		memcpy(copy, data, len);
	if (n)
		n->text = copy ? copy : "";
}

/* ---- events ---- */

struct call {
	struct call_values values;
	const char *callers[RT_STACK_DEPTH];
};

static void read_common(struct decoder *d, struct event *ev, struct thread **thread, uint32_t *mask)
{
	static struct thread nobody;
	struct thread *t;

	ev->domain = below(d, DOMAIN_COUNT);
	t = defined(d, &d->threads, sizeof(*t));
	if (!t) {
		d->in.bad = true;
		t = &nobody;
	}
	*thread = t;
	ev->pid = t->pid;
	ev->tid = t->tid;
	ev->flags = u32(d);
	*mask = u32(d);
	ev->end = byte_buffer__change(&d->in, d->last_end);
	ev->begin = ev->end - number(d);
	ev->corr = byte_buffer__change(&d->in, t->corr);
	if (*mask & P_PARENT)
		ev->parent = byte_buffer__change(&d->in, ev->corr);
	ev->root = *mask & P_ROOT ? byte_buffer__change(&d->in, ev->corr) : ev->corr;
	ev->in_range = *mask & P_RANGE ? byte_buffer__change(&d->in, t->in_range) : t->in_range;
	if (*mask & P_EXTERNAL)
		ev->external = number(d);
	if (ev->begin > ev->end)
		d->in.bad = true;
	t->corr = ev->corr;
	t->in_range = ev->in_range;
	d->last_end = ev->end;
}

/* Words as they were in memory: not kept longer than the event. */
static const unsigned char *read_words(struct decoder *d, uint16_t *count)
{
	static uint64_t words[2][WORDS_MAX];
	static unsigned int turn;
	uint64_t *to = words[turn++ & 1];

	*count = below(d, WORDS_MAX + 1);
	for (unsigned int i = 0; i < *count; i++)
		to[i] = number(d);
	return (const unsigned char *)to;
}

static void read_reads(struct decoder *d, struct call_values *v)
{
	uint32_t mask = below(d, 1u << RT_READS);

	for (int i = 0; i < RT_READS; i++) {
		uint32_t len;

		if (!(mask & 1u << i))
			continue;
		len = below(d, 2 * (RT_DATA_MAX + 1));
		v->read[i].cut = len & 1;
		len >>= 1;
		if (len > d->in.end - d->in.at) {
			d->in.bad = true;
			return;
		}
		v->read[i].data = d->in.at;
		v->read[i].len = len;
		d->in.at += len;
	}
}

static void read_callers(struct decoder *d, struct event *ev, struct call *c)
{
	ev->stack_depth = below(d, RT_STACK_DEPTH + 1);
	for (uint32_t i = 0; i < ev->stack_depth; i++) {
		const char *caller = name_text(d);

		c->callers[i] = caller ? caller : "?";
	}
	ev->stack = c->callers;
}

static void read_call(struct decoder *d, struct event *ev, struct call *c, uint32_t mask)
{
	struct function *f = defined(d, &d->functions, sizeof(*f));
	struct call_values *v = &c->values;

	if (!f) {
		d->in.bad = true;
		return;
	}
	ev->name = f->name;
	ev->api = f->described ? &f->api : NULL;
	for (int i = 0; i < RT_ARGS; i++) {
		if (!(f->registers & 1u << i))
			continue;
		ev->args[i] = f->args[i] = byte_buffer__change(&d->in, f->args[i]);
	}
	ev->ret = mask & P_RESULT ? (uint64_t)byte_buffer__signed(&d->in) : 0;
	ev->depth = mask & P_DEPTH ? u32(d) : 0;
	ev->stream = mask & P_STREAM ? u32(d) : STREAM_NONE;
	ev->kernel = mask & P_KERNEL ? name_text(d) : NULL;
	if (mask & P_CALLERS)
		read_callers(d, ev, c);
	if (mask & P_STACK)
		v->stack = read_words(d, &v->stack_words);
	if (mask & P_SSE)
		v->sse = read_words(d, &v->sse_words);
	if (mask & P_READS)
		read_reads(d, v);
	memcpy(v->regs, ev->args, sizeof(v->regs));
	v->ret = ev->ret;
	v->kernel = ev->kernel;
	v->returned = !(ev->flags & (EV_F_UNFINISHED | EV_F_UNWOUND | EV_F_ENTRY));
	ev->values = v;
}

static void read_shape(struct decoder *d, struct gpu_info *g)
{
	for (int i = 0; i < 3; i++)
		g->grid[i] = u32(d);
	for (int i = 0; i < 3; i++)
		g->workgroup[i] = u32(d);
	g->lds = u32(d);
	g->scratch = u32(d);
	g->kernel = u32(d);
	g->code = u32(d);
	g->vgprs = u32(d);
	g->accum_vgprs = u32(d);
	g->sgprs = u32(d);
}

static void copy_shape(struct gpu_info *to, const struct gpu_info *from)
{
	memcpy(to->grid, from->grid, sizeof(to->grid));
	memcpy(to->workgroup, from->workgroup, sizeof(to->workgroup));
	to->lds = from->lds;
	to->scratch = from->scratch;
	to->kernel = from->kernel;
	to->code = from->code;
	to->vgprs = from->vgprs;
	to->accum_vgprs = from->accum_vgprs;
	to->sgprs = from->sgprs;
}

static void read_resource(struct decoder *d, struct resource_info *res)
{
	uint32_t known;

	res->what = below(d, RESOURCE_COUNT);
	known = u32(d);
	res->bytes_known = known & KNOWN_BYTES;
	res->in_use_known = known & KNOWN_IN_USE;
	res->id = u32(d);
	res->count = u32(d);
	res->address = number(d);
	res->bytes = number(d);
	res->in_use = number(d);
	res->text = passing_text(d);
}

static void read_gpu(struct decoder *d, struct event *ev, struct thread *t, struct name *n,
		     uint32_t mask)
{
	struct gpu_info *g = &ev->gpu;

	g->submit = ev->begin - (uint64_t)byte_buffer__signed(&d->in);
	g->op = t->op = byte_buffer__change(&d->in, t->op);
	g->device = device_number(d);
	g->queue = u32(d);
	g->stream = u32(d) - 1;
	g->ordinal = u32(d);
	if (ev->kind == EV_DISPATCH) {
		if (mask & P_SHAPE)
			read_shape(d, g);
		else if (n)
			copy_shape(g, &n->shape);
		if (n)
			n->shape = *g;
	} else if (ev->kind == EV_COPY) {
		g->bytes = number(d);
		g->dir = below(d, COPY_DIRS);
		g->src_device = device_number(d);
		g->dst_device = device_number(d);
		g->engine = u32(d);
	} else if (ev_is_resource(ev->kind)) {
		read_resource(d, &g->resource);
	}
}

static void read_event(struct decoder *d, enum ev_kind kind)
{
	struct event ev = {.kind = kind};
	struct thread *thread;
	struct call call;
	struct name *n;
	uint32_t mask;

	read_common(d, &ev, &thread, &mask);
	if (kind == EV_SPAN) {
		memset(&call.values, 0, sizeof(call.values));
		read_call(d, &ev, &call, mask);
	} else if (kind == EV_RANGE || kind == EV_MARK) {
		ev.name = passing_text(d);
		ev.range.id = number(d);
	} else {
		n = name(d);
		ev.name = keep(d, n);
		if (kind != EV_GAP)
			read_gpu(d, &ev, thread, n, mask);
	}
	if (!d->in.bad)
		d->to.event(&ev, d->to.arg);
}

static void read_record(struct decoder *d)
{
	uint64_t tag = number(d);

	switch (tag) {
	case TAG_STRING:
		read_string(d);
		break;
	case TAG_TYPE:
		read_type(d);
		break;
	case TAG_FUNCTION:
		read_function(d);
		break;
	case TAG_PROCESS:
		read_process(d);
		break;
	case TAG_THREAD:
		read_thread(d);
		break;
	case TAG_DEVICE:
		read_device(d);
		break;
	default:
		if (tag >= TAG_EVENT && tag <= TAG_EVENT + EV_RUNTIME)
			read_event(d, tag - TAG_EVENT);
		else
			d->in.bad = true;
	}
}

int decoder__chunk(struct decoder *d, const void *data, size_t len)
{
	d->in = (struct bytes_in){data, (const unsigned char *)data + len, false};
	d->no_memory = false;
	while (d->in.at < d->in.end && !d->in.bad)
		read_record(d);
	forget(d);
	if (d->no_memory)
		return -ENOMEM;
	return d->in.bad ? -EBADMSG : 0;
}

struct decoder *decoder__new(struct strings *strings, const struct decoder_to *to)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->strings = strings;
	d->to = *to;
	return d;
}

void decoder__free(struct decoder *d)
{
	if (!d)
		return;
	forget(d);
	free(d->names.items);
	free(d->types.items);
	free(d->functions.items);
	free(d->threads.items);
	free(d);
}
