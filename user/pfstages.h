/* SPDX-License-Identifier: MIT */
/*
 * The GPUs as Perfetto knows them: operations as "render stages", which its viewer shows by GPU, of
 * all processes, with what it knows of compute kernels. The slices of sink_pftrace.c are by
 * process, and are what arrows from the calls lead to.
 */
#ifndef RTRACE_PFSTAGES_H
#define RTRACE_PFSTAGES_H

#include "user/pftrace.h"

/* Zero it to begin with. */
struct pf_stages {
	struct pf_gpu *gpus;	   /* by what they are */
	struct pf_device *devices; /* of processes, each one of those */
	struct pf_context *contexts;
	struct pf_queue *queues;
	struct pf_kernel *kernels;
	uint32_t gpu_count, spec_count;
	uint64_t events;
	bool begun;
};

void pf_stages__device(struct pf_stages *s, const struct device_info *info);

/* A dispatch, copy or barrier that has times. */
void pf_stages__add(struct pf_stages *s, struct pftrace *p, const struct event *ev);

/* Says what the GPUs are, and frees what is kept. */
void pf_stages__close(struct pf_stages *s, struct pftrace *p);

#endif
