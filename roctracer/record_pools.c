// SPDX-License-Identifier: MIT
/*
 * Pools of records, their threads, and the stages of those that write.
 */
#include "roctracer/record_pools.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "roctracer/roctracer_ext.h"

/* The pool's lock is for the threads to share: with 16 that do nothing else, 32 cost half as much
 * again. */
#define STAGE_RECORDS 256
#define RECORD	      sizeof(activity_record_t)

/*
 * What a thread has written for a pool and not handed over. It stays in the thread's list for ever,
 * as pool and thread may end in any order: one without a pool is used again.
 */
struct stage {
	struct stage *next; /* of the thread */
	struct stage *next_in_pool;
	bool locked;
	struct pool *pool;
	uint32_t count;
	activity_record_t records[STAGE_RECORDS];
};

/* A record that the pool's own thread has written, and its text, if it has one. */
struct own {
	struct own *next;
	activity_record_t record;
	char text[];
};

struct pool {
	struct pool *next;
	roctracer_properties_t properties;
	uint32_t stage_limit; /* records; 0: the buffers are too small for stages to be of use */
	size_t size;	      /* of a buffer, bytes */
	char *memory;

	pthread_mutex_t lock; /* of all up to the stages */
	char *begin;	      /* of the buffer that is being filled: records from there on, ... */
	char *next_record;
	char *texts; /* ... texts from its end down to there */
	struct stage *stages;

	pthread_t thread;
	struct own *own, **own_end; /* the thread's alone */
	pthread_mutex_t turn_lock;
	pthread_cond_t turn;
	const char *full_begin, *full_end; /* for the thread; NULL: it has nothing to do */
	uint64_t handed, passed_on;	   /* buffers, so far */
	bool quit;
	bool dead; /* it has no thread */
};

static __thread bool is_a_thread;
static struct pool *pools;
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- the pool's thread ---- */

static void call_tool(const struct pool *p, const void *begin, const void *end)
{
	p->properties.buffer_callback_fun(begin, end, p->properties.buffer_callback_arg);
}

static void put_own(struct pool *p, const activity_record_t *record, const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;
	struct own *own = malloc(sizeof(*own) + size);

	if (!own)
		return;
	own->next = NULL;
	own->record = *record;
	if (text)
		own->record.kernel_name = memcpy(own->text, text, size);
	*p->own_end = own;
	p->own_end = &own->next;
}

/* With a buffer of the others, and not at once: the tool may make a call each time that it reads.
 */
static void pass_on_own(struct pool *p)
{
	struct own *own = p->own;

	p->own = NULL;
	p->own_end = &p->own;
	while (own) {
		struct own *next = own->next;

		call_tool(p, &own->record, &own->record + 1);
		free(own);
		own = next;
	}
}

static void *pass_on(void *arg)
{
	struct pool *p = arg;

	is_a_thread = true;
	for (;;) {
		pthread_mutex_lock(&p->turn_lock);
		while (!p->full_begin && !p->quit)
			pthread_cond_wait(&p->turn, &p->turn_lock);
		pthread_mutex_unlock(&p->turn_lock);
		pass_on_own(p);
		if (!p->full_begin)
			return NULL;
		call_tool(p, p->full_begin, p->full_end);
		pthread_mutex_lock(&p->turn_lock);
		p->full_begin = NULL;
		p->passed_on++;
		pthread_cond_broadcast(&p->turn);
		pthread_mutex_unlock(&p->turn_lock);
	}
}

static bool is_own_thread(const struct pool *p)
{
	return !p->dead && pthread_equal(p->thread, pthread_self());
}

bool pool__is_a_thread(void)
{
	return is_a_thread;
}

static void wait_passed_on(struct pool *p, uint64_t count)
{
	pthread_mutex_lock(&p->turn_lock);
	while (p->passed_on < count)
		pthread_cond_wait(&p->turn, &p->turn_lock);
	pthread_mutex_unlock(&p->turn_lock);
}

/* ---- buffers; under the pool's lock, and never on its own thread ---- */

static void use_buffer(struct pool *p, char *begin)
{
	p->begin = p->next_record = begin;
	p->texts = begin + p->size;
}

/* Gives the buffer to the thread, once that has passed on the other one, and goes on with that. */
static void hand_over(struct pool *p)
{
	if (p->next_record == p->begin)
		return;
	wait_passed_on(p, p->handed);
	pthread_mutex_lock(&p->turn_lock);
	p->full_begin = p->begin;
	p->full_end = p->next_record;
	p->handed++;
	pthread_cond_broadcast(&p->turn);
	pthread_mutex_unlock(&p->turn_lock);
	use_buffer(p, p->begin == p->memory ? p->memory + p->size : p->memory);
}

/* Makes room for that in one buffer. */
static void make_room(struct pool *p, size_t bytes)
{
	if ((size_t)(p->texts - p->next_record) < bytes)
		hand_over(p);
}

static void put(struct pool *p, const activity_record_t *records, size_t count)
{
	memcpy(p->next_record, records, count * RECORD);
	p->next_record += count * RECORD;
}

/* An external id and its call's record are not to be parted. */
static size_t together(const activity_record_t *record)
{
	return record->domain == ACTIVITY_DOMAIN_EXT_API && record->op == ACTIVITY_EXT_OP_EXTERN_ID
		       ? 2
		       : 1;
}

static void put_all(struct pool *p, const activity_record_t *records, size_t count)
{
	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < count && !p->dead;) {
		size_t n = together(&records[i]);

		make_room(p, n * RECORD);
		put(p, &records[i], n);
		i += n;
	}
	pthread_mutex_unlock(&p->lock);
}

/* ---- stages ---- */

/*
 * Only its own thread uses a stage, except for a flush. So its lock is made to be cheap when it is
 * free.
 */
static void lock_stage(struct stage *s)
{
	const struct timespec pause = {.tv_nsec = 20000};

	while (__atomic_exchange_n(&s->locked, true, __ATOMIC_ACQUIRE))
		nanosleep(&pause, NULL);
}

static void unlock_stage(struct stage *s)
{
	__atomic_store_n(&s->locked, false, __ATOMIC_RELEASE);
}

/* Under the stage's lock. */
static void empty(struct stage *s)
{
	if (s->pool)
		put_all(s->pool, s->records, s->count);
	s->count = 0;
}

static void add_stage(struct pool *p, struct stage *s)
{
	lock_stage(s);
	s->count = 0;
	__atomic_store_n(&s->pool, p, __ATOMIC_RELAXED);
	unlock_stage(s);
	pthread_mutex_lock(&p->lock);
	s->next_in_pool = p->stages;
	__atomic_store_n(&p->stages, s, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&p->lock);
}

static struct stage *new_stage(struct thread *t, struct pool *p)
{
	struct stage *s;

	for (s = t->stages; s; s = s->next)
		if (!__atomic_load_n(&s->pool, __ATOMIC_RELAXED))
			break;
	if (!s) {
		s = calloc(1, sizeof(*s));
		if (!s)
			return NULL;
		s->next = t->stages;
		t->stages = s;
	}
	add_stage(p, s);
	return s;
}

static struct stage *stage_for(struct thread *t, struct pool *p)
{
	struct stage *s;

	for (s = t->stages; s; s = s->next)
		if (__atomic_load_n(&s->pool, __ATOMIC_RELAXED) == p)
			return s;
	return p->stage_limit ? new_stage(t, p) : NULL;
}

static void empty_stages(struct pool *p)
{
	struct stage *s;

	for (s = __atomic_load_n(&p->stages, __ATOMIC_ACQUIRE); s; s = s->next_in_pool) {
		lock_stage(s);
		empty(s);
		unlock_stage(s);
	}
}

static void stage_records(struct pool *p, struct stage *s, const activity_record_t *records,
			  size_t count)
{
	lock_stage(s);
	if (s->count + count > p->stage_limit)
		empty(s);
	memcpy(&s->records[s->count], records, count * RECORD);
	s->count += count;
	unlock_stage(s);
}

/* ---- writing ---- */

static activity_record_t external_record(const activity_record_t *record, uint64_t id)
{
	activity_record_t external = {
		.domain = ACTIVITY_DOMAIN_EXT_API,
		.op = ACTIVITY_EXT_OP_EXTERN_ID,
		.correlation_id = record->correlation_id,
		.external_id = id,
	};

	return external;
}

static void write_records(struct thread *t, struct pool *p, const activity_record_t *records,
			  size_t count)
{
	struct stage *s;

	if (is_own_thread(p)) {
		for (size_t i = 0; i < count; i++)
			put_own(p, &records[i], NULL);
		return;
	}
	s = stage_for(t, p);
	if (s)
		stage_records(p, s, records, count);
	else
		put_all(p, records, count);
}

void pool__write(struct thread *t, struct pool *p, const activity_record_t *record,
		 const uint64_t *external)
{
	if (external) {
		const activity_record_t pair[] = {external_record(record, *external), *record};

		write_records(t, p, pair, 2);
	} else {
		write_records(t, p, record, 1);
	}
}

/* The text stays where it is: the buffer is given to the tool at once. */
static void put_long(struct pool *p, activity_record_t *record, const char *text)
{
	hand_over(p);
	record->kernel_name = text;
	put(p, record, 1);
	hand_over(p);
	wait_passed_on(p, p->handed);
}

void pool__write_text(struct pool *p, const activity_record_t *record, const char *text)
{
	activity_record_t copy = *record;
	size_t size = strlen(text) + 1;

	if (is_own_thread(p)) {
		put_own(p, record, text);
		return;
	}
	pthread_mutex_lock(&p->lock);
	if (p->dead) {
		/* no thread would read it */
	} else if (size > p->size - RECORD) {
		put_long(p, &copy, text);
	} else {
		make_room(p, RECORD + size);
		p->texts -= size;
		copy.kernel_name = memcpy(p->texts, text, size);
		put(p, &copy, 1);
	}
	pthread_mutex_unlock(&p->lock);
}

/* ---- the pool itself ---- */

static char *allocate(const roctracer_properties_t *properties, size_t size)
{
	char *memory = NULL;

	if (properties->alloc_fun)
		properties->alloc_fun(&memory, size, properties->alloc_arg);
	else
		memory = malloc(size);
	return memory;
}

static void release(struct pool *p)
{
	if (p->properties.alloc_fun)
		p->properties.alloc_fun(&p->memory, 0, p->properties.alloc_arg);
	else
		free(p->memory);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->turn_lock);
	pthread_cond_destroy(&p->turn);
	free(p);
}

/* The application's signals are its own threads' business. */
static int start_thread(struct pool *p)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&p->thread, NULL, pass_on, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

static void link_pool(struct pool *p)
{
	pthread_mutex_lock(&pools_lock);
	p->next = pools;
	pools = p;
	pthread_mutex_unlock(&pools_lock);
}

static void unlink_pool(const struct pool *p)
{
	pthread_mutex_lock(&pools_lock);
	for (struct pool **link = &pools; *link; link = &(*link)->next)
		if (*link == p) {
			*link = p->next;
			break;
		}
	pthread_mutex_unlock(&pools_lock);
}

/* A quarter of a buffer, so that what is on stages does not come much later than it did before. */
static uint32_t stage_limit(size_t size)
{
	size_t records = size / RECORD / 4;

	return records < 2 ? 0 : records < STAGE_RECORDS ? records : STAGE_RECORDS;
}

roctracer_status_t pool__open(const roctracer_properties_t *properties, struct pool **pool)
{
	size_t size = properties->buffer_size & ~(RECORD - 1);
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION;
	p->properties = *properties;
	p->size = size < 2 * RECORD ? 2 * RECORD : size;
	p->stage_limit = stage_limit(p->size);
	p->own_end = &p->own;
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->turn_lock, NULL);
	pthread_cond_init(&p->turn, NULL);
	p->memory = allocate(properties, 2 * p->size);
	if (!p->memory) {
		free(p);
		return ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION;
	}
	use_buffer(p, p->memory);
	if (start_thread(p)) {
		release(p);
		return ROCTRACER_STATUS_ERROR;
	}
	link_pool(p);
	*pool = p;
	return ROCTRACER_STATUS_SUCCESS;
}

void pool__flush(struct pool *p)
{
	uint64_t handed;

	if (p->dead || is_own_thread(p))
		return;
	empty_stages(p);
	pthread_mutex_lock(&p->lock);
	hand_over(p);
	handed = p->handed;
	pthread_mutex_unlock(&p->lock);
	wait_passed_on(p, handed);
}

static void end_thread(struct pool *p)
{
	pthread_mutex_lock(&p->turn_lock);
	p->quit = true;
	pthread_cond_broadcast(&p->turn);
	pthread_mutex_unlock(&p->turn_lock);
	pthread_join(p->thread, NULL);
}

static void free_stages(struct pool *p)
{
	for (struct stage *s = p->stages, *next; s; s = next) {
		next = s->next_in_pool;
		lock_stage(s);
		s->count = 0;
		__atomic_store_n(&s->pool, NULL, __ATOMIC_RELAXED);
		unlock_stage(s);
	}
}

void pool__close(struct pool *p)
{
	pool__flush(p);
	unlink_pool(p);
	if (!p->dead)
		end_thread(p);
	free_stages(p);
	while (p->own) {
		struct own *next = p->own->next;

		free(p->own);
		p->own = next;
	}
	release(p);
}

void pool__forked(void)
{
	pthread_mutex_init(&pools_lock, NULL);
	for (struct pool *p = pools; p; p = p->next) {
		pthread_mutex_init(&p->lock, NULL);
		pthread_mutex_init(&p->turn_lock, NULL);
		pthread_cond_init(&p->turn, NULL);
		for (struct stage *s = p->stages; s; s = s->next_in_pool) {
			s->locked = false;
			s->count = 0;
		}
		p->dead = true;
	}
}
