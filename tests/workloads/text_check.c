// SPDX-License-Identifier: MIT
/*
 * Compares the code of a library with its file, again and again, as a program that protects itself
 * does and one that translates code sees it: in a mapping that is there from the start, and in new
 * ones each time, one to be executed and one to be read. A program's file is mapped to be read.
 *
 *   text_check FILE UNTIL    until the file UNTIL exists, and once more
 *
 * Prints `ready`, `differs N` (comparisons) and `result PASSED`, or FAILED with status 1.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(cond)                                                              \
	do {                                                                     \
		if (!(cond)) {                                                   \
			printf("result FAILED: line %d: %s\n", __LINE__, #cond); \
			exit(1);                                                 \
		}                                                                \
	} while (0)

static char *file; /* a copy of what is in the file */
static int fd;

/* Where the loader has the library's code, and where that is in the file. */
static const char *code;
static size_t size, offset;

static void read_file(const char *path)
{
	struct stat st;

	fd = open(path, O_RDONLY);
	CHECK(fd >= 0 && !fstat(fd, &st));
	file = malloc(st.st_size);
	CHECK(file && pread(fd, file, st.st_size, 0) == st.st_size);
}

/* A new mapping of the code; and how much it is. */
static const char *map_code(int protection, size_t *mapped)
{
	size_t page = sysconf(_SC_PAGESIZE), start = offset / page * page;
	const char *memory;

	*mapped = offset + size - start;
	memory = mmap(NULL, *mapped, protection, MAP_PRIVATE, fd, start);
	CHECK(memory != MAP_FAILED);
	return memory + (offset - start);
}

static void find_code(const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)file;
	const ElfW(Phdr) *segment = (const void *)(file + header->e_phoff);
	uintptr_t address = 0;
	size_t mapped;

	for (int i = 0; i < header->e_phnum; i++, segment++) {
		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		address = segment->p_vaddr;
		offset = segment->p_offset;
		size = segment->p_filesz;
	}
	CHECK(size);
	code = map ? (const char *)map->l_addr + address : map_code(PROT_READ, &mapped);
}

static bool is_as_in_file(const char *memory)
{
	return !memcmp(memory, file + offset, size);
}

static bool is_when_mapped(int protection)
{
	size_t mapped;
	const char *memory = map_code(protection, &mapped);
	bool same = is_as_in_file(memory);

	CHECK(!munmap((void *)(memory + size - mapped), mapped));
	return same;
}

int main(int argc, char **argv)
{
	long differs = 0;
	bool last;

	CHECK(argc == 3);
	read_file(argv[1]);
	find_code(dlopen(argv[1], RTLD_NOW));
	printf("ready\n");
	fflush(stdout);
	do {
		last = !access(argv[2], F_OK);
		differs += !is_as_in_file(code) || !is_when_mapped(PROT_READ) ||
			   !is_when_mapped(PROT_READ | PROT_EXEC);
		usleep(1000);
	} while (!last);
	printf("differs %ld\nresult %s\n", differs, differs ? "FAILED" : "PASSED");
	return differs ? 1 : 0;
}
