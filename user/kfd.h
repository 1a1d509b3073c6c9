/* SPDX-License-Identifier: MIT */
/*
 * The requests that the GPU driver takes by ioctl on /dev/kfd, as functions: AMDKFD_IOC_... with
 * the struct that the request points to.
 */
#ifndef RTRACE_KFD_H
#define RTRACE_KFD_H

#include "user/api.h"
#include "user/capture.h"
#include "user/function.h"

/* The request of that name; NULL: no such. */
const struct api_function *kfd__find(const char *name);

/* Tells the capture which function each request is. 0 or -errno. */
int kfd__add_requests(struct functions *fns, struct capture *capture);

#endif
