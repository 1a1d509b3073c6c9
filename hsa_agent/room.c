/* SPDX-License-Identifier: MIT */
/*
 * Keeps an intercept queue of the runtime from being overfilled.
 *
 * ROCm 6 tells: to a marker packet that an interceptor writes the runtime answers with a call that
 * names the inner queue. Before, there is no function for it, so it is looked for. A queue handle
 * points to an amd_queue_t, behind which the runtime keeps a pointer to its queue object; the
 * object of an intercept queue points to the inner queue's object, and both hold the public handle;
 * the inner object points to its own amd_queue_t. Two queues never share an inactive signal, except
 * for these two, as the outer was made as a copy of the inner: that, and the same size and type,
 * makes sure of a find. All reads go through process_vm_readv, which fails where a plain read would
 * crash.
 */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "hsa_agent/room.h"

#define LOOK_BEHIND 64 /* words behind an amd_queue_t that may hold the object pointer */
#define LOOK_INSIDE 64 /* words of a queue object that are looked at */

/* Packets of the inner queue that stay free for what the runtime adds itself. */
#define SPARE 3

#define POLL_NS	    20000
#define PATIENCE_NS 100000000

static int read_memory(uint64_t from, void *to, size_t size)
{
	struct iovec local = {to, size};
	struct iovec remote = {(void *)from, size};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size ? 0 : -EFAULT;
}

static bool may_be_pointer(uint64_t word)
{
	return word > 0x10000 && word < 1ULL << 47 && word % 8 == 0;
}

/* Reads as many of the words as there are before the end of mapped memory. */
static int read_words(uint64_t from, uint64_t *words, size_t count)
{
	uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t rest = page - from % page;

	if (!read_memory(from, words, count * sizeof(*words)))
		return 0;
	memset(words, 0, count * sizeof(*words));
	return rest < count * sizeof(*words) ? read_memory(from, words, rest) : -EFAULT;
}

/* Reads a queue object. An object knows the public handle of its queue: that tells it from others.
 */
static bool read_object(uint64_t at, const hsa_queue_t *queue, uint64_t *words)
{
	if (!may_be_pointer(at) || read_words(at, words, LOOK_INSIDE))
		return false;
	for (int i = 0; i < LOOK_INSIDE; i++)
		if (words[i] == (uint64_t)queue)
			return true;
	return false;
}

static bool is_inner(uint64_t at, const amd_queue_t *outer)
{
	amd_queue_t q;

	return may_be_pointer(at) && at != (uint64_t)outer && !read_memory(at, &q, sizeof(q)) &&
	       q.queue_inactive_signal.handle &&
	       q.queue_inactive_signal.handle == outer->queue_inactive_signal.handle &&
	       q.hsa_queue.size == outer->hsa_queue.size &&
	       q.hsa_queue.type == outer->hsa_queue.type &&
	       q.hsa_queue.base_address != outer->hsa_queue.base_address;
}

static const amd_queue_t *search_inner_object(const uint64_t *words, const amd_queue_t *outer)
{
	for (int i = 0; i < LOOK_INSIDE; i++)
		if (is_inner(words[i], outer))
			return (const amd_queue_t *)words[i];
	return NULL;
}

static const amd_queue_t *search_outer_object(const uint64_t *words, const hsa_queue_t *queue)
{
	const amd_queue_t *outer = (const amd_queue_t *)queue;
	uint64_t inside[LOOK_INSIDE];

	for (int i = 0; i < LOOK_INSIDE; i++) {
		const amd_queue_t *inner = NULL;

		if (read_object(words[i], queue, inside))
			inner = search_inner_object(inside, outer);
		if (inner)
			return inner;
	}
	return NULL;
}

int room_init(struct room *room, const hsa_queue_t *queue)
{
	const amd_queue_t *outer = (const amd_queue_t *)queue;
	uint64_t behind[LOOK_BEHIND];
	uint64_t object[LOOK_INSIDE];

	room->outer = outer;
	room->inner = NULL;
	room->size = queue->size;
	if (hsa.major > 1)
		return -ENOENT;
	if (read_words((uint64_t)(outer + 1), behind, LOOK_BEHIND))
		return -ENOENT;
	for (int i = 0; i < LOOK_BEHIND && !room->inner; i++)
		if (read_object(behind[i], queue, object))
			room->inner = search_outer_object(object, queue);
	return room->inner ? 0 : -ENOENT;
}

#define MARKER_FORMAT 0xfe /* AMD_AQL_FORMAT_INTERCEPT_MARKER, which older headers lack */

/* amd_aql_intercept_marker_t */
struct marker {
	uint16_t header;
	uint8_t format;
	uint8_t reserved[5];
	void (*callback)(const struct marker *marker, hsa_queue_t *inner, uint64_t packet_id);
	uint64_t user_data[6];
};

static void on_marker(const struct marker *marker, hsa_queue_t *inner, uint64_t packet_id)
{
	struct room *room = (struct room *)marker->user_data[0];

	if (inner->size == room->size)
		__atomic_store_n(&room->inner, (const amd_queue_t *)inner, __ATOMIC_RELEASE);
}

void room_ask(struct room *room, hsa_amd_queue_intercept_packet_writer writer)
{
	const struct marker marker = {
		.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE,
		.format = MARKER_FORMAT,
		.callback = on_marker,
		.user_data = {(uint64_t)room},
	};

	room->asked = true;
	if (hsa.major > 1 && !room->inner)
		writer(&marker, 1);
}

/* Packets in the inner queue that the GPU has not taken. */
static uint64_t in_use(const struct room *room)
{
	uint64_t read = __atomic_load_n(&room->inner->read_dispatch_id, __ATOMIC_ACQUIRE);
	uint64_t write = __atomic_load_n(&room->inner->write_dispatch_id, __ATOMIC_RELAXED);

	return write - read;
}

static uint64_t written(const struct room *room)
{
	return __atomic_load_n(&room->outer->write_dispatch_id, __ATOMIC_ACQUIRE);
}

uint64_t room_for_more(const struct room *room, uint64_t index, uint64_t count)
{
	uint64_t behind, needed, available;

	if (!room->inner)
		return UINT64_MAX;
	behind = written(room) - (index + 1);
	needed = behind + count + SPARE;
	available = room->size - in_use(room);
	return available > needed ? available - needed : 0;
}

static uint64_t taken(const struct room *room)
{
	return __atomic_load_n(&room->inner->read_dispatch_id, __ATOMIC_ACQUIRE);
}

uint64_t room_make(struct room *room, uint64_t index, uint64_t count)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};
	uint64_t last = taken(room);
	unsigned int idle = 0;
	uint64_t more;

	while (!(more = room_for_more(room, index, count)) && in_use(room)) {
		if (room->stuck_at == last + 1)
			return 0;
		nanosleep(&pause, NULL);
		if (taken(room) != last) {
			last = taken(room);
			idle = 0;
		} else if (++idle >= PATIENCE_NS / POLL_NS) {
			room->stuck_at = last + 1;
		}
	}
	return more;
}

void room_wait(const struct room *room, uint64_t index, uint64_t count)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};

	/*
	 * One overflow is within what the old runtime can do, as long as no packet is passed on
	 * after it in the same go. An application that keeps to the read index that it is told
	 * never gets here with more.
	 */
	while (unlikely(room->size - in_use(room) <= count) && written(room) != index + 1)
		nanosleep(&pause, NULL);
}

uint64_t room_read_index(const struct room *room, uint64_t read)
{
	uint64_t used, write, reserve;

	if (!room->inner)
		return read;
	used = in_use(room);
	if (!used)
		return read;
	read = read > used ? read - used : 0;
	if (!agent_active())
		return read;
	/*
	 * While recording, a packet may become two: call the queue full a bit earlier. Only then,
	 * as an application may also wait for the index to pass a packet of its own.
	 */
	write = written(room);
	reserve = room->size / 4 < 64 ? room->size / 4 : 64;
	return write - read + reserve >= room->size && write >= room->size ? write - room->size
									   : read;
}
