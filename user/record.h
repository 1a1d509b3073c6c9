/* SPDX-License-Identifier: MIT */
/*
 * One recording, from the start of the capture to the closing lines.
 */
#ifndef RTRACE_RECORD_H
#define RTRACE_RECORD_H

#include "user/options.h"

/* Records as the options say. Returns the exit status. */
int record__run(const struct options *o);

#endif
