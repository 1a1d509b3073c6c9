/* SPDX-License-Identifier: MIT */
/*
 * Which of the HSA runtime's tables are laid out as in the headers that we were built with.
 *
 * A table states its size in version.minor_id. In the AMD extension, entries were put between
 * others without a new version before ROCm 6.0 (see hsa_agent/core/hsa_table_hooks.c): there only
 * the very size will do.
 */
#ifndef ROCTRACER_HSA_TABLES_KNOWN_H
#define ROCTRACER_HSA_TABLES_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "hsa_tables.h"

/* How long a table is that has the function. */
#define LENGTH_WITH(table, fn) (offsetof(__typeof__(*table), fn##_fn) + sizeof((table)->fn##_fn))

/* Is there an entry of the function, and something in it? */
#define TABLE_HAS(table, fn) \
	((table)->version.minor_id >= LENGTH_WITH(table, fn) && (table)->fn##_fn)

static inline bool hsa_table_known_root(const HsaApiTable *root)
{
	return root->version.major_id == HSA_API_TABLE_MAJOR_VERSION &&
	       root->version.minor_id >=
		       offsetof(HsaApiTable, image_ext_) + sizeof(root->image_ext_);
}

static inline bool hsa_table_known_core(const CoreApiTable *table)
{
	return table && table->version.major_id == HSA_CORE_API_TABLE_MAJOR_VERSION;
}

static inline bool hsa_table_known_amd(const AmdExtTable *table)
{
	if (!table || table->version.major_id != HSA_AMD_EXT_API_TABLE_MAJOR_VERSION)
		return false;
	return HSA_AMD_EXT_API_TABLE_MAJOR_VERSION > 1 || table->version.minor_id == sizeof(*table);
}

static inline bool hsa_table_known_image(const ImageExtTable *table)
{
	return table && table->version.major_id == HSA_IMAGE_API_TABLE_MAJOR_VERSION;
}

#endif
