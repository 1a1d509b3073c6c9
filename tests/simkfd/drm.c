/* SPDX-License-Identifier: MIT */
/*
 * The few functions of libdrm and libdrm_amdgpu that the thunk calls, by name.
 *
 * libdrm would issue DRM ioctls on the render node, of which the simulator knows nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <libdrm/amdgpu.h>
#include <libdrm/amdgpu_drm.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <xf86drm.h>

#include "tests/simkfd/simkfd.h"

struct amdgpu_device {
	int fd;
};

EXPORT int drmOpenRender(int minor)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
	return open(path, O_RDWR | O_CLOEXEC);
}

EXPORT int drmClose(int fd)
{
	return close(fd);
}

EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor,
				    amdgpu_device_handle *device)
{
	struct amdgpu_device *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	*major = 3;
	*minor = 54;
	*device = d;
	return 0;
}

EXPORT int amdgpu_device_deinitialize(amdgpu_device_handle device)
{
	if (device) {
		close(device->fd);
		free(device);
	}
	return 0;
}

/* ROCm 6 finds this one with dlsym. */
EXPORT int amdgpu_device_get_fd(amdgpu_device_handle device)
{
	return device->fd;
}

EXPORT const char *amdgpu_get_marketing_name(amdgpu_device_handle device)
{
	return config.model->product;
}

/* ROCm 6 takes the frequency of the GPU's clock from here. */
EXPORT int amdgpu_query_gpu_info(amdgpu_device_handle device, struct amdgpu_gpu_info *info)
{
	*info = (struct amdgpu_gpu_info){
		.asic_id = config.model->device_id,
		.chip_rev = 1,
		.chip_external_rev = 0x29,
		.family_id = AMDGPU_FAMILY_AI,
		.gpu_counter_freq = config.gpu_khz,
	};
	return 0;
}
