/* SPDX-License-Identifier: MIT */
/*
 * The regions of an OTF2 archive, which are functions, messages and kernels by name and category:
 * definitions, so that each is written once however often it is entered.
 *
 * Memory is bounded: regions past OTF2REGIONS_MAX or OTF2REGIONS_BYTES are reported as "(others)"
 * of their category.
 */
#ifndef RTRACE_FORMATS_OTF2_OTF2REGIONS_H
#define RTRACE_FORMATS_OTF2_OTF2REGIONS_H

#include <stddef.h>
#include <stdint.h>

#define OTF2REGIONS_MAX	  65536
#define OTF2REGIONS_BYTES (16u << 20) /* of names */

enum otf2_category {
	OTF2_HIP_API,
	OTF2_HSA_API,
	OTF2_KFD_API,
	OTF2_MARKER_API,
	OTF2_ROCTRACER_API,
	OTF2_KERNEL_DISPATCH,
	OTF2_BARRIER,
	OTF2_MEMORY_COPY,
	OTF2_MEMORY_ALLOCATION,
	OTF2_CATEGORIES,
};

struct otf2region {
	uint32_t number; /* from 0, in the order of otf2regions__get */
	enum otf2_category category;
	const char *name; /* UTF-8 that can do a terminal no harm */
};

struct otf2regions;

struct otf2regions *otf2regions__new(void);
void otf2regions__free(struct otf2regions *r);

/* The region of that name. NULL: no memory. */
const struct otf2region *otf2regions__get(struct otf2regions *r, enum otf2_category category,
					  const char *name);

uint32_t otf2regions__count(const struct otf2regions *r);
const struct otf2region *otf2regions__at(const struct otf2regions *r, uint32_t number);

#endif
