/* SPDX-License-Identifier: MIT */
/*
 * The calls of libhsakmt's functions: wrappers that report each call to the library, and the
 * functions' names.
 *
 * The wrappers are made at build time (scripts/gen-kfd-api) from the header that is installed;
 * roctracer/kfd_prof_str.h, made with them, has the functions' numbers and what a tool is given.
 */
#ifndef ROCTRACER_KFD_API_H
#define ROCTRACER_KFD_API_H

#include "roctracer/call.h"
#include "roctracer/kfd_prof_str.h"

/* One call, on the stack of the thread that makes it. */
struct kfd_api_trace {
	kfd_api_data_t api_data; /* first, because tools are given its address */
	struct call call;
};

/* As hsa_api_enabled is. */
extern uint8_t kfd_api_enabled[KFD_API_ID_NUMBER];

/*
 * What the wrappers call, by number. To be set, with a release store, before a function's wrapper
 * is called.
 */
extern void *kfd_api_original[KFD_API_ID_NUMBER];

/* To be called in the place of the function; NULL: it is not in the header. */
void *kfd_api__wrapper(uint32_t id);

/* Constant; "unknown" for what is no function's number. */
const char *kfd_api__name(uint32_t id);

/* The number of the function of that name; KFD_API_ID_NUMBER: there is none. */
uint32_t kfd_api__code(const char *name);

/* ---- for kfd_api.c, by the rest of the library; as roctracer_hsa_enter and _exit are ---- */

void roctracer_kfd_enter(uint32_t id, struct kfd_api_trace *trace);
void roctracer_kfd_exit(uint32_t id, struct kfd_api_trace *trace);

#endif
