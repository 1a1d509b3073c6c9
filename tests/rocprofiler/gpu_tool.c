// SPDX-License-Identifier: MIT
/*
 * A tool in a preloaded library: has librocprofiler-sdk report what GPUs do and what is loaded for
 * them, and writes it to the file RT_TOOL_OUT, one line each, agents by the driver's numbers:
 *
 * - object load|unload ID NODE URI BASE SIZE DELTA STORAGE FILE|BASE-SIZE
 * - kernel load|unload ID OBJECT-ID NAME OBJECT KERNARG ALIGNMENT GROUP PRIVATE SGPRS VGPRS ACCUM
 *   ENTRY ADDRESS
 * - host load|unload ID KERNEL-ID OBJECT-ID NAME FILE PLACE-IN-IT
 * - dispatch enter|exit|complete|record ID EXTERNAL TID BEGIN END NODE QUEUE KERNEL DISPATCH
 *   PRIVATE GROUP WORKGROUP GRID USER
 * - copy enter|exit|record DIRECTION ID EXTERNAL TID BEGIN END SRC-NODE DST-NODE BYTES SRC DST USER
 * - allocation enter|exit|record OPERATION ID EXTERNAL ANCESTOR TID BEGIN END NODE ADDRESS BYTES
 *   USER
 * - scratch enter|exit|record OPERATION ID TID BEGIN END NODE QUEUE FLAGS BYTES
 * - init callback|record RUNTIME VERSION INSTANCE
 * - call enter|exit NAME ID ANCESTOR TID RESULT
 * - retired ID
 * - table asked|asked-all STATUS
 * - table TYPE VERSION INSTANCE
 * - finalize
 *
 * RT_SDK_OUT: that file instead, beside another tool that writes to RT_TOOL_OUT.
 *
 * RT_TOOL: of callbacks, records, calls, those that are wanted; without it, all; or hip, of calls
 * those of HIP alone. RT_TOOL_TABLES: it asks for tables, and writes what it is shown.
 * RT_TOOL_DOES: what it does in callbacks of kernels: restart (stops and starts its context again),
 * pause (the same, 3 ms in between), hip (calls HIP, and waits for the GPU where that may be),
 * finalize (at the fifth that has ended).
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "tests/rocprofiler/tool.h"

#define NODES	 64
#define PAUSE_US 3000
#define DIM	 "%u,%u,%u"

static FILE *out;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_client_finalize_t end_client;
static rocprofiler_client_id_t *client;
static const char *does;
static struct {
	uint64_t handle;
	uint32_t node;
} agents[NODES];
static uint32_t agent_count;

/* -1: there is none. */
static int node_of(rocprofiler_agent_id_t id)
{
	for (uint32_t i = 0; i < agent_count; i++)
		if (agents[i].handle == id.handle)
			return agents[i].node;
	return -1;
}

static const char *phase_name(rocprofiler_callback_phase_t phase)
{
	switch (phase) {
	case ROCPROFILER_CALLBACK_PHASE_ENTER:
		return "enter"; /* or load */
	case ROCPROFILER_CALLBACK_PHASE_EXIT:
		return "exit";
	default:
		return "none";
	}
}

static const char *operation_name(const rocprofiler_callback_tracing_record_t *r)
{
	const char *name = "-";

	CHECK(rocprofiler_query_callback_tracing_kind_operation_name(r->kind, r->operation, &name,
								     NULL));
	return name;
}

static const char *record_name(rocprofiler_buffer_tracing_kind_t kind, int32_t operation)
{
	const char *name = "-";

	CHECK(rocprofiler_query_buffer_tracing_kind_operation_name(kind, operation, &name, NULL));
	return name;
}

static void check(int right, const char *what)
{
	if (!right)
		fprintf(out, "wrong %s\n", what);
}

/* ---- what is loaded ---- */

static const char *load_name(rocprofiler_callback_phase_t phase)
{
	return phase == ROCPROFILER_CALLBACK_PHASE_LOAD ? "load" : "unload";
}

static void on_object(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_code_object_load_data_t *d = r->payload;

	check(d->size == sizeof(*d), "size");
	check(d->hsa_agent.handle != 0, "HSA's agent");
	flockfile(out); /* other threads may load code, too */
	fprintf(out, "object %s %" PRIu64 " %d %s %#" PRIx64 " %" PRIu64 " %" PRIi64 " %d ",
		load_name(r->phase), d->code_object_id, node_of(d->agent_id), d->uri, d->load_base,
		d->load_size, d->load_delta, d->storage_type);
	if (d->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE)
		fprintf(out, "%d\n", d->storage_file);
	else
		fprintf(out, "%#" PRIx64 "-%" PRIu64 "\n", d->memory_base, d->memory_size);
	funlockfile(out);
}

static void on_kernel(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *d =
		r->payload;

	check(d->size == sizeof(*d), "size");
	fprintf(out,
		"kernel %s %" PRIu64 " %" PRIu64 " %s %#" PRIx64 " %u %u %u %u %u %u %u %" PRIi64
		" %#" PRIx64 "\n",
		load_name(r->phase), d->kernel_id, d->code_object_id, d->kernel_name,
		d->kernel_object, d->kernarg_segment_size, d->kernarg_segment_alignment,
		d->group_segment_size, d->private_segment_size, d->sgpr_count, d->arch_vgpr_count,
		d->accum_vgpr_count, d->kernel_code_entry_byte_offset, d->kernel_address.handle);
}

static void on_host(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *d =
		r->payload;
	Dl_info file = {0};

	check(d->size == sizeof(*d), "size");
	check(d->modules.ptr != NULL, "modules");
	check(dladdr(d->host_function.ptr, &file), "host function");
	fprintf(out, "host %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %s %s %#" PRIxPTR "\n",
		load_name(r->phase), d->host_function_id, d->kernel_id, d->code_object_id,
		d->device_function, file.dli_fname,
		(uintptr_t)d->host_function.ptr - (uintptr_t)file.dli_fbase);
}

/* What LOAD has put into *user, UNLOAD finds. */
static void on_code(const rocprofiler_callback_tracing_record_t *r, rocprofiler_user_data_t *user)
{
	check(!r->correlation_id.internal && !r->correlation_id.external.value, "correlation");
	if (r->phase == ROCPROFILER_CALLBACK_PHASE_LOAD)
		user->value = 0xc0de;
	check(user->value == 0xc0de, "user data");
	if (r->operation == ROCPROFILER_CODE_OBJECT_LOAD)
		on_object(r);
	else if (r->operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER)
		on_kernel(r);
	else
		on_host(r);
}

/* ---- what GPUs do ---- */

static void write_dispatch(const char *what, uint64_t id, uint64_t external, uint64_t tid,
			   uint64_t begin, uint64_t end,
			   const rocprofiler_kernel_dispatch_info_t *d, uint64_t user)
{
	check(d->size == offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding), "size");
	fprintf(out,
		"dispatch %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u " DIM " " DIM " %" PRIu64 "\n",
		what, id, external, tid, begin, end, node_of(d->agent_id), d->queue_id.handle,
		d->kernel_id, d->dispatch_id, d->private_segment_size, d->group_segment_size,
		d->workgroup_size.x, d->workgroup_size.y, d->workgroup_size.z, d->grid_size.x,
		d->grid_size.y, d->grid_size.z, user);
}

static void call_hip(const char *name, int *arg)
{
	int (*function)(int *) = NULL;

	*(void **)&function = dlsym(RTLD_DEFAULT, name);
	check(function && !function(arg), name);
}

static void do_something(rocprofiler_callback_phase_t phase, uint64_t dispatch)
{
	int has_ended = phase == ROCPROFILER_CALLBACK_PHASE_NONE;
	int device;

	if (!strcmp(does, "restart") || !strcmp(does, "pause")) {
		rocprofiler_stop_context(context);
		if (!strcmp(does, "pause"))
			usleep(PAUSE_US);
		rocprofiler_start_context(context);
	} else if (!strcmp(does, "hip")) {
		call_hip("hipGetDevice", &device);
		if (has_ended)
			call_hip("hipDeviceSynchronize", NULL);
	} else if (!strcmp(does, "finalize") && has_ended && dispatch == 5) {
		fprintf(out, "about to finalize\n");
		end_client(*client);
	}
}

static void on_dispatch(const rocprofiler_callback_tracing_record_t *r,
			rocprofiler_user_data_t *user)
{
	const rocprofiler_callback_tracing_kernel_dispatch_data_t *d = r->payload;
	const char *what = "complete";

	check(d->size == sizeof(*d), "size");
	if (r->operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE)
		what = phase_name(r->phase);
	else
		check(r->phase == ROCPROFILER_CALLBACK_PHASE_NONE, "phase");
	if (r->phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user->value = d->dispatch_info.dispatch_id;
	write_dispatch(what, r->correlation_id.internal, r->correlation_id.external.value,
		       r->thread_id, d->start_timestamp, d->end_timestamp, &d->dispatch_info,
		       user->value);
	if (does)
		do_something(r->phase, d->dispatch_info.dispatch_id);
}

static void on_copy(const rocprofiler_callback_tracing_record_t *r, rocprofiler_user_data_t *user)
{
	const rocprofiler_callback_tracing_memory_copy_data_t *d = r->payload;

	check(d->size == sizeof(*d), "size");
	if (r->phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user->value = d->bytes;
	fprintf(out,
		"copy %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %d %d %" PRIu64 " %p %p %" PRIu64 "\n",
		phase_name(r->phase), operation_name(r), r->correlation_id.internal,
		r->correlation_id.external.value, r->thread_id, d->start_timestamp,
		d->end_timestamp, node_of(d->src_agent_id), node_of(d->dst_agent_id), d->bytes,
		d->src_address.ptr, d->dst_address.ptr, user->value);
}

static void on_allocation(const rocprofiler_callback_tracing_record_t *r,
			  rocprofiler_user_data_t *user)
{
	const rocprofiler_callback_tracing_memory_allocation_data_t *d = r->payload;

	check(d->size == sizeof(*d), "size");
	if (r->phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user->value = r->operation;
	fprintf(out,
		"allocation %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %d %p %" PRIu64 " %" PRIu64 "\n",
		phase_name(r->phase), operation_name(r), r->correlation_id.internal,
		r->correlation_id.external.value, r->correlation_id.ancestor, r->thread_id,
		d->start_timestamp, d->end_timestamp, node_of(d->agent_id), d->address.ptr,
		d->allocation_size, user->value);
}

static void on_scratch(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_scratch_memory_data_t *d = r->payload;

	fprintf(out, "scratch %s %s %" PRIu64 " %" PRIu64 " 0 0 %d %" PRIu64 " %d %zu\n",
		phase_name(r->phase), operation_name(r), r->correlation_id.internal, r->thread_id,
		node_of(d->agent_id), d->queue_id.handle, d->flags,
		r->operation == ROCPROFILER_SCRATCH_MEMORY_ALLOC &&
				r->phase == ROCPROFILER_CALLBACK_PHASE_EXIT
			? d->args.alloc_end.size
			: 0);
}

static void on_initialization(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_runtime_initialization_data_t *d = r->payload;

	check(!r->correlation_id.internal, "correlation");
	check(r->phase == ROCPROFILER_CALLBACK_PHASE_NONE, "phase");
	fprintf(out, "init callback %s %" PRIu64 " %" PRIu64 "\n", operation_name(r), d->version,
		d->instance);
}

/* Of HIP's functions that return a code. */
static int result_of(const rocprofiler_callback_tracing_record_t *r)
{
	const rocprofiler_callback_tracing_hip_api_data_t *d = r->payload;
	bool hip = r->kind == ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API ||
		   r->kind == ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API;

	return hip && r->phase == ROCPROFILER_CALLBACK_PHASE_EXIT ? d->retval.hipError_t_retval : 0;
}

static void on_operation(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
			 void *arg)
{
	check(r.context_id.handle == context.handle, "context");
	switch (r.kind) {
	case ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT:
		on_code(&r, user);
		break;
	case ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH:
		on_dispatch(&r, user);
		break;
	case ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY:
		on_copy(&r, user);
		break;
	case ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION:
		on_allocation(&r, user);
		break;
	case ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY:
		on_scratch(&r);
		break;
	case ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION:
		on_initialization(&r);
		break;
	default:
		fprintf(out, "call %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %d\n",
			phase_name(r.phase), operation_name(&r), r.correlation_id.internal,
			r.correlation_id.ancestor, r.thread_id, result_of(&r));
	}
}

/* ---- records ---- */

static void write_copy(const rocprofiler_buffer_tracing_memory_copy_record_t *r)
{
	check(r->size == sizeof(*r), "size");
	fprintf(out,
		"copy record %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %d %d %" PRIu64 " %p %p 0\n",
		record_name(r->kind, r->operation), r->correlation_id.internal,
		r->correlation_id.external.value, r->thread_id, r->start_timestamp,
		r->end_timestamp, node_of(r->src_agent_id), node_of(r->dst_agent_id), r->bytes,
		r->src_address.ptr, r->dst_address.ptr);
}

static void write_allocation(const rocprofiler_buffer_tracing_memory_allocation_record_t *r)
{
	check(r->size == sizeof(*r), "size");
	fprintf(out,
		"allocation record %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %d %p %" PRIu64 " 0\n",
		record_name(r->kind, r->operation), r->correlation_id.internal,
		r->correlation_id.external.value, r->correlation_id.ancestor, r->thread_id,
		r->start_timestamp, r->end_timestamp, node_of(r->agent_id), r->address.ptr,
		r->allocation_size);
}

static void write_scratch(const rocprofiler_buffer_tracing_scratch_memory_record_t *r)
{
	check(r->size == sizeof(*r), "size");
	fprintf(out,
		"scratch record %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64
		" %d %" PRIu64 "\n",
		record_name(r->kind, r->operation), r->correlation_id.internal, r->thread_id,
		r->start_timestamp, r->end_timestamp, node_of(r->agent_id), r->queue_id.handle,
		r->flags, r->allocation_size);
}

static void write_record(uint32_t kind, const void *payload)
{
	const rocprofiler_buffer_tracing_kernel_dispatch_record_t *d = payload;
	const rocprofiler_buffer_tracing_runtime_initialization_record_t *i = payload;
	const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *retired = payload;

	switch (kind) {
	case ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH:
		check(d->size == sizeof(*d), "size");
		check(d->operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE, "operation");
		write_dispatch("record", d->correlation_id.internal,
			       d->correlation_id.external.value, d->thread_id, d->start_timestamp,
			       d->end_timestamp, &d->dispatch_info, 0);
		break;
	case ROCPROFILER_BUFFER_TRACING_MEMORY_COPY:
		write_copy(payload);
		break;
	case ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION:
		write_allocation(payload);
		break;
	case ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY:
		write_scratch(payload);
		break;
	case ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION:
		fprintf(out, "init record %s %" PRIu64 " %" PRIu64 "\n",
			record_name(i->kind, i->operation), i->version, i->instance);
		break;
	case ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT:
		fprintf(out, "retired %" PRIu64 "\n", retired->internal_correlation_id);
		break;
	}
}

static void on_records(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *arg,
		       uint64_t dropped)
{
	check(!dropped, "dropped");
	for (size_t i = 0; i < count; i++)
		write_record(headers[i]->kind, headers[i]->payload);
}

/* ---- ---- */

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **list,
				      size_t count, void *arg)
{
	for (size_t i = 0; i < count && i < NODES; i++) {
		const rocprofiler_agent_t *a = list[i];

		agents[i].handle = a->id.handle;
		agents[i].node = a->node_id;
		agent_count++;
	}
	return ROCPROFILER_STATUS_SUCCESS;
}

static int is_wanted(const char *what)
{
	const char *wanted = getenv("RT_TOOL");

	return !wanted || strstr(wanted, what);
}

static void want_callbacks(const rocprofiler_callback_tracing_kind_t *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		CHECK(rocprofiler_configure_callback_tracing_service(context, kinds[i], NULL, 0,
								     on_operation, NULL));
}

static void want_records(void)
{
	static const rocprofiler_buffer_tracing_kind_t kinds[] = {
		ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
		ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
		ROCPROFILER_BUFFER_TRACING_MEMORY_ALLOCATION,
		ROCPROFILER_BUFFER_TRACING_SCRATCH_MEMORY,
		ROCPROFILER_BUFFER_TRACING_RUNTIME_INITIALIZATION,
		ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT,
	};

	CHECK(rocprofiler_create_buffer(context, 1 << 16, 1 << 15,
					ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL,
					&buffer));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK(rocprofiler_configure_buffer_tracing_service(context, kinds[i], NULL, 0,
								   buffer));
}

/* ---- tables ---- */

static void on_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		     void **tables, uint64_t count, void *arg)
{
	check(count == 1 && tables[0], "table");
	fprintf(out, "table %d %" PRIu64 " %" PRIu64 "\n", type, version, instance);
}

/* HIP's alone, and then all. */
static void ask_for_tables(void)
{
	int hip = ROCPROFILER_HIP_RUNTIME_TABLE | ROCPROFILER_HIP_COMPILER_TABLE;
	rocprofiler_status_t status =
		rocprofiler_at_intercept_table_registration(on_table, hip, NULL);

	fprintf(out, "table asked %s\n", rocprofiler_get_status_name(status));
	status = rocprofiler_at_intercept_table_registration(on_table,
							     status == ROCPROFILER_STATUS_SUCCESS
								     ? ROCPROFILER_HSA_TABLE
								     : hip | ROCPROFILER_HSA_TABLE,
							     NULL);
	fprintf(out, "table asked-all %s\n", rocprofiler_get_status_name(status));
}

static int configure(void)
{
	static const rocprofiler_callback_tracing_kind_t code =
		ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT;
	static const rocprofiler_callback_tracing_kind_t kinds[] = {
		ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
		ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY,
		ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION,
		ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY,
		ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION,
	};
	static const rocprofiler_callback_tracing_kind_t calls[] = {
		ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
		ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
		ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
	};

	out = fopen(getenv("RT_SDK_OUT") ?: getenv("RT_TOOL_OUT"), "we");
	if (!out)
		_exit(98);
	CHECK(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
						 sizeof(rocprofiler_agent_t), NULL));
	if (getenv("RT_TOOL_TABLES"))
		ask_for_tables();
	CHECK(rocprofiler_create_context(&context));
	want_callbacks(&code, 1);
	if (is_wanted("callbacks"))
		want_callbacks(kinds, sizeof(kinds) / sizeof(kinds[0]));
	if (is_wanted("records"))
		want_records();
	if (is_wanted("calls"))
		want_callbacks(calls, sizeof(calls) / sizeof(calls[0]));
	else if (is_wanted("hip"))
		want_callbacks(calls, 2);
	CHECK(rocprofiler_start_context(context));
	return 0;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *arg)
{
	end_client = finalize;
	does = getenv("RT_TOOL_DOES");
	return configure();
}

static void finalize(void *arg)
{
	if (buffer.handle)
		CHECK(rocprofiler_flush_buffer(buffer));
	fprintf(out, "finalize\n");
	fflush(out);
}

static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, NULL};

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *version_string,
							   uint32_t priority,
							   rocprofiler_client_id_t *id)
{
	id->name = "gpu_tool";
	client = id;
	return &result;
}
