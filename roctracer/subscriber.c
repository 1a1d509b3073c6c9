// SPDX-License-Identifier: MIT
/*
 * Takes the subscriber and what it wants.
 */
#include "abi/roctracer_subscriber.h"

#include <errno.h>
#include <stddef.h>

#include "roctracer/domains.h"
#include "roctracer/hsa_ops.h"
#include "roctracer/enabled_operations.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT rtrace_subscribe_fn rtrace_subscribe;
EXPORT rtrace_want_fn rtrace_want;
EXPORT rtrace_want_operations_fn rtrace_want_operations;

int rtrace_subscribe(uint32_t version, const struct rtrace_subscriber *subscriber)
{
	const struct rtrace_subscriber *none = NULL;

	if (version != RTRACE_SUBSCRIBER_VERSION)
		return -EPROTO;
	if (__atomic_compare_exchange_n(&subscriber_of_calls, &none, subscriber, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return 0;
	return none == subscriber ? 0 : -EBUSY;
}

int rtrace_want(uint32_t domain, const uint8_t *wanted, uint32_t count)
{
	struct domain d;

	if (domain != ACTIVITY_DOMAIN_HIP_API && domain != ACTIVITY_DOMAIN_HSA_API)
		return -EINVAL;
	domains__lock();
	domain__get(domain, &d);
	for (uint32_t op = d.first; op < d.end; op++)
		table__set_subscribed(d.table, op, op < count && wanted[op]);
	d.engage();
	domains__unlock();
	return 0;
}

void rtrace_want_operations(void)
{
	hsa_ops__collect();
	hsa_ops__settle();
}
