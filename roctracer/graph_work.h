/* SPDX-License-Identifier: MIT */
/*
 * What graphs have GPUs do. HIP 5 says when that was, but not the bytes of copies, and up to 5.3.0
 * not the names of kernels either; a launch's arguments do not: HSA does, if the agent is in the
 * process.
 */
#ifndef ROCTRACER_GRAPH_WORK_H
#define ROCTRACER_GRAPH_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "roctracer/hip_arguments.h"
#include "roctracer/roctracer.h"

/* Has a graph been launched for which this operation (HIP_OP_ID_*) is of interest? */
bool graph_work__wants(uint32_t op);
/*
 * One is about to be, by the calling thread: its number. From now on HSA's copies are wanted, and,
 * for the names, kernels.
 */
uint64_t graph_work__launch(bool with_kernels);
/* An operation of HSA_OPS (dispatch, copy) of that graph has ended. */
void graph_work__put(uint64_t graph, const activity_record_t *record);
/*
 * What is known of the one that this record of HIP_OPS is of: that which has ended then. The work
 * stays as it is if there is none.
 */
void graph_work__take(uint64_t graph, const activity_record_t *record, struct hip_work *work);

#endif
