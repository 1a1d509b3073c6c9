// SPDX-License-Identifier: MIT
/*
 * Demangles each name once.
 */
#define HASH_NONFATAL_OOM 1
#include "roctracer/tool/kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "common/string_pool.h"

struct kernel {
	UT_hash_handle hh;
	const char *plain;
	char mangled[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct strings *strings;

static struct kernel *add(const char *mangled, size_t len)
{
	struct kernel *k = malloc(sizeof(*k) + len + 1);

	if (!strings)
		strings = string_pool__new();
	if (!k || !strings) {
		free(k);
		return NULL;
	}
	memcpy(k->mangled, mangled, len + 1);
	k->plain = string_pool__keep_demangled(strings, mangled, len);
	HASH_ADD_KEYPTR(hh, kernels, k->mangled, len, k);
	if (k->hh.tbl)
		return k;
	free(k);
	return NULL;
}

const char *kernels__plain(const char *mangled)
{
	size_t len = strlen(mangled);
	struct kernel *k;

	pthread_mutex_lock(&lock);
	HASH_FIND(hh, kernels, mangled, len, k);
	if (!k)
		k = add(mangled, len);
	pthread_mutex_unlock(&lock);
	return k ? k->plain : "?";
}

void kernels__lock(void)
{
	pthread_mutex_lock(&lock);
}

void kernels__unlock(void)
{
	pthread_mutex_unlock(&lock);
}
