/* SPDX-License-Identifier: MIT */
/*
 * How librocprofiler-sdk learns of calls of HIP and HSA. The runtimes report calls to
 * libroctracer64, for they have room for one tool each. libroctracer64 passes them to its own tool
 * and to one subscriber, which finds the functions below by their names.
 *
 * A call has the same correlation id for all its receivers.
 */
#ifndef ROCTRACER_SUBSCRIBER_H
#define ROCTRACER_SUBSCRIBER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/agent_client.h"
#include "hsa_tables.h"

/* Both sides must have been built for the same one. */
#define RTRACE_SUBSCRIBER_VERSION 3

/* What the functions use must stay for good. */
struct rtrace_subscriber {
	/*
	 * A call of ACTIVITY_DOMAIN_HIP_API or _HSA_API begins and ends, on its thread; `data` is a
	 * hip_api_data_t of the HIP in the process, or a hsa_api_data_t. If the begin of a call was
	 * reported, its end is reported too, whatever is wanted by then. In between come the calls
	 * that it makes itself.
	 */
	void (*begin)(uint32_t domain, uint32_t op, const void *data);
	void (*end)(uint32_t domain, uint32_t op, const void *data);
	/*
	 * HSA is initialised. libroctracer64 is about to put its wrappers into the table: functions
	 * put there now are inside of them, and calls of the table's present functions are not
	 * reported. Then it has done so: functions put there now are around them. And: it is about
	 * to be shut down.
	 */
	void (*hsa_loading)(HsaApiTable *table);
	void (*hsa_loaded)(HsaApiTable *table, uint64_t version);
	void (*hsa_unloaded)(void);
	/*
	 * What GPUs are given and when they ran it: as in abi/agent_client.h, with the same rules;
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
 * The return value of `wants` has changed. The subscriber receives what it wants from when this
 * returns. When it wants less, it has by then received all operations that had ended before this
 * was called.
 */
typedef void rtrace_want_operations_fn(void);

/* ---- for the rest of the library, by enabled_operations.c ---- */

extern const struct rtrace_subscriber *subscriber_of_calls; /* NULL: none */

#endif
