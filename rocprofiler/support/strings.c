// SPDX-License-Identifier: MIT
/*
 * A hash table of strings, to which is only added.
 */
#include "rocprofiler/support/strings.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/support/say.h"

#define BUCKETS 4096

struct kept {
	struct kept *next;
	char string[];
};

static struct kept *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

static struct kept **bucket_of(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * 0x100000001b3ULL;
	return &buckets[hash % BUCKETS];
}

static struct kept *find(struct kept *first, const char *string)
{
	while (first && strcmp(first->string, string))
		first = first->next;
	return first;
}

static struct kept *add(struct kept **bucket, const char *string)
{
	size_t size = strlen(string) + 1;
	struct kept *k = malloc(sizeof(*k) + size);

	if (!k)
		return NULL;
	memcpy(k->string, string, size);
	k->next = *bucket;
	return *bucket = k;
}

const char *strings__keep(const char *string)
{
	struct kept **bucket = bucket_of(string), *k;

	pthread_mutex_lock(&lock);
	k = find(*bucket, string);
	if (!k)
		k = add(bucket, string);
	pthread_mutex_unlock(&lock);
	if (!k)
		say("no memory for a name");
	return k ? k->string : "";
}
