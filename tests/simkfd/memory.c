/* SPDX-License-Identifier: MIT */
/*
 * Buffer objects, and how an address of the GPU becomes one of this process.
 *
 * The simulator maps each buffer for itself: with a small BAR the runtime maps VRAM nowhere at all,
 * and a mapping of the runtime may go while the engine still looks at it.
 */
#include "tests/simkfd/memory.h"

#include <errno.h>
#include <linux/kfd_ioctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/simkfd/kernel.h"
#include "tests/simkfd/simkfd.h"

static struct buffer **by_va; /* sorted */
static size_t count, capacity;
static size_t last_hit;

static struct buffer **by_handle; /* handles are index + 1 in their low half, never reused */
static uint32_t handles, handle_capacity;

static uint64_t vram_used[MAX_GPUS];

/* Index of the first buffer that begins after `va`. */
static size_t position(uint64_t va)
{
	size_t low = 0, high = count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (by_va[middle]->va <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool buffer_contains(const struct buffer *b, uint64_t va)
{
	return va >= b->va && va - b->va < b->size;
}

struct buffer *memory__find(uint64_t va)
{
	size_t i;

	if (last_hit < count && buffer_contains(by_va[last_hit], va))
		return by_va[last_hit];
	i = position(va);
	if (!i || !buffer_contains(by_va[i - 1], va))
		return NULL;
	last_hit = i - 1;
	return by_va[last_hit];
}

static void *host_in(const struct buffer *b, uint64_t va)
{
	return b && b->host ? b->host + (va - b->va) : (void *)(uintptr_t)va;
}

void *memory__host(uint64_t va)
{
	return host_in(memory__find(va), va);
}

/* How much of `size` bytes from `va` on is in that buffer. */
static uint64_t within(const struct buffer *b, uint64_t va, uint64_t size)
{
	uint64_t rest = b ? b->va + b->size - va : size;

	return rest < size ? rest : size;
}

void memory__copy(uint64_t to, uint64_t from, uint64_t size)
{
	const struct buffer *dst, *src;
	uint64_t piece;

	for (; size; size -= piece, to += piece, from += piece) {
		dst = memory__find(to);
		src = memory__find(from);
		piece = within(src, from, within(dst, to, size));
		memmove(host_in(dst, to), host_in(src, from), piece);
	}
}

static void fill_piece(uint8_t *to, uint64_t size, const uint8_t *pattern, size_t pattern_size,
		       uint64_t phase)
{
	uint64_t i;

	if (pattern_size == 1) {
		memset(to, pattern[0], size);
		return;
	}
	for (i = 0; i < size; i++) {
		to[i] = pattern[phase];
		phase = phase + 1 == pattern_size ? 0 : phase + 1;
	}
}

void memory__fill(uint64_t to, uint64_t size, const void *pattern, size_t pattern_size)
{
	const struct buffer *b;
	uint64_t done, piece;

	if (!pattern_size)
		return;
	for (done = 0; done < size; done += piece) {
		b = memory__find(to + done);
		piece = within(b, to + done, size - done);
		fill_piece(host_in(b, to + done), piece, pattern, pattern_size,
			   done % pattern_size);
	}
}

static int insert(struct buffer *b)
{
	struct buffer **more;
	size_t i;

	if (count == capacity) {
		more = realloc(by_va, (capacity * 2 + 256) * sizeof(struct buffer *));
		if (!more)
			return -ENOMEM;
		by_va = more;
		capacity = capacity * 2 + 256;
	}
	i = position(b->va);
	memmove(by_va + i + 1, by_va + i, (count - i) * sizeof(struct buffer *));
	by_va[i] = b;
	count++;
	return 0;
}

static void remove_from_order(const struct buffer *b)
{
	size_t i = position(b->va);

	while (i && by_va[i - 1] != b)
		i--;
	if (!i)
		return;
	memmove(by_va + i - 1, by_va + i, (count - i) * sizeof(struct buffer *));
	count--;
}

static int assign_handle(struct buffer *b)
{
	struct buffer **more;

	if (handles == handle_capacity) {
		more = realloc(by_handle, (handle_capacity * 2 + 256) * sizeof(struct buffer *));
		if (!more)
			return -ENOMEM;
		by_handle = more;
		handle_capacity = handle_capacity * 2 + 256;
	}
	by_handle[handles++] = b;
	b->handle = (uint64_t)(GPU_ID + b->gpu) << 32 | handles;
	return 0;
}

static struct buffer *find_handle(uint64_t handle)
{
	uint32_t index = (uint32_t)handle - 1;

	return index < handles ? by_handle[index] : NULL;
}

/* Doorbells, MMIO and user memory have no bytes of their own in the device file. */
static bool has_storage(const struct buffer *b)
{
	return !(b->flags & (KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
			     KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP));
}

static int buffer_back(struct buffer *b, struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
		/*
		 * For registered user memory mmap_offset is its address in this process. Its device
		 * address differs: HIP 5.2 aborts in hipHostUnregister if they are equal.
		 */
		b->host = (uint8_t *)(uintptr_t)args->mmap_offset;
		return 0;
	}
	if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL)
		b->offset = device__doorbell_page(b->gpu);
	else if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)
		b->offset = device__mmio_page(b->gpu);
	else
		b->offset = device__reserve(b->size);
	args->mmap_offset = b->offset;
	if (!has_storage(b))
		return 0;
	b->host = device__map(b->offset, b->size);
	return b->host ? 0 : -ENOMEM;
}

static void buffer_delete(struct buffer *b)
{
	if (b->has_code)
		kernel__forget_objects();
	if (has_storage(b) && b->host) {
		munmap(b->host, b->size);
		device__release(b->offset, b->size);
	}
	free(b);
}

int memory__allocate(struct kfd_ioctl_alloc_memory_of_gpu_args *args)
{
	int gpu = gpu__index(args->gpu_id), err;
	bool vram = args->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM;
	struct buffer *b;

	if (gpu < 0)
		return -EINVAL;
	if (vram && args->size > memory__available(gpu))
		return -ENOMEM;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->va = args->va_addr;
	b->size = args->size;
	b->flags = args->flags;
	b->gpu = gpu;
	err = buffer_back(b, args);
	if (!err)
		err = assign_handle(b);
	if (!err)
		err = insert(b);
	if (err) {
		if (b->handle)
			by_handle[(uint32_t)b->handle - 1] = NULL;
		buffer_delete(b);
		return err;
	}
	if (vram)
		vram_used[gpu] += b->size;
	args->handle = b->handle;
	sim__log(3, "buffer %#llx: va %#llx size %#llx flags %#x", (unsigned long long)b->handle,
		 (unsigned long long)b->va, (unsigned long long)b->size, b->flags);
	return 0;
}

int memory__free(uint64_t handle)
{
	struct buffer *b = find_handle(handle);

	if (!b)
		return -EINVAL;
	remove_from_order(b);
	by_handle[(uint32_t)handle - 1] = NULL;
	if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
		vram_used[b->gpu] -= b->size;
	buffer_delete(b);
	return 0;
}

/* Serves map and unmap. Every GPU can reach every buffer anyway, so only the answer matters. */
int memory__map(struct kfd_ioctl_map_memory_to_gpu_args *args)
{
	const uint32_t *ids = (const uint32_t *)(uintptr_t)args->device_ids_array_ptr;

	if (!find_handle(args->handle))
		return -EINVAL;
	for (; args->n_success < args->n_devices; args->n_success++)
		if (gpu__index(ids[args->n_success]) < 0)
			return -EINVAL;
	return 0;
}

uint64_t memory__available(int gpu)
{
	return config.vram - vram_used[gpu];
}

void memory__forget(void)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (has_storage(by_va[i]))
			munmap(by_va[i]->host, by_va[i]->size);
		free(by_va[i]);
	}
	count = 0;
	handles = 0;
	memset(vram_used, 0, sizeof(vram_used));
	kernel__forget_objects();
}
