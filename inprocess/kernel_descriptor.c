// SPDX-License-Identifier: MIT
/*
 * The kernel descriptor's fields, as LLVM's "User Guide for AMDGPU Backend" lays them out.
 */
#include "inprocess/kernel_descriptor.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Offsets in the descriptor. */
#define RSRC3	   44
#define RSRC1	   48
#define PROPERTIES 56

#define PROPERTY_WAVE32 (1u << 10)

struct gfx {
	unsigned long major;
	char minor, stepping; /* as characters: the stepping is a hexadecimal digit */
};

/* "gfx90a": the last two characters are minor version and stepping. */
static bool parse_gfx(const char *name, struct gfx *gfx)
{
	size_t len = strlen(name);
	char digits[8] = "", *end;

	if (strncmp(name, "gfx", 3) || len < 6 || len - 5 >= sizeof(digits))
		return false;
	memcpy(digits, name + 3, len - 5);
	gfx->major = strtoul(digits, &end, 10);
	gfx->minor = name[len - 2];
	gfx->stepping = name[len - 1];
	return !*end && isdigit((unsigned char)gfx->minor) &&
	       isxdigit((unsigned char)gfx->stepping);
}

/* One file of registers that each wave divides: gfx90a, gfx94x, gfx95x. */
static bool has_unified_file(const struct gfx *gfx)
{
	return gfx->major == 9 &&
	       ((gfx->minor == '0' && gfx->stepping == 'a') || gfx->minor >= '4');
}

/* A second file of the same size: gfx908. */
static bool has_second_file(const struct gfx *gfx)
{
	return gfx->major == 9 && gfx->minor == '0' && gfx->stepping == '8';
}

void kernel_descriptor__registers(const void *descriptor, const char *gfx_name, struct registers *r)
{
	uint32_t rsrc1, rsrc3, granules;
	uint16_t properties;
	struct gfx gfx;

	memset(r, 0, sizeof(*r));
	if (!parse_gfx(gfx_name, &gfx))
		return;
	memcpy(&rsrc1, (const char *)descriptor + RSRC1, sizeof(rsrc1));
	memcpy(&rsrc3, (const char *)descriptor + RSRC3, sizeof(rsrc3));
	memcpy(&properties, (const char *)descriptor + PROPERTIES, sizeof(properties));
	granules = (rsrc1 & 0x3f) + 1;
	if (has_unified_file(&gfx)) {
		r->vgprs = ((rsrc3 & 0x3f) + 1) * 4;
		r->accum = granules * 8 > r->vgprs ? granules * 8 - r->vgprs : 0;
	} else {
		r->vgprs = granules * (gfx.major >= 10 && properties & PROPERTY_WAVE32 ? 8 : 4);
		r->accum = has_second_file(&gfx) ? r->vgprs : 0;
	}
	/* From gfx10 on the field is not used: each wave has all that there are. */
	r->sgprs = gfx.major >= 10 ? 128 : ((rsrc1 >> 6 & 0xf) / 2 + 1) * 16;
}
