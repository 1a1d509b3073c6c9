// SPDX-License-Identifier: MIT
/*
 * Failed calls by function and result.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/failures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "common/hash.h"

#define ENTRIES_MAX 16384 /* those beyond share one */

struct key {
	uint32_t domain, function, result;
};

struct entry {
	struct key key;
	struct failure failure;
	UT_hash_handle hh;
};

struct failures {
	struct names *names;
	struct entry *entries;
	struct textbuf text;
};

struct failures *failures__new(struct names *names)
{
	struct failures *f = calloc(1, sizeof(*f));

	if (f)
		f->names = names;
	return f;
}

void failures__free(struct failures *f)
{
	struct entry *e, *next;

	if (!f)
		return;
	HASH_ITER (hh, f->entries, e, next) {
		HASH_DEL(f->entries, e);
		for (unsigned int i = 0; i < e->failure.example_count; i++)
			free(e->failure.examples[i].text);
		free(e);
	}
	text_buffer__free(&f->text);
	free(f);
}

struct result {
	struct names *names;
	uint32_t name;
};

static void keep_result(const struct arg_value *value, void *arg)
{
	struct result *r = arg;

	r->name = name_table__id(r->names, value->text);
}

/* The name of what the call returned. */
static uint32_t result_name(struct failures *f, const struct event *ev)
{
	struct result r = {.names = f->names};

	call_arguments__return(&f->text, ev->api, ev->values, keep_result, &r);
	return r.name;
}

static struct entry *get_entry(struct failures *f, const struct key *key)
{
	static const struct key others;
	struct entry *e;

	HASH_FIND(hh, f->entries, key, sizeof(*key), e);
	if (!e && HASH_COUNT(f->entries) >= ENTRIES_MAX) {
		key = &others;
		HASH_FIND(hh, f->entries, key, sizeof(*key), e);
	}
	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->key = *key;
	e->failure.domain = key->domain;
	e->failure.function = key->function;
	e->failure.result = key->result;
	HASH_ADD(hh, f->entries, key, sizeof(e->key), e);
	if (e->hh.tbl)
		return e;
	free(e);
	return NULL;
}

static int keep_example(struct failures *f, struct failure *to, const struct event *ev)
{
	struct failure_example *x = &to->examples[to->example_count];

	text_buffer__reset(&f->text);
	text_buffer__escaped(&f->text, event__name(ev), strlen(event__name(ev)), 0);
	text_buffer__char(&f->text, '(');
	call_arguments__put(&f->text, ev->api, ev->values);
	text_buffer__char(&f->text, ')');
	call_arguments__put_return(&f->text, ev->api, ev->values);
	x->text = strdup(text_buffer__string(&f->text));
	if (!x->text)
		return -ENOMEM;
	x->at = ev->begin;
	x->pid = ev->pid;
	x->tid = ev->tid;
	to->example_count++;
	return 0;
}

int failures__call(struct failures *f, const struct event *ev, uint32_t name)
{
	struct key key = {.domain = ev->domain, .function = name};
	struct entry *e;

	if (!ev->api || !call_arguments__failed(ev->api, ev->values))
		return 0;
	key.result = result_name(f, ev);
	e = get_entry(f, &key);
	if (!e)
		return -ENOMEM;
	e->failure.calls++;
	return e->failure.example_count < FAILURE_EXAMPLES ? keep_example(f, &e->failure, ev) : 0;
}

/* What the application calls comes before what is below it. */
static int by_calls(const void *a, const void *b, void *arg)
{
	const struct failure *x = *(const struct failure *const *)a;
	const struct failure *y = *(const struct failure *const *)b;
	const struct names *names = arg;
	int order;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	order = strcmp(name_table__text(names, x->function), name_table__text(names, y->function));
	return order ? order
		     : strcmp(name_table__text(names, x->result),
			      name_table__text(names, y->result));
}

const struct failure **failures__sorted(const struct failures *f, size_t *count)
{
	const struct failure **all;
	struct entry *e;
	size_t n = 0;

	all = malloc((HASH_COUNT(f->entries) + 1) * sizeof(const struct failure *));
	if (!all)
		return NULL;
	for (e = f->entries; e; e = e->hh.next)
		all[n++] = &e->failure;
	qsort_r(all, n, sizeof(const struct failure *), by_calls, f->names);
	*count = n;
	return all;
}
