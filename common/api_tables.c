// SPDX-License-Identifier: MIT
/*
 * Looking up API functions in the generated tables, and distinguishing variants of a function.
 */
#include "common/api_tables.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 256

static int by_name(const void *name, const void *fn)
{
	return strcmp(name, ((const struct api_function *)fn)->name);
}

static const struct api_function *find_name(const char *name)
{
	return bsearch(name, api_functions, api_function_count, sizeof(*api_functions), by_name);
}

/*
 * The name in the symbol of a C++ function outside of classes and namespaces, "_Z7hipFreePv";
 * NULL if it is none. HIP has exported some functions so, first instead of the plain spelling and
 * later beside it, with a body of its own.
 */
static const char *cpp_name(const char *symbol, size_t *len)
{
	char *name;

	if (strncmp(symbol, "_Z", 2) || !isdigit((unsigned char)symbol[2]))
		return NULL;
	*len = strtoul(symbol + 2, &name, 10);
	return *len < strlen(name) ? name : NULL;
}

static const struct api_function *find_symbol(const char *symbol)
{
	const char *cpp;
	char name[NAME_MAX_LEN];
	size_t len;

	cpp = cpp_name(symbol, &len);
	if (!cpp)
		return find_name(symbol);
	snprintf(name, sizeof(name), "%.*s", len < sizeof(name) ? (int)len : 0, cpp);
	return find_name(name);
}

/* Length of `name` without its suffix for a version of a struct, "R0600". */
static size_t without_version(const char *name, size_t len)
{
	if (len < 5 || strncmp(name, "hip", 3) || name[len - 5] != 'R')
		return len;
	for (size_t i = len - 4; i < len; i++)
		if (!isdigit((unsigned char)name[i]))
			return len;
	return len - 5;
}

/* Length of `name` without the suffixes of HIP's variants. */
static size_t base_length(const char *name)
{
	static const char spt[] = "_spt";
	size_t len = strlen(name), suffix = sizeof(spt) - 1;

	if (!strncmp(name, "hip", 3) && len > suffix && !strcmp(name + len - suffix, spt))
		len -= suffix;
	return without_version(name, len);
}

/* HSA's memory orders have an older spelling, which names the same function. */
static bool modern_order(const char *symbol, char *name, size_t size)
{
	static const char *const orders[][2] = {
		{"_acq_rel", "_scacq_screl"},
		{"_acquire", "_scacquire"},
		{"_release", "_screlease"},
	};
	size_t len = strlen(symbol);

	if (strncmp(symbol, "hsa_", 4))
		return false;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		size_t suffix = strlen(orders[i][0]);

		if (len <= suffix || strcmp(symbol + len - suffix, orders[i][0]))
			continue;
		snprintf(name, size, "%.*s%s", (int)(len - suffix), symbol, orders[i][1]);
		return find_name(name);
	}
	return false;
}

void api__canonical(const char *symbol, char *name, size_t size)
{
	const struct api_function *fn = find_symbol(symbol);

	if (fn)
		symbol = fn->name;
	if (!modern_order(symbol, name, size))
		snprintf(name, size, "%.*s", (int)base_length(symbol), symbol);
}

const struct api_function *api__find(const char *symbol)
{
	static const char *const versions[] = {"", "R0000", "R0600"};
	const struct api_function *fn = find_symbol(symbol);
	size_t len = base_length(symbol);
	char name[NAME_MAX_LEN];

	for (size_t i = 0; !fn && len < sizeof(name) / 2 && i < 3; i++) {
		snprintf(name, sizeof(name), "%.*s%s", (int)len, symbol, versions[i]);
		fn = find_name(name);
	}
	return fn;
}

bool api__knows(const char *symbol)
{
	return find_name(symbol);
}

const struct api_function *api__function(size_t n)
{
	return n < api_function_count ? &api_functions[n] : NULL;
}

uint32_t api__registers(const struct api_function *fn)
{
	uint32_t mask = 0;

	if (!fn)
		return (1u << RT_ARGS) - 1;
	for (unsigned int i = 0; i < fn->param_count; i++)
		for (int k = 0; k < 2; k++)
			if (fn->params[i].place[k] < RT_ARGS)
				mask |= 1u << fn->params[i].place[k];
	return mask;
}

void api__plan(const struct api_function *fn, struct rt_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	if (!fn)
		return;
	plan->stack_words = fn->stack_words < RT_STACK_WORDS ? fn->stack_words : RT_STACK_WORDS;
	plan->failure = fn->failure;
	plan->benign = fn->benign;
	plan->control = fn->control;
	plan->reads = fn->read_count;
	for (unsigned int i = 0; i < fn->read_count; i++)
		plan->read[i] = fn->reads[i];
}

static const struct api_param *param_with(const struct api_function *fn, uint8_t flag)
{
	for (unsigned int i = 0; i < fn->param_count; i++)
		if (fn->params[i].flags & flag)
			return &fn->params[i];
	return NULL;
}

const struct api_param *api__kernel_param(const struct api_function *fn)
{
	return param_with(fn, API_KERNEL);
}

const struct api_param *api__stream_param(const struct api_function *fn)
{
	return param_with(fn, API_STREAM);
}

const struct api_ioctl *api__ioctl(unsigned int number)
{
	for (size_t i = 0; i < api_ioctl_count; i++)
		if (api_ioctls[i].number == number)
			return &api_ioctls[i];
	return NULL;
}
