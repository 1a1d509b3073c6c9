/* SPDX-License-Identifier: MIT */
/*
 * What is to be traced, and the file in which rocprof asks for that:
 *
 *   <trace name="HIP"><parameters api="hipMalloc, hipFree"></parameters></trace>
 *
 * traces HIP, and of its functions those two. Names are HIP, HSA, rocTX, and GPU for what GPUs do
 * for HSA. Quotes may be left out; # begins a comment. Elements with other names are rocprofiler's
 * business.
 */
#ifndef TOOL_INPUT_H
#define TOOL_INPUT_H

#include <stdbool.h>
#include <stddef.h>

struct wanted {
	bool roctx;
	bool hip;     /* calls, and what GPUs did for them */
	bool hsa;     /* calls */
	bool hsa_ops; /* what GPUs did for HSA */
	/* Names of functions, separated by blanks or commas, by malloc; NULL: all. */
	char *hip_functions, *hsa_functions;
};

/* Adds what the file asks for. What cannot be read or understood ends it, and is logged. */
void input__read(const char *path, struct wanted *wanted);

#endif
