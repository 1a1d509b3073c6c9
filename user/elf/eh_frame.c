// SPDX-License-Identifier: MIT
/*
 * Reads the table of an ELF file's .eh_frame_hdr.
 */
#include "user/elf/eh_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT_MAX (4u << 20)

/* The form that GNU ld, gold and lld write: a count, and pairs relative to the table's begin. */
struct header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t count;
};

#define SDATA4_PCREL  0x1b
#define UDATA4	      0x03
#define SDATA4_DATREL 0x3b

struct pair {
	int32_t start, frame;
};

static bool find_header(Elf *elf, GElf_Phdr *ph)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n && i < IMAGE_HEADERS_MAX; i++)
		if (gelf_getphdr(elf, i, ph) && ph->p_type == PT_GNU_EH_FRAME)
			return true;
	return false;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int eh_frame__open(struct frames *f, const struct image *image, int fd)
{
	struct pair *pairs;
	struct header h;
	GElf_Phdr ph;
	ssize_t size;

	memset(f, 0, sizeof(*f));
	if (!find_header(image->elf, &ph) || pread(fd, &h, sizeof(h), ph.p_offset) != sizeof(h) ||
	    h.version != 1 || h.count_encoding != UDATA4 || h.table_encoding != SDATA4_DATREL ||
	    h.frame_encoding != SDATA4_PCREL)
		return -ENOENT;
	if (h.count > COUNT_MAX)
		return -EFBIG;
	size = h.count * sizeof(*pairs);
	pairs = malloc(size + 1);
	f->starts = calloc(h.count + 1, sizeof(*f->starts));
	if (!pairs || !f->starts || pread(fd, pairs, size, ph.p_offset + sizeof(h)) != size) {
		free(pairs);
		eh_frame__close(f);
		return -ENOENT;
	}
	for (uint32_t i = 0; i < h.count; i++)
		f->starts[i] = ph.p_vaddr + (int64_t)pairs[i].start;
	f->count = h.count;
	free(pairs);
	qsort(f->starts, f->count, sizeof(*f->starts), by_number);
	return 0;
}

void eh_frame__close(struct frames *f)
{
	free(f->starts);
	memset(f, 0, sizeof(*f));
}

bool eh_frame__begins(const struct frames *f, uint64_t address, size_t *size)
{
	const uint64_t *at = bsearch(&address, f->starts, f->count, sizeof(*at), by_number);

	if (!at)
		return false;
	while (at + 1 < f->starts + f->count && at[1] == address)
		at++;
	*size = at + 1 < f->starts + f->count ? at[1] - address : SIZE_MAX;
	return true;
}
