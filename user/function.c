// SPDX-License-Identifier: MIT
/*
 * The table of API functions: which symbols are traced, and their ids.
 */
#include "user/function.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct entry {
	struct function fn;
	UT_hash_handle hh;
};

struct functions {
	struct entry *by_name;
	struct entry **by_id;
	uint32_t count;
};

static const struct {
	const char *prefix;
	enum ev_domain domain;
} api_prefixes[] = {
	{"hip", DOMAIN_HIP},	{"__hip", DOMAIN_HIP},	 {"hsa_", DOMAIN_HSA},
	{"hsaKmt", DOMAIN_KFD}, {"roctx", DOMAIN_ROCTX},
};

static const char *const hot_functions[] = {
	"hsa_signal_load_*",	 "hsa_signal_store_*", "hsa_signal_silent_store_*",
	"hsa_signal_exchange_*", "hsa_signal_cas_*",   "hsa_signal_add_*",
	"hsa_signal_subtract_*", "hsa_signal_and_*",   "hsa_signal_or_*",
	"hsa_signal_xor_*",	 "hsa_queue_load_*",   "hsa_queue_store_*",
	"hsa_queue_cas_*",	 "hsa_queue_add_*",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool function__is_api(const char *name, enum ev_domain *domain)
{
	for (size_t i = 0; i < COUNT(api_prefixes); i++) {
		if (!strncmp(name, api_prefixes[i].prefix, strlen(api_prefixes[i].prefix))) {
			*domain = api_prefixes[i].domain;
			return true;
		}
	}
	return false;
}

bool function__is_hot(const char *name)
{
	for (size_t i = 0; i < COUNT(hot_functions); i++)
		if (!fnmatch(hot_functions[i], name, 0))
			return true;
	return false;
}

/* Only these take a message as their first argument. */
static bool has_message(const char *name)
{
	return !strcmp(name, "roctxMarkA") || !strcmp(name, "roctxRangePushA") ||
	       !strcmp(name, "roctxRangeStartA");
}

struct functions *functions__new(void)
{
	return calloc(1, sizeof(struct functions));
}

void functions__free(struct functions *fns)
{
	struct entry *e, *next;

	if (!fns)
		return;
	HASH_ITER (hh, fns->by_name, e, next) {
		HASH_DEL(fns->by_name, e);
		free(e->fn.name);
		free(e);
	}
	free(fns->by_id);
	free(fns);
}

static struct entry *new_entry(struct functions *fns, const char *name)
{
	struct entry **grown, *e;

	grown = realloc(fns->by_id, (fns->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	fns->by_id = grown;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->fn.name = strdup(name);
	if (!e->fn.name) {
		free(e);
		return NULL;
	}
	function__is_api(name, &e->fn.domain);
	e->fn.has_message = has_message(name);
	e->fn.id = fns->count;
	fns->by_id[fns->count++] = e;
	HASH_ADD_KEYPTR(hh, fns->by_name, e->fn.name, strlen(e->fn.name), e);
	return e;
}

struct function *functions__get(struct functions *fns, const char *name)
{
	struct entry *e;

	HASH_FIND_STR(fns->by_name, name, e);
	if (!e)
		e = new_entry(fns, name);
	return e ? &e->fn : NULL;
}

struct function *functions__by_id(struct functions *fns, uint64_t id)
{
	return id < fns->count ? &fns->by_id[id]->fn : NULL;
}
