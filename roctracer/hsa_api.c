/* SPDX-License-Identifier: MIT */
/*
 * Wraps the functions in the HSA runtime's tables, and knows their names and numbers.
 *
 * What there is of each function is in hsa_api_wrappers.inc, made by scripts/gen-hsa-api: a wrapper
 * that looks whether its calls are to be told and else jumps to the original; what it does when
 * they are is a function of its own, so that the jump needs no stack.
 *
 * A table tells its size in version.minor_id. In the AMD extension, entries were put between others
 * without a new version before ROCm 6.0 (see hsa_agent/tables.c): there only the very size will do.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "roctracer/hsa_api.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

uint8_t hsa_api_enabled[HSA_API_ID_NUMBER];

/* What the wrappers call: what was in the tables before. */
static struct {
	CoreApiTable core;
	AmdExtTable amd;
	ImageExtTable image;
} original;

#define TRACED(fn) unlikely(__atomic_load_n(&hsa_api_enabled[HSA_API_ID_##fn], __ATOMIC_RELAXED))

/* How long a table is that has the function. */
#define LENGTH_WITH(table, fn) (offsetof(__typeof__(*table), fn##_fn) + sizeof((table)->fn##_fn))

#define WRAP(which, fn)                                                                    \
	do {                                                                               \
		if (table->version.minor_id < LENGTH_WITH(table, fn) || !table->fn##_fn || \
		    table->fn##_fn == wrap_##fn)                                           \
			break;                                                             \
		original.which.fn##_fn = table->fn##_fn;                                   \
		table->fn##_fn = wrap_##fn;                                                \
	} while (0)

#include "roctracer/hsa_api_wrappers.inc"

static bool known_core(const CoreApiTable *table)
{
	return table && table->version.major_id == HSA_CORE_API_TABLE_MAJOR_VERSION;
}

static bool known_amd(const AmdExtTable *table)
{
	if (!table || table->version.major_id != HSA_AMD_EXT_API_TABLE_MAJOR_VERSION)
		return false;
	return HSA_AMD_EXT_API_TABLE_MAJOR_VERSION > 1 || table->version.minor_id == sizeof(*table);
}

static bool known_image(const ImageExtTable *table)
{
	return table && table->version.major_id == HSA_IMAGE_API_TABLE_MAJOR_VERSION;
}

bool hsa_api_wrap(HsaApiTable *root)
{
	size_t need = offsetof(HsaApiTable, image_ext_) + sizeof(root->image_ext_);
	bool core, amd, image;

	if (root->version.major_id != HSA_API_TABLE_MAJOR_VERSION || root->version.minor_id < need)
		return false;
	core = known_core(root->core_);
	amd = known_amd(root->amd_ext_);
	image = known_image(root->image_ext_);
	if (core)
		wrap_core(root->core_);
	if (amd)
		wrap_amd(root->amd_ext_);
	if (image)
		wrap_image(root->image_ext_);
	return core && amd && image;
}

const char *hsa_api_name(uint32_t id)
{
	return id < sizeof(names) / sizeof(*names) ? names[id] : "unknown";
}

static int compare(const void *name, const void *id)
{
	return strcmp(name, names[*(const uint16_t *)id]);
}

uint32_t hsa_api_code(const char *name)
{
	const uint16_t *id = bsearch(name, by_name, sizeof(by_name) / sizeof(*by_name),
				     sizeof(*by_name), compare);

	return id ? *id : HSA_API_ID_NUMBER;
}
