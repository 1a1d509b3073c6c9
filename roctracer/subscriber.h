/* SPDX-License-Identifier: MIT */
/*
 * How librocprofiler-sdk hears of calls of HIP and HSA: libroctracer64 is told of them by the
 * runtimes, which have room for one tool each, and tells both its own tool and one subscriber,
 * which finds the functions below by their names.
 *
 * A call has one correlation id, whoever is told of it.
 */
#ifndef ROCTRACER_SUBSCRIBER_H
#define ROCTRACER_SUBSCRIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa_agent/client.h"
#include "hsa_tables.h"

/* Both sides must have been built for the same one. */
#define RTRACE_SUBSCRIBER_VERSION 3

/* What the functions use must stay for good. */
struct rtrace_subscriber {
	/*
	 * A call of ACTIVITY_DOMAIN_HIP_API or _HSA_API begins and ends, on its thread; `data` is a
	 * hip_api_data_t of the HIP in the process, or a hsa_api_data_t. A call of which the begin
	 * was told has its end told, whatever is wanted by then; in between lie those that it
	 * makes itself.
	 */
	void (*begin)(uint32_t domain, uint32_t op, const void *data);
	void (*end)(uint32_t domain, uint32_t op, const void *data);
	/*
	 * HSA is initialised. libroctracer64 is about to put its wrappers into the table: what is
	 * put there now lies inside of them, and calls of what is there are told to nobody. Then it
	 * has done so: what is put there now lies around them. And: it is about to be shut down.
	 */
	void (*hsa_loading)(HsaApiTable *table);
	void (*hsa_loaded)(HsaApiTable *table, uint64_t version);
	void (*hsa_unloaded)(void);
	/*
	 * What GPUs are given and when they ran it: as in hsa_agent/client.h, with the same rules;
	 * times are ns. `in`: by the subscriber's own ids, the call in which the thread is, and the
	 * one around that; 0: none.
	 */
	uint32_t (*wants)(void);
	void (*in)(uint64_t *id, uint64_t *ancestor);
	bool (*hold)(uint64_t id); /* with each of these an id is in use until it is released */
	void (*release)(uint64_t id);
	void *(*submitted)(const struct rtrace_operation *op);
	void (*ended)(void *operation, uint64_t begin_ns, uint64_t end_ns, bool failed);
};

/* 0; -EPROTO: another version; -EBUSY: there is another subscriber. */
typedef int rtrace_subscribe_fn(uint32_t version, const struct rtrace_subscriber *subscriber);

/*
 * What is wanted of a domain from now on, by operation. Operations are numbered as for tools:
 * roctracer_op_code. -EINVAL: no such domain.
 */
typedef int rtrace_want_fn(uint32_t domain, const uint8_t *wanted, uint32_t count);

/*
 * What `wants` returns has changed. It is told of what it wants from when this returns, and when it
 * wants less, has been told of all that had ended before this was called.
 */
typedef void rtrace_want_operations_fn(void);

/* ---- for the rest of the library, by table.c ---- */

extern const struct rtrace_subscriber *subscriber_of_calls; /* NULL: none */

#endif
