/* SPDX-License-Identifier: MIT */
/*
 * Layouts in a process' memory, in words of eight bytes: of what the GPU and AMD's HSA runtime
 * share.
 */
#ifndef RTRACE_ABI_AMD_SIGNAL_H
#define RTRACE_ABI_AMD_SIGNAL_H

/* amd_signal_t: the same in ROCm 5.2 to 7.0. */
#define SIGNAL_BYTES	     64
#define SIGNAL_WORDS	     7 /* kind, value or doorbell, ..., start_ts, end_ts, queue_ptr */
#define SIGNAL_VALUE	     1
#define SIGNAL_START	     4
#define SIGNAL_END	     5
#define SIGNAL_QUEUE	     6
#define KIND_USER	     1
#define KIND_DOORBELL	     (-1)
#define KIND_LEGACY_DOORBELL (-2)

/* After it: the rest of the runtime's SharedSignal, as of ROCm 5.2 to 7.0. */
#define SHARED_WORDS	5 /* sdma_start_ts, the runtime's object, id, ..., sdma_end_ts */
#define SHARED_START	0
#define SHARED_ID	2
#define SHARED_ID_VALUE 0x71fcca6a3d5d5276ULL
#define SHARED_END	4

/* amd_queue_t: the same in ROCm 5.2 to 7.0. */
#define QUEUE_WORDS	  5 /* type, base_address, doorbell_signal, size, id */
#define QUEUE_WRITE_INDEX 56
#define QUEUE_READ_INDEX  128
#define QUEUE_PROPERTIES  180

#define PACKET_BYTES  64
#define TYPE_INVALID  1
#define TYPE_DISPATCH 2

#endif
