// SPDX-License-Identifier: MIT
/*
 * HIP's tables, as a HIP with functions of the test hands them in. The test calls and receives a
 * function as the SysV ABI passes its prototype. Here only what rocprofiler/support/tables.h has of
 * its arguments is known; that is checked against 1.0 elsewhere.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/support/tables.h"
#include "tests/rocprofiler/fakeops.h"
#include "tests/rocprofiler/thrower.h"

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

#define COMPILER_CALLBACK ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API
#define COMPILER_EXT	  ROCPROFILER_BUFFER_TRACING_HIP_COMPILER_API_EXT
#define RUNTIME_COUNT	  ROCPROFILER_HIP_RUNTIME_API_ID_LAST
#define COMPILER_COUNT	  ROCPROFILER_HIP_COMPILER_API_ID_LAST
#define SLOTS		  (FIRST_COMPILER + COMPILER_COUNT)
#define FIRST_COMPILER	  RUNTIME_COUNT
#define NEWER		  3 /* functions at a table's end that nobody knows */
#define REGISTERS	  6
#define NUMBERS		  2
#define WORDS		  24 /* of the stack */
#define MALLOC		  ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc

/* ---- functions of HIP ---- */

/* What a function is called with. */
struct words {
	uint64_t registers[REGISTERS], stack[WORDS];
	double numbers[NUMBERS];
};

static __thread struct words heard;
static __thread uint32_t heard_by, heard_times;
static void (*inside)(void);

struct stack {
	uint64_t words[WORDS];
};

static uint64_t result_of(uint32_t slot)
{
	return 0x100000 + slot;
}

static uint64_t hear(uint32_t slot, const uint64_t *registers, const double *numbers,
		     const uint64_t *stack)
{
	heard_by = slot;
	heard_times++;
	memcpy(heard.numbers, numbers, sizeof(heard.numbers));
	memcpy(heard.registers, registers, sizeof(heard.registers));
	memcpy(heard.stack, stack, sizeof(heard.stack));
	if (inside)
		inside();
	return result_of(slot);
}

typedef uint64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double,
			  double, struct stack);

/* One for each place in both tables. */
enum {
	hip_table = 0,
	compiler_table = FIRST_COMPILER,
};

#define EXPORT(table, place, name)                                                              \
	static uint64_t stub_##name(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, \
				    uint64_t f, double x, double y, struct stack stack)         \
	{                                                                                       \
		const uint64_t registers[REGISTERS] = {a, b, c, d, e, f};                       \
		const double numbers[NUMBERS] = {x, y};                                         \
                                                                                                \
		return hear(table + place, registers, numbers, stack.words);                    \
	}
#include "tests/rocprofiler/exports.inc"
#undef EXPORT

static function *const stubs[SLOTS] = {
#define EXPORT(table, place, name) [table + place] = stub_##name,
#include "tests/rocprofiler/exports.inc"
#undef EXPORT
};

/* It returns that in memory. */
#define CHANNEL ROCPROFILER_HIP_RUNTIME_API_ID_hipCreateChannelDesc

static hipChannelFormatDesc create_channel(int x, int y, int z, int w, hipChannelFormatKind f)
{
	heard_by = CHANNEL;
	heard_times++;
	return (hipChannelFormatDesc){x + 1, y + 1, z + 1, w + 1, f};
}

/* ---- tables ---- */

struct table {
	size_t size;
	void *functions[SLOTS];
};

static void fill(struct table *t, uint32_t first, uint32_t count)
{
	t->size = (1 + count) * sizeof(void *);
	for (uint32_t i = 0; i < SLOTS; i++)
		t->functions[i] = i < SLOTS - first ? stubs[first + i] : NULL;
	if (!first)
		t->functions[CHANNEL] = create_channel;
}

static void set(const char *name, uint64_t instance, struct table *t)
{
	void *tables[] = {t};

	CHECK_EQUAL(rocprofiler_set_api_table(name, 60443, instance, tables, 1), 0);
}

/* ---- calls ---- */

static uint64_t word(uint32_t slot, uint32_t i)
{
	return 0x0101010101010101ULL * (1 + slot % 199) + 0x0001000200030004ULL * (i + 1);
}

/* Of what is registered more than the addresses is looked at. */
static void fill_pointers(struct words *w, uint32_t function)
{
	static uint64_t wrapper[3];
	static uint32_t three[] = {1, 2, 3};

	if (function == ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterFatBinary)
		w->registers[0] = (uintptr_t)wrapper;
	if (function != ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterFunction)
		return;
	w->registers[2] = (uintptr_t) "kernel";
	w->registers[5] = 0;
	for (uint32_t i = 0; i < 4; i++)
		w->stack[i] = (uintptr_t)three;
}

static void fill_words(struct words *w, uint32_t slot)
{
	for (uint32_t i = 0; i < REGISTERS; i++)
		w->registers[i] = word(slot, i);
	for (uint32_t i = 0; i < WORDS; i++)
		w->stack[i] = word(slot, REGISTERS + i);
	memset(w->numbers, 0, sizeof(w->numbers));
	for (uint32_t i = 0; i < NUMBERS; i++) {
		float number = 2.5f * (i + 1) + slot;

		memcpy(&w->numbers[i], &number, sizeof(number));
	}
	if (slot >= FIRST_COMPILER)
		fill_pointers(w, slot - FIRST_COMPILER);
}

/* How many are taken by the arguments so far. */
struct taken {
	uint32_t registers, numbers, stack;
};

/* Numbers have registers of their own; up to 16 bytes are in others, if there are as many as they
 * need. */
static const void *place_of(const struct words *w, const struct sdk_argument *a, struct taken *t)
{
	uint32_t words = (a->size + 7) / 8;
	bool fits = words <= 2 && t->registers + words <= REGISTERS;
	const void *place = fits ? &w->registers[t->registers] : &w->stack[t->stack];

	if (!strcmp(a->type_name, "f"))
		return &w->numbers[t->numbers++];
	*(fits ? &t->registers : &t->stack) += words;
	CHECK(t->stack <= WORDS);
	return place;
}

/* The arguments as a tool is given them. */
static void gather(rocprofiler_hip_api_args_t *args, const struct words *w,
		   const struct sdk_operation *o)
{
	struct taken t = {0};

	memset(args, 0, sizeof(*args));
	for (uint32_t i = 0; i < o->argument_count; i++)
		memcpy((char *)args + o->arguments[i].offset, place_of(w, &o->arguments[i], &t),
		       o->arguments[i].size);
}

static const struct sdk_operation *operation_of(uint32_t slot)
{
	bool runtime = slot < FIRST_COMPILER;

	return tables__operation(tables__callback_kind(runtime ? HIP_CALLBACK : COMPILER_CALLBACK),
				 runtime ? slot : slot - FIRST_COMPILER);
}

static uint64_t pass(void *to, const struct words *w)
{
	struct stack stack;

	memcpy(stack.words, w->stack, sizeof(stack));
	return ((function *)to)(w->registers[0], w->registers[1], w->registers[2], w->registers[3],
				w->registers[4], w->registers[5], w->numbers[0], w->numbers[1],
				stack);
}

/* Compares the arguments, not the bytes between them. */
static bool are_same(const rocprofiler_hip_api_args_t *a, const rocprofiler_hip_api_args_t *b,
		     const struct sdk_operation *o)
{
	for (uint32_t i = 0; i < o->argument_count; i++) {
		uint32_t offset = o->arguments[i].offset;

		if (memcmp((const char *)a + offset, (const char *)b + offset,
			   o->arguments[i].size))
			return false;
	}
	return true;
}

static void check_heard(uint32_t by, const rocprofiler_hip_api_args_t *args,
			const struct sdk_operation *o)
{
	rocprofiler_hip_api_args_t got;

	gather(&got, &heard, o);
	CHECK_EQUAL(heard_by, by);
	CHECK_EQUAL(heard_times, 1);
	CHECK(are_same(&got, args, o));
}

/* Of a procedure there is none. */
static uint64_t without_rest(const struct sdk_operation *o, uint64_t result)
{
	return o->result_size >= 8 ? result : result & ((1ULL << 8 * o->result_size) - 1);
}

static void call_channel(void *to, rocprofiler_hip_api_args_t *args)
{
	hipChannelFormatDesc (*create)(int, int, int, int, hipChannelFormatKind) = to;
	hipChannelFormatDesc d = create(1, 2, 3, 4, hipChannelFormatKindFloat);
	const int passed[] = {1, 2, 3, 4, hipChannelFormatKindFloat};

	CHECK(d.x == 2 && d.y == 3 && d.z == 4 && d.w == 5 && d.f == hipChannelFormatKindFloat);
	CHECK_EQUAL(heard_by, CHANNEL);
	CHECK_EQUAL(heard_times, 1);
	memset(args, 0, sizeof(*args));
	memcpy(args, passed, sizeof(passed));
}

/*
 * Calls the function of `slot`, which is to be the HIP's function `stub`, and checks what that
 * received.
 */
static void call(void *to, uint32_t slot, uint32_t stub, rocprofiler_hip_api_args_t *args)
{
	const struct sdk_operation *o = operation_of(slot);
	struct words w;

	heard_times = 0;
	if (slot == CHANNEL) {
		call_channel(to, args);
		return;
	}
	fill_words(&w, slot);
	gather(args, &w, o);
	CHECK_EQUAL(without_rest(o, pass(to, &w)), without_rest(o, result_of(stub)));
	check_heard(stub, args, o);
}

/* ---- the tool ---- */

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;

static struct {
	uint32_t enters, exits, kind, operation, records;
	uint64_t id, ancestor;
	rocprofiler_callback_tracing_hip_api_data_t at_enter, at_exit;
	rocprofiler_buffer_tracing_hip_api_ext_record_t record;
} told;
static bool throws_at_enter, throws_at_exit;

static void on_call(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
		    void *arg)
{
	bool enter = r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;

	told.kind = r.kind;
	told.operation = r.operation;
	told.id = r.correlation_id.internal;
	told.ancestor = r.correlation_id.ancestor;
	memcpy(enter ? &told.at_enter : &told.at_exit, r.payload, sizeof(told.at_enter));
	*(enter ? &told.enters : &told.exits) += 1;
	if (enter ? throws_at_enter : throws_at_exit)
		throw_something();
}

static void on_records(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *arg,
		       uint64_t dropped)
{
	for (size_t i = 0; i < count; i++) {
		memcpy(&told.record, headers[i]->payload, sizeof(told.record));
		told.records++;
	}
}

static const rocprofiler_callback_tracing_kind_t callback_kinds[] = {HIP_CALLBACK,
								     COMPILER_CALLBACK};
static const rocprofiler_buffer_tracing_kind_t ext_kinds[] = {HIP_EXT, COMPILER_EXT};

static int want_all(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
			     on_records, NULL);
	for (int i = 0; i < 2; i++) {
		CHECK_OK(rocprofiler_configure_callback_tracing_service(context, callback_kinds[i],
									NULL, 0, on_call, NULL));
		CHECK_OK(rocprofiler_configure_buffer_tracing_service(context, ext_kinds[i], NULL,
								      0, buffer));
	}
	return 0;
}

static void forget(void)
{
	memset(&told, 0, sizeof(told));
}

static struct table runtime, compiler;

static void set_both(void)
{
	fake_start(want_all);
	fill(&runtime, 0, RUNTIME_COUNT);
	fill(&compiler, FIRST_COMPILER, COMPILER_COUNT);
	set("hip", 0, &runtime);
	set("hip_compiler", 0, &compiler);
}

static void *function_in(uint32_t slot)
{
	return slot < FIRST_COMPILER ? runtime.functions[slot]
				     : compiler.functions[slot - FIRST_COMPILER];
}

static void check_told(uint32_t slot, const rocprofiler_hip_api_args_t *args)
{
	const struct sdk_operation *o = operation_of(slot);
	bool is_compiler = slot >= FIRST_COMPILER;
	uint64_t result = without_rest(o, result_of(slot));

	CHECK_EQUAL(told.enters, 1);
	CHECK_EQUAL(told.exits, 1);
	CHECK_EQUAL(told.kind, callback_kinds[is_compiler]);
	CHECK_EQUAL(told.operation, is_compiler ? slot - FIRST_COMPILER : slot);
	CHECK(told.id && !told.ancestor);
	CHECK_EQUAL(told.at_enter.size, sizeof(told.at_enter));
	CHECK(are_same(&told.at_enter.args, args, o));
	CHECK(are_same(&told.at_exit.args, args, o));
	if (slot == CHANNEL)
		CHECK(told.at_exit.retval.hipChannelFormatDesc_retval.w == 5);
	else
		CHECK(!memcmp(&told.at_exit.retval, &result, o->result_size));
	CHECK_OK(rocprofiler_flush_buffer(buffer));
	CHECK_EQUAL(told.records, 1);
	CHECK_EQUAL(told.record.kind, ext_kinds[is_compiler]);
	CHECK_EQUAL(told.record.operation, told.operation);
	CHECK(are_same(&told.record.args, args, o));
	CHECK(!memcmp(&told.record.retval, &told.at_exit.retval, sizeof(told.record.retval)));
}

/* ---- tests ---- */

static void each_function_is_wrapped_and_told_of(void)
{
	rocprofiler_hip_api_args_t args;

	set_both();
	CHECK_OK(rocprofiler_start_context(context));
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		forget();
		CHECK(function_in(slot) != stubs[slot]);
		call(function_in(slot), slot, slot, &args);
		check_told(slot, &args);
	}
}

static void nobody_wants_them(void)
{
	rocprofiler_hip_api_args_t args;

	set_both();
	for (int round = 0; round < 2; round++) {
		for (uint32_t slot = 0; slot < SLOTS; slot++)
			call(function_in(slot), slot, slot, &args);
		CHECK_EQUAL(told.enters, 0);
		CHECK_OK(rocprofiler_start_context(context));
		call(function_in(MALLOC), MALLOC, MALLOC, &args);
		CHECK_EQUAL(told.enters, 1);
		CHECK_EQUAL(told.exits, 1);
		CHECK_OK(rocprofiler_stop_context(context));
		forget();
	}
}

static int want_malloc(rocprofiler_client_finalize_t end, void *data)
{
	rocprofiler_tracing_operation_t malloc_only = MALLOC;

	context = make_context();
	CHECK_OK(rocprofiler_configure_callback_tracing_service(context, HIP_CALLBACK, &malloc_only,
								1, on_call, NULL));
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void one_is_wanted(void)
{
	rocprofiler_hip_api_args_t args;

	fake_start(want_malloc);
	fill(&runtime, 0, RUNTIME_COUNT);
	set("hip", 0, &runtime);
	for (uint32_t slot = 0; slot < RUNTIME_COUNT; slot++)
		call(runtime.functions[slot], slot, slot, &args);
	CHECK_EQUAL(told.enters, 1);
	CHECK_EQUAL(told.operation, MALLOC);
}

/* Nothing after a table's end is read, and entries beyond ours stay as they are. */
static void sizes(void)
{
	static const uint32_t counts[] = {
		0, 1, MALLOC, MALLOC + 1, RUNTIME_COUNT - 1, RUNTIME_COUNT + NEWER};
	rocprofiler_hip_api_args_t args;

	fake_start(want_all);
	CHECK_OK(rocprofiler_start_context(context));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		fill(&runtime, 0, counts[i]);
		runtime.functions[RUNTIME_COUNT / 2] = NULL;
		set("hip", 0, &runtime);
		CHECK_EQUAL(runtime.size, (counts[i] + 1) * sizeof(void *));
		for (uint32_t slot = 0; slot < SLOTS; slot++) {
			bool ours = slot < counts[i] && slot < RUNTIME_COUNT;
			void *there = runtime.functions[slot];

			if (slot == RUNTIME_COUNT / 2)
				CHECK(!there);
			else if (slot != CHANNEL)
				CHECK((there != stubs[slot]) == ours);
			if (ours && there)
				call(there, slot, slot, &args);
		}
	}
	runtime.size = 3;
	runtime.functions[0] = stubs[0];
	set("hip", 0, &runtime);
	CHECK(runtime.functions[0] == stubs[0]);
}

/* One HIP's calls go to its own functions; what is handed in again is not wrapped again. */
static void two_instances(void)
{
	static struct table other, third;
	rocprofiler_hip_api_args_t args;
	void *before;

	set_both();
	fill(&other, 0, RUNTIME_COUNT);
	fill(&third, 0, RUNTIME_COUNT);
	for (uint32_t i = 0; i < RUNTIME_COUNT; i++) {
		other.functions[i] = stubs[i ^ 1];
		third.functions[i] = stubs[i ^ 2];
	}
	set("hip", 1, &other);
	set("hip", 2, &third);
	before = runtime.functions[MALLOC];
	set("hip", 3, &runtime);
	CHECK(runtime.functions[MALLOC] == before);
	runtime.functions[MALLOC] = stubs[MALLOC];
	set("hip", 4, &runtime);
	CHECK(runtime.functions[MALLOC] == before);
	CHECK_OK(rocprofiler_start_context(context));
	for (uint32_t slot = 0; slot < RUNTIME_COUNT; slot++) {
		if (slot == CHANNEL)
			continue;
		forget();
		call(runtime.functions[slot], slot, slot, &args);
		call(other.functions[slot], slot, slot ^ 1, &args);
		CHECK_EQUAL(told.enters, 2);
		CHECK_EQUAL(told.exits, 2);
		call(third.functions[slot], slot, slot ^ 2, &args);
		CHECK_EQUAL(told.enters, 2);
	}
}

/* A call inside of a call of HIP, as hipFree() may make it. */
static void call_malloc(void)
{
	rocprofiler_hip_api_args_t args;

	inside = NULL;
	call(runtime.functions[MALLOC], MALLOC, MALLOC, &args);
	CHECK(told.ancestor);
	heard_times--;
}

static void one_inside_of_another_belongs_to_it(void)
{
	uint32_t slot = ROCPROFILER_HIP_RUNTIME_API_ID_hipFree;
	struct words w;

	set_both();
	CHECK_OK(rocprofiler_start_context(context));
	fill_words(&w, slot);
	inside = call_malloc;
	pass(runtime.functions[slot], &w);
	CHECK_EQUAL(told.enters, 2);
	CHECK_EQUAL(told.exits, 2);
	CHECK_EQUAL(told.operation, slot);
}

/* ---- what throws ---- */

static void call_any(void *slot)
{
	rocprofiler_hip_api_args_t args;

	call(function_in(*(uint32_t *)slot), *(uint32_t *)slot, *(uint32_t *)slot, &args);
}

static void throw_from_hip(void)
{
	inside = NULL;
	throw_something();
}

/* Afterwards the thread is in no call. */
static void check_afterwards(uint32_t slot)
{
	rocprofiler_hip_api_args_t args;

	throws_at_enter = throws_at_exit = false;
	CHECK_OK(rocprofiler_flush_buffer(buffer));
	forget();
	call(function_in(slot), slot, slot, &args);
	check_told(slot, &args);
}

static void throwing(void)
{
	uint32_t slots[] = {MALLOC, FIRST_COMPILER,
			    FIRST_COMPILER + ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterVar};

	set_both();
	CHECK_OK(rocprofiler_start_context(context));
	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		forget();
		throws_at_enter = true;
		CHECK(catches(call_any, &slots[i]));
		CHECK(!told.exits);
		check_afterwards(slots[i]);
		throws_at_exit = true;
		CHECK(catches(call_any, &slots[i]));
		check_afterwards(slots[i]);
		forget();
		inside = throw_from_hip;
		CHECK(catches(call_any, &slots[i]));
		CHECK(told.enters == 1 && !told.exits);
		check_afterwards(slots[i]);
	}
}

/* ---- a tool's own functions ---- */

static hipError_t (*ours)(void **ptr, size_t size);
static uint32_t before_us;

static hipError_t tools_malloc(void **ptr, size_t size)
{
	CHECK_EQUAL(told.enters, told.exits);
	before_us++;
	return ours(ptr, size);
}

static void show(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
		 void **tables, uint64_t count, void *arg)
{
	struct table *t = tables[0];

	CHECK_EQUAL(type, ROCPROFILER_HIP_RUNTIME_TABLE);
	CHECK(t == &runtime && count == 1 && version == 60443 && !instance);
	*(void **)&ours = t->functions[MALLOC];
	t->functions[MALLOC] = tools_malloc;
}

static int want_table(rocprofiler_client_finalize_t end, void *data)
{
	CHECK_OK(rocprofiler_at_intercept_table_registration(show, ROCPROFILER_HIP_RUNTIME_TABLE,
							     NULL));
	return want_all(end, data);
}

static void tools_functions_are_around_ours(void)
{
	rocprofiler_hip_api_args_t args;

	fake_start(want_table);
	fill(&runtime, 0, RUNTIME_COUNT);
	set("hip", 0, &runtime);
	CHECK((void *)ours != stubs[MALLOC]);
	CHECK_OK(rocprofiler_start_context(context));
	call(runtime.functions[MALLOC], MALLOC, MALLOC, &args);
	CHECK_EQUAL(before_us, 1);
	check_told(MALLOC, &args);
}

/* ---- functions that are exported ---- */

#define VAR (FIRST_COMPILER + ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterVar)

/* HIP's own goes through its table, once it has handed that in. */
static void exported(void **modules, void *var, char *host, char *device, int ext, size_t size,
		     int constant, int global)
{
	void (*in_table)(void **, void *, char *, char *, int, size_t, int, int) =
		compiler.size ? function_in(VAR) : (void *)stubs[VAR];

	in_table(modules, var, host, device, ext, size, constant, global);
}

static void what_is_exported_is_told_of_until_the_table_comes(void)
{
	void *wrapper = hip_tables__wrap_export("__hipRegisterVar", exported);
	rocprofiler_hip_api_args_t args;

	CHECK(wrapper && wrapper != exported);
	call(wrapper, VAR, VAR, &args);
	fake_start(want_all);
	CHECK_OK(rocprofiler_start_context(context));
	call(wrapper, VAR, VAR, &args);
	check_told(VAR, &args);
	fill(&compiler, FIRST_COMPILER, COMPILER_COUNT);
	set("hip_compiler", 0, &compiler);
	forget();
	call(wrapper, VAR, VAR, &args);
	check_told(VAR, &args);
}

/* ---- threads ---- */

static bool done;

static void *call_until_done(void *arg)
{
	rocprofiler_hip_api_args_t args;

	for (int i = 0; !__atomic_load_n(&done, __ATOMIC_RELAXED); i = (i + 1) % RUNTIME_COUNT)
		call(runtime.functions[i], i, i, &args);
	return NULL;
}

static void on_call_of_thread(rocprofiler_callback_tracing_record_t r,
			      rocprofiler_user_data_t *user, void *arg)
{
	bool enter = r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;

	__atomic_add_fetch(enter ? &told.enters : &told.exits, 1, __ATOMIC_RELAXED);
}

static int want_of_threads(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	want_calls(context, on_call_of_thread, NULL);
	return 0;
}

static void threads(void)
{
	pthread_t thread[2];

	fake_start(want_of_threads);
	fill(&runtime, 0, RUNTIME_COUNT);
	set("hip", 0, &runtime);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&thread[i], NULL, call_until_done, NULL));
	for (int i = 0; i < 100 || !__atomic_load_n(&told.enters, __ATOMIC_RELAXED); i++) {
		CHECK_OK(rocprofiler_start_context(context));
		usleep(100);
		CHECK_OK(rocprofiler_stop_context(context));
	}
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CHECK_EQUAL(told.enters, told.exits);
}

IN_CHILD(each_function_is_wrapped_and_told_of)
IN_CHILD(nobody_wants_them)
IN_CHILD(one_is_wanted)
IN_CHILD(sizes)
IN_CHILD(two_instances)
IN_CHILD(one_inside_of_another_belongs_to_it)
IN_CHILD(throwing)
IN_CHILD(tools_functions_are_around_ours)
IN_CHILD(what_is_exported_is_told_of_until_the_table_comes)
IN_CHILD(threads)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(each_function_is_wrapped_and_told_of),
		CHILD_TEST(nobody_wants_them),
		CHILD_TEST(one_is_wanted),
		CHILD_TEST(sizes),
		CHILD_TEST(two_instances),
		CHILD_TEST(one_inside_of_another_belongs_to_it),
		CHILD_TEST(throwing),
		CHILD_TEST(tools_functions_are_around_ours),
		CHILD_TEST(what_is_exported_is_told_of_until_the_table_comes),
		CHILD_TEST(threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
