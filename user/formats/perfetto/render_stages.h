/* SPDX-License-Identifier: MIT */
/*
 * The GPUs as Perfetto models them: operations as "render stages", of all processes. Its viewer
 * shows them by GPU, with the details it has for compute kernels. The slices of sink_perfetto.c are
 * by process, and arrows from the calls lead to those.
 */
#ifndef RTRACE_FORMATS_PERFETTO_RENDER_STAGES_H
#define RTRACE_FORMATS_PERFETTO_RENDER_STAGES_H

#include "user/formats/perfetto/perfetto_packets.h"

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

void render_stages__device(struct pf_stages *s, const struct device_info *info);

/* A dispatch, copy or barrier that has times. */
void render_stages__add(struct pf_stages *s, struct pftrace *p, const struct event *ev);

/* Says what the GPUs are, and frees what is kept. */
void render_stages__close(struct pf_stages *s, struct pftrace *p);

#endif
