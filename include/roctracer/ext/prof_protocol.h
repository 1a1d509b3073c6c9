/* SPDX-License-Identifier: MIT */
/*
 * Domains and records: what roctracer, the runtimes that it traces and its users agree on.
 *
 * Numbers and layouts are those of ROCm's header of this name, version 4.1, which programs and HIP
 * itself were built with. Times are ns of CLOCK_BOOTTIME, which is HSA's system clock.
 */
#ifndef EXT_PROF_PROTOCOL_H_
#define EXT_PROF_PROTOCOL_H_

#include <stdint.h>
#include <stdlib.h>

/* What can be traced. */
typedef enum {
	ACTIVITY_DOMAIN_HSA_API = 0, /* calls of HSA */
	ACTIVITY_DOMAIN_HSA_OPS = 1, /* what GPUs do, as HSA sees it */
	ACTIVITY_DOMAIN_HIP_OPS = 2, /* what GPUs do, as HIP sees it */
	ACTIVITY_DOMAIN_HCC_OPS = ACTIVITY_DOMAIN_HIP_OPS,
	ACTIVITY_DOMAIN_HIP_VDI = ACTIVITY_DOMAIN_HIP_OPS,
	ACTIVITY_DOMAIN_HIP_API = 3, /* calls of HIP */
	ACTIVITY_DOMAIN_KFD_API = 4, /* calls of the thunk, libhsakmt */
	ACTIVITY_DOMAIN_EXT_API = 5, /* what the application reports: external ids, marks */
	ACTIVITY_DOMAIN_ROCTX = 6,   /* calls of libroctx64 */
	ACTIVITY_DOMAIN_HSA_EVT = 7, /* HSA: memory, copies, packets, code objects */
	ACTIVITY_DOMAIN_NUMBER
} activity_domain_t;

/*
 * Receives calls: `cid` is the operation in the domain, `data` a hip_api_data_t, hsa_api_data_t,
 * kfd_api_data_t, roctx_api_data_t or hsa_evt_data_t that lives as long as this call, `arg` what it
 * was registered with. Runs on the thread that makes the call, on several at once.
 */
typedef void (*activity_rtapi_callback_t)(uint32_t domain, uint32_t cid, const void *data,
					  void *arg);

typedef uint32_t activity_kind_t;
typedef uint32_t activity_op_t;

/* When in a call the callback is called: before the arguments are used, or with the result there.
 */
typedef enum { ACTIVITY_API_PHASE_ENTER = 0, ACTIVITY_API_PHASE_EXIT = 1 } activity_api_phase_t;

/* Unique in the process, from 1; 0: none. */
typedef uint64_t activity_correlation_id_t;

/* ns */
typedef uint64_t roctracer_timestamp_t;

typedef struct activity_record_s {
	uint32_t domain;      /* activity_domain_t */
	activity_kind_t kind; /* HIP_OPS: the runtime's number of the command, see op_string */
	activity_op_t op;     /* in the domain */
	union {
		struct {
			/* of the call; of what a GPU did: of the call that asked for it */
			activity_correlation_id_t correlation_id;
			roctracer_timestamp_t begin_ns;
			roctracer_timestamp_t end_ns;
		};
		struct {
			uint32_t se; /* shader engine */
			uint64_t cycle;
			uint64_t pc;
		} pc_sample;
	};
	union {
		struct { /* _OPS */
			int device_id;
			uint64_t queue_id;
		};
		struct { /* _API */
			uint32_t process_id;
			uint32_t thread_id;
		};
		struct { /* EXT_API, ACTIVITY_EXT_OP_EXTERN_ID */
			activity_correlation_id_t external_id;
		};
	};
	union {
		size_t bytes; /* copies */
		const char
			*kernel_name; /* dispatches; NULL unknown; valid in the pool's callback */
		const char *mark_message; /* EXT_API, ACTIVITY_EXT_OP_MARK; valid there, too */
	};
} activity_record_t;

/* How HIP up to 5.2 calls a tool at the begin and end of a call. */
typedef void (*activity_sync_callback_t)(uint32_t cid, activity_record_t *record, const void *data,
					 void *arg);
/* How HIP up to 5.2 reports to a tool what a GPU did. */
typedef void (*activity_async_callback_t)(uint32_t op, void *record, void *arg);

#endif
