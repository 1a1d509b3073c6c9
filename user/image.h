/* SPDX-License-Identifier: MIT */
/*
 * An ELF file for x86-64: its executable segments, read into memory, and its dynamic symbols.
 *
 * The file may be hostile, and may change or shrink while it is read: nothing of it is mapped,
 * every size is bounded, and what lies outside of the file or of a segment is not there.
 */
#ifndef RTRACE_IMAGE_H
#define RTRACE_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/placement.h"

#define IMAGE_SEGMENTS 16

struct segment {
	struct code code;
	uint64_t offset; /* in the file */
};

struct image {
	Elf *elf;
	struct segment segments[IMAGE_SEGMENTS]; /* the executable ones */
	size_t segment_count;
	Elf_Data *symbols;
	size_t symbol_count;
	size_t strings; /* index of the section with their names */
};

/*
 * Reads the file `fd`, which must stay open as long. 0 or -errno: -ENOEXEC if it is no ELF file for
 * x86-64 or has no dynamic symbols, -EFBIG if it is larger than any library.
 */
int image__open(struct image *image, int fd);
void image__close(struct image *image);

/* A defined function, or what claims to be one, by its index. false: something else. */
bool image__function(const struct image *image, size_t i, GElf_Sym *sym, const char **name);

/*
 * The code at an address, as far as its segment goes, and where in the file it lies. false: it is
 * in no executable segment.
 */
bool image__code(const struct image *image, uint64_t address, struct code *code, uint64_t *offset);

#endif
