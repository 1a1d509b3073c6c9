// SPDX-License-Identifier: MIT
/*
 * Code objects: which are loaded, where, and from which file or memory.
 *
 * An executable holds one code object for each device that it was loaded for. They are written to
 * the meta log when it is frozen, before their kernels, which name them; that they are unloaded is
 * written when the executable has been destroyed. The runtime's loader reports them, and keeps a
 * copy of what it has loaded in the host's memory: kernel descriptors are read from there, as the
 * GPU's memory may be out of the CPU's reach.
 */
#include <stdlib.h>
#include <string.h>

#include "hsa_agent/gpu/code_objects.h"
#include "hsa_agent/ring/meta_name.h"
#include "inprocess/kernel_clock.h"
#include <hsa/hsa_ven_amd_loader.h>

#define INFO(what) HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_##what

struct code {
	struct code *next;
	hsa_executable_t executable;
	uint64_t base, size;
	uint32_t id, device, kernels;
};

static hsa_ven_amd_loader_1_01_pfn_t loader; /* zero: this runtime has none */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct code *loaded;
static uint32_t last_id;

void code_objects__init(void)
{
	if (hsa.core.hsa_system_get_major_extension_table_fn(HSA_EXTENSION_AMD_LOADER, 1,
							     sizeof(loader), &loader))
		memset(&loader, 0, sizeof(loader));
}

bool code_objects__descriptor(uint64_t kernel_object, void *descriptor)
{
	const void *host = NULL;

	if (!loader.hsa_ven_amd_loader_query_host_address ||
	    loader.hsa_ven_amd_loader_query_host_address((const void *)kernel_object, &host) ||
	    !host)
		return false;
	memcpy(descriptor, host, DESCRIPTOR_SIZE);
	return true;
}

uint32_t code_objects__of_kernel(uint64_t kernel_object)
{
	uint32_t id = 0;

	pthread_mutex_lock(&lock);
	for (struct code *c = loaded; c && !id; c = c->next) {
		if (kernel_object - c->base >= c->size)
			continue;
		c->kernels++;
		id = c->id;
	}
	pthread_mutex_unlock(&lock);
	return id;
}

static void tell(const struct code *c, enum rt_agent_what what, uint64_t begin)
{
	uint64_t pos;
	struct rt_agent_rec *rec = agent__claim(RT_AGENT_CODE, what, begin, &pos);

	if (!rec)
		return;
	rec->resource.agent = c->device;
	rec->resource.id = c->id;
	rec->resource.address = c->base;
	rec->resource.bytes = c->size;
	rec->resource.other = c->kernels;
	shared_memory__publish(rec, pos);
}

/* ---- loading ---- */

/* Where it came from, its length in *len; NULL: not known. To be freed. */
static char *get_uri(hsa_loaded_code_object_t object, uint32_t *len)
{
	char *uri;

	*len = 0;
	if (loader.hsa_ven_amd_loader_loaded_code_object_get_info(object, INFO(URI_LENGTH), len))
		return NULL;
	uri = calloc(1, (size_t)*len + 1);
	if (uri && !loader.hsa_ven_amd_loader_loaded_code_object_get_info(object, INFO(URI), uri)) {
		*len = strlen(uri);
		return uri;
	}
	free(uri);
	return NULL;
}

static void write_meta(const struct code *c, hsa_loaded_code_object_t object)
{
	struct rt_meta_code *rec;
	uint32_t len, full;
	char *uri = get_uri(object, &len);
	int64_t delta = 0;

	loader.hsa_ven_amd_loader_loaded_code_object_get_info(object, INFO(LOAD_DELTA), &delta);
	if (!uri)
		len = 0;
	full = len;
	if (len > RT_META_NAME_MAX)
		len = RT_META_NAME_MAX;
	rec = calloc(1, sizeof(*rec) + len + 8);
	if (rec) {
		rec->h.kind = RT_META_CODE;
		rec->h.size = (sizeof(*rec) + len + 8) & ~7u;
		rec->base = c->base;
		rec->size = c->size;
		rec->delta = delta;
		rec->time = kernel_clock__boot_ns();
		rec->id = c->id;
		rec->agent = c->device;
		rec->tid = agent__tid();
		rec->uri_len = len;
		if (len)
			rt_meta_put_name(rec->uri, uri, full);
		shared_memory__meta(&agent.shm, &rec->h);
	} else {
		shared_memory__lose_meta(&agent.shm);
	}
	free(rec);
	free(uri);
}

static hsa_status_t on_object(hsa_executable_t executable, hsa_loaded_code_object_t object,
			      void *arg)
{
	__typeof__(loader.hsa_ven_amd_loader_loaded_code_object_get_info) get =
		loader.hsa_ven_amd_loader_loaded_code_object_get_info;
	struct code *c = calloc(1, sizeof(*c));
	hsa_agent_t device;

	if (!c) {
		shared_memory__lose_meta(&agent.shm);
		return HSA_STATUS_SUCCESS;
	}
	if (get(object, INFO(AGENT), &device) || get(object, INFO(LOAD_BASE), &c->base) ||
	    get(object, INFO(LOAD_SIZE), &c->size)) {
		free(c);
		return HSA_STATUS_SUCCESS;
	}
	c->executable = executable;
	c->device = device__id(device);
	c->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	write_meta(c, object);
	pthread_mutex_lock(&lock);
	c->next = loaded;
	loaded = c;
	pthread_mutex_unlock(&lock);
	return HSA_STATUS_SUCCESS;
}

void code_objects__loaded(hsa_executable_t executable)
{
	if (loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects)
		loader.hsa_ven_amd_loader_executable_iterate_loaded_code_objects(executable,
										 on_object, NULL);
}

void code_objects__tell_loaded(hsa_executable_t executable, uint64_t begin)
{
	pthread_mutex_lock(&lock);
	for (const struct code *c = loaded; c; c = c->next)
		if (c->executable.handle == executable.handle)
			tell(c, RT_WHAT_CODE_LOAD, begin);
	pthread_mutex_unlock(&lock);
}

/* ---- unloading ---- */

struct code *code_objects__take(hsa_executable_t executable)
{
	struct code *taken = NULL;

	pthread_mutex_lock(&lock);
	for (struct code **link = &loaded, *c; (c = *link);) {
		if (c->executable.handle == executable.handle) {
			*link = c->next;
			c->next = taken;
			taken = c;
		} else {
			link = &c->next;
		}
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

struct code *code_objects__take_all(void)
{
	struct code *taken;

	pthread_mutex_lock(&lock);
	taken = loaded;
	loaded = NULL;
	pthread_mutex_unlock(&lock);
	return taken;
}

static void bury(struct code *c, uint64_t begin)
{
	struct rt_meta_code_end rec = {.h = {RT_META_CODE_END, sizeof(rec)}};

	rec.id = c->id;
	rec.tid = agent__tid();
	rec.time = kernel_clock__boot_ns();
	shared_memory__meta(&agent.shm, &rec.h);
	tell(c, RT_WHAT_CODE_UNLOAD, begin);
	free(c);
}

void code_objects__unloaded(struct code *taken, uint64_t begin)
{
	for (struct code *next; taken; taken = next) {
		next = taken->next;
		bury(taken, begin);
	}
}

void code_objects__put_back(struct code *taken)
{
	struct code *last = taken;

	if (!taken)
		return;
	while (last->next)
		last = last->next;
	pthread_mutex_lock(&lock);
	last->next = loaded;
	loaded = taken;
	pthread_mutex_unlock(&lock);
}

void code_objects__forked(void)
{
	pthread_mutex_init(&lock, NULL);
	loaded = NULL;
}
