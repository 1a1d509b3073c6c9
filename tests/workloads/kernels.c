// SPDX-License-Identifier: MIT
/*
 * What the kernels of kernels.hip and storm.hip compute, as host functions for the simulated GPU.
 *
 * The argument structures mirror the kernels' argument blocks: the arguments in order, each at its
 * natural alignment. C++ kernels are listed by their mangled names.
 */
#include <stddef.h>
#include <stdint.h>

#include "tests/simkfd/simkfd_kernels.h"
#include "tests/workloads/elements.h"
#include "tests/workloads/storm.h"

static void *host(const struct simkfd_dispatch *dispatch, uint64_t gpu_address)
{
	return dispatch->host(gpu_address);
}

/* The kernels guard against work-items beyond n; a grid that is too small must also show. */
static uint32_t work_items(const struct simkfd_dispatch *dispatch, uint32_t n)
{
	return n < dispatch->grid[0] ? n : dispatch->grid[0];
}

struct vector_add_args {
	uint64_t a, b, sum;
	uint32_t n;
};

static void vector_add(const struct simkfd_dispatch *dispatch)
{
	const struct vector_add_args *args = dispatch->kernarg;
	const float *a = host(dispatch, args->a), *b = host(dispatch, args->b);
	float *sum = host(dispatch, args->sum);
	uint32_t i, n = work_items(dispatch, args->n);

	for (i = 0; i < n; i++)
		sum[i] = a[i] + b[i];
}

struct matrix_transpose_args {
	uint64_t out, in;
	int32_t width;
};

static void matrix_transpose(const struct simkfd_dispatch *dispatch)
{
	const struct matrix_transpose_args *args = dispatch->kernarg;
	const float *in = host(dispatch, args->in);
	float *out = host(dispatch, args->out);
	uint32_t x, y;

	for (y = 0; y < dispatch->grid[1]; y++)
		for (x = 0; x < dispatch->grid[0]; x++)
			out[y * args->width + x] = in[x * args->width + y];
}

struct fill_args {
	uint64_t data;
	float value;
	uint32_t n;
};

static void fill(const struct simkfd_dispatch *dispatch)
{
	const struct fill_args *args = dispatch->kernarg;
	float *data = host(dispatch, args->data);
	uint32_t i, n = work_items(dispatch, args->n);

	for (i = 0; i < n; i++)
		data[i] = args->value;
}

struct element_args {
	uint64_t data;
	uint32_t n, operand;
};

static void for_each_element(const struct simkfd_dispatch *dispatch,
			     uint32_t (*function)(uint32_t x, uint32_t operand))
{
	const struct element_args *args = dispatch->kernarg;
	uint32_t *data = host(dispatch, args->data);
	uint32_t i, n = work_items(dispatch, args->n);

	for (i = 0; i < n; i++)
		data[i] = function(data[i], args->operand);
}

static void element_add(const struct simkfd_dispatch *dispatch)
{
	for_each_element(dispatch, elements__add);
}

static void element_xor(const struct simkfd_dispatch *dispatch)
{
	for_each_element(dispatch, elements__xor);
}

static void element_multiply(const struct simkfd_dispatch *dispatch)
{
	for_each_element(dispatch, elements__multiply);
}

static void element_rotate(const struct simkfd_dispatch *dispatch)
{
	for_each_element(dispatch, elements__rotate);
}

struct slow_store_args {
	uint64_t data;
	uint32_t value, rounds;
};

static void slow_store(const struct simkfd_dispatch *dispatch)
{
	const struct slow_store_args *args = dispatch->kernarg;

	*(uint32_t *)host(dispatch, args->data) = args->value;
}

struct storm_args {
	uint64_t front, list;
	uint32_t serial;
};

static void storm(const struct simkfd_dispatch *dispatch)
{
	const struct storm_args *args = dispatch->kernarg;
	struct storm_front *front = host(dispatch, args->front);
	uint32_t *list = host(dispatch, args->list);
	struct storm_shape shape;
	int i;

	for (i = 0; i < 3; i++) {
		shape.block[i] = dispatch->workgroup[i];
		shape.grid[i] = dispatch->grid[i] / dispatch->workgroup[i];
	}
	for (i = 0; i < STORM_ELEMENTS; i++)
		front->data[i] = storm__apply(front->data[i], args->serial);
	list[front->done++] = storm__serial(&shape);
}

__attribute__((visibility("default"))) const struct simkfd_kernel simkfd_kernels[] = {
	{"vectorAdd", vector_add},
	{"_Z15matrixTransposePfS_i", matrix_transpose},
	{"_Z8fillWithIfEvPT_S0_j", fill},
	{"elementAdd", element_add},
	{"elementXor", element_xor},
	{"elementMultiply", element_multiply},
	{"elementRotate", element_rotate},
	{"slowStore", slow_store},
	{"stormAdd", storm},
	{"stormXor", storm},
	{"stormNode", storm},
	{"stormMultiply", storm},
	{NULL, NULL},
};
