/* SPDX-License-Identifier: MIT */
/*
 * The device file: one sparse memfd of which every device descriptor is a duplicate.
 *
 * The runtime maps doorbells, VRAM, GTT and MMIO with plain mmap at offsets that ioctls gave it.
 * Since every such offset is a real place in the file, mmap, munmap, read and close need no
 * interposition, and the engine sees the same memory through mappings of its own.
 */
#include "tests/simkfd/simkfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MMIO_START	(1ULL << 20)
#define BUFFER_START	(1ULL << 40)
#define FILE_SIZE	(1ULL << 62)
#define PAGE		4096ULL
#define HIGH_DESCRIPTOR 200 /* out of the way of programs that expect low numbers */

/* A SOC15 GPU has 8-byte doorbells, 1024 of them in what the driver calls a page. */
#define DOORBELL_PAGE 8192ULL

struct file_id {
	dev_t dev;
	ino_t ino;
};

static int memfd = -1;
static struct file_id file, parents_file;
static uint64_t buffer_next = BUFFER_START;
static volatile uint64_t *doorbells[MAX_GPUS];

/*
 * As in the driver, the GPU's id begins at bit 46: tracers read it in /proc/PID/maps. The thunk of
 * 5.2 takes the place inside a page out of an offset with a 32-bit mask: so only the high 32 bits
 * name the page, and the low 13 the place in it.
 */
uint64_t device__doorbell_page(int gpu)
{
	return (uint64_t)(GPU_ID + gpu) << 46;
}

uint64_t device__doorbell_offset(int gpu, uint32_t slot)
{
	return device__doorbell_page(gpu) + slot * sizeof(uint64_t);
}

uint64_t device__mmio_page(int gpu)
{
	return MMIO_START + gpu * PAGE;
}

volatile uint64_t *device__doorbell(int gpu, uint32_t slot)
{
	return doorbells[gpu] + slot;
}

void *device__map(uint64_t offset, uint64_t size)
{
	void *map =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memfd, offset);

	return map == MAP_FAILED ? NULL : map;
}

static uint64_t round_to_page(uint64_t size)
{
	return (size + PAGE - 1) & ~(PAGE - 1);
}

/* Offsets are not reused: at 7 TiB of them that is not worth a free list. */
uint64_t device__reserve(uint64_t size)
{
	uint64_t offset = buffer_next;

	buffer_next += round_to_page(size);
	return offset;
}

void device__release(uint64_t offset, uint64_t size)
{
	fallocate(memfd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, round_to_page(size));
}

/*
 * A file with the name of the driver's device, for tracers of system calls. It is in /dev/shm. The
 * size of /dev/shm may be limited, while that of a memfd is not.
 */
static int create_named_file(void)
{
	char dir[] = "/dev/shm/simkfd-XXXXXX", path[64];
	int fd;

	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/kfd", dir);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	unlink(path);
	rmdir(dir);
	return fd;
}

static int create_file(void)
{
	struct stat st;
	int low, gpu;

	low = config.syscalls ? create_named_file() : memfd_create("simkfd", MFD_CLOEXEC);
	if (low < 0)
		return -errno;
	memfd = fcntl(low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
	if (memfd < 0)
		memfd = low;
	else
		close(low);
	if (ftruncate(memfd, FILE_SIZE) || fstat(memfd, &st))
		return -errno;
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	for (gpu = 0; gpu < config.gpus; gpu++) {
		doorbells[gpu] = device__map(device__doorbell_page(gpu), DOORBELL_PAGE);
		if (!doorbells[gpu])
			return -errno;
	}
	return 0;
}

int device__open(int flags)
{
	int err = 0;

	sim__lock();
	if (memfd < 0)
		err = create_file();
	if (err)
		device__forget();
	sim__unlock();
	if (err) {
		sim__log(0, "device file: %s", strerror(-err));
		errno = ENODEV;
		return -1;
	}
	return fcntl(memfd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 3);
}

int device__owns(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return 0;
	if (memfd >= 0 && st.st_ino == file.ino && st.st_dev == file.dev)
		return 1;
	if (parents_file.ino && st.st_ino == parents_file.ino && st.st_dev == parents_file.dev)
		return -1;
	return 0;
}

void device__forget(void)
{
	int gpu;

	if (memfd < 0)
		return;
	for (gpu = 0; gpu < config.gpus; gpu++)
		if (doorbells[gpu])
			munmap((void *)doorbells[gpu], DOORBELL_PAGE);
	memset(doorbells, 0, sizeof(doorbells));
	close(memfd);
	memfd = -1;
	parents_file = file;
	buffer_next = BUFFER_START;
}
