/* SPDX-License-Identifier: MIT */
/*
 * The requests that the GPU driver takes by ioctl on /dev/kfd, as functions: AMDKFD_IOC_... with
 * the struct that the request points to.
 */
#ifndef RTRACE_API_KFD_IOCTLS_H
#define RTRACE_API_KFD_IOCTLS_H

#include "common/api_tables.h"
#include "user/api/functions.h"

/* The request of that name; NULL: no such. */
const struct api_function *kfd_ioctls__find(const char *name);

/*
 * Calls `take` for each selected request, with the function that represents the request, until
 * one call returns other than 0. Returns that value, 0, or -ENOMEM.
 */
int kfd_ioctls__each(struct functions *fns,
		     int (*take)(void *arg, uint8_t number, const struct function *fn), void *arg);

#endif
