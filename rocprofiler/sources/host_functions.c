// SPDX-License-Identifier: MIT
/*
 * Keeps what is registered, by the names of kernels, until its fat binary is unregistered.
 */
#include "rocprofiler/sources/host_functions.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/pointer_map.h"
#include "inprocess/peek.h"
#include "rocprofiler/sources/hip_tables.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/support/strings.h"

#define WRAPPER_MAGIC 0x48495046 /* "HIPF" */
#define BUNDLE_MAGIC  "__CLANG_OFFLOAD_BUNDLE__"
#define SUFFIX	      ".kd"
#define ORIGINAL(instance, name) \
	hip_tables__original(instance, ROCPROFILER_HIP_COMPILER_API_ID_##name)

/* What __hipRegisterFatBinary() is given. */
struct wrapper {
	uint32_t magic, version;
	const void *binary;
	void *unused;
};

/* The start of `binary`, unless it is compressed; entries with the targets' names follow. */
struct bundle {
	char magic[sizeof(BUNDLE_MAGIC) - 1];
	uint64_t count;
};

struct bundle_entry {
	uint64_t offset, size, name_length; /* the name, and then the next entry */
};

struct function {
	struct function *next_of_name, *next_of_binary;
	const struct binary *binary;
	host_function_data data;
};

struct binary {
	uint64_t begin, end; /* 0: not known */
	struct function *functions;
};

static struct map by_name = MAP_INIT;	 /* a string that is kept; the first function */
static struct map by_modules = MAP_INIT; /* what HIP calls a binary */
static uint64_t last_id;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lose(void)
{
	say("no memory: host functions of kernels are not known");
}

static void *get(const struct map *map, const void *key)
{
	return (void *)pointer_map__get(map, (uintptr_t)key);
}

static bool put(struct map *map, const void *key, const void *value)
{
	return !pointer_map__put(map, (uintptr_t)key, (uintptr_t)value);
}

/* ---- binaries ---- */

/* What cannot be read counts no more. */
static uint64_t size_of(const struct bundle *bundle)
{
	const char *at = (const char *)(bundle + 1);
	struct bundle_entry e;
	struct bundle b;
	uint64_t size = 0;

	if (!peek__all(&b, bundle, sizeof(b)) || memcmp(b.magic, BUNDLE_MAGIC, sizeof(b.magic)))
		return 0;
	for (uint64_t i = 0; i < b.count && peek__all(&e, at, sizeof(e)); i++) {
		if (e.offset + e.size > size)
			size = e.offset + e.size;
		at += sizeof(e) + e.name_length;
	}
	return size;
}

static struct binary *make_binary(const struct wrapper *wrapper)
{
	struct binary *b = calloc(1, sizeof(*b));
	struct wrapper w;

	if (b && peek__all(&w, wrapper, sizeof(w)) && w.magic == WRAPPER_MAGIC && w.binary) {
		b->begin = (uintptr_t)w.binary;
		b->end = b->begin + size_of(w.binary);
	}
	return b;
}

static void add_binary(void **modules, const void *wrapper)
{
	struct binary *b;

	pthread_mutex_lock(&lock);
	if (modules && !get(&by_modules, modules)) {
		b = make_binary(wrapper);
		if (!b || !put(&by_modules, modules, b)) {
			lose();
			free(b);
		}
	}
	pthread_mutex_unlock(&lock);
}

/* ---- functions ---- */

/* HIP does not read these: what compilers hand in may be anything. */
static rocprofiler_dim3_t dim_at(const void *place)
{
	struct {
		uint32_t x, y, z;
	} d;

	return place && peek__all(&d, place, sizeof(d)) ? (rocprofiler_dim3_t){d.x, d.y, d.z}
							: (rocprofiler_dim3_t){0};
}

static int int_at(const int *place)
{
	int value;

	return place && peek__all(&value, place, sizeof(value)) ? value : 0;
}

/* NULL: it cannot be read, or no memory. */
static const char *keep_string_at(const char *place)
{
	char *copy = peek__strdup(place);
	const char *kept = copy ? strings__keep(copy) : NULL;

	free(copy);
	return kept;
}

static void link_by_name(struct function *f)
{
	struct function *first = get(&by_name, f->data.device_function);

	while (first && first->next_of_name)
		first = first->next_of_name;
	if (first)
		first->next_of_name = f;
	else if (!put(&by_name, f->data.device_function, f))
		lose();
}

static void add_function(const host_function_data *d)
{
	struct binary *b;
	struct function *f;

	pthread_mutex_lock(&lock);
	b = get(&by_modules, d->modules.ptr);
	f = b ? calloc(1, sizeof(*f)) : NULL;
	if (f) {
		f->data = *d;
		f->binary = b;
		f->next_of_binary = b->functions;
		b->functions = f;
		link_by_name(f);
	}
	pthread_mutex_unlock(&lock);
}

static void unlink_by_name(const struct function *f)
{
	struct function *other = get(&by_name, f->data.device_function);

	if (other == f && f->next_of_name)
		put(&by_name, f->data.device_function, f->next_of_name);
	else if (other == f)
		pointer_map__remove(&by_name, (uintptr_t)f->data.device_function);
	while (other && other->next_of_name != f)
		other = other->next_of_name;
	if (other)
		other->next_of_name = f->next_of_name;
}

static void remove_binary(void **modules)
{
	struct binary *b;

	pthread_mutex_lock(&lock);
	b = get(&by_modules, modules);
	if (b)
		pointer_map__remove(&by_modules, (uintptr_t)modules);
	for (struct function *f = b ? b->functions : NULL, *next; f; f = next) {
		next = f->next_of_binary;
		unlink_by_name(f);
		free(f);
	}
	free(b);
	pthread_mutex_unlock(&lock);
}

/* ---- looking up ---- */

/* NULL: no memory. */
static const char *name_of(const char *symbol)
{
	size_t length = strlen(symbol), suffix = strlen(SUFFIX);
	const char *kept;
	char *name;

	if (length <= suffix || strcmp(symbol + length - suffix, SUFFIX))
		return NULL;
	name = strndup(symbol, length - suffix);
	kept = name ? strings__keep(name) : NULL;
	free(name);
	return kept;
}

static bool has_code(const struct function *f, uint64_t code)
{
	return code && code >= f->binary->begin && code < f->binary->end;
}

bool host_functions__find(const char *symbol, uint64_t code, host_function_data *data)
{
	const char *name = name_of(symbol);
	const struct function *first, *f;

	if (!name)
		return false;
	pthread_mutex_lock(&lock);
	first = f = get(&by_name, name);
	while (f && !has_code(f, code))
		f = f->next_of_name;
	f = f ? f : first;
	if (f)
		*data = f->data;
	pthread_mutex_unlock(&lock);
	if (f)
		data->host_function_id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	return f;
}

/* ---- what is called ---- */

static void **register_binary(uint32_t instance, const void *wrapper)
{
	void **(*original)(const void *) = ORIGINAL(instance, __hipRegisterFatBinary);
	void **modules = original(wrapper);

	add_binary(modules, wrapper);
	return modules;
}

static void unregister_binary(uint32_t instance, void **modules)
{
	void (*original)(void **) = ORIGINAL(instance, __hipUnregisterFatBinary);

	remove_binary(modules);
	original(modules);
}

#define PARAMS                                                                                     \
	void **modules, const void *host_function, char *device_function, const char *device_name, \
		unsigned int thread_limit, uint3 *tid, uint3 *bid, dim3 *block_dim,                \
		dim3 *grid_dim, int *size
#define ARGS                                                                                     \
	modules, host_function, device_function, device_name, thread_limit, tid, bid, block_dim, \
		grid_dim, size

static void register_function(uint32_t instance, PARAMS)
{
	void (*original)(PARAMS) = ORIGINAL(instance, __hipRegisterFunction);
	host_function_data d = {
		.size = sizeof(d),
		.host_function.ptr = (void *)host_function,
		.modules.ptr = modules,
		.device_function = keep_string_at(device_function),
		.thread_limit = thread_limit,
		.thread_ids = dim_at(tid),
		.block_ids = dim_at(bid),
		.block_dims = dim_at(block_dim),
		.grid_dims = dim_at(grid_dim),
		.workgroup_size = int_at(size),
	};

	add_function(&d);
	original(ARGS);
}

#define INSTANCE(i)                                            \
	static void **register_binary_##i(const void *wrapper) \
	{                                                      \
		return register_binary(i, wrapper);            \
	}                                                      \
                                                               \
	static void register_function_##i(PARAMS)              \
	{                                                      \
		register_function(i, ARGS);                    \
	}                                                      \
                                                               \
	static void unregister_binary_##i(void **modules)      \
	{                                                      \
		unregister_binary(i, modules);                 \
	}

INSTANCE(0)
INSTANCE(1)
INSTANCE(2)

#define FUNCTIONS(i)                                                              \
	{                                                                         \
		register_binary_##i, register_function_##i, unregister_binary_##i \
	}

static void *const functions[][3] = {FUNCTIONS(0), FUNCTIONS(1), FUNCTIONS(2)};
_Static_assert(sizeof(functions) / sizeof(functions[0]) == HIP_INSTANCES, "instances");

void *host_functions__around(uint32_t instance, rocprofiler_hip_compiler_api_id_t function)
{
	switch (function) {
	case ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterFatBinary:
		return functions[instance][0];
	case ROCPROFILER_HIP_COMPILER_API_ID___hipRegisterFunction:
		return functions[instance][1];
	case ROCPROFILER_HIP_COMPILER_API_ID___hipUnregisterFatBinary:
		return functions[instance][2];
	default:
		return NULL;
	}
}

/* Another thread may have held them. */
static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&by_name.lock, NULL);
	pthread_mutex_init(&by_modules.lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}
