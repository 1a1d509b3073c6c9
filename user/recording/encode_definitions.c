// SPDX-License-Identifier: MIT
/*
 * Strings, functions with their parameters, processes, threads and devices, as a chunk's records.
 */
#define HASH_NONFATAL_OOM 1
#include "user/recording/encode_definitions.h"

#include <stdlib.h>
#include <string.h>

#include "user/recording/record_tags.h"

#define NESTED_MAX   16 /* types in each other; those of the headers have 4 */
#define ENDED_CHUNKS 3	/* until a process that has ended is forgotten: what it left ends late */

/* ---- definitions ---- */

/* True if it is to be defined now. */
static bool is_new(const struct encoder *e, struct definition *def)
{
	if (def->chunk == e->number)
		return false;
	def->chunk = e->number;
	return true;
}

static void put(struct encoder *e, uint64_t value)
{
	byte_buffer__put_number(&e->chunk.bytes, value);
}

static void put_text(struct encoder *e, const char *text)
{
	byte_buffer__put_string(&e->chunk.bytes, text);
}

static struct known_string *know_string(struct encoder *e, const char *text)
{
	struct known_string *s;

	HASH_FIND_OR_ADD(e->strings, text, text, s);
	if (!s)
		e->failed = true;
	return s;
}

static uint32_t define_string(struct encoder *e, const char *text)
{
	put(e, TAG_STRING);
	put_text(e, text);
	return ++e->string_ids;
}

/* NULL: there is no text, or no memory. */
struct known_string *encode_definitions__string(struct encoder *e, const char *text)
{
	struct known_string *s = text ? know_string(e, text) : NULL;

	if (s && is_new(e, &s->def)) {
		s->def.id = define_string(e, text);
		memset(&s->shape, 0, sizeof(s->shape));
	}
	return s;
}

uint32_t encode_definitions__string_id(struct encoder *e, const char *text)
{
	const struct known_string *s = encode_definitions__string(e, text);

	return s ? s->def.id : 0;
}

uint32_t encode_definitions__text_id(struct encoder *e, const char *text)
{
	size_t len = text ? strlen(text) : 0;
	struct known_text *t;

	if (!text)
		return 0;
	HASH_FIND(hh, e->texts, text, len, t);
	if (t)
		return t->id;
	t = calloc(1, sizeof(*t) + len + 1);
	if (!t) {
		e->failed = true;
		return 0;
	}
	memcpy(t->text, text, len);
	t->id = define_string(e, text);
	HASH_ADD_KEYPTR(hh, e->texts, t->text, len, t);
	if (t->hh.tbl)
		return t->id;
	e->failed = true;
	free(t);
	return 0;
}

static struct known_type *know_type(struct encoder *e, const struct api_type *type)
{
	struct known_type *t;

	HASH_FIND_OR_ADD(e->types, type, type, t);
	if (!t)
		e->failed = true;
	return t;
}

static uint32_t define_type(struct encoder *e, const struct api_type *type, unsigned int nested);

static bool has_target(const struct api_type *type)
{
	return type->kind == API_POINTER || type->kind == API_ARRAY;
}

/* What it is made of comes first. */
static void define_parts(struct encoder *e, const struct api_type *type, unsigned int nested)
{
	if (has_target(type))
		define_type(e, type->target, nested + 1);
	for (unsigned int i = 0; type->kind == API_STRUCT && i < type->count; i++)
		define_type(e, type->fields[i].type, nested + 1);
}

static uint32_t type_id(const struct encoder *e, const struct api_type *type)
{
	struct known_type *t = NULL;

	if (type)
		HASH_FIND_PTR(e->types, &type, t);
	return t && t->def.chunk == e->number ? t->def.id : 0;
}

static void put_parts(struct encoder *e, const struct api_type *type)
{
	if (has_target(type))
		put(e, type_id(e, type->target));
	for (unsigned int i = 0; type->kind == API_STRUCT && i < type->count; i++) {
		put_text(e, type->fields[i].name);
		put(e, type_id(e, type->fields[i].type));
		put(e, type->fields[i].offset);
	}
	if (type->kind != API_ENUM && type->kind != API_FLAGS)
		return;
	for (unsigned int i = 0; i < type->count; i++) {
		put_text(e, type->constants[i].name);
		put(e, type->constants[i].value);
	}
}

static uint32_t define_type(struct encoder *e, const struct api_type *type, unsigned int nested)
{
	struct known_type *t = type && nested < NESTED_MAX ? know_type(e, type) : NULL;

	if (!t)
		return 0;
	if (t->def.chunk == e->number)
		return t->def.id;
	define_parts(e, type, nested);
	t->def = (struct definition){e->number, ++e->type_ids};
	put(e, TAG_TYPE);
	put(e, type->kind);
	put(e, type->size);
	put(e, type->count);
	put_parts(e, type);
	return t->def.id;
}

static struct known_function *know_function(struct encoder *e, const struct event *ev)
{
	const struct function_key key = {ev->name, ev->api, ev->domain};
	struct known_function *f;

	HASH_FIND_OR_ADD(e->functions, key, key, f);
	if (!f)
		e->failed = true;
	return f;
}

static void put_description(struct encoder *e, const struct api_function *api)
{
	put(e, type_id(e, api->ret));
	put(e, api->ret_read);
	put(e, api->failure);
	put(e, api->benign);
	put(e, api->param_count);
	for (unsigned int i = 0; i < api->param_count; i++) {
		const struct api_param *p = &api->params[i];

		put_text(e, p->name);
		put(e, type_id(e, p->type));
		put(e, p->place[0]);
		put(e, p->place[1]);
		put(e, p->read);
		put(e, p->flags);
	}
}

struct known_function *encode_definitions__function(struct encoder *e, const struct event *ev)
{
	struct known_function *f = know_function(e, ev);
	const struct api_function *api = ev->api;

	if (!f || !is_new(e, &f->def))
		return f;
	memset(f->args, 0, sizeof(f->args));
	f->registers = api__registers(api);
	for (unsigned int i = 0; api && i < api->param_count; i++)
		define_type(e, api->params[i].type, 0);
	if (api)
		define_type(e, api->ret, 0);
	f->def.id = ++e->function_ids;
	put(e, TAG_FUNCTION);
	put_text(e, ev->name);
	put(e, ev->domain);
	put(e, api ? 1 : 0);
	if (api)
		put_description(e, api);
	return f;
}

/* `news`: the process was received just now; else a new chunk repeats what was received before. */
static void define_process(struct encoder *e, uint32_t pid, bool news)
{
	struct known_process *p;

	HASH_FIND(hh, e->processes, &pid, sizeof(pid), p);
	if (!p || !is_new(e, &p->def))
		return;
	put(e, TAG_PROCESS);
	put(e, news);
	put(e, pid);
	put_text(e, p->info.comm);
	put_text(e, p->info.cmdline);
	put_text(e, p->info.cgroup);
	put(e, p->info.ns_pid);
	put_text(e, p->info.libraries);
}

/* A thread that was not received (its event ends after its process was forgotten) has no name. */
static struct known_thread *know_thread(struct encoder *e, uint32_t pid, uint32_t tid)
{
	const struct thread_key key = {pid, tid};
	struct known_thread *t;

	HASH_FIND_OR_ADD(e->threads, key, key, t);
	if (!t)
		e->failed = true;
	return t;
}

static struct known_thread *define_thread(struct encoder *e, uint32_t pid, uint32_t tid, bool news)
{
	struct known_thread *t = know_thread(e, pid, tid);

	define_process(e, pid, false);
	if (!t || !is_new(e, &t->def))
		return t;
	t->def.id = ++e->thread_ids;
	t->corr = t->in_range = t->op = 0;
	put(e, TAG_THREAD);
	put(e, news);
	put(e, pid);
	put(e, tid);
	put(e, t->comm ? 1 : 0);
	put_text(e, t->comm);
	return t;
}

struct known_thread *encode_definitions__thread(struct encoder *e, uint32_t pid, uint32_t tid)
{
	return define_thread(e, pid, tid, false);
}

static void define_device(struct encoder *e, uint32_t pid, int32_t device, bool news)
{
	const struct device_key key = {pid, device};
	struct known_device *d;

	HASH_FIND(hh, e->devices, &key, sizeof(key), d);
	if (!d || !is_new(e, &d->def))
		return;
	define_process(e, pid, false);
	put(e, TAG_DEVICE);
	put(e, news);
	put(e, pid);
	byte_buffer__put_signed(&e->chunk.bytes, device);
	put(e, d->details ? 1 : 0);
	put_text(e, d->name);
	put_text(e, d->details);
}

void encode_definitions__device(struct encoder *e, uint32_t pid, int32_t device)
{
	define_device(e, pid, device, false);
}

/* ---- what the encoder receives ---- */

static char *copy(struct encoder *e, const char *text)
{
	char *kept = strdup(text ? text : "");

	if (!kept)
		e->failed = true;
	return kept;
}

static void free_process_info(struct known_process *p)
{
	free((char *)p->info.comm);
	free((char *)p->info.cmdline);
	free((char *)p->info.cgroup);
	free((char *)p->info.libraries);
}

static struct known_process *know_process(struct encoder *e, uint32_t pid)
{
	struct known_process *p;

	HASH_FIND_OR_ADD(e->processes, pid, pid, p);
	if (!p)
		e->failed = true;
	return p;
}

void encoder__process(struct encoder *e, const struct process_info *info)
{
	struct known_process *p = know_process(e, info->pid);

	if (!p)
		return;
	free_process_info(p);
	e->ended -= p->ended != 0;
	p->ended = 0;
	p->info = (struct process_info){
		.pid = info->pid,
		.comm = copy(e, info->comm),
		.cmdline = copy(e, info->cmdline),
		.cgroup = copy(e, info->cgroup),
		.ns_pid = info->ns_pid,
		.libraries = copy(e, info->libraries),
	};
	p->def.chunk = 0;
	define_process(e, info->pid, true);
}

void encoder__thread(struct encoder *e, const struct thread_info *info)
{
	struct known_thread *t = know_thread(e, info->pid, info->tid);

	if (!t)
		return;
	free(t->comm);
	t->comm = copy(e, info->comm);
	t->def.chunk = 0;
	define_thread(e, info->pid, info->tid, true);
}

static struct known_device *know_device(struct encoder *e, uint32_t pid, int32_t device)
{
	const struct device_key key = {pid, device};
	struct known_device *d;

	HASH_FIND_OR_ADD(e->devices, key, key, d);
	if (!d)
		e->failed = true;
	return d;
}

void encoder__device(struct encoder *e, const struct device_info *info)
{
	struct known_device *d = know_device(e, info->pid, info->device);

	if (!d)
		return;
	free(d->name);
	free(d->details);
	d->name = copy(e, info->name);
	d->details = info->details ? copy(e, info->details) : NULL;
	d->def.chunk = 0;
	define_device(e, info->pid, info->device, true);
}

void encoder__ended(struct encoder *e, uint32_t pid)
{
	struct known_process *p;

	HASH_FIND(hh, e->processes, &pid, sizeof(pid), p);
	if (!p || p->ended)
		return;
	p->ended = e->number;
	e->ended++;
}

/* ---- the end ---- */

static void free_process(struct encoder *e, struct known_process *p)
{
	HASH_DEL(e->processes, p);
	free_process_info(p);
	free(p);
}

static void free_thread(struct encoder *e, struct known_thread *t)
{
	HASH_DEL(e->threads, t);
	free(t->comm);
	free(t);
}

static void free_device(struct encoder *e, struct known_device *d)
{
	HASH_DEL(e->devices, d);
	free(d->name);
	free(d->details);
	free(d);
}

static bool is_forgotten(const struct encoder *e, uint32_t pid)
{
	struct known_process *p;

	HASH_FIND(hh, e->processes, &pid, sizeof(pid), p);
	return !p;
}

/* All that are known are looked at, once for all that are due. */
void encode_definitions__forget_ended(struct encoder *e)
{
	const uint32_t before = e->ended;
	struct known_process *p, *next_p;
	struct known_thread *t, *next_t;
	struct known_device *d, *next_d;

	if (!e->ended)
		return;
	HASH_ITER (hh, e->processes, p, next_p) {
		if (!p->ended || e->number - p->ended < ENDED_CHUNKS)
			continue;
		free_process(e, p);
		e->ended--;
	}
	if (e->ended == before)
		return;
	HASH_ITER (hh, e->threads, t, next_t)
		if (is_forgotten(e, t->key.pid))
			free_thread(e, t);
	HASH_ITER (hh, e->devices, d, next_d)
		if (is_forgotten(e, d->key.pid))
			free_device(e, d);
}

void encode_definitions__forget_texts(struct encoder *e)
{
	struct known_text *t, *next;

	HASH_ITER (hh, e->texts, t, next) {
		HASH_DEL(e->texts, t);
		free(t);
	}
}

void encode_definitions__forget_strings(struct encoder *e)
{
	struct known_string *s, *next;

	HASH_ITER (hh, e->strings, s, next) {
		HASH_DEL(e->strings, s);
		free(s);
	}
}

void encode_definitions__forget_functions(struct encoder *e)
{
	struct known_function *f, *next_f;
	struct known_type *y, *next_y;

	HASH_ITER (hh, e->types, y, next_y) {
		HASH_DEL(e->types, y);
		free(y);
	}
	HASH_ITER (hh, e->functions, f, next_f) {
		HASH_DEL(e->functions, f);
		free(f);
	}
}

void encode_definitions__free(struct encoder *e)
{
	struct known_process *p, *next_p;
	struct known_thread *t, *next_t;
	struct known_device *d, *next_d;

	encode_definitions__forget_texts(e);
	encode_definitions__forget_strings(e);
	encode_definitions__forget_functions(e);
	HASH_ITER (hh, e->processes, p, next_p)
		free_process(e, p);
	HASH_ITER (hh, e->threads, t, next_t)
		free_thread(e, t);
	HASH_ITER (hh, e->devices, d, next_d)
		free_device(e, d);
}
