/* SPDX-License-Identifier: MIT */
/*
 * What objects in the process have bound to a library's functions, and putting something else
 * there.
 */
#ifndef ROCTRACER_IMPORTS_H
#define ROCTRACER_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

/* A function: what is to be in the place of its address, `replacement`, calls it. */
struct import {
	void *original, *replacement;
};

/*
 * In all objects that are linked against the library, whose file is named so at its begin, what is
 * bound to one of its functions, or will be at the first call, is bound to the replacement: at once
 * and for ever, while other threads may call. `find` says of a name what there is of the function;
 * false: nothing is to be done.
 *
 * Calls from inside of the library, by addresses that were taken before or asked for with dlsym(),
 * and those that something else has taken over, go on as they did. The objects stay loaded from now
 * on. Those that are loaded later are found when it is called again, which costs little. For one
 * library in a process, and one thread at a time.
 */
void imports__replace(const char *library, bool (*find)(const char *name, struct import *i));

/* How many objects the process has loaded up to now. */
uint64_t imports__loaded(void);

#endif
