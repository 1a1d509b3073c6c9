// SPDX-License-Identifier: MIT
/*
 * Compares the pages that two mappings map.
 */
#include "user/base/same_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_PRESENT (1ULL << 63)
#define PAGE_FRAME   ((1ULL << 55) - 1)

/*
 * The page is faulted in by the kernel and never touched by us: a file that is cut meanwhile must
 * not cost us a SIGBUS.
 */
static void *map_first_page(int fd)
{
	void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

/* What is to be seen in it is decided when it is opened. */
static int pagemap(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	return fd;
}

void same_file__prepare(void)
{
	pagemap();
}

/* The number of the page of memory; 0 if it is not known. */
static uint64_t frame_of(const void *page)
{
	uint64_t entry;
	off_t at = (uintptr_t)page / sysconf(_SC_PAGESIZE) * sizeof(entry);

	if (!page || pread(pagemap(), &entry, sizeof(entry), at) != sizeof(entry) ||
	    !(entry & PAGE_PRESENT))
		return 0;
	return entry & PAGE_FRAME;
}

bool same_file__shares_memory(int fd1, int fd2)
{
	void *page1 = map_first_page(fd1), *page2 = map_first_page(fd2);
	uint64_t frame = frame_of(page1);
	/* Looked at twice, for the kernel may move a page. */
	bool same = frame && frame_of(page2) == frame && frame_of(page1) == frame;

	if (page1)
		munmap(page1, 1);
	if (page2)
		munmap(page2, 1);
	return same;
}
