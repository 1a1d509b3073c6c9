/* SPDX-License-Identifier: MIT */
/*
 * The kernels that processes have loaded, found from outside: the HSA runtime keeps a list of its
 * code objects for debuggers (_amdgpu_r_debug). Each entry names the place of its ELF file, in a
 * file or in the process's memory. The loaded image itself is the GPU's and cannot be read.
 *
 * The process can write anything there. It is read a piece at a time, every size and every list is
 * bounded, and malformed data gives no kernels.
 */
#ifndef RTRACE_DOORBELL_CODE_OBJECTS_H
#define RTRACE_DOORBELL_CODE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/string_pool.h"

struct codeobjects;

/* What a process has unloaded by now. */
struct code_unloads {
	uint64_t began; /* CLOCK_BOOTTIME ns: when it last began to; 0: it has not */
	bool may_go_on; /* that may not have ended yet */
};

/* False: that cannot be said, as when the process has ended. */
typedef bool code_unloads_fn(pid_t pid, struct code_unloads *unloads, void *arg);

/* `strings` and `arg` must live as long. */
struct codeobjects *code_objects__new(struct strings *strings, code_unloads_fn *unloads, void *arg);
void code_objects__free(struct codeobjects *c);

/* A packet that names a kernel by its address. */
struct code_use {
	pid_t pid;
	uint64_t object;   /* that address */
	uint64_t ts;	   /* when it was submitted, CLOCK_BOOTTIME ns */
	uint64_t unloaded; /* code_unloads.began at that time */
};

/*
 * The name of the kernel, in `strings`. NULL: not certain. To be asked while the process is there.
 * `is_kernel`: there is a kernel at the address, or was when the list was read last.
 */
const char *code_objects__kernel(struct codeobjects *c, const struct code_use *use,
				 bool *is_kernel);

/* The process has ended or runs another program. */
void code_objects__forget(struct codeobjects *c, pid_t pid);

/* ---- for code_objects.c and the tests ---- */

/* Where the bytes of a code object are. */
struct code_place {
	bool in_memory;
	uint64_t offset; /* in the file, or the address */
	uint64_t size;	 /* 0: to the end of the file */
	char path[4096]; /* of a file, as the process sees it */
};

/* "file://PATH#offset=N&size=N" or "memory://PID#offset=ADDRESS&size=N". false: it is neither. */
bool code_place__parse(struct code_place *place, const char *uri);

/* Reads up to `size` bytes at an offset of a code object: the count, or negative. */
typedef ssize_t code_read(void *arg, uint64_t offset, void *buf, size_t size);

/*
 * Calls `fn` for each kernel of the ELF file that `read` reads, `size` bytes long: with its address
 * in the file, that of the symbol NAME.kd, and NAME. 0 or -errno.
 */
int code_elf__kernels(code_read *read, void *read_arg, uint64_t size,
		      void (*fn)(uint64_t address, const char *name, size_t len, void *arg),
		      void *arg);

/* One code object's entry in the list. */
struct code_entry {
	uint64_t base; /* added to the addresses of its file */
	char uri[4096 + 128];
};

/*
 * Calls `fn` for each code object of the list that the struct r_debug at that address points to.
 * `read` reads the process's memory. 0, -EAGAIN if the list is being changed, or -errno.
 */
int code_list__walk(code_read *read, void *read_arg, uint64_t r_debug,
		    void (*fn)(const struct code_entry *e, void *arg), void *arg);

#endif
