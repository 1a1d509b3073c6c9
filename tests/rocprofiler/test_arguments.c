// SPDX-License-Identifier: MIT
// Arguments of calls one by one, and their values as strings, of payloads made by hand.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <rocprofiler-sdk/rocprofiler.h>

#include "inprocess/peek.h"
#include "rocprofiler/support/tables.h"
#include "rocprofiler/support/values.h"

#define HIP(function) \
	ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, ROCPROFILER_HIP_RUNTIME_API_ID_##function
#define RUBBISH ((void *)0xdead000000000000)

// ---- what is reported ----

#define TOLD_MAX 32

static struct told {
	uint32_t kind, number;
	int32_t operation, indirections, followed;
	const void *address;
	char type[128], name[64], value[VALUES_MAX];
} told[TOLD_MAX];
static uint32_t told_count, told_until;

static int tell(uint32_t kind, int32_t operation, uint32_t number, const void *address,
		int32_t indirections, const char *type, const char *name, const char *value,
		int32_t followed)
{
	struct told *t = &told[told_count++];

	assert_true(told_count <= TOLD_MAX);
	*t = (struct told){.kind = kind,
			   .number = number,
			   .operation = operation,
			   .indirections = indirections,
			   .followed = followed,
			   .address = address};
	snprintf(t->type, sizeof(t->type), "%s", type);
	snprintf(t->name, sizeof(t->name), "%s", name);
	snprintf(t->value, sizeof(t->value), "%s", value);
	return told_count == told_until ? 7 : 0;
}

static void *const user_data = &told_count;

static int callback(rocprofiler_callback_tracing_kind_t kind,
		    rocprofiler_tracing_operation_t operation, uint32_t number, const void *address,
		    int32_t indirections, const char *type, const char *name, const char *value,
		    int32_t followed, void *data)
{
	assert_ptr_equal(data, user_data);
	return tell(kind, operation, number, address, indirections, type, name, value, followed);
}

static int buffer_callback(rocprofiler_buffer_tracing_kind_t kind,
			   rocprofiler_tracing_operation_t operation, uint32_t number,
			   const void *address, int32_t indirections, const char *type,
			   const char *name, const char *value, void *data)
{
	assert_ptr_equal(data, user_data);
	return tell(kind, operation, number, address, indirections, type, name, value, -1);
}

static rocprofiler_status_t iterate(rocprofiler_callback_tracing_kind_t kind, int operation,
				    void *payload, int max)
{
	rocprofiler_callback_tracing_record_t record = {
		.kind = kind,
		.operation = operation,
		.phase = ROCPROFILER_CALLBACK_PHASE_EXIT,
		.payload = payload,
	};

	told_count = 0;
	return rocprofiler_iterate_callback_tracing_kind_operation_args(record, callback, max,
									user_data);
}

static rocprofiler_status_t iterate_record(uint32_t category, uint32_t kind, void *payload)
{
	rocprofiler_record_header_t record = {
		.category = category, .kind = kind, .payload = payload};

	told_count = 0;
	return rocprofiler_iterate_buffer_tracing_record_args(record, buffer_callback, user_data);
}

static void assert_told(uint32_t number, int indirections, const char *type, const char *name,
			const char *value, int followed)
{
	const struct told *t = &told[number];

	assert_true(number < told_count);
	assert_int_equal(t->number, number);
	assert_int_equal(t->indirections, indirections);
	assert_string_equal(t->type, type);
	assert_string_equal(t->name, name);
	assert_string_equal(t->value, value);
	assert_int_equal(t->followed, followed);
}

// ---- the sample ----

static rocprofiler_callback_tracing_hip_api_data_t launch = {
	.size = sizeof(launch),
	.args.hipLaunchKernel = {.function_address = (void *)0x219308,
				 .numBlocks = {310, 310, 1},
				 .dimBlocks = {32, 32, 1},
				 .args = (void *)0x7ffe6d8dd3c0,
				 .sharedMemBytes = 0,
				 .stream = (void *)0x17b40c0},
};

static rocprofiler_callback_tracing_hip_api_data_t copy = {
	.size = sizeof(copy),
	.args.hipMemcpyAsync = {.dst = (void *)0x7f06c7bbb010,
				.src = (void *)0x7f0698800000,
				.sizeBytes = 393625600,
				.kind = hipMemcpyDeviceToHost,
				.stream = (void *)0x25dfcf0},
};

// The sample has the types demangled, and that of a stream as "hipStream_t*"; in 1.0 it is
// ihipStream_t*, the type that hipStream_t names.
static void sample_of_a_launch(void **state)
{
	assert_int_equal(iterate(HIP(hipLaunchKernel), &launch, ROCPROFILER_CALLBACK_PHASE_EXIT),
			 0);
	assert_int_equal(told_count, 6);
	assert_told(0, 1, "PKv", "function_address", "0x219308", 0);
	assert_told(1, 0, "18rocprofiler_dim3_t", "numBlocks", "{z=1, y=310, x=310}", 0);
	assert_told(2, 0, "18rocprofiler_dim3_t", "dimBlocks", "{z=1, y=32, x=32}", 0);
	assert_told(3, 2, "PPv", "args", "0x7ffe6d8dd3c0", 0);
	assert_told(4, 0, "m", "sharedMemBytes", "0", 0);
	assert_told(5, 1, "P12ihipStream_t", "stream", "0x17b40c0", 0);
	assert_int_equal(told[0].kind, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API);
	assert_int_equal(told[0].operation, ROCPROFILER_HIP_RUNTIME_API_ID_hipLaunchKernel);
	assert_ptr_equal(told[1].address, &launch.args.hipLaunchKernel.numBlocks);
	assert_ptr_equal(told[5].address, &launch.args.hipLaunchKernel.stream);
}

static void sample_of_a_copy(void **state)
{
	assert_int_equal(iterate(HIP(hipMemcpyAsync), &copy, ROCPROFILER_CALLBACK_PHASE_EXIT), 0);
	assert_int_equal(told_count, 5);
	assert_told(0, 1, "Pv", "dst", "0x7f06c7bbb010", 0);
	assert_told(1, 1, "PKv", "src", "0x7f0698800000", 0);
	assert_told(2, 0, "m", "sizeBytes", "393625600", 0);
	assert_told(3, 0, "13hipMemcpyKind", "kind", "DeviceToHost", 0);
	assert_told(4, 1, "P12ihipStream_t", "stream", "0x25dfcf0", 0);
}

static void it_ends_early(void **state)
{
	told_until = 2;
	assert_int_equal(iterate(HIP(hipMemcpyAsync), &copy, 0), 0);
	told_until = 0;
	assert_int_equal(told_count, 2);
}

// ---- codes ----

static void kinds_and_operations_that_are_not_there(void **state)
{
	assert_int_equal(iterate(ROCPROFILER_CALLBACK_TRACING_NONE, 0, &copy, 0),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate(ROCPROFILER_CALLBACK_TRACING_LAST, 0, &copy, 0),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate(ROCPROFILER_CALLBACK_TRACING_LAST + 1, 0, &copy, 0),
			 ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
	assert_int_equal(iterate(-1, 0, &copy, 0), ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
	assert_int_equal(iterate(HIP(LAST), &copy, 0),
			 ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
	assert_int_equal(iterate(HIP(NONE), &copy, 0),
			 ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
	assert_int_equal(iterate(HIP(hipMemcpyAsync), NULL, 0),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(told_count, 0);
}

static void kinds_without_arguments(void **state)
{
	static const rocprofiler_callback_tracing_kind_t kinds[] = {
		ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT,
		ROCPROFILER_CALLBACK_TRACING_SCRATCH_MEMORY,
		ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
		ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY,
		ROCPROFILER_CALLBACK_TRACING_RCCL_API,
		ROCPROFILER_CALLBACK_TRACING_OMPT,
		ROCPROFILER_CALLBACK_TRACING_MEMORY_ALLOCATION,
		ROCPROFILER_CALLBACK_TRACING_RUNTIME_INITIALIZATION,
		ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API,
		ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API,
		ROCPROFILER_CALLBACK_TRACING_HIP_STREAM,
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		assert_int_equal(iterate(kinds[i], 1, &copy, 0),
				 ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
	assert_int_equal(told_count, 0);
}

static void operations_without_arguments(void **state)
{
	assert_int_equal(iterate(HIP(hipDeviceSynchronize), &copy, 0), 0);
	assert_int_equal(told_count, 0);
}

#define TRACING ROCPROFILER_BUFFER_CATEGORY_TRACING
#define EXT	ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API_EXT

static void arguments_in_records(void **state)
{
	rocprofiler_buffer_tracing_hip_api_ext_record_t record = {
		.size = sizeof(record),
		.kind = EXT,
		.operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamCreate,
		.args.hipStreamCreate = {.stream = (void *)&record},
	};
	char address[32];

	assert_int_equal(iterate_record(TRACING, EXT, &record), 0);
	assert_int_equal(told_count, 1);
	snprintf(address, sizeof(address), "%p", (void *)&record);
	assert_told(0, 2, "PP12ihipStream_t", "stream", address, -1);
	assert_int_equal(told[0].kind, EXT);
	assert_ptr_equal(told[0].address, &record.args);

	record.operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipMemcpyAsync;
	record.args.hipMemcpyAsync = copy.args.hipMemcpyAsync;
	told_until = 4;
	assert_int_equal(iterate_record(TRACING, EXT, &record), 0);
	told_until = 0;
	assert_int_equal(told_count, 4);
	assert_told(3, 0, "13hipMemcpyKind", "kind", "DeviceToHost", -1);

	record.operation = ROCPROFILER_HIP_COMPILER_API_ID___hipPopCallConfiguration;
	assert_int_equal(
		iterate_record(TRACING, ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT, &record),
		0);
	assert_int_equal(told_count, 4);
	assert_string_equal(told[0].name, "gridDim");
}

static void records_without_arguments(void **state)
{
	rocprofiler_buffer_tracing_hip_api_ext_record_t record = {.operation = 1000};

	assert_int_equal(iterate_record(TRACING, EXT, &record),
			 ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
	assert_int_equal(iterate_record(TRACING, EXT, NULL),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate_record(ROCPROFILER_BUFFER_CATEGORY_COUNTERS, EXT, &record),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate_record(TRACING, ROCPROFILER_BUFFER_TRACING_NONE, &record),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate_record(TRACING, ROCPROFILER_BUFFER_TRACING_LAST, &record),
			 ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
	assert_int_equal(iterate_record(TRACING, 1000, &record),
			 ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
	for (int kind = 1; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++)
		if (kind != EXT && kind != ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT)
			assert_int_equal(iterate_record(TRACING, kind, &record),
					 ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED);
	assert_int_equal(told_count, 0);
}

// ---- values ----

static void enums(void **state)
{
	rocprofiler_callback_tracing_hsa_api_data_t access = {
		.args.hsa_amd_vmem_get_access = {.perms = &(hsa_access_permission_t){3}},
	};
	rocprofiler_callback_tracing_hip_api_data_t unknown = copy;

	unknown.args.hipMemcpyAsync.kind = 99;
	iterate(HIP(hipMemcpyAsync), &unknown, 0);
	assert_string_equal(told[3].value, "hipMemcpy_UNKNOWN=99");

	iterate(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
		ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_vmem_get_access, &access, 1);
	assert_string_equal(told[1].value, "READ_WRITE");
	*access.args.hsa_amd_vmem_get_access.perms = 42;
	iterate(ROCPROFILER_CALLBACK_TRACING_HSA_AMD_EXT_API,
		ROCPROFILER_HSA_AMD_EXT_API_ID_hsa_amd_vmem_get_access, &access, 1);
	assert_string_equal(told[1].value, "NONE");
}

static void structs(void **state)
{
	struct hipExtent extent = {3, 2, 1};
	hipTextureDesc texture = {.mipmapLevelBias = 0.1f, .maxMipmapLevelClamp = 1e7f};
	rocprofiler_callback_tracing_hip_api_data_t data = {
		.args.hipMalloc3D = {.extent = {3, 2, 1}},
	};
	rocprofiler_callback_tracing_hsa_api_data_t agent = {
		.args.hsa_agent_get_info = {.agent = {.handle = 77}},
	};

	iterate(HIP(hipMalloc3D), &data, 1);
	assert_told(0, 1, "P13hipPitchedPtr", "pitchedDevPtr", "(null)", 0);
	assert_told(1, 0, "9hipExtent", "extent", "{depth=1, height=2, width=3}", 0);

	data.args.hipArrayGetInfo.desc = NULL;
	data.args.hipArrayGetInfo.extent = &extent;
	iterate(HIP(hipArrayGetInfo), &data, 1);
	assert_told(0, 1, "P20hipChannelFormatDesc", "desc", "(null)", 0);
	assert_told(1, 1, "P9hipExtent", "extent", "{depth=1, height=2, width=3}", 1);

	data.args.hipCreateTextureObject.pTexDesc = &texture;
	iterate(HIP(hipCreateTextureObject), &data, 1);
	assert_non_null(strstr(told[2].value, "mipmapLevelBias=0.1, "));
	assert_non_null(strstr(told[2].value, "{maxMipmapLevelClamp=1e+07, "));

	iterate(ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
		ROCPROFILER_HSA_CORE_API_ID_hsa_agent_get_info, &agent, 0);
	assert_told(0, 0, "11hsa_agent_s", "agent", "handle=77", 0);
}

// ---- strings ----

static const char *told_message(const char *message)
{
	rocprofiler_callback_tracing_marker_api_data_t data = {
		.size = sizeof(data),
		.args.roctxMarkA = {.message = message},
	};

	assert_int_equal(iterate(ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API,
				 ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA, &data, 0),
			 0);
	assert_int_equal(told_count, 1);
	assert_int_equal(told[0].followed, 0);
	assert_string_equal(told[0].type, "PKc");
	return told[0].value;
}

// Two pages, of which only the first can be read.
static char *half(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	mprotect(pages + page, page, PROT_NONE);
	return pages + page;
}

static void strings(void **state)
{
	char *end = half(), *many = malloc(20000), *shown;
	size_t i;

	assert_string_equal(told_message("say \"a\\b\"\n"), "say \"a\\b\"\n");
	assert_string_equal(told_message(""), "");
	assert_string_equal(told_message(NULL), "(null)");
	assert_string_equal(told_message(RUBBISH), "0xdead000000000000");
	told_message(end);
	assert_int_equal(strncmp(told[0].value, "0x", 2), 0);
	strcpy(end - 6, "at it");
	assert_string_equal(told_message(end - 6), "at it");
	memcpy(end - 6, "beyond", 6);
	assert_string_equal(told_message(end - 6), "beyond...");

	for (i = 0; i < 19999; i++)
		many[i] = 'a' + i % 26;
	many[i] = 0;
	shown = strdup(told_message(many));
	assert_int_equal(strlen(shown), VALUES_STRING_MAX + 3);
	assert_memory_equal(shown, many, VALUES_STRING_MAX);
	assert_string_equal(shown + VALUES_STRING_MAX, "...");
	many[VALUES_STRING_MAX - 1] = 0;
	assert_string_equal(told_message(many), many);
	free(shown);
	free(many);
}

// ---- pointers ----

static void told_queue(hsa_queue_t **queue, int max)
{
	rocprofiler_callback_tracing_hsa_api_data_t data = {
		.size = sizeof(data),
		.args.hsa_queue_create = {.queue = queue},
	};

	assert_int_equal(iterate(ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
				 ROCPROFILER_HSA_CORE_API_ID_hsa_queue_create, &data, max),
			 0);
	assert_int_equal(told_count, 8);
	assert_int_equal(told[7].indirections, 2);
}

static void assert_address(const void *address, int followed)
{
	char expected[32];

	snprintf(expected, sizeof(expected), "%p", address);
	assert_string_equal(told[7].value, expected);
	assert_int_equal(told[7].followed, followed);
}

static void pointers_are_followed(void **state)
{
	hsa_queue_t queue = {.size = 64}, *pointer = &queue;

	told_queue(&pointer, 0);
	assert_address(&pointer, 0);
	told_queue(&pointer, -1);
	assert_address(&pointer, 0);
	told_queue(&pointer, 1);
	assert_address(&queue, 1);
	told_queue(&pointer, 2);
	assert_int_equal(told[7].followed, 2);
	assert_non_null(strstr(told[7].value, "size=64"));
	told_queue(&pointer, 100);
	assert_int_equal(told[7].followed, 2);
	pointer = NULL;
	told_queue(&pointer, 2);
	assert_string_equal(told[7].value, "(null)");
	assert_int_equal(told[7].followed, 1);
	told_queue(NULL, 2);
	assert_string_equal(told[7].value, "(null)");
	assert_int_equal(told[7].followed, 0);
}

static void pointers_to_nothing(void **state)
{
	hsa_queue_t *pointer = RUBBISH;
	char *end = half();

	errno = 1234;
	told_queue(RUBBISH, 2);
	assert_address(RUBBISH, 0);
	assert_int_equal(errno, 1234);
	told_queue(&pointer, 2);
	assert_address(RUBBISH, 1);
	told_queue((void *)(end - 4), 2);
	assert_address(end - 4, 0);
	told_queue((void *)~0ul, 2);
	assert_address((void *)~0ul, 0);
}

// As sandboxes have it.
static int forbid_process_vm_readv(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#define READ_MAX 4096

enum { DONE, WRONG, CANNOT };

static int read_in_sandbox(void)
{
	char word[6], many[READ_MAX], *end = half();

	if (forbid_process_vm_readv())
		return CANNOT;
	for (int i = 0; i < 2000; i++)
		if (!peek__all(word, "hello", 6) || strcmp(word, "hello"))
			return WRONG;
	if (!peek__all(many, end - READ_MAX, READ_MAX))
		return WRONG;
	if (peek__all(word, end - 3, 6) || peek__all(word, RUBBISH, 6) || peek__all(word, NULL, 6))
		return WRONG;
	return DONE;
}

static void reading_in_a_sandbox(void **state)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(read_in_sandbox());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), DONE);
}

// ---- every operation ----

#define KIND(library, kind)                                                         \
	{                                                                           \
		ROCPROFILER_CALLBACK_TRACING_##kind##_API,                          \
			sizeof(rocprofiler_callback_tracing_##library##_api_data_t) \
	}

static const struct {
	rocprofiler_callback_tracing_kind_t kind;
	size_t payload_size;
} kinds[] = {
	KIND(hsa, HSA_CORE),	   KIND(hsa, HSA_AMD_EXT),
	KIND(hsa, HSA_IMAGE_EXT),  KIND(hsa, HSA_FINALIZE_EXT),
	KIND(hip, HIP_RUNTIME),	   KIND(hip, HIP_COMPILER),
	KIND(marker, MARKER_CORE), KIND(marker, MARKER_CONTROL),
	KIND(marker, MARKER_NAME), KIND(marker, MARKER_CORE_RANGE),
};

static void check_operation(rocprofiler_callback_tracing_kind_t kind, uint32_t number,
			    void *payload)
{
	const struct sdk_operation *operation =
		tables__operation(tables__callback_kind(kind), number);

	assert_int_equal(iterate(kind, number, payload, 3), 0);
	assert_int_equal(told_count, operation->argument_count);
	for (uint32_t i = 0; i < told_count; i++) {
		assert_true(strlen(told[i].value) < VALUES_MAX - 1);
		assert_true(told[i].followed <= told[i].indirections);
	}
}

// In memory of its own, so that a sanitizer sees what is read after it.
static void check_all(const void *fill, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct sdk_kind *kind = tables__callback_kind(kinds[i].kind);
		char *payload = malloc(kinds[i].payload_size);

		for (size_t j = 0; j < kinds[i].payload_size; j++)
			payload[j] = ((const char *)fill)[j % size];
		for (uint32_t n = 0; n < kind->count; n++)
			check_operation(kinds[i].kind, n, payload);
		free(payload);
	}
}

static void all_operations(void **state)
{
	char *zeros = calloc(1, VALUES_TARGET_MAX), *ones = malloc(VALUES_TARGET_MAX);
	void *itself = &itself;

	memset(ones, 0xff, VALUES_TARGET_MAX);
	check_all("", 1);
	check_all("\xff", 1);
	check_all(&zeros, sizeof(zeros));
	check_all(&ones, sizeof(ones));
	check_all(&itself, sizeof(itself));
	free(zeros);
	free(ones);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sample_of_a_launch),
		cmocka_unit_test(sample_of_a_copy),
		cmocka_unit_test(it_ends_early),
		cmocka_unit_test(kinds_and_operations_that_are_not_there),
		cmocka_unit_test(kinds_without_arguments),
		cmocka_unit_test(operations_without_arguments),
		cmocka_unit_test(arguments_in_records),
		cmocka_unit_test(records_without_arguments),
		cmocka_unit_test(enums),
		cmocka_unit_test(structs),
		cmocka_unit_test(strings),
		cmocka_unit_test(pointers_are_followed),
		cmocka_unit_test(pointers_to_nothing),
		cmocka_unit_test(reading_in_a_sandbox),
		cmocka_unit_test(all_operations),
	};

	return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
