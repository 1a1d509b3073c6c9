/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are in the process: found, never loaded.
 */
#ifndef ROCTRACER_LIBS_H
#define ROCTRACER_LIBS_H

#include <stdbool.h>

/*
 * A handle for dlsym() of the first library whose file is named so at its begin ("libamdhip64.so");
 * it stays loaded from now on. NULL: there is none (yet).
 */
void *libs__find(const char *name);

/* The number behind ".so." in the library's own name (DT_SONAME); 0: it has none. */
unsigned int libs__major(void *lib);

/* Is it linked against a library whose file is named so at its begin? */
bool libs__needs(void *lib, const char *name);

#endif
