/* SPDX-License-Identifier: MIT */
/*
 * The outputs of a trace, by the options: which sinks, and which files.
 */
#ifndef RTRACE_RECORD_OPEN_OUTPUTS_H
#define RTRACE_RECORD_OPEN_OUTPUTS_H

#include <stdbool.h>

#include "user/record/record_options.h"
#include "user/output/output_set.h"

/*
 * Adds all that is asked for. `*to_stdout` becomes true if one of them writes there. 0 or -errno,
 * which is logged.
 */
int open_outputs__all(struct output *out, const struct options *o, const struct output_keys *keys,
		      bool *to_stdout);

#endif
