/* SPDX-License-Identifier: MIT */
/*
 * A ROCm library file: its API functions, and where in the file each is probed.
 */
#ifndef RTRACE_LIBRARY_H
#define RTRACE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/function.h"

struct probe {
	uint64_t offset; /* in the file, of the instruction that is probed */
	const struct function *fn;
};

struct library {
	dev_t dev;
	ino_t ino;
	int fd;		      /* keeps the very file open: it may be out of reach by name */
	char *name;	      /* as first seen, for messages */
	struct probe *probes; /* by offset */
	size_t probe_count;
	bool attached; /* for all processes */
};

/* Does a file of that base name hold API functions? */
bool library__is_rocm(const char *basename);

/*
 * Reads the API functions of the ELF file `fd`, which the library then owns. On failure returns
 * NULL with errno set, and fd is closed. hot: with the functions that are left out by default.
 */
struct library *library__open(int fd, const char *name, struct functions *fns, bool hot);
void library__close(struct library *lib);

/* The function probed at that file offset, or NULL. */
const struct function *library__at(const struct library *lib, uint64_t offset);

/*
 * How far behind a function's first byte its probe goes. `code` are the first `len` bytes.
 *
 * A probe costs 0.65 us where the kernel emulates the instruction (push, nop, jmp, call) and
 * several times that where it has to single-step it. A function compiled with -fcf-protection
 * starts with endbr64, which is single-stepped; the instruction behind it is as good a place if it
 * is emulated: nothing has changed but the instruction pointer, and nobody jumps there without
 * passing endbr64.
 */
size_t library__probe_shift(const uint8_t *code, size_t len);

#endif
