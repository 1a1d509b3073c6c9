/* SPDX-License-Identifier: MIT */
/*
 * Is HIP of the release that tool_hip_functions are made from?
 */
#ifndef TOOL_HIP_RELEASE_H
#define TOOL_HIP_RELEASE_H

#include <stdbool.h>

/* By the name of its file, libamdhip64.so.5.2.21153; false: no, or it has none of that kind. */
bool hip_release__is_known(void);

#endif
