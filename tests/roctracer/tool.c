// SPDX-License-Identifier: MIT
/*
 * A tool in a preloaded library: from main on it has libroctracer64 report everything of the
 * program and writes that to the file RT_TOOL_OUT, one line each:
 *
 *   call HIP|HSA|KFD NAME CORR enter|exit TID
 *   api HIP|HSA|KFD NAME CORR BEGIN END PID TID
 *   op OP KIND CORR BEGIN END DEVICE QUEUE BYTES|KERNEL
 *   hsaop DISPATCH|COPY|BARRIER CORR BEGIN END NODE QUEUE BYTES|KERNEL
 *   external ID CORR
 *   event alloc ADDRESS BYTES | free ADDRESS | copy DST SRC BYTES | device gpu|cpu ID ADDRESS |
 *         code load|unload URI BYTES | kernel load|unload NAME OBJECT |
 *         packet TYPE NODE QUEUE KERNEL
 *
 * RT_TOOL=records: without callbacks; ops: of what GPUs do alone; hsaops: the same as HSA reports
 * it.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roctracer/roctracer_ext.h"
#include "roctracer/roctracer_hsa.h"

#define CHECK(call)                                                                         \
	do {                                                                                \
		if ((call) != ROCTRACER_STATUS_SUCCESS) {                                   \
			fprintf(stderr, "tool: %s: %s\n", #call, roctracer_error_string()); \
			_exit(99);                                                          \
		}                                                                           \
	} while (0)

/* How hip_api_data_t and hsa_api_data_t begin. */
struct data {
	uint64_t correlation_id;
	uint32_t phase;
};

static FILE *out;

static const char *domain_name(uint32_t domain)
{
	switch (domain) {
	case ACTIVITY_DOMAIN_HIP_API:
		return "HIP";
	case ACTIVITY_DOMAIN_KFD_API:
		return "KFD";
	default:
		return "HSA";
	}
}

static void write_allocation(const hsa_evt_data_t *e)
{
	if (e->allocate.size)
		fprintf(out, "event alloc %p %zu\n", e->allocate.ptr, e->allocate.size);
	else
		fprintf(out, "event free %p\n", e->allocate.ptr);
}

static void write_event(uint32_t event, const hsa_evt_data_t *e)
{
	switch (event) {
	case HSA_EVT_ID_ALLOCATE:
		write_allocation(e);
		break;
	case HSA_EVT_ID_DEVICE:
		fprintf(out, "event device %s %u %p\n",
			e->device.type == HSA_DEVICE_TYPE_GPU ? "gpu" : "cpu", e->device.id,
			e->device.ptr);
		break;
	case HSA_EVT_ID_MEMCOPY:
		fprintf(out, "event copy %p %p %zu\n", e->memcopy.dst, e->memcopy.src,
			e->memcopy.size);
		break;
	case HSA_EVT_ID_KSYMBOL:
		fprintf(out, "event kernel %s %s %#" PRIx64 "\n",
			e->ksymbol.unload ? "unload" : "load", e->ksymbol.name, e->ksymbol.object);
		break;
	case HSA_EVT_ID_SUBMIT:
		fprintf(out, "event packet %u %u %p %s\n",
			*(const uint16_t *)e->submit.packet & 0xff, e->submit.device_id,
			(void *)e->submit.queue,
			e->submit.kernel_name ? e->submit.kernel_name : "-");
		break;
	case HSA_EVT_ID_CODEOBJ:
		fprintf(out, "event code %s %s %" PRIu64 "\n",
			e->codeobj.unload ? "unload" : "load", e->codeobj.uri,
			e->codeobj.load_size);
		break;
	}
}

static void on_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const struct data *d = data;

	if (domain == ACTIVITY_DOMAIN_HSA_EVT)
		write_event(op, data);
	else if (domain != ACTIVITY_DOMAIN_ROCTX)
		fprintf(out, "call %s %s %" PRIu64 " %s %d\n", domain_name(domain),
			roctracer_op_string(domain, op, 0), d->correlation_id,
			d->phase ? "exit" : "enter", gettid());
}

/* A line is written at once: other threads write to the same file. */
static void write_op(const activity_record_t *r)
{
	char bytes[32];
	const char *what = bytes;

	snprintf(bytes, sizeof(bytes), "%zu", r->bytes);
	if (r->op == 0)
		what = r->kernel_name ? r->kernel_name : "-";
	fprintf(out, "op %u %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %s\n", r->op,
		roctracer_op_string(r->domain, r->op, r->kind), r->correlation_id, r->begin_ns,
		r->end_ns, r->device_id, r->queue_id, what);
}

static void write_hsa_op(const activity_record_t *r)
{
	char bytes[32];
	const char *what = bytes;

	snprintf(bytes, sizeof(bytes), "%zu", r->bytes);
	if (r->op != HSA_OP_ID_COPY)
		what = r->op == HSA_OP_ID_DISPATCH && r->kernel_name ? r->kernel_name : "-";
	fprintf(out, "hsaop %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %s\n",
		roctracer_op_string(r->domain, r->op, 0), r->correlation_id, r->begin_ns, r->end_ns,
		r->device_id, r->queue_id, what);
}

static void write_record(const activity_record_t *r)
{
	if (r->domain == ACTIVITY_DOMAIN_HIP_OPS)
		write_op(r);
	else if (r->domain == ACTIVITY_DOMAIN_HSA_OPS)
		write_hsa_op(r);
	else if (r->domain == ACTIVITY_DOMAIN_EXT_API)
		fprintf(out, "external %" PRIu64 " %" PRIu64 "\n", r->external_id,
			r->correlation_id);
	else
		fprintf(out, "api %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %u\n",
			domain_name(r->domain), roctracer_op_string(r->domain, r->op, 0),
			r->correlation_id, r->begin_ns, r->end_ns, r->process_id, r->thread_id);
}

static void on_records(const char *begin, const char *end, void *arg)
{
	const activity_record_t *r = (const void *)begin;

	while (r < (const activity_record_t *)end) {
		write_record(r);
		CHECK(roctracer_next_record(r, &r));
	}
}

static void start(void)
{
	const roctracer_properties_t properties = {.buffer_size = 1 << 16,
						   .buffer_callback_fun = on_records};
	const char *what = getenv("RT_TOOL");

	out = fopen(getenv("RT_TOOL_OUT"), "we");
	if (!out)
		_exit(98);
	CHECK(roctracer_open_pool(&properties));
	if (what && !strcmp(what, "ops")) {
		CHECK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
		return;
	}
	if (what && !strcmp(what, "hsaops")) {
		CHECK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HSA_OPS));
		return;
	}
	CHECK(roctracer_enable_activity());
	if (!what || strcmp(what, "records"))
		CHECK(roctracer_enable_callback(on_call, NULL));
}

static void stop(void)
{
	CHECK(roctracer_disable_callback());
	CHECK(roctracer_disable_activity());
	CHECK(roctracer_close_pool());
	fclose(out);
}

/* ---- around main, when all libraries are ready ---- */

typedef int (*main_t)(int argc, char **argv, char **envp);

static main_t program;

static int traced(int argc, char **argv, char **envp)
{
	int status;

	start();
	status = program(argc, argv, envp);
	stop();
	return status;
}

int __libc_start_main(main_t function, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_t function, int argc, char **argv, void (*init)(void),
		      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
	__typeof__(__libc_start_main) *next = dlsym(RTLD_NEXT, "__libc_start_main");

	program = function;
	return next(traced, argc, argv, init, fini, rtld_fini, stack_end);
}
