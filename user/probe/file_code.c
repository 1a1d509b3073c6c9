// SPDX-License-Identifier: MIT
/*
 * Takes breakpoints out of one process's memory.
 */
#include "user/probe/file_code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define BREAKPOINT 0xcc
#define CHUNK	   65536

/* `memory` holds what is mapped at `address`, `file` the same of the file. */
static int restore(int mem, uint64_t address, const uint8_t *memory, const uint8_t *file, size_t n)
{
	int restored = 0;

	if (!memcmp(memory, file, n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (memory[i] != BREAKPOINT || file[i] == BREAKPOINT)
			continue;
		if (pwrite(mem, &file[i], 1, address + i) != 1)
			return -errno;
		restored++;
	}
	return restored;
}

/* The same for all bytes of the file in that range, mapped at `address`. */
static int restore_range(int mem, uint64_t address, int fd, struct file_range r)
{
	static uint8_t memory[CHUNK], file[CHUNK];
	int n = 0, restored = 0;

	for (uint64_t at = r.begin; at < r.end && n >= 0; at += CHUNK) {
		size_t size = r.end - at < CHUNK ? r.end - at : CHUNK;
		ssize_t got = pread(mem, memory, size, address + (at - r.begin));
		ssize_t have = pread(fd, file, size, at);

		if (got <= 0 || have <= 0) /* beyond the end of the file */
			break;
		n = restore(mem, address + (at - r.begin), memory, file, got < have ? got : have);
		restored += n > 0 ? n : 0;
	}
	return n < 0 ? n : restored;
}

/* What is in both. */
static struct file_range common(struct file_range a, struct file_range b)
{
	return (struct file_range){
		a.begin > b.begin ? a.begin : b.begin,
		a.end < b.end ? a.end : b.end,
	};
}

int file_code__restore(pid_t pid, const struct mapping *m, const struct library *lib)
{
	const struct file_range mapped = {m->offset, m->offset + (m->end - m->start)};
	int mem, n = 0, restored = 0;
	char path[PROCFS_PATH];

	procfs__path(path, pid, "mem");
	mem = open(path, O_RDWR | O_CLOEXEC);
	if (mem < 0)
		return -errno;
	for (size_t i = 0; i < lib->code_count && n >= 0; i++) {
		struct file_range r = common(mapped, lib->code[i]);

		n = restore_range(mem, m->start + (r.begin - mapped.begin), lib->fd, r);
		restored += n > 0 ? n : 0;
	}
	close(mem);
	return n < 0 ? n : restored;
}
