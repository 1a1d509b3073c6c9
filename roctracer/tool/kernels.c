// SPDX-License-Identifier: MIT
/*
 * Demangles each name once, and remembers what the last calls launched.
 */
#define HASH_NONFATAL_OOM 1
#include "roctracer/tool/kernels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "user/hash.h"
#include "user/strings.h"

#define LAUNCHES 65536 /* ids are counted up: so many calls ago */

struct kernel {
	UT_hash_handle hh;
	const char *plain;
	char mangled[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kernel *kernels;
static struct strings *strings;

static struct launch {
	uint64_t correlation_id;
	const char *name;
	bool done;
} launches[LAUNCHES];
static uint64_t launched, done;

static struct kernel *add(const char *mangled, size_t len)
{
	struct kernel *k = malloc(sizeof(*k) + len + 1);

	if (!strings)
		strings = strings__new();
	if (!k || !strings) {
		free(k);
		return NULL;
	}
	memcpy(k->mangled, mangled, len + 1);
	k->plain = strings__keep_demangled(strings, mangled, len);
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

static struct launch *launch_of(uint64_t correlation_id)
{
	return &launches[correlation_id % LAUNCHES];
}

void kernels__launched(uint64_t correlation_id, const char *name)
{
	pthread_mutex_lock(&lock);
	*launch_of(correlation_id) = (struct launch){correlation_id, name, false};
	launched++;
	pthread_mutex_unlock(&lock);
}

const char *kernels__of_call(uint64_t correlation_id)
{
	const struct launch *l = launch_of(correlation_id);
	const char *name;

	pthread_mutex_lock(&lock);
	name = l->correlation_id == correlation_id ? l->name : NULL;
	pthread_mutex_unlock(&lock);
	return name;
}

void kernels__done(uint64_t correlation_id)
{
	struct launch *l = launch_of(correlation_id);

	pthread_mutex_lock(&lock);
	if (l->correlation_id == correlation_id && !l->done) {
		l->done = true;
		done++;
	}
	pthread_mutex_unlock(&lock);
}

uint64_t kernels__under_way(void)
{
	uint64_t count;

	pthread_mutex_lock(&lock);
	count = launched - done;
	pthread_mutex_unlock(&lock);
	return count;
}

void kernels__lock(void)
{
	pthread_mutex_lock(&lock);
}

void kernels__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void kernels__forked(void)
{
	launched = done = 0;
	kernels__unlock();
}
