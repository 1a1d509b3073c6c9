// SPDX-License-Identifier: MIT
/*
 * Describes ioctl requests in the words of the API tables. A request is captured as a call with
 * three arguments: descriptor, request, pointer to a struct (bpf/ioctl.h); only the last is shown.
 */
#include "user/api/kfd_ioctls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRUCT_WORD 2 /* the argument that points to the struct */
#define REQUESTS    256

struct request {
	struct api_function fn;
	struct api_param param;
	struct api_type pointer;
	struct rt_read read;
};

static const struct api_type result = {.kind = API_INT, .size = 4};

/* Made when first asked for: at most one of each number. */
static const struct api_function *describe(const struct api_ioctl *ioctl)
{
	static struct request requests[REQUESTS];
	struct request *r = &requests[ioctl->number];

	r->read.kind = RT_READ_BYTES;
	r->read.word = STRUCT_WORD;
	r->read.len = ioctl->type->size < RT_READ_MAX ? ioctl->type->size : RT_READ_MAX;
	r->pointer.kind = API_POINTER;
	r->pointer.size = sizeof(void *);
	r->pointer.target = ioctl->type;
	r->param.name = "arg";
	r->param.type = &r->pointer;
	r->param.place[0] = STRUCT_WORD;
	r->param.place[1] = API_NOWHERE;
	r->fn.name = ioctl->name;
	r->fn.ret = &result;
	r->fn.params = &r->param;
	r->fn.param_count = 1;
	r->fn.reads = &r->read;
	r->fn.read_count = 1;
	r->fn.ret_read = API_UNREAD;
	r->fn.failure = RT_FAILURE_NEGATIVE;
	return &r->fn;
}

const struct api_function *kfd_ioctls__find(const char *name)
{
	for (size_t i = 0; i < api_ioctl_count; i++)
		if (!strcmp(api_ioctls[i].name, name) && api_ioctls[i].type)
			return describe(&api_ioctls[i]);
	return NULL;
}

/* Requests that the headers do not know are called by their numbers. */
static const char *name_of(unsigned int number, char *buf, size_t size)
{
	const struct api_ioctl *ioctl = api__ioctl(number);

	if (ioctl)
		return ioctl->name;
	snprintf(buf, size, "AMDKFD_IOC_%#x", number);
	return buf;
}

int kfd_ioctls__each(struct functions *fns,
		     int (*take)(void *arg, uint8_t number, const struct function *fn), void *arg)
{
	char buf[32];
	int err = 0;

	for (unsigned int number = 0; number < REQUESTS && !err; number++) {
		const char *name = name_of(number, buf, sizeof(buf));
		const struct function *fn;

		if (!functions__wants(fns, name))
			continue;
		fn = functions__get(fns, name);
		err = fn ? take(arg, number, fn) : -ENOMEM;
	}
	return err;
}
