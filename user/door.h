/* SPDX-License-Identifier: MIT */
/*
 * The functions of HSA that tell of dispatches to a tracer that has no agent in the process. They
 * are probed with --dispatch-from-bpf alone, by programs of their own (bpf/dispatch.h): as API they
 * are hot functions like others.
 */
#ifndef RTRACE_DOOR_H
#define RTRACE_DOOR_H

enum door {
	DOOR_NONE,
	DOOR_BELL,	  /* rings for packets */
	DOOR_SIGNAL_END,  /* destroys a signal */
	DOOR_COPY,	  /* has a signal completed */
	DOOR_COPY_RECT,	  /* the same, by another argument */
	DOOR_CODE_CHANGE, /* loads or unloads kernels */
	DOORS,
};

/* `symbol`: of a library's function. */
enum door door_of(const char *symbol);

#endif
