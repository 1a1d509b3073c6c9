/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of libhsakmt's functions, with their names and numbers.
 *
 * What there is of each function is in kfd_api_wrappers.inc, made by scripts/gen-kfd-api: a wrapper
 * that checks whether its calls are wanted and else jumps to the original. The code for wanted
 * calls is a function of its own.
 */
#include "roctracer/kfd/kfd_api.h"

#include "roctracer/names.h"

uint8_t kfd_api_enabled[KFD_API_ID_NUMBER];
void *kfd_api_original[KFD_API_ID_NUMBER];

#define TRACED(fn) \
	__builtin_expect(__atomic_load_n(&kfd_api_enabled[KFD_API_ID_##fn], __ATOMIC_RELAXED), 0)
#define ORIGINAL(fn) \
	((__typeof__(&fn))__atomic_load_n(&kfd_api_original[KFD_API_ID_##fn], __ATOMIC_ACQUIRE))

#include "roctracer/kfd_api_wrappers.inc"

void *kfd_api__wrapper(uint32_t id)
{
	return wrappers[id];
}

const char *kfd_api__name(uint32_t id)
{
	return id < KFD_API_ID_NUMBER ? names[id] : "unknown";
}

uint32_t kfd_api__code(const char *name)
{
	return names__find(name, names, by_name, KFD_API_ID_NUMBER);
}
