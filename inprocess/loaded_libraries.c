// SPDX-License-Identifier: MIT
/*
 * Finds libraries by the names of the files that are mapped.
 */
#include "inprocess/loaded_libraries.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct search {
	const char *name;
	char path[PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *base = slash ? slash + 1 : info->dlpi_name;

	if (strncmp(base, s->name, strlen(s->name)))
		return 0;
	snprintf(s->path, sizeof(s->path), "%s", info->dlpi_name);
	return 1;
}

/* Not from inside of the iteration: that holds a lock of the loader. */
void *libs__find(const char *name)
{
	struct search s = {.name = name};

	return dl_iterate_phdr(look_at, &s) ? dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

unsigned int libs__major(void *lib)
{
	const char *strings = NULL, *suffix;
	const struct link_map *map;
	const ElfW(Dyn) * d;
	ElfW(Addr) soname = 0;
	unsigned int major = 0;

	if (dlinfo(lib, RTLD_DI_LINKMAP, &map))
		return 0;
	for (d = map->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
		else if (d->d_tag == DT_SONAME)
			soname = d->d_un.d_val;
	}
	suffix = strings && soname ? strstr(strings + soname, ".so.") : NULL;
	if (suffix)
		sscanf(suffix, ".so.%u", &major);
	return major;
}

bool libs__needs(void *lib, const char *name)
{
	const char *strings = NULL;
	const struct link_map *map;
	const ElfW(Dyn) * d;

	if (dlinfo(lib, RTLD_DI_LINKMAP, &map))
		return false;
	for (d = map->l_ld; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
	for (d = map->l_ld; strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && !strncmp(strings + d->d_un.d_val, name, strlen(name)))
			return true;
	return false;
}
