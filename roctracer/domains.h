/* SPDX-License-Identifier: MIT */
/*
 * The domains: which operations each has, how they are called, and what is enabled of them.
 */
#ifndef ROCTRACER_DOMAINS_H
#define ROCTRACER_DOMAINS_H

#include "roctracer/enabled_operations.h"

struct domain {
	struct table *table;
	uint32_t first, end; /* operations that can be enabled */
	bool has_callbacks, has_records;
	/* After a change, asks the domain's library for what is wanted now; NULL: none. */
	void (*engage)(void);
	/* The same with no lock of ours, before any thread is waited for. */
	void (*settle)(void);
};

/*
 * The domain as it is now: HIP's operations are known when HIP is in the process. False: there is
 * no such domain, or none that can be enabled.
 */
bool domain__get(uint32_t domain, struct domain *d);

extern struct table ext_marks;

/* What is enabled is changed by one thread at a time. */
void domains__lock(void);
void domains__unlock(void);

/* For each. */
void domains__each(void (*fn)(struct domain *d, void *arg), void *arg);

#endif
