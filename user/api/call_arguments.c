// SPDX-License-Identifier: MIT
/*
 * Decodes calls: finds each argument at its place and has it written by its type.
 */
#include "user/api/call_arguments.h"

#include <errno.h>
#include <string.h>

#include "common/api_value.h"

#define NAME_SIZE 128 /* "*name" */

/* ---- raw values ---- */

static void add_item(struct call_values *v, const struct rt_item *item, const unsigned char *data)
{
	if (item->kind == RT_ITEM_STACK) {
		v->stack = data;
		v->stack_words = item->len / 8;
	} else if (item->kind == RT_ITEM_SSE) {
		v->sse = data;
		v->sse_words = item->len / 8;
	} else if (item->kind == RT_ITEM_READ && item->index < RT_READS) {
		struct call_read *r = &v->read[item->index];

		r->data = item->flags & RT_ITEM_FAULT ? NULL : data;
		r->len = item->len;
		r->cut = item->flags & RT_ITEM_CUT;
	}
}

void call_values__add_items(struct call_values *v, const void *items, size_t size)
{
	const unsigned char *p = items;
	struct rt_item item;

	while (size >= sizeof(item)) {
		size_t padded;

		memcpy(&item, p, sizeof(item));
		p += sizeof(item);
		size -= sizeof(item);
		if (item.len > size)
			return;
		add_item(v, &item, p);
		padded = ((size_t)item.len + 7) & ~(size_t)7;
		if (padded > size)
			return;
		p += padded;
		size -= padded;
	}
}

int call_values__from_record(struct call_values *v, const void *record, size_t size)
{
	struct rt_rec_span span;

	memset(v, 0, sizeof(*v));
	if (size < sizeof(span))
		return -EBADMSG;
	memcpy(&span, record, sizeof(span));
	if (span.h.kind != RT_REC_SPAN || span.h.size < sizeof(span) || span.h.size > size)
		return -EBADMSG;
	memcpy(v->regs, span.args, sizeof(v->regs));
	v->ret = span.ret;
	v->returned = !(span.h.flags & (RT_SPAN_UNFINISHED | RT_SPAN_UNWOUND | RT_SPAN_ENTRY));
	call_values__add_items(v, (const char *)record + sizeof(span), span.h.size - sizeof(span));
	return 0;
}

bool call_arguments__failed(const struct api_function *fn, const struct call_values *v)
{
	return fn && v->returned && rt_has_failed(fn->failure, fn->benign, v->ret);
}

/* An eightbyte of an argument; NULL if it was not captured. */
static const void *word_at(const struct call_values *v, uint8_t place)
{
	if (place < RT_ARGS)
		return &v->regs[place];
	if (API_IS_XMM(place))
		return API_XMM_NUM(place) < v->sse_words ? v->sse + 8 * API_XMM_NUM(place) : NULL;
	place -= RT_ARGS;
	return place < v->stack_words ? v->stack + 8 * (size_t)place : NULL;
}

bool call_arguments__word(const struct api_param *p, const struct call_values *v, uint64_t *value)
{
	const void *word = word_at(v, p->place[0]);

	if (word)
		memcpy(value, word, sizeof(*value));
	return word;
}

/* Where an argument's bytes are, how many of them in *len; `buf` holds them if they must be joined.
 */
static const unsigned char *arg_bytes(const struct call_values *v, const struct api_param *p,
				      unsigned char buf[16], size_t *len)
{
	const unsigned char *first = word_at(v, p->place[0]), *second;

	*len = 0;
	if (!first)
		return NULL;
	if (p->place[1] == API_NOWHERE) {
		/* A register, or words of the stack that follow each other. */
		*len = p->place[0] < RT_ARGS || API_IS_XMM(p->place[0])
			       ? 8
			       : 8 * (size_t)(v->stack_words + RT_ARGS - p->place[0]);
		return first;
	}
	second = word_at(v, p->place[1]);
	if (!second)
		return NULL;
	memcpy(buf, first, 8);
	memcpy(buf + 8, second, 8);
	*len = 16;
	return buf;
}

/* ---- arguments ---- */

static const struct call_read *read_of(const struct call_values *v, uint8_t index)
{
	return v->returned && index < RT_READS && v->read[index].data ? &v->read[index] : NULL;
}

/* The argument itself: a string in place of its address. */
static void put_arg(struct textbuf *t, const struct api_param *p, const struct call_values *v)
{
	const struct call_read *r = p->type->kind == API_STRING ? read_of(v, p->read) : NULL;
	const unsigned char *data;
	unsigned char buf[16];
	size_t len;

	if (r) {
		api_value__put_string(t, r->data, r->len, r->cut);
		return;
	}
	data = arg_bytes(v, p, buf, &len);
	if (data)
		api_value__put(t, p->type, data, len);
	else
		text_buffer__char(t, '?');
	if (p->flags & API_KERNEL && v->kernel) {
		text_buffer__str(t, " <");
		text_buffer__escaped(t, v->kernel, strlen(v->kernel), '\0');
		text_buffer__char(t, '>');
	}
}

/* The value that was read through a pointer and is to be shown; NULL if there is none. */
static const struct call_read *target_of(const struct api_function *fn, const struct api_param *p,
					 const struct call_values *v)
{
	const struct api_type *target = p->type->target;

	if (p->type->kind != API_POINTER || !target)
		return NULL;
	if (p->flags & API_OUT && target->kind != API_STRUCT && call_arguments__failed(fn, v))
		return NULL;
	return read_of(v, p->read);
}

static void put_target(struct textbuf *t, const struct api_param *p, const struct call_read *r)
{
	if (p->type->target->kind == API_STRING)
		api_value__put_string(t, r->data, r->len, r->cut);
	else
		api_value__put(t, p->type->target, r->data, r->len);
}

static void put_registers(struct textbuf *t, const struct call_values *v)
{
	for (int i = 0; i < RT_ARGS; i++) {
		if (i)
			text_buffer__str(t, ", ");
		text_buffer__hex(t, v->regs[i]);
	}
}

void call_arguments__put(struct textbuf *t, const struct api_function *fn,
			 const struct call_values *v)
{
	if (!fn) {
		put_registers(t, v);
		return;
	}
	for (unsigned int i = 0; i < fn->param_count; i++) {
		const struct api_param *p = &fn->params[i];
		const struct call_read *r = target_of(fn, p, v);

		if (i)
			text_buffer__str(t, ", ");
		text_buffer__str(t, p->name);
		text_buffer__char(t, '=');
		put_arg(t, p, v);
		if (!r)
			continue;
		text_buffer__str(t, " [*");
		text_buffer__str(t, p->name);
		text_buffer__char(t, '=');
		put_target(t, p, r);
		text_buffer__char(t, ']');
	}
}

/* ---- the result ---- */

static void put_result(struct textbuf *t, const struct api_function *fn,
		       const struct call_values *v)
{
	const struct call_read *r;

	if (!v->returned) {
		text_buffer__char(t, '?');
		return;
	}
	if (!fn) {
		text_buffer__hex(t, v->ret);
		return;
	}
	r = read_of(v, fn->ret_read);
	if (r && fn->ret->kind == API_STRING)
		api_value__put_string(t, r->data, r->len, r->cut);
	else if (r)
		api_value__put(t, fn->ret, r->data, r->len);
	else if (fn->ret_read != API_UNREAD)
		api_value__put_address(t, v->ret);
	else
		api_value__put(t, fn->ret, (const unsigned char *)&v->ret, sizeof(v->ret));
}

static bool has_result(const struct api_function *fn, const struct call_values *v)
{
	return !fn || !v->returned || fn->ret->kind != API_VOID;
}

void call_arguments__put_return(struct textbuf *t, const struct api_function *fn,
				const struct call_values *v)
{
	if (!has_result(fn, v))
		return;
	text_buffer__str(t, " = ");
	put_result(t, fn, v);
}

/* ---- value by value ---- */

struct visit {
	struct textbuf *t;
	enum arg_form form;
	arg_value_fn each;
	void *arg;
};

/* Hands over what is in the buffer, which is then empty again. */
static void visit_text(const struct visit *visit, const char *name)
{
	struct arg_value value = {.name = name, .text = text_buffer__string(visit->t)};

	value.len = visit->t->len;
	visit->each(&value, visit->arg);
	text_buffer__reset(visit->t);
}

static void visit_string(const struct visit *visit, const char *name, const struct call_read *r)
{
	struct arg_value value = {.name = name, .is_string = true, .cut = r->cut};

	text_buffer__mem(visit->t, r->data, strnlen((const char *)r->data, r->len));
	value.len = visit->t->len;
	value.text = text_buffer__string(visit->t);
	visit->each(&value, visit->arg);
	text_buffer__reset(visit->t);
}

static bool visit_number(const struct visit *visit, const char *name, const struct api_type *type,
			 const unsigned char *data, size_t len)
{
	struct arg_value value = {.name = name};

	if (visit->form != ARGS_NUMBERS || !data || len < type->size || type->size > 8)
		return false;
	value.number = api_value__load(data, type->size);
	switch (type->kind) {
	case API_INT:
		value.kind = ARG_INT;
		value.number = (uint64_t)api_value__signed(value.number, type->size);
		break;
	case API_UINT:
		value.kind = ARG_UINT;
		break;
	case API_HEX:
	case API_POINTER:
	case API_STRING:
		value.kind = ARG_POINTER;
		break;
	default:
		return false;
	}
	visit->each(&value, visit->arg);
	return true;
}

static void visit_target(const struct visit *visit, const struct api_param *p,
			 const struct call_read *r)
{
	char name[NAME_SIZE] = "*";

	strncat(name, p->name, sizeof(name) - 2);
	if (p->type->target->kind == API_STRING) {
		visit_string(visit, name, r);
	} else if (!visit_number(visit, name, p->type->target, r->data, r->len)) {
		put_target(visit->t, p, r);
		visit_text(visit, name);
	}
}

static void visit_param(const struct visit *visit, const struct api_function *fn,
			const struct api_param *p, const struct call_values *v)
{
	const struct call_read *r = p->type->kind == API_STRING ? read_of(v, p->read) : NULL;
	const unsigned char *data;
	unsigned char buf[16];
	size_t len;

	if (r) {
		visit_string(visit, p->name, r);
		return;
	}
	data = arg_bytes(v, p, buf, &len);
	if ((p->flags & API_KERNEL && v->kernel) ||
	    !visit_number(visit, p->name, p->type, data, len)) {
		put_arg(visit->t, p, v);
		visit_text(visit, p->name);
	}
	r = target_of(fn, p, v);
	if (r)
		visit_target(visit, p, r);
}

void call_arguments__each(struct textbuf *t, const struct api_function *fn,
			  const struct call_values *v, enum arg_form form, arg_value_fn each,
			  void *arg)
{
	static const char *const registers[RT_ARGS] = {"arg0", "arg1", "arg2",
						       "arg3", "arg4", "arg5"};
	const struct visit visit = {t, form, each, arg};

	text_buffer__reset(t);
	for (unsigned int i = 0; fn && i < fn->param_count; i++)
		visit_param(&visit, fn, &fn->params[i], v);
	for (int i = 0; !fn && i < RT_ARGS; i++) {
		text_buffer__hex(t, v->regs[i]);
		visit_text(&visit, registers[i]);
	}
}

bool call_arguments__return(struct textbuf *t, const struct api_function *fn,
			    const struct call_values *v, arg_value_fn each, void *arg)
{
	const struct visit visit = {t, ARGS_TEXTS, each, arg};
	const struct call_read *r;

	text_buffer__reset(t);
	if (!v->returned || !has_result(fn, v))
		return false;
	r = fn && fn->ret->kind == API_STRING ? read_of(v, fn->ret_read) : NULL;
	if (r) {
		visit_string(&visit, "return", r);
	} else {
		put_result(t, fn, v);
		visit_text(&visit, "return");
	}
	return true;
}
