/* SPDX-License-Identifier: MIT */
/*
 * Where a trace goes, as the options say: which sinks, and which files.
 */
#ifndef RTRACE_OUTOPEN_H
#define RTRACE_OUTOPEN_H

#include <stdbool.h>

#include "user/options.h"
#include "user/output.h"

/*
 * Adds all that is asked for. `*to_stdout` becomes true if one of them writes there. 0 or -errno,
 * which is said.
 */
int outopen__all(struct output *out, const struct options *o, const struct output_keys *keys,
		 bool *to_stdout);

#endif
