/* SPDX-License-Identifier: MIT */
/*
 * Writes an OTF2 archive through its library. The library reports only in a callback that a file
 * could not be written. If allowed to, it keeps all of a location in memory.
 *
 * Order: open, (location, enter and leave of it, end of it)*, begin_definitions, the definitions,
 * close. Only one archive can be open. Each function returns 0 or the first -errno that was met.
 */
#ifndef RTRACE_FORMATS_OTF2_OTF2ARCHIVE_H
#define RTRACE_FORMATS_OTF2_OTF2ARCHIVE_H

#include <otf2/otf2.h>
#include <stdint.h>

#include "user/formats/otf2/otf2regions.h"

struct otf2archive {
	OTF2_Archive *archive;
	OTF2_EvtWriter *events; /* of the location that is being written */
	OTF2_GlobalDefWriter *definitions;
	OTF2_AttributeList *attributes;
	uint32_t strings; /* that are defined */
	int error;	  /* the first -errno */
	unsigned int mask;
};

/* What attributes are numbered. */
enum { OTF2_ATTRIBUTE_CATEGORY, OTF2_ATTRIBUTE_CORR };

/* In the folder. */
int otf2archive__open(struct otf2archive *a, int folder);

int otf2archive__begin_location(struct otf2archive *a, uint64_t location);
/* `category`: a string that will be defined. corr 0: none. */
int otf2archive__enter(struct otf2archive *a, uint64_t time, uint32_t region, uint32_t category,
		       uint64_t corr);
int otf2archive__leave(struct otf2archive *a, uint64_t time, uint32_t region);
int otf2archive__end_location(struct otf2archive *a);

/* `locations`: those numbers that events were written of. */
int otf2archive__begin_definitions(struct otf2archive *a, const uint64_t *locations, size_t count);

/* Defines a string: its number. */
uint32_t otf2archive__string(struct otf2archive *a, const char *text);

/* Closes the archive in any case, also one that was never opened. */
int otf2archive__close(struct otf2archive *a);

#endif
