/* SPDX-License-Identifier: MIT */
/*
 * Replaces <drm/drm.h>, which <linux/kfd_ioctl.h> includes for the kernel's integer types only.
 *
 * Debian's linux-libc-dev leaves the DRM headers out (libdrm-dev has them, one folder further
 * down).
 */
#ifndef SIMKFD_DRM_H
#define SIMKFD_DRM_H

#include <linux/types.h>

#endif
