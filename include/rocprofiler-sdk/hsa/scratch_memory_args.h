/* SPDX-License-Identifier: MIT */
/*
 * What a callback of ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY receives, by operation and phase.
 * Names and layouts are those of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ARGS_H
#define ROCPROFILER_SDK_HSA_SCRATCH_MEMORY_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include <rocprofiler-sdk/defines.h>

ROCPROFILER_EXTERN_C_INIT

/* One byte in C too, as in C++. */
typedef struct rocprofiler_scratch_memory_no_args {
	char empty;
} rocprofiler_scratch_memory_no_args;

typedef union rocprofiler_scratch_memory_args_t {
	struct {
		uint64_t dispatch_id; /* the packet's index in the queue */
	} alloc_start;
	struct {
		uint64_t dispatch_id;
		size_t size;	  /* bytes */
		size_t num_slots; /* waves that it is enough for */
	} alloc_end;
	struct {
		rocprofiler_scratch_memory_no_args no_args;
	} free_start;
	struct {
		rocprofiler_scratch_memory_no_args no_args;
	} free_end;
	struct {
		rocprofiler_scratch_memory_no_args no_args;
	} async_reclaim_start;
	struct {
		rocprofiler_scratch_memory_no_args no_args;
	} async_reclaim_end;
} rocprofiler_scratch_memory_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
