/* SPDX-License-Identifier: MIT */
/*
 * What the encoder and the decoder of recordings agree on: see recording.md.
 */
#ifndef RTRACE_RECORDING_RECORD_TAGS_H
#define RTRACE_RECORDING_RECORD_TAGS_H

enum record_tag {
	TAG_STRING = 1,
	TAG_TYPE,
	TAG_FUNCTION,
	TAG_PROCESS,
	TAG_THREAD,
	TAG_DEVICE,
	TAG_EVENT = 16, /* + enum ev_kind */
};

/* The mask of an event: which fields it has. */
#define P_PARENT   0x001
#define P_ROOT	   0x002 /* it is another than the correlation ID */
#define P_RANGE	   0x004 /* another than that of the thread's event before */
#define P_EXTERNAL 0x008
/* of calls */
#define P_RESULT  0x010
#define P_DEPTH	  0x020
#define P_STREAM  0x040
#define P_KERNEL  0x080
#define P_CALLERS 0x100
#define P_STACK	  0x200
#define P_SSE	  0x400
#define P_READS	  0x800
/* of dispatches */
#define P_SHAPE 0x010

/* What is known of a resource. */
#define KNOWN_BYTES  0x1
#define KNOWN_IN_USE 0x2

#endif
