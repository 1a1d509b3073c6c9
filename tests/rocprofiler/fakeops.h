/* SPDX-License-Identifier: MIT */
/*
 * A tool inside of the test, and operations of no runtime, which go the way of all.
 */
#ifndef TESTS_ROCPROFILER_FAKEOPS_H
#define TESTS_ROCPROFILER_FAKEOPS_H

#include "rocprofiler/service/operation.h"
#include "tests/rocprofiler/sdktest.h"

#define HIP_CALLBACK ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API
#define HIP_BUFFER   ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API
#define HIP_EXT	     ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT
#define OP	     7 /* some function */
#define OTHER_OP     8

/* What the tool does; all may be NULL. */
extern rocprofiler_tool_initialize_t fake_initialize;
extern rocprofiler_tool_finalize_t fake_finalize;

/* Set where the tool is initialised. */
extern rocprofiler_client_finalize_t fake_end;
extern rocprofiler_client_id_t fake_id;

/* Registers the tool, with rocprofiler_force_configure(). */
void fake_start(rocprofiler_tool_initialize_t initialize);

/* A call of HIP that calls `inside`, if not NULL, with `arg`. Was it traced? */
bool fake_call(uint32_t op, void (*inside)(void *arg), void *arg);

/* What tools do, in a line. */
rocprofiler_context_id_t make_context(void);
rocprofiler_buffer_id_t make_buffer(rocprofiler_context_id_t context, size_t size, size_t watermark,
				    rocprofiler_buffer_policy_t policy,
				    rocprofiler_buffer_tracing_cb_t callback, void *arg);
void want_calls(rocprofiler_context_id_t context, rocprofiler_callback_tracing_cb_t callback,
		void *arg);
void want_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t buffer);

#endif
