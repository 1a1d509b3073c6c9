// SPDX-License-Identifier: MIT
/*
 * What is wanted of the runtime itself.
 *
 * It has loaded this library as a tool, and not libroctracer64, which is loaded with it: up to ROCm
 * 5.2 it does so only if HSA_TOOLS_LIB names that, too, later releases if it was there before. If
 * both do it, libroctracer64 heeds the first.
 */
#include "roctracer/tool/runtime.h"

#include <dlfcn.h>

#include "roctracer/tool/lines.h"
#include "roctracer/tool/tool_thread.h"

typedef bool (*on_load_t)(HsaApiTable *table, uint64_t version, uint64_t failed_count,
			  const char *const *failed_names);

static void (*on_unload)(void); /* libroctracer64's */

void runtime__loaded(HsaApiTable *table, uint64_t version)
{
	void *lib = dlopen("libroctracer64.so.4", RTLD_LAZY | RTLD_NOLOAD);
	on_load_t on_load;

	if (!lib)
		return;
	on_load = (on_load_t)dlsym(lib, "OnLoad");
	on_unload = (void (*)(void))dlsym(lib, "OnUnload");
	if (on_load)
		on_load(table, version, 0, NULL);
}

void runtime__unloaded(void)
{
	if (on_unload)
		on_unload();
}

/* ---- devices ---- */

static hsa_status_t write_handle(hsa_agent_t agent, void *arg)
{
	const CoreApiTable *core = arg;
	struct textbuf *t;
	hsa_device_type_t type;

	if (core->hsa_agent_get_info_fn(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS)
		return HSA_STATUS_SUCCESS;
	t = lines__begin(lines__shared(), FILE_HANDLES);
	text_buffer__hex(t, agent.handle);
	text_buffer__str(t, type == HSA_DEVICE_TYPE_CPU ? " agent cpu\n" : " agent gpu\n");
	lines__end(lines__shared(), FILE_HANDLES);
	return HSA_STATUS_SUCCESS;
}

/* These calls are ours: they are not recorded. */
void runtime__write_handles(const HsaApiTable *table)
{
	struct own *o = own__get();
	CoreApiTable *core = table->core_;

	if (!o || table->version.major_id != HSA_API_TABLE_MAJOR_VERSION ||
	    core->version.major_id != HSA_CORE_API_TABLE_MAJOR_VERSION)
		return;
	o->busy = true;
	core->hsa_iterate_agents_fn(write_handle, core);
	o->busy = false;
}
