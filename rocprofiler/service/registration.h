/* SPDX-License-Identifier: MIT */
/*
 * From when the first runtime shows up, or a tool asks for it, to the end.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_REGISTRATION_H
#define RTRACE_ROCPROFILER_SERVICE_REGISTRATION_H

#include "rocprofiler/service/tools.h"

/*
 * Finds tools, has them configure themselves and initialises them; once, at the first call. Other
 * threads' calls return when that is done; those of the thread that does it, at once.
 */
void registration__initialize(void);

/* 0 not yet, -1 at the moment, 1 it was. */
int registration__initialized(void);
int registration__finalized(void);

/* The tool that is being configured or initialised now; NULL: none. */
struct tool *registration__tool(void);

/*
 * At exit tools are finalised before all that has registered for exit by now. Runtimes that end
 * after that make calls, and what the tool's functions use may have been freed.
 */
void registration__end_before(void);

#endif
