// SPDX-License-Identifier: MIT
/*
 * The table of API functions: their ids, and what is to be captured of their calls.
 */
#include "user/api/functions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/api_tables.h"
#include "common/hash.h"
#include "user/api/kfd_ioctls.h"

struct entry {
	struct function fn;
	char *key; /* the symbol, or what stands for it and its library */
	UT_hash_handle hh;
};

struct functions {
	const struct selection *selection;
	struct entry *by_key;
	struct entry **by_id;
	uint32_t count;
	uint32_t odd; /* that no header has, or was to have */
	uint32_t libraries;
};

#define ODD_MAX	      (RT_FUNCTIONS / 2)
#define LIBRARIES_MAX 64 /* with ranges; what comes then is taken for the last one */
#define RANGE_PREFIX  "roctxRange"

static const struct {
	const char *prefix;
	enum ev_domain domain;
} api_prefixes[] = {
	{"hip", DOMAIN_HIP},
	{"__hip", DOMAIN_HIP},
	{"hsa_", DOMAIN_HSA},
	{"hsaKmt", DOMAIN_KFD},
	{"AMDKFD_IOC_", DOMAIN_KFD},
	{"roctxProfiler", DOMAIN_ROCTRACER},
	{"roctx", DOMAIN_ROCTX},
	{"roctracer_", DOMAIN_ROCTRACER},
	{"rocprofiler_push_external", DOMAIN_ROCTRACER},
	{"rocprofiler_pop_external", DOMAIN_ROCTRACER},
};

static const struct {
	const char *name;
	enum function_role role;
	enum rt_control control;
} roles[] = {
	{"roctxRangePushA", ROLE_RANGE_PUSH, RT_CONTROL_NONE},
	{"roctxRangePop", ROLE_RANGE_POP, RT_CONTROL_NONE},
	{"roctxRangeStartA", ROLE_RANGE_START, RT_CONTROL_NONE},
	{"roctxRangeStop", ROLE_RANGE_STOP, RT_CONTROL_NONE},
	{"roctxMarkA", ROLE_MARK, RT_CONTROL_NONE},
	{"roctracer_activity_push_external_correlation_id", ROLE_EXTERNAL_PUSH, RT_CONTROL_NONE},
	{"roctracer_activity_pop_external_correlation_id", ROLE_EXTERNAL_POP, RT_CONTROL_NONE},
	{"rocprofiler_push_external_correlation_id", ROLE_EXTERNAL_PUSH_THREAD, RT_CONTROL_NONE},
	{"rocprofiler_pop_external_correlation_id", ROLE_EXTERNAL_POP_THREAD, RT_CONTROL_NONE},
	{"roctracer_start", ROLE_CONTROL, RT_CONTROL_START},
	{"roctracer_stop", ROLE_CONTROL, RT_CONTROL_STOP},
	{"roctxProfilerResume", ROLE_CONTROL, RT_CONTROL_RESUME},
	{"roctxProfilerPause", ROLE_CONTROL, RT_CONTROL_PAUSE},
	{"__hipRegisterFunction", ROLE_REGISTER_KERNEL, RT_CONTROL_NONE},
	{"hipModuleGetFunction", ROLE_GET_KERNEL, RT_CONTROL_NONE},
	{"hipLaunchKernel", ROLE_LAUNCH_HOST, RT_CONTROL_NONE},
	{"hipExtLaunchKernel", ROLE_LAUNCH_HOST, RT_CONTROL_NONE},
	{"hipLaunchCooperativeKernel", ROLE_LAUNCH_HOST, RT_CONTROL_NONE},
	{"hipModuleLaunchKernel", ROLE_LAUNCH_MODULE, RT_CONTROL_NONE},
	{"hipExtModuleLaunchKernel", ROLE_LAUNCH_MODULE, RT_CONTROL_NONE},
	{"hipHccModuleLaunchKernel", ROLE_LAUNCH_MODULE, RT_CONTROL_NONE},
	{"hipModuleLaunchCooperativeKernel", ROLE_LAUNCH_MODULE, RT_CONTROL_NONE},
	{"hipSetDevice", ROLE_SET_DEVICE, RT_CONTROL_NONE},
	{"hipStreamCreate", ROLE_CREATE_STREAM, RT_CONTROL_NONE},
	{"hipStreamCreateWithFlags", ROLE_CREATE_STREAM, RT_CONTROL_NONE},
	{"hipStreamCreateWithPriority", ROLE_CREATE_STREAM, RT_CONTROL_NONE},
	{"hipExtStreamCreateWithCUMask", ROLE_CREATE_STREAM, RT_CONTROL_NONE},
	{"roctxNameOsThread", ROLE_NAME_THREAD, RT_CONTROL_NONE},
	{"roctxNameHipStream", ROLE_NAME_STREAM, RT_CONTROL_NONE},
	{"roctxNameHipDevice", ROLE_NAME_DEVICE, RT_CONTROL_NONE},
};

#define API_NAME_MAX 256

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool function__is_api(const char *name, enum ev_domain *domain)
{
	for (size_t i = 0; i < COUNT(api_prefixes); i++) {
		if (!strncmp(name, api_prefixes[i].prefix, strlen(api_prefixes[i].prefix))) {
			*domain = api_prefixes[i].domain;
			return true;
		}
	}
	return false;
}

struct functions *functions__new(const struct selection *selection)
{
	struct functions *fns = calloc(1, sizeof(*fns));

	if (fns)
		fns->selection = selection;
	return fns;
}

static void free_entry(struct entry *e)
{
	free(e->key);
	free(e->fn.name);
	free(e);
}

void functions__free(struct functions *fns)
{
	struct entry *e, *next;

	if (!fns)
		return;
	HASH_ITER (hh, fns->by_key, e, next) {
		HASH_DEL(fns->by_key, e);
		free_entry(e);
	}
	free(fns->by_id);
	free(fns);
}

static void set_role(struct function *fn)
{
	for (size_t i = 0; i < COUNT(roles); i++) {
		if (strcmp(roles[i].name, fn->name))
			continue;
		fn->role = roles[i].role;
		fn->plan.control = roles[i].control;
	}
}

/* A launch needs its kernel's name even if tracing was off when the name was registered. */
static bool is_kept(const struct function *fn)
{
	return fn->role != ROLE_NONE && fn->role != ROLE_LAUNCH_HOST &&
	       fn->role != ROLE_LAUNCH_MODULE;
}

/*
 * A probed return replaces the return address, where the C++ unwinder finds no way on: an exception
 * that passes through the call ends the program. HSA's iterations call back the application, and
 * forward its exceptions.
 */
static bool passes_exceptions(const char *name)
{
	return !strncmp(name, "hsa_", 4) && strstr(name, "iterate_");
}

static enum launch_kind launches_of(const struct function *fn)
{
	static const struct {
		const char *prefix;
		enum launch_kind kind;
	} kinds[] = {
		{"hipMemcpy", LAUNCH_COPY},
		{"hipDrvMemcpy", LAUNCH_COPY},
		{"hipMemset", LAUNCH_FILL},
		{"hipGraphLaunch", LAUNCH_GRAPH},
		{"hipStreamSynchronize", LAUNCH_SYNC},
	};

	if (fn->role == ROLE_LAUNCH_HOST || fn->role == ROLE_LAUNCH_MODULE)
		return LAUNCH_KERNEL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(fn->name, kinds[i].prefix, strlen(kinds[i].prefix)))
			return kinds[i].kind;
	return LAUNCH_NONE;
}

static void set_plan(const struct functions *fns, struct function *fn)
{
	if (fn->api)
		api__plan(fn->api, &fn->plan);
	fn->registers = api__registers(fn->api);
	set_role(fn);
	fn->launches = launches_of(fn);
	if (is_kept(fn))
		fn->plan.flags |= RT_PLAN_KEEP;
	fn->plan.flags |= RT_PLAN_DOMAIN(fn->domain);
	if (passes_exceptions(fn->name))
		fn->plan.flags |= RT_PLAN_ENTRY;
	if (!strncmp(fn->name, "hsaKmt", 6))
		fn->plan.flags |= RT_PLAN_THUNK;
	if (globs__match(&fns->selection->stacks, fn->name))
		fn->plan.flags |= RT_PLAN_STACK;
}

/* Functions that no header has by that very name leave ids to those that one has. */
static bool take_odd(struct functions *fns, const char *symbol)
{
	if (api__knows(symbol) || kfd_ioctls__find(symbol))
		return true;
	return fns->odd++ < ODD_MAX;
}

static struct entry *new_entry(struct functions *fns, const char *key, const char *symbol)
{
	struct entry **grown, *e;
	char name[API_NAME_MAX];

	if (fns->count == RT_FUNCTIONS || !take_odd(fns, symbol))
		return NULL;
	grown = realloc(fns->by_id, (fns->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	fns->by_id = grown;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	api__canonical(symbol, name, sizeof(name));
	e->key = strdup(key);
	e->fn.name = strdup(name);
	if (!e->key || !e->fn.name) {
		free_entry(e);
		return NULL;
	}
	function__is_api(name, &e->fn.domain);
	e->fn.shown = selection__of(fns->selection, name) == SELECT_SHOW;
	e->fn.id = fns->count;
	e->fn.api = kfd_ioctls__find(symbol);
	if (!e->fn.api)
		e->fn.api = api__find(symbol);
	set_plan(fns, &e->fn);
	fns->by_id[fns->count++] = e;
	HASH_ADD_KEYPTR(hh, fns->by_key, e->key, strlen(e->key), e);
	return e;
}

bool functions__wants(const struct functions *fns, const char *symbol)
{
	char name[API_NAME_MAX];

	api__canonical(symbol, name, sizeof(name));
	return selection__of(fns->selection, name) != SELECT_NO;
}

enum door functions__door(const struct functions *fns, const char *name)
{
	return fns->selection->doorbells ? doorbell_functions__door(name) : DOOR_NONE;
}

static struct entry *get(struct functions *fns, const char *key, const char *symbol)
{
	struct entry *e;

	HASH_FIND_STR(fns->by_key, key, e);
	return e ? e : new_entry(fns, key, symbol);
}

struct function *functions__get(struct functions *fns, const char *symbol)
{
	struct entry *e = get(fns, symbol, symbol);

	return e ? &e->fn : NULL;
}

struct function *functions__get_in(struct functions *fns, const char *symbol, uint32_t *library)
{
	char key[API_NAME_MAX + 16];
	struct entry *e;

	if (strncmp(symbol, RANGE_PREFIX, strlen(RANGE_PREFIX)) || !api__knows(symbol))
		return functions__get(fns, symbol);
	if (!*library && fns->libraries < LIBRARIES_MAX)
		fns->libraries++;
	if (!*library)
		*library = fns->libraries;
	snprintf(key, sizeof(key), "%s in %" PRIu32, symbol, *library);
	e = get(fns, key, symbol);
	if (e)
		e->fn.library = *library;
	return e ? &e->fn : NULL;
}

struct function *functions__by_id(struct functions *fns, uint64_t id)
{
	return id < fns->count ? &fns->by_id[id]->fn : NULL;
}
