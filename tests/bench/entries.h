/* SPDX-License-Identifier: MIT */
/* Empty functions of a library that is named like HIP's: see entries.c. */
#ifndef BENCH_ENTRIES_H
#define BENCH_ENTRIES_H

void hipBenchPush(void);
void hipBenchNop5(void);
void hipBenchSub(void);

#endif
