/* SPDX-License-Identifier: MIT */
/*
 * The user-mode queues and the one engine thread that runs all of them.
 *
 * A doorbell is a word in shared memory that the application writes, so the engine has to look. It
 * does so without the lock. After work it spins for a while, because the runtime's threads spin too
 * before they sleep; then it polls, and less often the longer nothing happens.
 */
#include "tests/simkfd/queue.h"

#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "tests/simkfd/memory.h"
#include "tests/simkfd/simkfd.h"

#define SPIN_NS	       200000	     /* after the last work */
#define SPIN_ALONE_NS  20000	     /* of which without giving the processor to others */
#define DOZE_NS	       200000000     /* idle n times as long: polls n times less often, */
#define DOZE_MAX_NS    4000000000ULL /* up to this */
#define WAKE_EARLY_NS  50000	     /* sleeping is that inexact: the rest is spun */
#define BLOCKED_MIN_NS 5000
#define BLOCKED_MAX_NS 200000

static struct queue queues[MAX_QUEUES];
static atomic_uint queue_limit; /* no queue at or above this slot */
static uint32_t queue_count;	/* created so far */
static bool engine_started;

void queue_stop(struct queue *q)
{
	atomic_store(&q->running, false);
}

uint64_t queue_blocked(struct queue *q, uint64_t now)
{
	uint64_t pause;

	if (!q->blocked_since)
		q->blocked_since = now;
	pause = (now - q->blocked_since) / 8;
	if (pause < BLOCKED_MIN_NS)
		pause = BLOCKED_MIN_NS;
	return now + (pause < BLOCKED_MAX_NS ? pause : BLOCKED_MAX_NS);
}

static bool doorbell_rang(void)
{
	unsigned int i, limit = atomic_load(&queue_limit);

	for (i = 0; i < limit; i++)
		if (atomic_load_explicit(&queues[i].running, memory_order_acquire) &&
		    *queues[i].doorbell != queues[i].doorbell_seen)
			return true;
	return false;
}

static uint64_t step_all(void)
{
	uint64_t next = NEVER, at;
	unsigned int i;

	sim__lock_engine();
	for (i = 0; i < queue_limit; i++) {
		if (!atomic_load(&queues[i].running))
			continue;
		at = queues[i].step(&queues[i]);
		if (at < next)
			next = at;
	}
	sim__unlock();
	return next;
}

static void spin(bool alone)
{
	int i;

	for (i = 0; i < 50; i++)
		__builtin_ia32_pause();
	if (!alone)
		sched_yield();
}

/* Rests a little, not beyond `next`. */
static void rest(uint64_t now, uint64_t worked, uint64_t next)
{
	uint64_t idle = now - worked;
	uint64_t pause = config.poll_ns * (1 + (idle < DOZE_MAX_NS ? idle : DOZE_MAX_NS) / DOZE_NS);
	struct timespec ts;

	if (next <= now)
		return;
	if (idle < SPIN_NS || next - now < WAKE_EARLY_NS + config.poll_ns / 8) {
		spin(idle < SPIN_ALONE_NS);
		return;
	}
	if (next != NEVER && next - now - WAKE_EARLY_NS < pause)
		pause = next - now - WAKE_EARLY_NS;
	ts.tv_sec = pause / 1000000000;
	ts.tv_nsec = pause % 1000000000;
	nanosleep(&ts, NULL);
}

static void *engine(void *unused)
{
	uint64_t now = clock__boot_ns(), worked = now, next = NEVER;

	prctl(PR_SET_TIMERSLACK, 1000UL);
	for (;;) {
		if (now >= next || doorbell_rang()) {
			next = step_all();
			worked = now;
		}
		now = clock__boot_ns();
		rest(now, worked, next);
		now = clock__boot_ns();
	}
	return NULL;
}

/* The application's signals are no business of the engine, which may hold the lock. */
static int start_engine(void)
{
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (engine_started)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, NULL, engine, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err)
		return -err;
	pthread_setname_np(thread, "simkfd");
	pthread_detach(thread);
	engine_started = true;
	return 0;
}

static struct queue *find_free(void)
{
	uint32_t slot;

	for (slot = 0; slot < MAX_QUEUES; slot++) {
		if (queues[slot].used)
			continue;
		memset(&queues[slot], 0, sizeof(queues[slot]));
		queues[slot].slot = slot;
		return &queues[slot];
	}
	return NULL;
}

static struct queue *find_used(uint32_t id)
{
	return id < MAX_QUEUES && queues[id].used ? &queues[id] : NULL;
}

/*
 * The doorbell of a compute queue starts as ~0, so that ringing for packet 0 changes it; that of a
 * copy queue counts bytes and starts at 0 like the ring.
 */
static void queue_reset(struct queue *q, bool is_aql)
{
	q->step = is_aql ? aql__step : sdma__step;
	q->doorbell_seen = is_aql ? UINT64_MAX : 0;
	*q->doorbell = q->doorbell_seen;
	if (!is_aql) {
		*q->read_pointer = 0;
		*q->write_pointer = 0;
	}
}

int queue__create(struct kfd_ioctl_create_queue_args *args)
{
	int gpu = gpu__index(args->gpu_id), err;
	struct queue *q;

	if (gpu < 0 || args->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE)
		return -EINVAL;
	err = start_engine();
	if (err)
		return err;
	q = find_free();
	if (!q)
		return -ENOMEM;
	q->gpu = gpu;
	q->number = ++queue_count;
	q->ring = args->ring_base_address;
	q->ring_size = args->ring_size;
	q->read_pointer = memory__host(args->read_pointer_address);
	q->write_pointer = memory__host(args->write_pointer_address);
	q->doorbell = device__doorbell(gpu, q->slot);
	q->available = clock__boot_ns();
	queue_reset(q, args->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL);
	q->used = true;
	if (q->slot >= queue_limit)
		atomic_store(&queue_limit, q->slot + 1);
	atomic_store(&q->running, true);
	args->queue_id = q->slot;
	args->doorbell_offset = device__doorbell_offset(gpu, q->slot);
	sim__log(2, "queue %u: gpu %d type %u ring %#llx size %u", q->number, gpu, args->queue_type,
		 (unsigned long long)q->ring, args->ring_size);
	return 0;
}

/* The driver takes a queue out of service if it is given no ring or no share of the time. */
int queue__update(const struct kfd_ioctl_update_queue_args *args)
{
	struct queue *q = find_used(args->queue_id);

	if (!q)
		return -EINVAL;
	atomic_store(&q->running, args->queue_percentage && args->ring_base_address);
	return 0;
}

int queue__destroy(uint32_t id)
{
	struct queue *q = find_used(id);

	if (!q)
		return -EINVAL;
	queue_stop(q);
	q->used = false;
	return 0;
}

void queue__forget(void)
{
	memset(queues, 0, sizeof(queues));
	atomic_store(&queue_limit, 0);
	queue_count = 0;
	engine_started = false;
}
