/* SPDX-License-Identifier: MIT */
/*
 * Where functions begin, by the table that an ELF file carries for unwinding (.eh_frame_hdr). It
 * also knows the functions that have no symbol. Not to be trusted more than the file.
 */
#ifndef RTRACE_ELF_EH_FRAME_H
#define RTRACE_ELF_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/elf/elf_image.h"

struct frames {
	uint64_t *starts; /* addresses, sorted */
	size_t count;
};

/* 0 or -errno: -ENOENT if the file has no such table, or one of a kind that no linker makes. */
int eh_frame__open(struct frames *f, const struct image *image, int fd);
void eh_frame__close(struct frames *f);

/* Does a function begin at the address? `size` gets the bytes to the next one. */
bool eh_frame__begins(const struct frames *f, uint64_t address, size_t *size);

#endif
