// SPDX-License-Identifier: MIT
/*
 * Collects lines, and has them written when there are many.
 */
#include "roctracer/tool/lines.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ENOUGH 65536 /* bytes for one file */

struct lines {
	struct lines *next;
	pthread_mutex_t lock;
	struct textbuf texts[FILES];
};

static struct lines shared = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct lines *all = &shared;

struct lines *lines__shared(void)
{
	return &shared;
}

struct lines *lines__new(void)
{
	struct lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	pthread_mutex_init(&l->lock, NULL);
	l->next = __atomic_load_n(&all, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&all, &l->next, l, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
	return l;
}

/* Under the lock. A line that memory ran out in is left out with those before it. */
static void write_out(struct textbuf *text, enum file file)
{
	if (text->len && !text->failed)
		out__append(file, text->data, text->len);
	text_buffer__reset(text);
}

struct textbuf *lines__begin(struct lines *l, enum file file)
{
	pthread_mutex_lock(&l->lock);
	return &l->texts[file];
}

void lines__end(struct lines *l, enum file file)
{
	struct textbuf *text = &l->texts[file];

	if (text->len >= ENOUGH || text->failed)
		write_out(text, file);
	pthread_mutex_unlock(&l->lock);
}

static void flush(struct lines *l)
{
	pthread_mutex_lock(&l->lock);
	for (int i = 0; i < FILES; i++)
		write_out(&l->texts[i], i);
	pthread_mutex_unlock(&l->lock);
}

void lines__flush(void)
{
	for (struct lines *l = __atomic_load_n(&all, __ATOMIC_ACQUIRE); l; l = l->next)
		flush(l);
}

/* Another thread may have been about to add a line: what it had is let go of as it is. */
void lines__forked(struct lines *mine)
{
	for (struct lines *l = all; l; l = l->next) {
		pthread_mutex_init(&l->lock, NULL);
		for (int i = 0; i < FILES; i++)
			if (l == mine)
				text_buffer__reset(&l->texts[i]);
			else
				memset(&l->texts[i], 0, sizeof(l->texts[i]));
	}
}
