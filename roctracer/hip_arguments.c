// SPDX-License-Identifier: MIT
/*
 * Launches of one kernel, and copies of one piece of memory. Of a graph's kernels the arguments of
 * its launch say nothing; of what is filled HIP makes several pieces as it likes.
 *
 * hip_api_data_t holds arguments as in a structure, in the order of the function's parameters.
 */
#include "roctracer/hip_arguments.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/peek.h"
#include "roctracer/hip.h"
#include "inprocess/loaded_libraries.h"

#define NAMES 65536 /* places in the table: a multiple of what programs launch */
#define TRIES 64    /* places for a name */

#define HANDLES	      4096 /* of functions that are remembered */
#define FUNCTION_SIZE 160  /* of what a handle leads to, as far as HIP 5 reads it for a name */

/* From BY_SIZE on they are of copies. */
enum how {
	NOTHING,
	BY_POINTER,  /* the address of the kernel's stub is the first argument */
	BY_FUNCTION, /* a hipFunction_t is */
	BY_SIZE,     /* dst, src, size */
	BY_PEERS,    /* dst, its device, src, its device, size */
	BY_RECT,     /* dst, dpitch, src, spitch, width, height */
	BY_GRAPH,    /* they say nothing */
};

static const struct {
	const char *name;
	enum how how;
} functions[] = {
	{"hipLaunchKernel", BY_POINTER},
	{"hipLaunchByPtr", BY_POINTER},
	{"hipLaunchCooperativeKernel", BY_POINTER},
	{"hipExtLaunchKernel", BY_POINTER},
	{"hipModuleLaunchKernel", BY_FUNCTION},
	{"hipExtModuleLaunchKernel", BY_FUNCTION},
	{"hipHccModuleLaunchKernel", BY_FUNCTION},
	{"hipModuleLaunchCooperativeKernel", BY_FUNCTION},
	{"hipMemcpy", BY_SIZE},
	{"hipMemcpyAsync", BY_SIZE},
	{"hipMemcpyWithStream", BY_SIZE},
	{"hipMemcpyDtoD", BY_SIZE},
	{"hipMemcpyDtoDAsync", BY_SIZE},
	{"hipMemcpyDtoH", BY_SIZE},
	{"hipMemcpyDtoHAsync", BY_SIZE},
	{"hipMemcpyHtoD", BY_SIZE},
	{"hipMemcpyHtoDAsync", BY_SIZE},
	{"hipMemcpyFromSymbol", BY_SIZE},
	{"hipMemcpyFromSymbolAsync", BY_SIZE},
	{"hipMemcpyToSymbol", BY_SIZE},
	{"hipMemcpyToSymbolAsync", BY_SIZE},
	{"hipMemcpyPeer", BY_PEERS},
	{"hipMemcpyPeerAsync", BY_PEERS},
	{"hipMemcpy2D", BY_RECT},
	{"hipMemcpy2DAsync", BY_RECT},
	{"hipGraphLaunch", BY_GRAPH},
};

static uint8_t how[HIP_API_MAX];
static const char *(*name_by_function)(const void *function);
static const char *(*name_by_pointer)(const void *stub, void *stream);

static enum how how_is(const char *function)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, function))
			return functions[i].how;
	return NOTHING;
}

void hip_arguments__init(void)
{
	void *lib = libs__find("libamdhip64.so");
	const char *(*api_name)(uint32_t op) = lib ? dlsym(lib, "hipApiName") : NULL;

	if (!api_name)
		return;
	name_by_function = dlsym(lib, "hipKernelNameRef");
	name_by_pointer = dlsym(lib, "hipKernelNameRefByPtr");
	for (uint32_t op = 0; op < HIP_API_MAX; op++)
		how[op] = how_is(api_name(op));
}

bool hip_arguments__tell(uint32_t op)
{
	return how[op] != NOTHING;
}

bool hip_arguments__tell_copies(uint32_t op)
{
	return how[op] >= BY_SIZE;
}

bool hip_arguments__launch_graph(uint32_t op)
{
	return how[op] == BY_GRAPH;
}

/* ---- names ---- */

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

/*
 * A name of ours with the same letters: HIP's goes with its module, and work may end after that.
 * NULL: no memory, or no place.
 */
static const char *keep(const char *name)
{
	static const char *names[NAMES];
	uint32_t hash = hash_of(name);
	char *copy = NULL;

	for (uint32_t i = 0; i < TRIES; i++) {
		const char **place = &names[(hash + i) % NAMES];
		const char *there = __atomic_load_n(place, __ATOMIC_ACQUIRE);

		if (!there && !copy)
			copy = strdup(name);
		if (!there && !copy)
			return NULL;
		if (!there && __atomic_compare_exchange_n(place, &there, copy, false,
							  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return copy;
		if (!strcmp(there, name)) {
			free(copy);
			return there;
		}
	}
	free(copy);
	return NULL;
}

/* ---- arguments ---- */

/* They are numbers and pointers of 8 bytes, or an int that is followed by a pointer. */
static uint64_t argument(const void *args, int index)
{
	uint64_t value;

	memcpy(&value, (const char *)args + 8 * index, sizeof(value));
	return value;
}

/*
 * HIP follows the handle to the name. A call with a handle that is none may well return an error
 * before HIP looks at it, so it is looked at here, once for each.
 */
static bool is_function(const void *function)
{
	static const void *known[HANDLES];
	const void **place = &known[((uintptr_t)function >> 4) % HANDLES];
	char object[FUNCTION_SIZE];

	if (__atomic_load_n(place, __ATOMIC_RELAXED) == function)
		return true;
	if (!peek__all(object, function, sizeof(object)))
		return false;
	__atomic_store_n(place, function, __ATOMIC_RELAXED);
	return true;
}

struct hip_work hip_arguments__work(uint32_t op, const void *args)
{
	const void *first = (const void *)argument(args, 0);
	struct hip_work work = {0};

	switch (how[op]) {
	case BY_POINTER:
		if (name_by_pointer && first)
			work.kernel_name = name_by_pointer(first, NULL);
		break;
	case BY_FUNCTION:
		if (name_by_function && first && is_function(first))
			work.kernel_name = name_by_function(first);
		break;
	case BY_SIZE:
		work.bytes = argument(args, 2);
		break;
	case BY_PEERS:
		work.bytes = argument(args, 4);
		break;
	case BY_RECT:
		work.bytes = argument(args, 4) * argument(args, 5);
		break;
	}
	if (work.kernel_name)
		work.kernel_name = keep(work.kernel_name);
	return work;
}
