/* SPDX-License-Identifier: MIT */
/*
 * The producing end of the shared memory that agent_ring.h describes.
 *
 * The memory is a memfd of sealed size, so that a tracer that maps it can never be hit by SIGBUS;
 * the descriptor is closed at once, because a tracer comes by way of /proc/PID/map_files and the
 * application's descriptors are the application's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/agent_layout.h"
#include "hsa_agent/ring/prefault.h"
#include "hsa_agent/ring/shared_memory.h"

/* The limit for the size of files holds for memory too: going beyond it is a deadly signal. */
static bool may_be_so_large(size_t size)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= size;
}

static int make_sealed_memfd(size_t size)
{
	int fd, err;

	if (!may_be_so_large(size))
		return -EFBIG;
	fd = memfd_create(RT_AGENT_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0600) || ftruncate(fd, size) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

/*
 * A program that has locked its memory for the future (mlockall) gets pages for all that it may
 * write when that is mapped. So it may write only when the memory is locked no more. Nor is a core
 * dump to have it.
 */
static void *map_unlocked(int fd, size_t size)
{
	void *base = mmap(NULL, size, PROT_NONE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return NULL;
	munlock(base, size);
	madvise(base, size, MADV_DONTDUMP);
	if (!mprotect(base, size, PROT_READ | PROT_WRITE))
		return base;
	munmap(base, size);
	return NULL;
}

/* Maps new memory of that size. Returns its descriptor, or -errno. */
static int map_new(struct shm *shm, size_t size)
{
	int fd = make_sealed_memfd(size), err;
	void *base;

	if (fd < 0)
		return fd;
	base = map_unlocked(fd, size);
	if (!base) {
		err = -errno;
		close(fd);
		return err;
	}
	shm->base = base;
	shm->size = size;
	return fd;
}

static uint64_t whole_pages(uint64_t size)
{
	return (size + 4095) & ~4095ULL;
}

int shared_memory__create(struct shm *shm, uint32_t slots, uint32_t hsa_major, uint32_t hsa_minor)
{
	uint64_t ring_off = RT_AGENT_META + (uint64_t)RT_AGENT_META_LEN;
	uint64_t end = ring_off + (uint64_t)slots * sizeof(struct rt_agent_rec);
	int fd = map_new(shm, whole_pages(end) + RT_SPANS_SIZE);
	bool spans = fd >= 0;
	struct rt_agent_header *h;

	if (fd == -EFBIG || fd == -ENOMEM) /* calls are captured by their probes then */
		fd = map_new(shm, end);
	if (fd < 0)
		return fd;
	shm->header = h = shm->base;
	shm->control = shm->base + RT_AGENT_CONTROL;
	shm->state = shm->base + RT_AGENT_STATE;
	shm->flights = shm->base + RT_AGENT_FLIGHTS;
	shm->meta = shm->base + RT_AGENT_META;
	shm->ring = shm->base + ring_off;
	shm->slots = slots;
	shm->state->oldest = 1;
	pthread_mutex_init(&shm->meta_lock, NULL);

	h->version = RT_AGENT_VERSION;
	h->pid = getpid();
	h->layout = agent_layout__number();
	h->meta_off = RT_AGENT_META;
	h->meta_size = RT_AGENT_META_LEN;
	h->ring_off = ring_off;
	h->ring_slots = slots;
	h->slot_size = sizeof(struct rt_agent_rec);
	h->hsa_major = hsa_major;
	h->hsa_minor = hsa_minor;
	h->address = (uint64_t)shm->base;
	h->spans_off = spans ? whole_pages(end) : 0;
	close(fd);
	return 0;
}

void shared_memory__announce(struct shm *shm)
{
	__atomic_store_n(&shm->header->magic, RT_AGENT_MAGIC, __ATOMIC_RELEASE);
}

void shared_memory__destroy(struct shm *shm)
{
	if (shm->base)
		munmap(shm->base, shm->size);
	shm->base = NULL;
}

void shared_memory__disown(struct shm *shm)
{
	if (!shm->base)
		return;
	mmap(shm->base, shm->size, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
	pthread_mutex_init(&shm->meta_lock, NULL);
}

void shared_memory__prepare(struct shm *shm)
{
	populate(shm->ring, shm->slots * sizeof(*shm->ring),
		 __atomic_load_n(&shm->state->head, __ATOMIC_RELAXED) * sizeof(*shm->ring),
		 &shm->ring_ready);
	populate(shm->flights, RT_AGENT_FLIGHT_SLOTS * sizeof(*shm->flights),
		 __atomic_load_n(&shm->state->ops, __ATOMIC_RELAXED) * sizeof(*shm->flights),
		 &shm->flights_ready);
}

void shared_memory__lose(struct shm *shm, enum rt_agent_kind kind)
{
	__atomic_fetch_add(&shm->state->lost[kind], 1, __ATOMIC_RELAXED);
}

struct rt_agent_rec *shared_memory__claim(struct shm *shm, enum rt_agent_kind kind, uint64_t *pos)
{
	uint64_t head = __atomic_load_n(&shm->state->head, __ATOMIC_RELAXED), now, tail;
	struct rt_agent_rec *rec;

	for (;;) {
		tail = __atomic_load_n(&shm->control->tail, __ATOMIC_ACQUIRE);
		if (head - tail < shm->slots) {
			if (__atomic_compare_exchange_n(&shm->state->head, &head, head + 1, true,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED))
				break;
			continue;
		}
		/* Full; or our head is older than that tail, as this thread was preempted. */
		now = __atomic_load_n(&shm->state->head, __ATOMIC_RELAXED);
		if (now == head) {
			shared_memory__lose(shm, kind);
			return NULL;
		}
		head = now;
	}
	rec = &shm->ring[head & (shm->slots - 1)];
	memset((char *)rec + sizeof(rec->seq), 0, sizeof(*rec) - sizeof(rec->seq));
	rec->kind = kind;
	*pos = head;
	return rec;
}

void shared_memory__publish(struct rt_agent_rec *rec, uint64_t pos)
{
	__atomic_store_n(&rec->seq, pos + 1, __ATOMIC_RELEASE);
}

void shared_memory__lose_meta(struct shm *shm)
{
	__atomic_fetch_add(&shm->state->meta_lost, 1, __ATOMIC_RELAXED);
}

const void *shared_memory__meta(struct shm *shm, const struct rt_meta_hdr *rec)
{
	const void *place = NULL;
	uint64_t tail;

	pthread_mutex_lock(&shm->meta_lock);
	tail = shm->state->meta_tail;
	if (tail + rec->size > RT_AGENT_META_LEN) {
		shared_memory__lose_meta(shm);
	} else {
		place = memcpy(shm->meta + tail, rec, rec->size);
		__atomic_store_n(&shm->state->meta_tail, tail + rec->size, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&shm->meta_lock);
	return place;
}
