// SPDX-License-Identifier: MIT
/*
 * What is wanted of the runtime itself.
 *
 * Up to ROCm 5.2 it loads as tools those libraries alone that HSA_TOOLS_LIB names, which is this
 * one and not libroctracer64; from 5.3 on each one that has the symbol HSA_AMD_TOOL_PRIORITY: such
 * a runtime has that name in its constants.
 */
#include "roctracer/tool/runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "roctracer/tool/lines.h"
#include "roctracer/tool/own.h"

#define RUNTIME "libhsa-runtime64.so"

typedef bool (*on_load_t)(HsaApiTable *table, uint64_t version, uint64_t failed_count,
			  const char *const *failed_names);

static void (*on_unload)(void); /* libroctracer64's; NULL: the runtime calls it */

static int has_name(struct dl_phdr_info *info, size_t size, void *arg)
{
	static const char name[] = "HSA_AMD_TOOL_PRIORITY";
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *base = slash ? slash + 1 : info->dlpi_name;

	if (strncmp(base, RUNTIME, strlen(RUNTIME)))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_R &&
		    memmem((const char *)info->dlpi_addr + p->p_vaddr, p->p_filesz, name,
			   sizeof(name)))
			return 1;
	}
	return 0;
}

void runtime__loaded(HsaApiTable *table, uint64_t version)
{
	void *lib = NULL;
	on_load_t on_load;

	if (!dl_iterate_phdr(has_name, NULL))
		lib = dlopen("libroctracer64.so.4", RTLD_LAZY | RTLD_NOLOAD);
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
	textbuf__hex(t, agent.handle);
	textbuf__str(t, type == HSA_DEVICE_TYPE_CPU ? " agent cpu\n" : " agent gpu\n");
	lines__end(lines__shared(), FILE_HANDLES);
	return HSA_STATUS_SUCCESS;
}

/* These calls are ours: they are not told. */
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
