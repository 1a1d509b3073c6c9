/* SPDX-License-Identifier: MIT */
/*
 * The GPUs of the machine and their clocks, asked of the driver by the tracer itself: what a GPU
 * has written into a signal in its own ticks becomes CLOCK_BOOTTIME.
 *
 * The driver answers any process that may open /dev/kfd, for any GPU that its control group allows.
 */
#ifndef RTRACE_CLOCK_GPU_CLOCK_READER_H
#define RTRACE_CLOCK_GPU_CLOCK_READER_H

#include <stdbool.h>
#include <stdint.h>

struct gpuclocks;

struct gpuclocks *gpu_clock_reader__new(void);
void gpu_clock_reader__free(struct gpuclocks *c);

/* Does the machine have a GPU of that driver's id? Its index among all, and its name. */
bool gpu_clock_reader__gpu(struct gpuclocks *c, uint32_t gpu_id, int32_t *index, const char **name);

/* The id of the machine's only GPU; 0 if there are several, or none. */
uint32_t gpu_clock_reader__only(struct gpuclocks *c);

/*
 * Starts reading that GPU's clock. Times that are converted later should be after this call.
 */
void gpu_clock_reader__begin(struct gpuclocks *c, uint32_t gpu_id);

/*
 * CLOCK_BOOTTIME of a GPU's ticks, in *boot. It is read off between two readings of both clocks:
 * -EAGAIN until one has been made after the ticks, which is done at most every 10 ms, or with
 * `now` at once. -ENODEV: that clock cannot be read.
 */
int gpu_clock_reader__to_boot(struct gpuclocks *c, uint32_t gpu_id, uint64_t ticks, bool now,
			      uint64_t *boot);

/* How far off that may be, ns: the widest window in which both clocks were read. */
uint64_t gpu_clock_reader__error(const struct gpuclocks *c, uint32_t gpu_id);

/* Says how good the clocks were. */
void gpu_clock_reader__report(const struct gpuclocks *c);

#endif
