/* SPDX-License-Identifier: MIT */
/*
 * An ELF file for x86-64: its executable segments, read into memory, and its dynamic symbols.
 *
 * The file may be hostile, and may change or shrink while it is read: nothing of it is mapped,
 * every size is bounded, and what is outside of the file or of a segment is not there.
 */
#ifndef RTRACE_ELF_ELF_IMAGE_H
#define RTRACE_ELF_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/elf/probe_place.h"

#define IMAGE_SEGMENTS	  16
#define IMAGE_HEADERS_MAX 4096 /* of segments, and of sections */

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
int elf_image__open(struct image *image, int fd);

/*
 * The same for a program: its symbols are those of the symbol table, where it has one, and its code
 * is left for elf_image__read_code() to read.
 */
int elf_image__open_program(struct image *image, int fd);
int elf_image__read_code(struct image *image, int fd);
/*
 * What a process adds to the addresses of the file, from one of its executable mappings: where that
 * begins, and at which offset of the file. 0 or -errno.
 */
int elf_image__base(int fd, uint64_t start, uint64_t offset, uint64_t *base);

void elf_image__close(struct image *image);

/* A defined function, or what claims to be one, by its index. false: something else. */
bool elf_image__function(const struct image *image, size_t i, GElf_Sym *sym, const char **name);

/* The address of a defined variable of that name, by the symbols. false: there is none. */
bool elf_image__variable(const struct image *image, const char *name, uint64_t *address);

/*
 * The code at an address, as far as its segment goes, and its offset in the file. false: it is in
 * no executable segment.
 */
bool elf_image__code(const struct image *image, uint64_t address, struct code *code,
		     uint64_t *offset);

/* The same by offset in the file. */
bool elf_image__code_at(const struct image *image, uint64_t offset, struct code *code);

#endif
