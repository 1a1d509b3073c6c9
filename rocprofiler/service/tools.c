// SPDX-License-Identifier: MIT
/*
 * Finding tools: what defines rocprofiler_configure().
 */
#include "rocprofiler/service/tools.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/support/say.h"

#define NAME	     "rocprofiler_configure"
#define FIRST_HANDLE 0x100 /* numbers of other things are smaller, or far greater */

#pragma weak rocprofiler_configure

struct list {
	struct tool *first, **end;
	uint32_t count;
};

static bool is_known(const struct list *l, rocprofiler_configure_func_t configure)
{
	for (const struct tool *t = l->first; t; t = t->next)
		if (t->configure == configure)
			return true;
	return false;
}

static rocprofiler_client_id_t *make_id(uint32_t handle)
{
	rocprofiler_client_id_t id = {.size = sizeof(id), .handle = handle};
	rocprofiler_client_id_t *copy = malloc(sizeof(id));

	return copy ? memcpy(copy, &id, sizeof(id)) : NULL;
}

static bool add(struct list *l, rocprofiler_configure_func_t configure, const char *place)
{
	struct tool *t;

	if (!configure || is_known(l, configure))
		return false;
	t = calloc(1, sizeof(*t));
	if (!t)
		return false;
	t->configure = configure;
	t->priority = l->count;
	t->handle = FIRST_HANDLE + t->priority;
	t->place = strdup(place);
	t->id = make_id(t->handle);
	if (!t->id) {
		free(t);
		return false;
	}
	l->count++;
	*l->end = t;
	l->end = &t->next;
	return true;
}

static rocprofiler_configure_func_t find_in(void *handle)
{
	return (rocprofiler_configure_func_t)dlsym(handle, NAME);
}

/* ---- ROCP_TOOL_LIBRARIES ---- */

/* One that is loaded already is not loaded again. It stays, as the tool may be called at any time.
 */
static void add_file(struct list *l, const char *file)
{
	void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
	rocprofiler_configure_func_t configure;

	if (!handle)
		handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
	if (!handle) {
		say("ROCP_TOOL_LIBRARIES: %s", dlerror());
		return;
	}
	configure = find_in(handle);
	if (!configure)
		say("ROCP_TOOL_LIBRARIES: %s has no %s", file, NAME);
	if (!add(l, configure, file))
		dlclose(handle);
}

static void add_named(struct list *l)
{
	const char *value = getenv("ROCP_TOOL_LIBRARIES");
	char *names, *name, *rest;

	if (!value)
		return;
	names = rest = strdup(value);
	while ((name = strsep(&rest, ":")))
		if (*name)
			add_file(l, name);
	free(names);
}

/* ---- libraries that are loaded ---- */

/* That defines it itself: the linker looks into what an object needs, too. */
static bool is_of_object(rocprofiler_configure_func_t configure, const struct link_map *object)
{
	struct link_map *owner = NULL;
	Dl_info info;

	return configure && dladdr1((void *)configure, &info, (void **)&owner, RTLD_DL_LINKMAP) &&
	       owner == object;
}

static void add_object(struct list *l, const struct link_map *object)
{
	void *handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
	rocprofiler_configure_func_t configure;

	if (!handle)
		return;
	configure = find_in(handle);
	if (!is_of_object(configure, object) || !add(l, configure, object->l_name))
		dlclose(handle);
}

static void add_objects(struct list *l)
{
	void *program = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
	struct link_map *object;

	if (!program)
		return;
	if (!dlinfo(program, RTLD_DI_LINKMAP, &object))
		for (object = object->l_next; object; object = object->l_next)
			if (object->l_name && object->l_name[0])
				add_object(l, object);
	dlclose(program);
}

struct tool *tools__find(rocprofiler_configure_func_t forced)
{
	struct list l = {.end = &l.first};
	rocprofiler_configure_func_t visible;

	add(&l, forced, "rocprofiler_force_configure()");
	add_named(&l);
	add(&l, rocprofiler_configure, "the program");
	visible = find_in(RTLD_DEFAULT);
	add(&l, visible, "the program");
	add(&l, find_in(RTLD_NEXT), "the program");
	/* Where the linker finds one, there may be others that it hides. */
	if (visible)
		add_objects(&l);
	return l.first;
}

bool tools__are_there(void)
{
	return getenv("ROCP_TOOL_LIBRARIES") || rocprofiler_configure || find_in(RTLD_DEFAULT);
}
