/* SPDX-License-Identifier: MIT */
/*
 * One recording, from the start of the capture to the closing lines.
 */
#ifndef RTRACE_RECORD_RECORDER_H
#define RTRACE_RECORD_RECORDER_H

#include "user/record/record_options.h"

/* Records by the options. Returns the exit status. */
int recorder__run(const struct options *o);

#endif
