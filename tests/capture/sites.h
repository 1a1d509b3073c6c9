/* SPDX-License-Identifier: MIT */
/*
 * The functions of sites.S: what each may be expected to do, and where its probe belongs.
 */
#ifndef SITES_H
#define SITES_H

enum site_kind { SITE_EMULATED, SITE_NOP5, SITE_STEPPED, SITE_SKIPPED };

#define SITE_CALLABLE 1 /* returns first + 2 * second + seventh argument */

struct site {
	const char *name;
	const void *entry;
	const void *place; /* NULL: none */
	long kind;	   /* on Linux 6.18 */
	long flags;
};

extern const struct site sites[], sites_end[];

#endif
