/* SPDX-License-Identifier: MIT */
/*
 * A ROCm library file: its API functions, and where in the file each is probed.
 */
#ifndef RTRACE_PROBE_LIBRARY_PROBES_H
#define RTRACE_PROBE_LIBRARY_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "user/api/functions.h"
#include "user/elf/elf_image.h"
#include "user/elf/probe_place.h"

struct probe {
	uint64_t offset; /* in the file, of the instruction that is probed */
	const struct function *fn;
	char *symbol; /* its name in this file */
	struct place place;
	/*
	 * If the probe is in the target of the trampoline that the symbol names (process_probes.h):
	 * how many bytes of the library's code are before and after the probe. A call that returns
	 * to there was made by the library itself.
	 */
	uint64_t before, after;
};

/* Where a function has put its floating-point arguments. */
struct spill_probe {
	uint64_t offset; /* in the file */
	const struct function *fn;
	struct rt_spills slots;
};

/* A function that is not probed. */
struct unprobed {
	char *symbol;
	const char *why; /* a constant */
};

/* Bytes of a file. */
struct file_range {
	uint64_t begin, end;
};

struct library {
	dev_t dev;
	ino_t ino;
	int fd;	    /* keeps the very file open: it may be out of reach by name */
	char *name; /* as first seen, for messages */
	struct file_range code[IMAGE_SEGMENTS]; /* what is executable: no other part is probed */
	size_t code_count;
	struct probe *probes; /* by offset */
	size_t probe_count;
	struct probe *doors; /* what is probed for dispatches; see doorbell_functions.h */
	size_t door_count;
	struct spill_probe *spills;
	size_t spill_count;
	struct unprobed *unprobed; /* functions that would be probed if they could */
	size_t unprobed_count;
	bool program;		   /* a program that has a ROCm library linked in, or not */
	bool attached, everywhere; /* in some process; in all */
	uint64_t attached_at;	   /* ns, CLOCK_BOOTTIME */
	struct timespec changed; /* st_ctim: with its file closed, its inode may become another's */
};

/* Does a file of that base name hold API functions? */
bool library_probes__is_rocm(const char *basename);

/*
 * Reads the API functions of the ELF file `fd`, which the library then owns, and decides where each
 * is probed. On failure returns NULL with errno set, and fd is closed. The file is not trusted.
 */
struct library *library_probes__open(int fd, const char *name, struct functions *fns);

/* The same, as if that kernel ran; see instruction.h. */
struct library *library_probes__open_on(int fd, const char *name, struct functions *fns,
					unsigned int kernel);

/*
 * The file of a program. One that has no ROCm library linked in is a library without probes: its
 * file is closed. NULL with errno set: no memory.
 */
struct library *library_probes__open_program(int fd, const char *name, struct functions *fns);

void library_probes__close(struct library *lib);

/* The function probed at that file offset, or NULL. */
const struct function *library_probes__at(const struct library *lib, uint64_t offset);

#endif
