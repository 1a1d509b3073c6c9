// SPDX-License-Identifier: MIT
/*
 * Finds out which summaries were asked for.
 */
#include "user/report/report_options.h"

static bool matches(const regex_t *regex, enum tally_domain domain)
{
	return !regexec(regex, totals__domain_name(domain), 0, NULL, 0);
}

uint32_t report_options__group_domains(const regex_t *regex)
{
	uint32_t domains = 0;

	for (enum tally_domain d = 0; d < TALLY_COUNT; d++)
		if (matches(regex, d))
			domains |= TALLY_BIT(d);
	return domains;
}

uint32_t report_options__summary(const struct report_options *o, size_t n, char *title, size_t size)
{
	size_t first = o->per_domain ? TALLY_COUNT : 0, len = 0;
	uint32_t domains;

	if (n >= first + o->group_count)
		return 0;
	domains = n < first ? TALLY_BIT(n) : report_options__group_domains(&o->groups[n - first]);
	*title = '\0';
	for (enum tally_domain d = 0; d < TALLY_COUNT && len < size; d++)
		if (domains & TALLY_BIT(d))
			len += snprintf(title + len, size - len, "%s%s", len ? " + " : "",
					totals__domain_name(d));
	return domains;
}
