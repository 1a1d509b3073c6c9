/* SPDX-License-Identifier: MIT */
/*
 * The API functions of a trace: one id a symbol, whichever library file it was found in, but for
 * roctx ranges.
 */
#ifndef RTRACE_API_FUNCTIONS_H
#define RTRACE_API_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bpf_records.h"
#include "user/api/doorbell_functions.h"
#include "user/event/event.h"
#include "user/api/selection.h"

struct api_function;

/* What a call of it means beyond being a call. */
enum function_role {
	ROLE_NONE,
	ROLE_RANGE_PUSH,
	ROLE_RANGE_POP,
	ROLE_RANGE_START,
	ROLE_RANGE_STOP,
	ROLE_MARK,
	ROLE_EXTERNAL_PUSH, /* roctracer's: of the calling thread */
	ROLE_EXTERNAL_POP,
	ROLE_EXTERNAL_PUSH_THREAD, /* rocprofiler's: of a thread that is named */
	ROLE_EXTERNAL_POP_THREAD,
	ROLE_CONTROL,	      /* rt_plan.control says which */
	ROLE_REGISTER_KERNEL, /* __hipRegisterFunction */
	ROLE_GET_KERNEL,      /* hipModuleGetFunction */
	ROLE_LAUNCH_HOST,     /* the first argument is a host function that denotes a kernel */
	ROLE_LAUNCH_MODULE,   /* the first argument is a hipFunction_t */
	ROLE_CREATE_STREAM,   /* the first argument points to where the stream's handle goes */
	ROLE_SET_DEVICE,      /* the thread works with that device from now on */
	ROLE_NAME_THREAD,     /* roctxNameOsThread */
	ROLE_NAME_STREAM,
	ROLE_NAME_DEVICE,
};

/* What a call does on its stream. */
enum launch_kind {
	LAUNCH_NONE,
	LAUNCH_KERNEL,
	LAUNCH_COPY,
	LAUNCH_FILL,
	LAUNCH_GRAPH, /* any number of operations */
	LAUNCH_SYNC,  /* waits until the stream has run empty */
};

struct function {
	uint32_t id;
	char *name; /* canonical: that of the function which a variant or an alias is of */
	enum ev_domain domain;
	enum function_role role;
	uint32_t library; /* of roctx ranges: the library in which their numbers hold; else 0 */
	enum launch_kind launches;
	bool shown;			/* else captured only to interpret other events */
	const struct api_function *api; /* NULL: no header knows it */
	uint32_t registers;		/* api__registers */
	struct rt_plan plan;
};

struct functions;

/* `selection` must live as long. */
struct functions *functions__new(const struct selection *selection);
void functions__free(struct functions *fns);

/* Is a symbol of that name an API function, and of which domain? */
bool function__is_api(const char *name, enum ev_domain *domain);

/* Is it to be probed? `name`: a symbol, or "AMDKFD_IOC_..." */
bool functions__wants(const struct functions *fns, const char *name);

/* Is that function to be probed for dispatches? */
enum door functions__door(const struct functions *fns, const char *name);

/*
 * The function of that symbol, made if new. NULL: out of memory, or too many. Pointers stay valid.
 */
struct function *functions__get(struct functions *fns, const char *symbol);

/*
 * The same, as it is in a library: of functions for roctx ranges each has its own. `*library` is
 * its number, which it is given here if that is 0.
 */
struct function *functions__get_in(struct functions *fns, const char *symbol, uint32_t *library);

/* NULL if there is none. */
struct function *functions__by_id(struct functions *fns, uint64_t id);

#endif
