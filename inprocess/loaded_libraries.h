/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are in the process: found, never loaded.
 */
#ifndef ROCTRACER_LIBS_H
#define ROCTRACER_LIBS_H

#include <stdbool.h>

/*
 * A handle for dlsym() of the first library with a file name that begins so ("libamdhip64.so"); it
 * stays loaded from now on. NULL: there is none (yet).
 */
void *libs__find(const char *name);

/* The number after ".so." in the library's own name (DT_SONAME); 0: it has none. */
unsigned int libs__major(void *lib);

/* Is it linked against a library with a file name that begins so? */
bool libs__needs(void *lib, const char *name);

#endif
