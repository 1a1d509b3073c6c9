// SPDX-License-Identifier: MIT
/*
 * Live allocations by process and address. Which call made one is known when the call ends, later
 * than the allocation.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/unfreed.h"

#include <errno.h>
#include <stdlib.h>
#include <utlist.h>

#include "common/hash.h"

#define ALLOCATIONS_MAX (256u << 10) /* live at one time */

struct key {
	uint64_t address;
	uint32_t pid;
	uint32_t handle; /* it is one, not an address */
};

struct live {
	struct key key;
	struct allocation allocation;
	struct call *call;	  /* that is waited for; NULL: none */
	struct live *prev, *next; /* those of the same call */
	UT_hash_handle hh;
};

/* An outermost call that has not ended yet, and has allocated something. */
struct call {
	uint64_t corr;
	struct live *made;
	UT_hash_handle hh;
};

struct unfreed {
	struct live *live;
	struct call *calls;
	uint64_t left_out;
};

struct unfreed *unfreed__new(void)
{
	return calloc(1, sizeof(struct unfreed));
}

static void forget_call(struct unfreed *u, struct call *call)
{
	struct live *l;

	DL_FOREACH (call->made, l)
		l->call = NULL;
	HASH_DEL(u->calls, call);
	free(call);
}

static void forget(struct unfreed *u, struct live *l)
{
	struct call *call = l->call;

	if (call) {
		DL_DELETE(call->made, l);
		if (!call->made)
			forget_call(u, call);
	}
	HASH_DEL(u->live, l);
	free(l);
}

void unfreed__free(struct unfreed *u)
{
	struct call *call, *next_call;
	struct live *l, *next;

	if (!u)
		return;
	HASH_ITER (hh, u->calls, call, next_call)
		forget_call(u, call);
	HASH_ITER (hh, u->live, l, next)
		forget(u, l);
	free(u);
}

/* Waits for the end of the call. Without memory its name stays unknown. */
static void expect_call(struct unfreed *u, struct live *l, uint64_t corr)
{
	struct call *call;

	HASH_FIND(hh, u->calls, &corr, sizeof(corr), call);
	if (!call) {
		call = calloc(1, sizeof(*call));
		if (!call)
			return;
		call->corr = corr;
		HASH_ADD(hh, u->calls, corr, sizeof(call->corr), call);
		if (!call->hh.tbl) {
			free(call);
			return;
		}
	}
	l->call = call;
	DL_APPEND(call->made, l);
}

static struct live *find(struct unfreed *u, const struct key *key)
{
	struct live *l;

	HASH_FIND(hh, u->live, key, sizeof(*key), l);
	return l;
}

static int add(struct unfreed *u, const struct key *key, const struct event *ev)
{
	struct live *l = find(u, key);

	if (l)
		forget(u, l); /* its end was missed */
	if (HASH_COUNT(u->live) >= ALLOCATIONS_MAX) {
		u->left_out++;
		return 0;
	}
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->key = *key;
	l->allocation = (struct allocation){
		.address = key->address,
		.bytes = ev->gpu.resource.bytes,
		.at = ev->end,
		.pid = ev->pid,
		.tid = ev->tid,
		.device = ev->gpu.device,
	};
	HASH_ADD(hh, u->live, key, sizeof(l->key), l);
	if (!l->hh.tbl) {
		free(l);
		return -ENOMEM;
	}
	if (!(ev->flags & EV_F_UNCORRELATED))
		expect_call(u, l, ev->root);
	return 0;
}

int unfreed__memory(struct unfreed *u, const struct event *ev)
{
	enum resource_what what = ev->gpu.resource.what;
	struct key key = {.address = ev->gpu.resource.address, .pid = ev->pid};
	struct live *l;

	key.handle = what == RESOURCE_VMEM_CREATE || what == RESOURCE_VMEM_RELEASE;
	if (what == RESOURCE_ALLOC || what == RESOURCE_VMEM_CREATE)
		return add(u, &key, ev);
	if (what != RESOURCE_FREE && what != RESOURCE_VMEM_RELEASE)
		return 0;
	l = find(u, &key);
	if (l)
		forget(u, l);
	return 0;
}

int unfreed__call(struct unfreed *u, const struct event *ev, uint32_t name)
{
	struct call *call;
	struct live *l;

	if (!u->calls)
		return 0;
	HASH_FIND(hh, u->calls, &ev->corr, sizeof(ev->corr), call);
	if (!call)
		return 0;
	DL_FOREACH (call->made, l) {
		l->allocation.call = name;
		l->allocation.known = true;
	}
	forget_call(u, call);
	return 0;
}

uint64_t unfreed__left_out(const struct unfreed *u)
{
	return u->left_out;
}

static int by_bytes(const void *a, const void *b)
{
	const struct allocation *x = *(const struct allocation *const *)a;
	const struct allocation *y = *(const struct allocation *const *)b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

const struct allocation **unfreed__sorted(const struct unfreed *u, size_t *count)
{
	const struct allocation **all;
	struct live *l;
	size_t n = 0;

	all = malloc((HASH_COUNT(u->live) + 1) * sizeof(const struct allocation *));
	if (!all)
		return NULL;
	for (l = u->live; l; l = l->hh.next)
		all[n++] = &l->allocation;
	qsort(all, n, sizeof(const struct allocation *), by_bytes);
	*count = n;
	return all;
}
