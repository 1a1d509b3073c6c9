// SPDX-License-Identifier: MIT
/*
 * An executable holds a code object for each GPU that it was loaded for. They are known once it is
 * frozen, when its kernels have their addresses, until it is destroyed. The host function by which
 * the program launches a kernel is reported after the kernel.
 *
 * A load is reported to the contexts that are active at that time. The unload is reported to the
 * same contexts, even if they have been stopped since. What is loaded while no context is active is
 * UNTOLD: it is reported when the next executable is frozen while a context is active, as
 * librocprofiler-sdk 1.0 does. No lock is held during callbacks: if an object is destroyed during
 * its callbacks, the thread that makes them reports the unload, too.
 */
#include "rocprofiler/sources/code_objects.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/kernel_descriptor.h"
#include "inprocess/pointer_map.h"
#include "rocprofiler/sources/host_functions.h"
#include "rocprofiler/sources/hsa_functions.h"
#include "rocprofiler/service/operation.h"
#include "rocprofiler/service/runtimes.h"
#include "rocprofiler/support/say.h"
#include "rocprofiler/support/strings.h"
#include "rocprofiler/service/thread.h"

#define KIND	     ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT
#define OBJECT	     ROCPROFILER_CODE_OBJECT_LOAD
#define SYMBOL	     ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER
#define HOST_SYMBOL  ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER
#define LOAD	     ROCPROFILER_CALLBACK_PHASE_LOAD
#define UNLOAD	     ROCPROFILER_CALLBACK_PHASE_UNLOAD
#define ENTRY_OFFSET 16 /* in a kernel's descriptor */

#define OBJECT_INFO(what, value)                                             \
	hsa_functions.loader.hsa_ven_amd_loader_loaded_code_object_get_info( \
		object, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_##what, value)
#define SYMBOL_INFO(what, value)                              \
	hsa_functions.core.hsa_executable_symbol_get_info_fn( \
		symbol, HSA_EXECUTABLE_SYMBOL_INFO_##what, value)

typedef rocprofiler_callback_tracing_code_object_load_data_t object_data;
typedef rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t symbol_data;

struct symbol {
	struct symbol *next;
	struct operation *told, *host_told; /* NULL: not reported */
	symbol_data data;
	host_function_data host;
};

enum state {
	UNTOLD,
	TELLING,
	TOLD,
};

struct code_object {
	struct code_object *next, *next_telling;
	hsa_executable_t executable;
	enum state state;
	bool gone; /* unloaded while it was being reported */
	struct operation *told;
	object_data data;
	struct symbol *symbols, **symbols_end;
};

static struct code_object *objects; /* as they were loaded */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map kernel_ids = MAP_INIT;
static uint64_t last_object_id, last_kernel_id;

static void forked(void)
{
	pthread_mutex_init(&lock, NULL);
	pthread_mutex_init(&kernel_ids.lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

uint64_t code_objects__kernel_id(uint64_t kernel_object)
{
	return pointer_map__get(&kernel_ids, kernel_object);
}

static void lose(void)
{
	say("no memory: code that was loaded is not known");
}

/* ---- callbacks ---- */

/* NULL: no context wants it. */
static struct operation *tell_load(uint32_t number, void *payload)
{
	struct operation *o = malloc(sizeof(*o));

	if (!o) {
		lose();
		return NULL;
	}
	if (!operation__prepare(o, KIND, ROCPROFILER_BUFFER_TRACING_NONE, OPERATION_ANY, 0)) {
		free(o);
		return NULL;
	}
	operation__tell_caught(o, number, LOAD, payload);
	return o;
}

static void tell_unload(struct operation *o, uint32_t number, void *payload)
{
	if (!o)
		return;
	o->thread_id = thread__tid();
	operation__tell_caught(o, number, UNLOAD, payload);
	operation__abandon(o);
	free(o);
}

/* The address in memory that its code was loaded from; 0: it was loaded from elsewhere. */
static uint64_t memory_of(const object_data *d)
{
	return d->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY ? d->memory_base : 0;
}

static void tell_symbol(const struct code_object *o, struct symbol *s)
{
	s->told = tell_load(SYMBOL, &s->data);
	if (!host_functions__find(s->data.kernel_name, memory_of(&o->data), &s->host))
		return;
	s->host.kernel_id = s->data.kernel_id;
	s->host.code_object_id = s->data.code_object_id;
	s->host_told = tell_load(HOST_SYMBOL, &s->host);
}

static void tell_object(struct code_object *o)
{
	o->told = tell_load(OBJECT, &o->data);
	for (struct symbol *s = o->symbols; s && o->told; s = s->next)
		tell_symbol(o, s);
}

/* Reports the unload if the load was reported, and frees the object. */
static void bury(struct code_object *o)
{
	for (struct symbol *s = o->symbols, *next; s; s = next) {
		next = s->next;
		tell_unload(s->host_told, HOST_SYMBOL, &s->host);
		tell_unload(s->told, SYMBOL, &s->data);
		pointer_map__remove(&kernel_ids, s->data.kernel_object);
		free(s);
	}
	tell_unload(o->told, OBJECT, &o->data);
	free(o);
}

/* The objects to report, if a context wants them; under the lock. */
static struct code_object *claim(void)
{
	struct code_object *first = NULL, **end = &first;

	if (!service__any(KIND, ROCPROFILER_BUFFER_TRACING_NONE))
		return NULL;
	for (struct code_object *o = objects; o; o = o->next) {
		if (o->state != UNTOLD)
			continue;
		o->state = TELLING;
		*end = o;
		end = &o->next_telling;
	}
	*end = NULL;
	return first;
}

/* False: it was unloaded meanwhile. */
static bool settle(struct code_object *o)
{
	bool gone;

	pthread_mutex_lock(&lock);
	o->state = o->told ? TOLD : UNTOLD;
	gone = o->gone;
	pthread_mutex_unlock(&lock);
	return !gone;
}

static void tell_all(struct code_object *first)
{
	for (struct code_object *o = first, *next; o; o = next) {
		next = o->next_telling;
		tell_object(o);
		if (!settle(o))
			bury(o);
	}
}

/* ---- kernels ---- */

static void fill_from_descriptor(symbol_data *d, const char *gfx)
{
	const void *host = NULL;
	struct registers r;

	if (!hsa_functions.loader.hsa_ven_amd_loader_query_host_address ||
	    hsa_functions.loader.hsa_ven_amd_loader_query_host_address(
		    (const void *)d->kernel_object, &host) ||
	    !host)
		return;
	kernel_descriptor__registers(host, gfx, &r);
	d->arch_vgpr_count = r.vgprs;
	d->accum_vgpr_count = r.accum;
	d->sgpr_count = r.sgprs;
	memcpy(&d->kernel_code_entry_byte_offset, (const char *)host + ENTRY_OFFSET,
	       sizeof(d->kernel_code_entry_byte_offset));
	d->kernel_address.handle = d->kernel_object + d->kernel_code_entry_byte_offset;
}

static const char *name_of(hsa_executable_symbol_t symbol)
{
	const char *kept = NULL;
	uint32_t length = 0;
	char *name;

	SYMBOL_INFO(NAME_LENGTH, &length);
	name = calloc(1, (size_t)length + 1);
	if (name && !SYMBOL_INFO(NAME, name))
		kept = strings__keep(name);
	free(name);
	return kept ? kept : "";
}

/* Is it a kernel, and of this code object? */
static bool is_ours(const struct code_object *o, hsa_executable_symbol_t symbol, uint64_t *address)
{
	hsa_symbol_kind_t kind;

	return !SYMBOL_INFO(TYPE, &kind) && kind == HSA_SYMBOL_KIND_KERNEL &&
	       !SYMBOL_INFO(KERNEL_OBJECT, address) &&
	       *address - o->data.load_base < o->data.load_size;
}

static hsa_status_t add_symbol(hsa_executable_t executable, hsa_agent_t agent,
			       hsa_executable_symbol_t symbol, void *arg)
{
	struct code_object *o = arg;
	uint64_t address;
	struct symbol *s;
	symbol_data *d;

	if (!is_ours(o, symbol, &address))
		return HSA_STATUS_SUCCESS;
	s = calloc(1, sizeof(*s));
	if (!s) {
		lose();
		return HSA_STATUS_SUCCESS;
	}
	d = &s->data;
	d->size = sizeof(*d);
	d->code_object_id = o->data.code_object_id;
	d->kernel_name = name_of(symbol);
	d->kernel_object = address;
	SYMBOL_INFO(KERNEL_KERNARG_SEGMENT_SIZE, &d->kernarg_segment_size);
	SYMBOL_INFO(KERNEL_KERNARG_SEGMENT_ALIGNMENT, &d->kernarg_segment_alignment);
	SYMBOL_INFO(KERNEL_GROUP_SEGMENT_SIZE, &d->group_segment_size);
	SYMBOL_INFO(KERNEL_PRIVATE_SEGMENT_SIZE, &d->private_segment_size);
	fill_from_descriptor(d, hsa_functions__agent(agent)->name);
	d->kernel_id = __atomic_add_fetch(&last_kernel_id, 1, __ATOMIC_RELAXED);
	if (pointer_map__put(&kernel_ids, address, d->kernel_id))
		lose();
	*o->symbols_end = s;
	o->symbols_end = &s->next;
	return HSA_STATUS_SUCCESS;
}

/* ---- code objects ---- */

/* Where the code has come from. False: from nowhere, it is the runtime's own. */
static bool fill_storage(hsa_loaded_code_object_t object, object_data *d)
{
	uint32_t type = 0;

	if (OBJECT_INFO(CODE_OBJECT_STORAGE_TYPE, &type))
		return false;
	d->storage_type = type;
	switch (type) {
	case ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE:
		return !OBJECT_INFO(CODE_OBJECT_STORAGE_FILE, &d->storage_file);
	case ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY:
		return !OBJECT_INFO(CODE_OBJECT_STORAGE_MEMORY_BASE, &d->memory_base) &&
		       !OBJECT_INFO(CODE_OBJECT_STORAGE_MEMORY_SIZE, &d->memory_size);
	default:
		return false;
	}
}

static const char *uri_of(hsa_loaded_code_object_t object)
{
	const char *kept = NULL;
	uint32_t length = 0;
	char *uri;

	if (OBJECT_INFO(URI_LENGTH, &length))
		return "";
	uri = calloc(1, (size_t)length + 1);
	if (uri && !OBJECT_INFO(URI, uri))
		kept = strings__keep(uri);
	free(uri);
	return kept ? kept : "";
}

static bool fill(hsa_loaded_code_object_t object, object_data *d)
{
	const rocprofiler_agent_t *agent;

	d->size = sizeof(*d);
	if (!fill_storage(object, d) || OBJECT_INFO(LOAD_BASE, &d->load_base) ||
	    OBJECT_INFO(LOAD_SIZE, &d->load_size) || OBJECT_INFO(LOAD_DELTA, &d->load_delta) ||
	    OBJECT_INFO(AGENT, &d->hsa_agent))
		return false;
	agent = hsa_functions__agent(d->hsa_agent);
	if (!agent)
		return false;
	d->agent_id = agent->id;
	d->uri = uri_of(object);
	d->code_object_id = __atomic_add_fetch(&last_object_id, 1, __ATOMIC_RELAXED);
	return true;
}

static hsa_status_t add_object(hsa_executable_t executable, hsa_loaded_code_object_t object,
			       void *arg)
{
	struct code_object ***end = arg, *o = calloc(1, sizeof(*o));

	if (!o) {
		lose();
		return HSA_STATUS_SUCCESS;
	}
	if (!fill(object, &o->data)) {
		free(o);
		return HSA_STATUS_SUCCESS;
	}
	o->executable = executable;
	o->symbols_end = &o->symbols;
	hsa_functions.core.hsa_executable_iterate_agent_symbols_fn(executable, o->data.hsa_agent,
								   add_symbol, o);
	**end = o;
	*end = &o->next;
	return HSA_STATUS_SUCCESS;
}

static struct code_object *find_loaded(hsa_executable_t executable)
{
	struct code_object *first = NULL, **end = &first;

	if (hsa_functions.loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects)
		hsa_functions.loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
			executable, add_object, &end);
	return first;
}

static void loaded(hsa_executable_t executable)
{
	struct code_object *found = find_loaded(executable), **end = &objects;

	pthread_mutex_lock(&lock);
	while (*end)
		end = &(*end)->next;
	*end = found;
	found = claim();
	pthread_mutex_unlock(&lock);
	tell_all(found);
}

/* An executable's objects, or all, the last one first; without those being reported now. */
static struct code_object *take(const hsa_executable_t *executable)
{
	struct code_object *taken = NULL;

	pthread_mutex_lock(&lock);
	for (struct code_object **at = &objects, *o; (o = *at);) {
		if (executable && o->executable.handle != executable->handle) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		o->gone = true;
		if (o->state != TELLING) {
			o->next = taken;
			taken = o;
		}
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

static void unloaded(const hsa_executable_t *executable)
{
	for (struct code_object *o = take(executable), *next; o; o = next) {
		next = o->next;
		bury(o);
	}
}

void code_objects__unload_all(void)
{
	unloaded(NULL);
}

/* ---- the functions in the table ---- */

static hsa_status_t freeze(hsa_executable_t executable, const char *options)
{
	hsa_status_t status = hsa_functions.core.hsa_executable_freeze_fn(executable, options);

	if (status == HSA_STATUS_SUCCESS)
		loaded(executable);
	return status;
}

/* The executable's kernels have ended, and are reported before its unload. */
static hsa_status_t destroy(hsa_executable_t executable)
{
	runtimes__have_told();
	unloaded(&executable);
	return hsa_functions.core.hsa_executable_destroy_fn(executable);
}

void code_objects__wrap(HsaApiTable *table)
{
	table->core_->hsa_executable_freeze_fn = freeze;
	table->core_->hsa_executable_destroy_fn = destroy;
}
