/* SPDX-License-Identifier: MIT */
/* Empty functions of a library that is named like HIP's: see entries.c. */
#ifndef BENCH_ENTRIES_H
#define BENCH_ENTRIES_H

#include <stddef.h>

void hipBenchPush(void);
void hipBenchNop5(void);
void hipBenchSub(void);
void hipBenchPlaced(void);

/* Named like functions of HIP with 0 to 6 arguments, none of which is followed. */
int hipDeviceSynchronize(void);
int hipSetDevice(int device);
int hipEventRecord(void *event, void *stream);
int hipMemset(void *dst, int value, size_t size);
int hipMemsetAsync(void *dst, int value, size_t size, void *stream);
int hipMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
int hipMemset2DAsync(void *dst, size_t pitch, int value, size_t width, size_t height, void *stream);

#endif
