/* SPDX-License-Identifier: MIT */
/*
 * The HSA runtime that loads the tool.
 */
#ifndef TOOL_RUNTIME_H
#define TOOL_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa_tables.h"

/* The runtime has loaded the tool. Passes that on to libroctracer64, if the runtime does not. */
void runtime__loaded(HsaApiTable *table, uint64_t version);
void runtime__unloaded(void);

/* A line for each device in hsa_handles.txt: "HANDLE agent cpu", "HANDLE agent gpu". */
void runtime__write_handles(const HsaApiTable *table);

#endif
