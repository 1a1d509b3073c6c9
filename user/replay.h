/* SPDX-License-Identifier: MIT */
/*
 * Hands what is decoded of a recording to an output, as if it were live.
 */
#ifndef RTRACE_REPLAY_H
#define RTRACE_REPLAY_H

#include "user/decode.h"
#include "user/output.h"

/* `out` was made without tasks, see output__new. */
struct decoder_to replay__into(struct output *out);

#endif
