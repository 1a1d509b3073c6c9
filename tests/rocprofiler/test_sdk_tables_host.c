// SPDX-License-Identifier: MIT
// What is known of functions that programs register for kernels, with a HIP of the test.

#include <string.h>

#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/sources/host_functions.h"
#include "tests/rocprofiler/sdktest.h"

#define NUMBER(name) ROCPROFILER_HIP_COMPILER_API_ID_##name
#define COUNT	     ROCPROFILER_HIP_COMPILER_API_ID_LAST
#define BINARIES     4

// ---- fat binaries: of code for two targets, 100 bytes each ----

#define CODE_OFFSET 256
#define CODE_SIZE   100

struct entry {
	uint64_t offset, size, name_length;
	char name[11]; /* so that the next one is not aligned */
} __attribute__((packed));

struct fat_binary {
	char magic[24];
	uint64_t count;
	struct entry entries[2];
	char rest[CODE_OFFSET + 2 * CODE_SIZE];
};

static struct fat_binary binaries[BINARIES];
static struct {
	uint32_t magic, version;
	const void *binary;
	void *unused;
} wrappers[BINARIES];

static void make_binaries(void)
{
	for (int i = 0; i < BINARIES; i++) {
		struct fat_binary *b = &binaries[i];

		memcpy(b->magic, "__CLANG_OFFLOAD_BUNDLE__", sizeof(b->magic));
		b->count = 2;
		b->entries[0] = (struct entry){CODE_OFFSET, CODE_SIZE, 11, "x"};
		b->entries[1] = (struct entry){CODE_OFFSET + CODE_SIZE, CODE_SIZE, 11, "y"};
		wrappers[i].magic = 0x48495046;
		wrappers[i].version = 1;
		wrappers[i].binary = b;
	}
	binaries[3].magic[0] = 'C'; /* compressed */
}

static uint64_t code_of(int i)
{
	return (uintptr_t)&binaries[i] + CODE_OFFSET;
}

// ---- HIP ----

static void *modules[BINARIES];
static uint32_t registered, unregistered;

static void **register_binary(const void *wrapper)
{
	for (int i = 0; i < BINARIES; i++)
		if (wrapper == &wrappers[i])
			return &modules[i];
	return NULL;
}

static void register_function(void **of, const void *host, char *device, const char *name,
			      unsigned int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
			      int *size)
{
	registered++;
}

static void unregister_binary(void **of)
{
	unregistered++;
}

static struct {
	size_t size;
	void *functions[COUNT];
} table;

static void set_table(void)
{
	make_binaries();
	table.size = sizeof(table);
	table.functions[NUMBER(__hipRegisterFatBinary)] = register_binary;
	table.functions[NUMBER(__hipRegisterFunction)] = register_function;
	table.functions[NUMBER(__hipUnregisterFatBinary)] = unregister_binary;
	hip_tables__set(ROCPROFILER_HIP_COMPILER_TABLE, &table);
}

// ---- programs ----

typedef void register_function_t(void **, const void *, char *, const char *, unsigned int, uint3 *,
				 uint3 *, dim3 *, dim3 *, int *);

static char functions[BINARIES][2];

static void **binary(int i)
{
	void **(*call)(const void *) = table.functions[NUMBER(__hipRegisterFatBinary)];
	void **returned = call(&wrappers[i]);

	CHECK(returned == &modules[i]);
	return returned;
}

static void function_by(register_function_t *call, int i, int n, char *name)
{
	call(&modules[i], &functions[i][n], name, name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void function(int i, int n, char *name)
{
	function_by(table.functions[NUMBER(__hipRegisterFunction)], i, n, name);
}

static void unload(int i)
{
	void (*call)(void **) = table.functions[NUMBER(__hipUnregisterFatBinary)];

	call(&modules[i]);
}

static const void *found(const char *symbol, uint64_t code)
{
	host_function_data d = {0};

	if (!host_functions__find(symbol, code, &d))
		return NULL;
	CHECK_EQUAL(d.size, sizeof(d));
	CHECK(!strncmp(d.device_function, symbol, strlen(symbol) - 3));
	return d.host_function.ptr;
}

// ---- tests ----

static void found_by_name(void)
{
	set_table();
	binary(0);
	function(0, 0, "add");
	function(0, 1, "subtract");
	CHECK_EQUAL(registered, 2);
	CHECK(found("add.kd", 0) == &functions[0][0]);
	CHECK(found("subtract.kd", 0) == &functions[0][1]);
	CHECK(!found("ad.kd", 0));
	CHECK(!found("add", 0));
	CHECK(!found("multiply.kd", 0));
	CHECK(!found(".kd", 0));
	unload(0);
	CHECK_EQUAL(unregistered, 1);
	CHECK(!found("add.kd", 0) && !found("subtract.kd", 0));
	/* Another one at the same place. */
	binary(0);
	function(0, 1, "add");
	CHECK(found("add.kd", 0) == &functions[0][1]);
}

static void found_by_where_its_code_is(void)
{
	set_table();
	for (int i = 0; i < BINARIES; i++) {
		binary(i);
		function(i, 0, "add");
	}
	for (int i = 0; i < 3; i++) {
		CHECK(found("add.kd", code_of(i)) == &functions[i][0]);
		CHECK(found("add.kd", code_of(i) + 2 * CODE_SIZE - 1) == &functions[i][0]);
		CHECK(found("add.kd", code_of(i) + 2 * CODE_SIZE) == &functions[0][0]);
	}
	CHECK(found("add.kd", code_of(3)) == &functions[0][0]);
	CHECK(found("add.kd", 0) == &functions[0][0]);
	unload(1);
	CHECK(found("add.kd", code_of(1)) == &functions[0][0]);
	CHECK(found("add.kd", code_of(2)) == &functions[2][0]);
	unload(0);
	CHECK(found("add.kd", 0) == &functions[2][0]);
	unload(3);
	unload(2);
	CHECK(!found("add.kd", code_of(2)));
}

static void all_that_was_registered_is_said(void)
{
	uint3 tid = {1, 2, 3}, bid = {4, 5, 6};
	dim3 block = {7, 8, 9}, grid = {10, 11, 12};
	host_function_data d, again;
	char name[] = "add";
	int size = 64;

	set_table();
	binary(0);
	((register_function_t *)table.functions[NUMBER(__hipRegisterFunction)])(
		&modules[0], &functions[0], name, "other", 1024, &tid, &bid, &block, &grid, &size);
	name[0] = '?';
	CHECK(host_functions__find("add.kd", 0, &d) && host_functions__find("add.kd", 0, &again));
	CHECK(d.modules.ptr == &modules[0] && !strcmp(d.device_function, "add"));
	CHECK(d.thread_limit == 1024 && d.workgroup_size == 64);
	CHECK(d.thread_ids.x == 1 && d.thread_ids.y == 2 && d.thread_ids.z == 3);
	CHECK(d.block_ids.x == 4 && d.block_ids.y == 5 && d.block_ids.z == 6);
	CHECK(d.block_dims.x == 7 && d.block_dims.y == 8 && d.block_dims.z == 9);
	CHECK(d.grid_dims.x == 10 && d.grid_dims.y == 11 && d.grid_dims.z == 12);
	CHECK(d.host_function_id == 1 && again.host_function_id == 2);
}

/* What HIP exports calls what is in its table. */
static void exported(void **of, const void *host, char *device, const char *name,
		     unsigned int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
		     int *size)
{
	((register_function_t *)table.functions[NUMBER(__hipRegisterFunction)])(
		of, host, device, name, threads, tid, bid, block, grid, size);
}

static void one_that_is_heard_of_twice_is_one(void)
{
	register_function_t *call;

	set_table();
	call = hip_tables__wrap_export("__hipRegisterFunction", exported);
	CHECK(call && call != exported);
	CHECK(call == hip_tables__wrap_export("__hipRegisterFunction", exported));
	CHECK(!hip_tables__wrap_export("__hipPushCallConfiguration", exported));
	CHECK(!hip_tables__wrap_export("__hipNobody", exported));
	binary(0);
	binary(1);
	function_by(call, 0, 0, "add");
	function_by(call, 1, 0, "add");
	CHECK_EQUAL(registered, 2);
	unload(0);
	CHECK(found("add.kd", 0) == &functions[1][0]);
	unload(1);
	CHECK(!found("add.kd", 0));
	/* Of what is no binary that is known. */
	function(2, 0, "add");
	CHECK(!found("add.kd", 0));
}

IN_CHILD(found_by_name)
IN_CHILD(found_by_where_its_code_is)
IN_CHILD(all_that_was_registered_is_said)
IN_CHILD(one_that_is_heard_of_twice_is_one)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(found_by_name),
		CHILD_TEST(found_by_where_its_code_is),
		CHILD_TEST(all_that_was_registered_is_said),
		CHILD_TEST(one_that_is_heard_of_twice_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
