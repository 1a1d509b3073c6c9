/* SPDX-License-Identifier: MIT */
/*
 * What the arguments of a call of HIP say of the work that it gives to a GPU. (For the work itself
 * HIP up to 5.3.0 reports neither the name of a kernel nor the bytes of a copy. From then on HIP 5
 * does not always report the bytes.)
 */
#ifndef ROCTRACER_HIP_ARGUMENTS_H
#define ROCTRACER_HIP_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is not known is NULL or 0. The name is there for ever. */
struct hip_work {
	const char *kernel_name;
	size_t bytes;
};

/* Finds HIP and the numbers that its functions have. Once, before the first call is reported. */
void hip_arguments__init(void);
/* Do the operation's arguments say something? */
bool hip_arguments__tell(uint32_t op);
/* What a copy is of, or that it is of a graph? */
bool hip_arguments__tell_copies(uint32_t op);
/* Do they name a graph? Of its work they say nothing. */
bool hip_arguments__launch_graph(uint32_t op);
/* At the begin of the call; `args` is the union in hip_api_data_t. */
struct hip_work hip_arguments__work(uint32_t op, const void *args);

#endif
