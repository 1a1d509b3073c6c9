// SPDX-License-Identifier: MIT
/*
 * Parses collection periods and finds the one that applies at a given time.
 */
#include "user/record/collection_periods.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 1e18 /* ns: 31 years */

uint64_t collection_periods__unit(const char *name)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"hour", 3600000000000}, {"min", 60000000000}, {"sec", 1000000000},
		{"msec", 1000000},	 {"usec", 1000},       {"nsec", 1},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(units[i].name, name))
			return units[i].ns;
	return 0;
}

/* A time at *text, which is moved past it. */
static bool take_time(const char **text, uint64_t unit, uint64_t *ns)
{
	size_t digits = strspn(*text, "0123456789.");
	char *end;
	double v;

	v = strtod(*text, &end) * unit; /* which takes more than digits, and moves over blanks */
	if (!digits || end != *text + digits)
		return false;
	*text = end;
	*ns = v <= LONGEST ? (uint64_t)v : 0;
	return v <= LONGEST;
}

static bool take_count(const char **text, uint64_t *n)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*n = strtoull(*text, &end, 10);
	*text = end;
	return !errno;
}

static bool take_colon(const char **text)
{
	return *(*text)++ == ':';
}

bool collection_periods__add(struct periods *p, const char *text, uint64_t unit)
{
	struct period period = {.repeat = 1};

	if (p->count == PERIODS_MAX || !take_time(&text, unit, &period.delay) ||
	    !take_colon(&text) || !take_time(&text, unit, &period.length) || !period.length)
		return false;
	if (*text && (!take_colon(&text) || !take_count(&text, &period.repeat)))
		return false;
	if (*text)
		return false;
	p->period[p->count++] = period;
	return true;
}

bool collection_periods__on(const struct periods *p, uint64_t elapsed)
{
	if (!p->count)
		return true;
	for (size_t i = 0; i < p->count; i++) {
		const struct period *period = &p->period[i];
		uint64_t cycle = period->delay + period->length;

		if (!period->repeat || elapsed / cycle < period->repeat)
			return elapsed % cycle >= period->delay;
		elapsed -= cycle * period->repeat;
	}
	return false;
}
