/* SPDX-License-Identifier: MIT */
/*
 * librocprofiler-sdk: reports to tools in the same process which calls of HIP, HSA and ROC-TX the
 * process makes, and what GPUs did for it.
 *
 * A tool defines rocprofiler_configure() (registration.h), makes contexts (context.h) and
 * configures services in them: callbacks on the thread of a call (callback_tracing.h), or records
 * that are passed on in buffers (buffer.h, buffer_tracing.h). This header includes all others but
 * registration.h.
 *
 * This is the interface of librocprofiler-sdk.so.1, version 1.0.0, as ROCm ships it: a program that
 * was built against either library runs on the other. Link with -lrocprofiler-sdk. HIP's headers
 * want __HIP_PLATFORM_AMD__ defined.
 *
 * For all functions, where nothing else is said:
 *
 * Threads	They may be called from any thread at any time, from inside of callbacks too.
 * Errors	They return ROCPROFILER_STATUS_SUCCESS, or one of the codes that follow "->",
 *		without ROCPROFILER_STATUS_ERROR_, and have changed nothing then.
 * Strings	end with NUL. Names that are queried are the library's, and stay.
 * Times	are ns of CLOCK_BOOTTIME.
 */
#ifndef ROCPROFILER_SDK_ROCPROFILER_H
#define ROCPROFILER_SDK_ROCPROFILER_H

#include <stddef.h>
#include <stdint.h>

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/version.h>

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/context.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/device_counting_service.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/hip.h>
#include <rocprofiler-sdk/hsa.h>
#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/internal_threading.h>
#include <rocprofiler-sdk/marker.h>
#include <rocprofiler-sdk/ompt.h>
#include <rocprofiler-sdk/pc_sampling.h>
#include <rocprofiler-sdk/rccl.h>
#include <rocprofiler-sdk/rocdecode.h>
#include <rocprofiler-sdk/rocjpeg.h>

#include <rocprofiler-sdk/deprecated/profile_config.h>

ROCPROFILER_EXTERN_C_INIT

/* The version of the library that the program runs with; each part if not NULL. No errors. */
rocprofiler_status_t rocprofiler_get_version(uint32_t *major, uint32_t *minor,
					     uint32_t *patch) ROCPROFILER_API;

/* The same in a struct. No errors. */
rocprofiler_status_t
rocprofiler_get_version_triplet(rocprofiler_version_triplet_t *info) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/* The time, on the clock of all records. No errors. */
rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ts) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/* The calling thread, as in records. No errors. */
rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t *tid) ROCPROFILER_API
	ROCPROFILER_NONNULL(1);

/* The code's name in rocprofiler_status_t, and what it means; NULL: there is no such code. */
const char *rocprofiler_get_status_name(rocprofiler_status_t status) ROCPROFILER_API;
const char *rocprofiler_get_status_string(rocprofiler_status_t status) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
