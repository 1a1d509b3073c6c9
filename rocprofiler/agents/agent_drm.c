// SPDX-License-Identifier: MIT
/*
 * What libdrm reports of a GPU. libdrm is not linked: if it is missing, so is its information.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rocprofiler/agents/agent_files.h"

#define INFO_WORDS  256 /* more than its struct amdgpu_gpu_info has */
#define INFO_FAMILY 3

struct drm {
	void *library;
	int (*initialize)(int fd, uint32_t *major, uint32_t *minor, void **device);
	int (*deinitialize)(void *device);
	const char *(*marketing_name)(void *device);
	int (*query_gpu_info)(void *device, void *info);
};

/* As if it were linked: what another library puts in front of it counts. */
static void *find(const struct drm *drm, const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	if (!function && drm->library)
		function = dlsym(drm->library, name);
	return function;
}

static bool load(struct drm *drm)
{
	drm->library = dlopen("libdrm_amdgpu.so.1", RTLD_LAZY | RTLD_LOCAL);
	drm->initialize = find(drm, "amdgpu_device_initialize");
	drm->deinitialize = find(drm, "amdgpu_device_deinitialize");
	drm->marketing_name = find(drm, "amdgpu_get_marketing_name");
	drm->query_gpu_info = find(drm, "amdgpu_query_gpu_info");
	return drm->initialize && drm->deinitialize && drm->marketing_name && drm->query_gpu_info;
}

static void ask(const struct drm *drm, void *device, rocprofiler_agent_t *a)
{
	const char *name = drm->marketing_name(device);
	uint32_t info[INFO_WORDS] = {0};

	name = strdup(name ? name : "unknown");
	if (name)
		a->product_name = name;
	if (!drm->query_gpu_info(device, info))
		a->family_id = info[INFO_FAMILY];
}

static void open_and_ask(const struct drm *drm, rocprofiler_agent_t *a)
{
	uint32_t major, minor;
	char path[64];
	void *device;
	int fd;

	snprintf(path, sizeof(path), "/dev/dri/renderD%u", a->drm_render_minor);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!drm->initialize(fd, &major, &minor, &device)) {
		ask(drm, device, a);
		drm->deinitialize(device);
	}
	close(fd);
}

void agent_drm__read(rocprofiler_agent_t *a)
{
	struct drm drm;

	if (load(&drm))
		open_and_ask(&drm, a);
	if (drm.library)
		dlclose(drm.library);
}
