/* SPDX-License-Identifier: MIT */
/*
 * What functions of HIP return. HIP tells a tool of a call's begin, arguments and end, but not
 * that; so its functions are replaced in what objects are linked to by ones that call them and
 * tell. What comes to HIP in another way (dlsym) has no result that is known.
 */
#ifndef RTRACE_ROCPROFILER_RESULTS_H
#define RTRACE_ROCPROFILER_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

/* A function of HIP that the thread is in, and that will tell what it has returned. */
struct pending {
	struct pending *outer;
	uint32_t number; /* of ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API */
	void *call;	 /* calls.c's; NULL: nobody has taken it */
};

/* That function is about to run: who wants its result has it from now on, by setting `call`. */
struct pending *results__take(uint32_t number);

/*
 * Results are wanted of what services want now, or of all. Objects that were loaded since are found
 * then, and when a call was begun that could not be taken. One thread at a time.
 */
void results__engage(bool all);
void results__look_again(void);

/* ---- for results.c: calls.c's ---- */

/* Nothing else has run on the thread since its end was told. */
void calls__returned(void *call, int result);
/* The name that a function of HIP has in librocprofiler-sdk. */
const char *calls__name(const char *name);

#endif
