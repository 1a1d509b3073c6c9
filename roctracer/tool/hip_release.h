/* SPDX-License-Identifier: MIT */
/*
 * Is HIP of the release that tool_hip_functions are made from?
 */
#ifndef TOOL_HIP_RELEASE_H
#define TOOL_HIP_RELEASE_H

#include <stdbool.h>

#include "roctracer/tool/own.h"

/* The thread's call of that function begins: HIP is asked, if it has not been yet. */
void hip_release__ask(struct own *o, const char *function);

/* False: not, or not asked yet. */
bool hip_release__is_known(void);

#endif
