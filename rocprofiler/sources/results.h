/* SPDX-License-Identifier: MIT */
/*
 * What functions of HIP return. HIP reports a call's begin, arguments and end to a tool, but not
 * its result. So objects that are linked against HIP's functions are linked to wrappers instead,
 * which call HIP and report the result. The result of a call made in another way (dlsym) is
 * unknown.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_RESULTS_H
#define RTRACE_ROCPROFILER_SOURCES_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

/* A wrapper of a HIP function that the thread is in, and that will report the result. */
struct pending {
	struct pending *outer;
	uint32_t number; /* of ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API */
	void *call;	 /* calls.c's; NULL: not taken */
};

/* That function is about to run. A caller that sets `call` will get the function's result. */
struct pending *results__take(uint32_t number);

/*
 * Results are wanted of what services want now, or of all. Objects that were loaded since are found
 * then, and when a call was begun that could not be taken. One thread at a time.
 */
void results__engage(bool all);
void results__look_again(void);

/* ---- for results.c: calls.c's ---- */

/* Nothing else has run on the thread since its end was reported. */
void calls__returned(void *call, int result);
/* The name that a function of HIP has in librocprofiler-sdk. */
const char *calls__name(const char *name);

#endif
