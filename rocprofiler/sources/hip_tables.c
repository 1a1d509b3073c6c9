// SPDX-License-Identifier: MIT
/*
 * A wrapper for each function of HIP's tables, and each HIP that may be in the process, of the
 * prototypes in rocprofiler/prototypes: whatever headers are installed, all that
 * librocprofiler-sdk 1.0 knows is there. While no context wants the function, its wrapper jumps to
 * the original.
 */
#include "rocprofiler/sources/hip_tables.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include <rocprofiler-sdk/callback_tracing.h>

#include "rocprofiler/sources/host_functions.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/service/registration.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/support/tables.h"
#include "rocprofiler/service/tools.h"

#define SLOW	       __attribute__((noinline)) /* called while a context wants it */
#define CALLBACK(kind) ROCPROFILER_CALLBACK_TRACING_##kind
#define BUFFER(kind)   ROCPROFILER_BUFFER_TRACING_##kind
#define FIRST_COMPILER N_HIP_COMPILER_API_ID___hipPopCallConfiguration

typedef rocprofiler_callback_tracing_hip_api_data_t payload_t;

/* Functions by their place in both tables, the runtime's first. */
enum {
#define HIP_FUNCTION(kind, id, ...)  N_##id,
#define HIP_PROCEDURE(kind, id, ...) N_##id,
#include "rocprofiler/hip_table_functions.inc"
#undef HIP_FUNCTION
#undef HIP_PROCEDURE
	FUNCTIONS
};
_Static_assert(N_HIP_COMPILER_API_ID___hipUnregisterFatBinary + 1 == FUNCTIONS, "order of tables");

static void *originals[FUNCTIONS][HIP_INSTANCES]; /* NULL: there is none */
static void *targets[FUNCTIONS][HIP_INSTANCES];	  /* what is called: that, or ours around it */
static uint8_t wanted[FUNCTIONS], exports_wanted[FUNCTIONS];
static bool have_runtime, have_compiler;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that */

/* ---- calls ---- */

/* Parameters have all kinds of names. */
#define TELL(kind, id, name, ...)                                                                  \
	payload_t payload_ = {.size = sizeof(payload_), .args.name = {__VA_ARGS__}};               \
	struct operation operation_ OPERATION_GUARDED;                                             \
	bool told_ = operation__begin(&operation_, CALLBACK(kind), BUFFER(kind), ROCPROFILER_##id, \
				      0, &payload_)

#define HIP_FUNCTION(kind, id, name, result, member, params, real_and_params, ...)     \
	SLOW static result tell_##id real_and_params                                   \
	{                                                                              \
		TELL(kind, id, name, __VA_ARGS__);                                     \
		result result_ = ((result(*) params)real_)(__VA_ARGS__);               \
                                                                                       \
		payload_.retval.member = result_;                                      \
		if (told_)                                                             \
			operation__end_call(&operation_, &payload_, sizeof(payload_)); \
		return result_;                                                        \
	}

#define HIP_PROCEDURE(kind, id, name, params, real_and_params, ...)                    \
	SLOW static void tell_##id real_and_params                                     \
	{                                                                              \
		TELL(kind, id, name, __VA_ARGS__);                                     \
                                                                                       \
		((void(*) params)real_)(__VA_ARGS__);                                  \
		if (told_)                                                             \
			operation__end_call(&operation_, &payload_, sizeof(payload_)); \
	}

#include "rocprofiler/hip_table_functions.inc"
#undef HIP_FUNCTION
#undef HIP_PROCEDURE

#define JUMP(instance, wants, result, name, params, tell, ...)                        \
	static result name params                                                     \
	{                                                                             \
		void *real_ = __atomic_load_n(&(instance), __ATOMIC_RELAXED);         \
                                                                                      \
		if (__builtin_expect(__atomic_load_n(&(wants), __ATOMIC_RELAXED), 0)) \
			return tell(real_, ##__VA_ARGS__);                            \
		return ((result(*) params)real_)(__VA_ARGS__);                        \
	}

#define JUMPS(id, result, params, ...)                                                       \
	JUMP(targets[N_##id][0], wanted[N_##id], result, wrap_0_##id, params, tell_##id,     \
	     ##__VA_ARGS__)                                                                  \
	JUMP(targets[N_##id][1], wanted[N_##id], result, wrap_1_##id, params, tell_##id,     \
	     ##__VA_ARGS__)                                                                  \
	JUMP(targets[N_##id][HIP_EXPORTS], exports_wanted[N_##id], result, wrap_export_##id, \
	     params, tell_##id, ##__VA_ARGS__)

#define HIP_FUNCTION(kind, id, name, result, member, params, real_and_params, ...) \
	JUMPS(id, result, params, ##__VA_ARGS__)
#define HIP_PROCEDURE(kind, id, name, params, real_and_params, ...) \
	JUMPS(id, void, params, ##__VA_ARGS__)
#include "rocprofiler/hip_table_functions.inc"
#undef HIP_FUNCTION
#undef HIP_PROCEDURE

#define WRAPPERS(id) {wrap_0_##id, wrap_1_##id, wrap_export_##id},

static void *const wrappers[FUNCTIONS][HIP_INSTANCES] = {
#define HIP_FUNCTION(kind, id, ...)  WRAPPERS(id)
#define HIP_PROCEDURE(kind, id, ...) WRAPPERS(id)
#include "rocprofiler/hip_table_functions.inc"
#undef HIP_FUNCTION
#undef HIP_PROCEDURE
};

/* ---- what is wanted ---- */

static bool is_wanted(uint32_t f)
{
	if (f < FIRST_COMPILER)
		return service__wanted(CALLBACK(HIP_RUNTIME_API), BUFFER(HIP_RUNTIME_API), f);
	return service__wanted(CALLBACK(HIP_COMPILER_API), BUFFER(HIP_COMPILER_API),
			       f - FIRST_COMPILER);
}

static void update_wanted(void)
{
	for (uint32_t f = have_runtime ? 0 : FIRST_COMPILER; f < FUNCTIONS; f++) {
		bool wants = is_wanted(f);

		__atomic_store_n(&wanted[f], wants, __ATOMIC_RELAXED);
		__atomic_store_n(&exports_wanted[f], wants && !have_compiler, __ATOMIC_RELAXED);
	}
}

/* The last thread to take the lock sees all changes. */
void hip_tables__services_changed(void)
{
	pthread_mutex_lock(&lock);
	update_wanted();
	pthread_mutex_unlock(&lock);
}

/* ---- the tables ---- */

/* A table is its size, and functions. */
struct table {
	size_t size;
	void *functions[];
};

/* The functions in both tables. */
struct span {
	uint32_t first, count;
};

static struct span span_of(rocprofiler_intercept_table_t type, const struct table *t)
{
	bool runtime = type == ROCPROFILER_HIP_RUNTIME_TABLE;
	uint32_t known = runtime ? FIRST_COMPILER : FUNCTIONS - FIRST_COMPILER;
	size_t there = t->size / sizeof(void *);

	there -= there > 0;
	return (struct span){runtime ? 0 : FIRST_COMPILER, there < known ? there : known};
}

static bool is_ours(uint32_t f, const void *function)
{
	for (uint32_t i = 0; i < HIP_INSTANCES; i++)
		if (wrappers[f][i] == function)
			return true;
	return false;
}

static bool has_all(uint32_t instance, const struct table *t, struct span s)
{
	for (uint32_t i = 0; i < s.count; i++) {
		uint32_t f = s.first + i;
		const void *there = t->functions[i];

		if (there && !is_ours(f, there) && originals[f][instance] &&
		    originals[f][instance] != there)
			return false;
	}
	return true;
}

static void *wrap(uint32_t f, uint32_t instance, void *original)
{
	void *around = NULL;

	if (f >= FIRST_COMPILER)
		around = host_functions__around(instance, f - FIRST_COMPILER);
	originals[f][instance] = original;
	__atomic_store_n(&targets[f][instance], around ? around : original, __ATOMIC_RELEASE);
	return wrappers[f][instance];
}

static void wrap_table(uint32_t instance, struct table *t, struct span s)
{
	for (uint32_t i = 0; i < s.count; i++) {
		void *there = t->functions[i];

		if (there && !is_ours(s.first + i, there))
			__atomic_store_n(&t->functions[i], wrap(s.first + i, instance, there),
					 __ATOMIC_RELEASE);
	}
}

void hip_tables__set(rocprofiler_intercept_table_t type, void *table)
{
	struct span s = span_of(type, table);
	uint32_t instance = 0;

	pthread_mutex_lock(&lock);
	while (instance < HIP_TABLES && !has_all(instance, table, s))
		instance++;
	if (instance < HIP_TABLES)
		wrap_table(instance, table, s);
	else
		say("calls of a third HIP in the process are not traced");
	__atomic_store_n(type == ROCPROFILER_HIP_RUNTIME_TABLE ? &have_runtime : &have_compiler,
			 true, __ATOMIC_RELEASE);
	update_wanted();
	pthread_mutex_unlock(&lock);
}

bool hip_tables__have(rocprofiler_callback_tracing_kind_t kind)
{
	switch (kind) {
	case ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API:
		return __atomic_load_n(&have_runtime, __ATOMIC_ACQUIRE);
	case ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API:
		return __atomic_load_n(&have_compiler, __ATOMIC_ACQUIRE);
	default:
		return false;
	}
}

void *hip_tables__original(uint32_t instance, rocprofiler_hip_compiler_api_id_t function)
{
	return originals[FIRST_COMPILER + function][instance];
}

/* ---- functions that are exported ---- */

/* HIP reports these itself, like other calls. */
static bool is_told_by_hip(uint32_t f)
{
	return f == N_HIP_COMPILER_API_ID___hipPopCallConfiguration ||
	       f == N_HIP_COMPILER_API_ID___hipPushCallConfiguration;
}

#define REGISTER_BINARY N_HIP_COMPILER_API_ID___hipRegisterFatBinary

/*
 * The first function of HIP that a program with kernels calls. A HIP that hands in tables has tools
 * look for then; where there are none, one may be forced later.
 */
static void **register_first(const void *data)
{
	__atomic_store_n(&targets[REGISTER_BINARY][HIP_EXPORTS],
			 host_functions__around(HIP_EXPORTS, REGISTER_BINARY - FIRST_COMPILER),
			 __ATOMIC_RELEASE);
	if (tools__are_there())
		registration__initialize();
	return wrap_export_HIP_COMPILER_API_ID___hipRegisterFatBinary(data);
}

static void *wrap_export(uint32_t f, void *original)
{
	pthread_mutex_lock(&lock);
	if (!originals[f][HIP_EXPORTS]) {
		wrap(f, HIP_EXPORTS, original);
		if (f == REGISTER_BINARY)
			targets[f][HIP_EXPORTS] = register_first;
	}
	pthread_mutex_unlock(&lock);
	return wrappers[f][HIP_EXPORTS];
}

void *hip_tables__wrap_export(const char *name, void *original)
{
	const struct sdk_kind *kind =
		tables__callback_kind(ROCPROFILER_CALLBACK_TRACING_HIP_COMPILER_API);

	for (uint32_t i = 0; i < kind->count; i++)
		if (!strcmp(kind->operations[i].name, name))
			return is_told_by_hip(FIRST_COMPILER + i)
				       ? NULL
				       : wrap_export(FIRST_COMPILER + i, original);
	return NULL;
}

/* Another thread may have held it. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}
