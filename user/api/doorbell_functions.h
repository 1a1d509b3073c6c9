/* SPDX-License-Identifier: MIT */
/*
 * The HSA functions from which a tracer without an agent in the process records dispatches. They
 * are probed only with --dispatch-from-bpf, by programs of their own (bpf/doorbell.h). As API
 * functions they are hot functions like others.
 */
#ifndef RTRACE_API_DOORBELL_FUNCTIONS_H
#define RTRACE_API_DOORBELL_FUNCTIONS_H

enum door {
	DOOR_NONE,
	DOOR_BELL,	  /* stores to a doorbell: submits packets */
	DOOR_SIGNAL_END,  /* destroys a signal */
	DOOR_COPY,	  /* has a signal completed */
	DOOR_COPY_RECT,	  /* the same, by another argument */
	DOOR_CODE_UNLOAD, /* unloads kernels */
	DOORS,
};

/* `symbol`: of a library's function. */
enum door doorbell_functions__door(const char *symbol);

#endif
