/* SPDX-License-Identifier: MIT */
/*
 * Hands what is decoded of a recording to an output, as if it were live.
 */
#ifndef RTRACE_RECORDING_REPLAY_H
#define RTRACE_RECORDING_REPLAY_H

#include "user/recording/decode.h"
#include "user/output/output_set.h"

/* `out` was made without tasks, see output_set__new. */
struct decoder_to replay__into(struct output *out);

#endif
