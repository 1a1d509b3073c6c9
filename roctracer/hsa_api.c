/* SPDX-License-Identifier: MIT */
/*
 * Wraps the functions in the HSA runtime's tables, and knows their names and numbers.
 *
 * What there is of each function is in hsa_api_wrappers.inc, made by scripts/gen-hsa-api: a wrapper
 * that checks whether its calls are wanted and else jumps to the original. The code for wanted
 * calls is a function of its own, so that the jump needs no stack.
 */
#include "roctracer/hsa_api.h"

#include "inprocess/peek.h"
#include "inprocess/hsa_tables_known.h"
#include "roctracer/names.h"

#define unlikely(x) __builtin_expect(!!(x), 0)

uint8_t hsa_api_enabled[HSA_API_ID_NUMBER];

/* What the wrappers call: what was in the tables before. */
static struct {
	CoreApiTable core;
	AmdExtTable amd;
	ImageExtTable image;
} original;

#define TRACED(fn) unlikely(__atomic_load_n(&hsa_api_enabled[HSA_API_ID_##fn], __ATOMIC_RELAXED))

#define WRAP(which, fn)                                                   \
	do {                                                              \
		if (!TABLE_HAS(table, fn) || table->fn##_fn == wrap_##fn) \
			break;                                            \
		original.which.fn##_fn = table->fn##_fn;                  \
		table->fn##_fn = wrap_##fn;                               \
	} while (0)

/* What the pointer leads to; 0: that cannot be read, and the call may end before it would be. */
#define COPY_AT(type, from)                                                 \
	({                                                                  \
		type copy_;                                                 \
                                                                            \
		peek__all(&copy_, from, sizeof(copy_)) ? copy_ : (type){0}; \
	})

#include "roctracer/hsa_api_wrappers.inc"

bool hsa_api__wrap(HsaApiTable *root)
{
	bool core, amd, image;

	if (!hsa_table_known_root(root))
		return false;
	core = hsa_table_known_core(root->core_);
	amd = hsa_table_known_amd(root->amd_ext_);
	image = hsa_table_known_image(root->image_ext_);
	if (core)
		wrap_core(root->core_);
	if (amd)
		wrap_amd(root->amd_ext_);
	if (image)
		wrap_image(root->image_ext_);
	return core && amd && image;
}

#define FUNCTIONS (sizeof(names) / sizeof(*names))

const char *hsa_api__name(uint32_t id)
{
	return id < FUNCTIONS ? names[id] : "unknown";
}

uint32_t hsa_api__code(const char *name)
{
	uint32_t id = names__find(name, names, by_name, FUNCTIONS);

	return id < FUNCTIONS ? id : HSA_API_ID_NUMBER;
}
