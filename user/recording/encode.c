// SPDX-License-Identifier: MIT
/*
 * Events to bytes: small differences of what repeats.
 */
#define HASH_NONFATAL_OOM 1
#include "user/recording/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/recording/encode_definitions.h"
#include "user/recording/record_tags.h"

/* That are remembered, to bound memory. */
#define STRINGS_MAX 65536
#define TYPES_MAX   16384

static void put(struct encoder *e, uint64_t value)
{
	byte_buffer__put_number(&e->chunk.bytes, value);
}

/* ---- events ---- */

/* What an event's record refers to; all of it is defined by then. */
struct refs {
	struct known_thread *thread;
	struct known_function *function; /* of calls */
	struct known_string *name;	 /* of others, NULL: none */
	uint32_t text; /* kernel of a call, message of a range, text of a resource */
	uint32_t callers[RT_STACK_DEPTH];
	uint32_t caller_count;
};

static bool has_message(enum ev_kind kind)
{
	return kind == EV_RANGE || kind == EV_MARK;
}

static void define_all(struct encoder *e, const struct event *ev, struct refs *r)
{
	*r = (struct refs){.thread = encode_definitions__thread(e, ev->pid, ev->tid)};
	if (ev->kind == EV_SPAN) {
		r->function = encode_definitions__function(e, ev);
		r->text = encode_definitions__string_id(e, ev->kernel);
		while (r->caller_count < ev->stack_depth && r->caller_count < RT_STACK_DEPTH) {
			r->callers[r->caller_count] =
				encode_definitions__string_id(e, ev->stack[r->caller_count]);
			r->caller_count++;
		}
		return;
	}
	if (has_message(ev->kind)) {
		r->text = encode_definitions__text_id(e, ev->name);
		return;
	}
	r->name = encode_definitions__string(e, ev->name);
	if (ev_is_operation(ev->kind) || ev_is_resource(ev->kind))
		encode_definitions__device(e, ev->pid, ev->gpu.device);
	if (ev->kind == EV_COPY) {
		encode_definitions__device(e, ev->pid, ev->gpu.src_device);
		encode_definitions__device(e, ev->pid, ev->gpu.dst_device);
	}
	if (ev_is_resource(ev->kind))
		r->text = encode_definitions__text_id(e, ev->gpu.resource.text);
}

static uint32_t read_mask(const struct call_values *v)
{
	uint32_t mask = 0;

	for (int i = 0; i < RT_READS; i++)
		if (v->read[i].data)
			mask |= 1u << i;
	return mask;
}

static uint32_t presence_of_call(const struct event *ev)
{
	const struct call_values *v = ev->values;

	return (ev->ret ? P_RESULT : 0) | (ev->depth ? P_DEPTH : 0) |
	       (ev->stream != STREAM_NONE ? P_STREAM : 0) | (ev->kernel ? P_KERNEL : 0) |
	       (ev->stack_depth ? P_CALLERS : 0) | (v->stack_words ? P_STACK : 0) |
	       (v->sse_words ? P_SSE : 0) | (read_mask(v) ? P_READS : 0);
}

static bool same_shape(const struct gpu_info *a, const struct gpu_info *b)
{
	return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->workgroup, b->workgroup, sizeof(a->workgroup)) && a->lds == b->lds &&
	       a->scratch == b->scratch && a->kernel == b->kernel && a->code == b->code &&
	       a->vgprs == b->vgprs && a->accum_vgprs == b->accum_vgprs && a->sgprs == b->sgprs;
}

static uint32_t presence(const struct event *ev, const struct refs *r)
{
	uint32_t mask = (ev->parent ? P_PARENT : 0) | (ev->root != ev->corr ? P_ROOT : 0) |
			(ev->in_range != r->thread->in_range ? P_RANGE : 0) |
			(ev->flags & EV_F_EXTERNAL ? P_EXTERNAL : 0);

	if (ev->kind == EV_SPAN)
		mask |= presence_of_call(ev);
	if (ev->kind == EV_DISPATCH && !(r->name && same_shape(&r->name->shape, &ev->gpu)))
		mask |= P_SHAPE;
	return mask;
}

static void put_common(struct encoder *e, const struct event *ev, const struct refs *r,
		       uint32_t mask)
{
	struct bytes *b = &e->chunk.bytes;
	struct known_thread *t = r->thread;

	put(e, TAG_EVENT + ev->kind);
	put(e, ev->domain);
	put(e, t->def.id);
	put(e, ev->flags);
	put(e, mask);
	byte_buffer__put_change(b, e->last_end, ev->end);
	put(e, ev->end - ev->begin);
	byte_buffer__put_change(b, t->corr, ev->corr);
	if (mask & P_PARENT)
		byte_buffer__put_change(b, ev->corr, ev->parent);
	if (mask & P_ROOT)
		byte_buffer__put_change(b, ev->corr, ev->root);
	if (mask & P_RANGE)
		byte_buffer__put_change(b, t->in_range, ev->in_range);
	if (mask & P_EXTERNAL)
		put(e, ev->external);
	t->corr = ev->corr;
	t->in_range = ev->in_range;
	e->last_end = ev->end;
}

static void put_words(struct encoder *e, const unsigned char *words, uint16_t count)
{
	uint64_t word;

	put(e, count);
	for (unsigned int i = 0; i < count; i++) {
		memcpy(&word, words + i * sizeof(word), sizeof(word));
		put(e, word);
	}
}

static void put_reads(struct encoder *e, const struct call_values *v)
{
	struct bytes *b = &e->chunk.bytes;

	put(e, read_mask(v));
	for (int i = 0; i < RT_READS; i++) {
		const struct call_read *r = &v->read[i];

		if (!r->data)
			continue;
		put(e, (uint64_t)r->len << 1 | r->cut);
		byte_buffer__add(b, r->data, r->len);
	}
}

static void put_call(struct encoder *e, const struct event *ev, const struct refs *r, uint32_t mask)
{
	struct known_function *f = r->function;
	struct bytes *b = &e->chunk.bytes;

	put(e, f->def.id);
	for (int i = 0; i < RT_ARGS; i++) {
		if (!(f->registers & 1u << i))
			continue;
		byte_buffer__put_change(b, f->args[i], ev->args[i]);
		f->args[i] = ev->args[i];
	}
	if (mask & P_RESULT)
		byte_buffer__put_signed(b, (int64_t)ev->ret);
	if (mask & P_DEPTH)
		put(e, ev->depth);
	if (mask & P_STREAM)
		put(e, ev->stream);
	if (mask & P_KERNEL)
		put(e, r->text);
	if (mask & P_CALLERS) {
		put(e, r->caller_count);
		for (uint32_t i = 0; i < r->caller_count; i++)
			put(e, r->callers[i]);
	}
	if (mask & P_STACK)
		put_words(e, ev->values->stack, ev->values->stack_words);
	if (mask & P_SSE)
		put_words(e, ev->values->sse, ev->values->sse_words);
	if (mask & P_READS)
		put_reads(e, ev->values);
}

static void put_shape(struct encoder *e, const struct gpu_info *g)
{
	for (int i = 0; i < 3; i++)
		put(e, g->grid[i]);
	for (int i = 0; i < 3; i++)
		put(e, g->workgroup[i]);
	put(e, g->lds);
	put(e, g->scratch);
	put(e, g->kernel);
	put(e, g->code);
	put(e, g->vgprs);
	put(e, g->accum_vgprs);
	put(e, g->sgprs);
}

static void put_resource(struct encoder *e, const struct resource_info *res, uint32_t text)
{
	put(e, res->what);
	put(e, (res->bytes_known ? KNOWN_BYTES : 0) | (res->in_use_known ? KNOWN_IN_USE : 0));
	put(e, res->id);
	put(e, res->count);
	put(e, res->address);
	put(e, res->bytes);
	put(e, res->in_use);
	put(e, text);
}

static void put_gpu(struct encoder *e, const struct event *ev, const struct refs *r, uint32_t mask)
{
	const struct gpu_info *g = &ev->gpu;
	struct bytes *b = &e->chunk.bytes;

	byte_buffer__put_change(b, g->submit, ev->begin);
	byte_buffer__put_change(b, r->thread->op, g->op);
	r->thread->op = g->op;
	byte_buffer__put_signed(b, g->device);
	put(e, g->queue);
	put(e, (uint32_t)(g->stream + 1));
	put(e, g->ordinal);
	if (ev->kind == EV_DISPATCH) {
		if (mask & P_SHAPE)
			put_shape(e, g);
		if (r->name)
			r->name->shape = *g;
	} else if (ev->kind == EV_COPY) {
		put(e, g->bytes);
		put(e, g->dir);
		byte_buffer__put_signed(b, g->src_device);
		byte_buffer__put_signed(b, g->dst_device);
		put(e, g->engine);
	} else if (ev_is_resource(ev->kind)) {
		put_resource(e, &g->resource, r->text);
	}
}

void encoder__event(struct encoder *e, const struct event *ev)
{
	uint32_t mask;
	struct refs r;

	define_all(e, ev, &r);
	if (!r.thread || (ev->kind == EV_SPAN && !r.function))
		return;
	mask = presence(ev, &r);
	put_common(e, ev, &r, mask);
	if (ev->kind == EV_SPAN) {
		put_call(e, ev, &r, mask);
	} else if (has_message(ev->kind)) {
		put(e, r.text);
		put(e, ev->range.id);
	} else {
		put(e, r.name ? r.name->def.id : 0);
		if (ev_is_operation(ev->kind) || ev_is_resource(ev->kind))
			put_gpu(e, ev, &r, mask);
	}
	if (!e->chunk.events++ || ev->begin < e->chunk.first)
		e->chunk.first = ev->begin;
	if (ev->end > e->chunk.last)
		e->chunk.last = ev->end;
}

/* ---- the chunk ---- */

struct encoder *encoder__new(void)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (e)
		e->number = 1;
	return e;
}

size_t encoder__size(const struct encoder *e)
{
	return e->chunk.bytes.len;
}

int encoder__take(struct encoder *e, struct encoded *chunk)
{
	bool failed = e->failed || e->chunk.bytes.failed;
	struct bytes spare = chunk->bytes;

	*chunk = e->chunk;
	spare.len = 0;
	spare.failed = false;
	e->chunk = (struct encoded){.bytes = spare};
	e->number++;
	e->last_end = 0;
	e->string_ids = e->type_ids = e->function_ids = e->thread_ids = 0;
	e->failed = false;
	encode_definitions__forget_texts(e);
	if (HASH_COUNT(e->strings) > STRINGS_MAX)
		encode_definitions__forget_strings(e);
	if (HASH_COUNT(e->types) + HASH_COUNT(e->functions) > TYPES_MAX)
		encode_definitions__forget_functions(e);
	encode_definitions__forget_ended(e);
	return failed ? -ENOMEM : 0;
}

void encoder__free(struct encoder *e)
{
	if (!e)
		return;
	encode_definitions__free(e);
	byte_buffer__free(&e->chunk.bytes);
	free(e);
}
