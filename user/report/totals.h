/* SPDX-License-Identifier: MIT */
/*
 * Counts and times by domain and name: of calls, kernels, copies, allocations and ranges.
 */
#ifndef RTRACE_REPORT_TOTALS_H
#define RTRACE_REPORT_TOTALS_H

#include <stdbool.h>
#include <stddef.h>

#include "user/event/event.h"
#include "user/report/name_table.h"

/* How long many things took. */
struct spread {
	uint64_t calls;
	uint64_t timed; /* of which the end is known too: the numbers below are theirs */
	uint64_t total, min, max;
	double mean, squares; /* sum of squared distances from the mean */
};

void spread__add(struct spread *s, uint64_t ns);
void spread__merge(struct spread *to, const struct spread *from);

/* 0 for less than two. */
uint64_t spread__mean(const struct spread *s);
double spread__deviation(const struct spread *s);

enum tally_domain {
	TALLY_HIP,
	TALLY_HSA,
	TALLY_KFD,
	TALLY_ROCTX, /* calls */
	TALLY_ROCTRACER,
	TALLY_CALLS_LAST = TALLY_ROCTRACER,
	TALLY_KERNELS,
	TALLY_COPIES,
	TALLY_MEMORY,
	TALLY_SCRATCH,
	TALLY_RANGES,
	TALLY_COUNT,
};

/* A set of domains, a bit each. */
#define TALLY_BIT(domain) (1u << (domain))
#define TALLY_ALL_CALLS	  (TALLY_BIT(TALLY_CALLS_LAST + 1) - 1)

/* Without those that the runtime makes on its own threads. */
#define TALLY_OWN_CALLS (TALLY_ALL_CALLS & ~TALLY_BIT(TALLY_KFD))

/* As rocprofv3 names them: "HIP_API", "KERNEL_DISPATCH", ... */
const char *totals__domain_name(enum tally_domain domain);

struct tally_row {
	enum tally_domain domain;
	uint32_t name;
	struct spread spread;
	uint64_t bytes;
	uint64_t timed_bytes; /* of those that are timed */
};

struct tally;

struct tally *totals__new(const struct names *names);
void totals__free(struct tally *t);

/* The row, made if there is none; NULL: no memory. */
struct tally_row *totals__row(struct tally *t, enum tally_domain domain, uint32_t name);

/* The domain that the event is counted in; TALLY_COUNT: none. */
enum tally_domain totals__domain(const struct event *ev);

/* Counts it. 0 or -ENOMEM. */
int totals__event(struct tally *t, const struct event *ev, uint32_t name);

/* The rows of the domains, the longest first; to be freed. Their number in *count. NULL: no memory.
 */
struct tally_row **totals__sorted(const struct tally *t, uint32_t domains, size_t *count);

/* Sum of the times of these rows. */
uint64_t totals__total(struct tally_row *const *rows, size_t count);

#endif
