/* SPDX-License-Identifier: MIT */
/*
 * Programs that probes keep off, by the names of their executables.
 *
 * A probe is a breakpoint in the code. A program that executes a translation of other code
 * (valgrind, DynamoRIO, Pin, qemu's emulation of a user's process) reads that code, translates the
 * breakpoint as well, and dies of SIGTRAP. So does what compares its code with its file.
 */
#ifndef RTRACE_PROBE_KEPT_OFF_H
#define RTRACE_PROBE_KEPT_OFF_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "abi/executable_name.h"

struct kept_off {
	struct rt_exe_name names[RT_EXE_NAMES];
	size_t count;
};

/* The translators that are known. */
void kept_off__init(struct kept_off *k);

/* One more executable. 0, -EINVAL: it is no name, or has RT_EXE_NAME bytes or more; -E2BIG. */
int kept_off__add(struct kept_off *k, const char *name);

/* Is an executable of that name, without its folder, among them? */
bool kept_off__has_name(const struct kept_off *k, const char *name);

/* Does the process run such a program? `name` gets that of its executable, if it has one. */
bool kept_off__has(const struct kept_off *k, pid_t pid, char *name, size_t size);

#endif
