/* SPDX-License-Identifier: MIT */
/* Host functions for the kernels of the simulated GPU's own test (SIMKFD_KERNEL_LIB). */
#include "tests/simkfd/simkfd_kernels.h"

#include <stddef.h>

__attribute__((visibility("default"))) extern const struct simkfd_kernel simkfd_kernels[];

struct vector_add_args {
	uint64_t a, b, sum; /* GPU addresses of arrays of float */
	uint32_t count;
};

static void vector_add(const struct simkfd_dispatch *dispatch)
{
	const struct vector_add_args *args = dispatch->kernarg;
	const float *a = dispatch->host(args->a), *b = dispatch->host(args->b);
	float *sum = dispatch->host(args->sum);
	uint32_t i;

	for (i = 0; i < dispatch->grid[0] && i < args->count; i++)
		sum[i] = a[i] + b[i];
}

const struct simkfd_kernel simkfd_kernels[] = {
	{"vector_add", vector_add},
	{NULL, NULL},
};
