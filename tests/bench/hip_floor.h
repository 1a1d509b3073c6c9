/* SPDX-License-Identifier: MIT */
/* A tool that does nothing: what is left is what HIP itself does for one. See hip_floor.c. */
#ifndef BENCH_HIP_FLOOR_H
#define BENCH_HIP_FLOOR_H

#include <stdbool.h>

/* Has HIP report its calls, what GPUs do, or both. False: this HIP cannot. */
bool hip_floor__want(bool calls, bool operations);

#endif
