/* SPDX-License-Identifier: MIT */
/*
 * The calls of HSA functions: wrappers that report each call to the library, and the functions'
 * names.
 *
 * The wrappers are made at build time (scripts/gen-hsa-api) from the headers that are installed;
 * roctracer/hsa_prof_str.h, made with them, has the functions' numbers and what a tool is given.
 */
#ifndef ROCTRACER_HSA_API_H
#define ROCTRACER_HSA_API_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa_tables.h"
#include "roctracer/call.h"
#include "roctracer/hsa_prof_str.h"

/* One call, on the stack of the thread that makes it. */
struct hsa_api_trace {
	hsa_api_data_t api_data; /* first, because tools are given its address */
	struct call call;	 /* from enter to exit */
};

/* ---- hsa_api.c ---- */

/*
 * By number of the function: not 0 while its calls are wanted. Set with relaxed stores, at any time
 * and by any thread. A wrapper looks once, when the call begins. If the entry was set then, the
 * call's end is reported, whatever has been set since.
 */
extern uint8_t hsa_api_enabled[HSA_API_ID_NUMBER];

/*
 * Puts the wrappers into the runtime's tables. They call the functions that they replace.
 * Only what both the runtime and the headers know is wrapped: an entry that is NULL, or that the
 * table is too short for, is left alone, and so is a table that is laid out otherwise than in the
 * headers. hsa_shut_down is not wrapped: the tool is unloaded before it returns. Entries that are
 * wrapped already stay as they are. Returns false if a table was left alone.
 *
 * For OnLoad: no other thread may call through the tables meanwhile.
 */
bool hsa_api__wrap(HsaApiTable *table);

/* Constant; "unknown" for what is no function's number, HSA_API_ID_DISPATCH included. */
const char *hsa_api__name(uint32_t id);

/* The number of the function of that name; HSA_API_ID_NUMBER: there is none. */
uint32_t hsa_api__code(const char *name);

/* ---- for hsa_api.c, by the rest of the library ---- */

/*
 * A call of the function with number `id` begins: `trace` has its arguments, all else is 0. On the
 * thread that calls.
 */
void roctracer_hsa_enter(uint32_t id, struct hsa_api_trace *trace);

/*
 * The same call has ended: besides, `trace` has what the function returned. The caller gets what is
 * there afterwards.
 */
void roctracer_hsa_exit(uint32_t id, struct hsa_api_trace *trace);

#endif
