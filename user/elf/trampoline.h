/* SPDX-License-Identifier: MIT */
/*
 * Recognises functions that only jump on, through a table of pointers that the library fills in
 * when it is initialised: all of HSA's public functions are such, and from ROCm 6.2 on those of
 * HIP. They have no instruction that the kernel emulates, but what they jump to nearly always has.
 */
#ifndef RTRACE_ELF_TRAMPOLINE_H
#define RTRACE_ELF_TRAMPOLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "user/elf/elf_image.h"

struct trampoline {
	uint64_t variable; /* address in the file */
	bool is_direct;	   /* the variable holds the function's address, else that of a table */
	int64_t offset;	   /* of the function's address in the table */
};

/*
 * Is the function a trampoline? It is if its path, which must have no branch but calls, leaves the
 * stack and the arguments in registers as they were: then a probe in its target sees the same
 * arguments and the same return address. The target's address comes from a load, or from a call to
 * a function of the library that returns the table.
 */
bool trampoline__decode(const struct image *image, const struct code *fn, struct trampoline *out);

/* Reads memory of the process: the count or -errno, as procfs__read_memory. */
typedef ssize_t trampoline_read(void *arg, uint64_t address, void *buf, size_t size);

/*
 * Where it leads in a process that has the library loaded at `base`: what must be added to the
 * file's addresses. 0 or -errno; -ENOENT if the table is not filled in yet. The process can write
 * any address there: see trampoline_targets.h for the checks.
 */
int trampoline__read(const struct trampoline *t, uint64_t base, trampoline_read *read, void *arg,
		     uint64_t *address);

#endif
