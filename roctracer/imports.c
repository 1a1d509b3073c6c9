// SPDX-License-Identifier: MIT
/*
 * Finds the objects that are linked against a library, and writes to the places that their
 * relocations name.
 */
#include "roctracer/imports.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OBJECTS \
	64 /* more than are ever linked against the libraries that we replace functions of */

struct relocations {
	const ElfW(Rela) * list;
	size_t size; /* bytes */
};

struct object {
	char *path;
	ElfW(Addr) base;
	const char *strings;
	const ElfW(Sym) * symbols;
	struct relocations data, calls;
	uintptr_t text, text_end;
	uintptr_t relro, relro_end; /* what the loader has made read-only */
};

/* Those that are known stay loaded: handles are never given back. Behind them, those just found. */
static struct object objects[OBJECTS];
static uint32_t n_known, n_objects;
static uint64_t n_loaded; /* objects in the process up to now */

/* ---- finding them ---- */

/* The loader has added where the object lies, or not. */
static const void *address(const struct object *o, const ElfW(Dyn) * d)
{
	return (const void *)(d->d_un.d_ptr < o->base ? o->base + d->d_un.d_ptr : d->d_un.d_ptr);
}

static void read_dynamic(struct object *o, const ElfW(Dyn) * d)
{
	for (; d->d_tag != DT_NULL; d++) {
		switch (d->d_tag) {
		case DT_STRTAB:
			o->strings = address(o, d);
			break;
		case DT_SYMTAB:
			o->symbols = address(o, d);
			break;
		case DT_RELA:
			o->data.list = address(o, d);
			break;
		case DT_RELASZ:
			o->data.size = d->d_un.d_val;
			break;
		case DT_JMPREL:
			o->calls.list = address(o, d);
			break;
		case DT_PLTRELSZ:
			o->calls.size = d->d_un.d_val;
			break;
		}
	}
}

static uintptr_t page(uintptr_t at)
{
	return at & -(uintptr_t)sysconf(_SC_PAGESIZE);
}

/* The object's dynamic section; NULL: it has none. */
static const ElfW(Dyn) * read_object(struct object *o, const struct dl_phdr_info *info)
{
	const ElfW(Dyn) *dynamic = NULL;

	*o = (struct object){.base = info->dlpi_addr};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = o->base + p->p_vaddr, end = at + p->p_memsz;

		if (p->p_type == PT_DYNAMIC)
			dynamic = (const void *)at;
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			o->text = at;
			o->text_end = end;
		}
		if (p->p_type == PT_GNU_RELRO) {
			o->relro = page(at);
			o->relro_end = page(end);
		}
	}
	if (dynamic)
		read_dynamic(o, dynamic);
	return dynamic;
}

static bool needs(const struct object *o, const ElfW(Dyn) * d, const char *library)
{
	for (; o->strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED &&
		    !strncmp(o->strings + d->d_un.d_val, library, strlen(library)))
			return true;
	return false;
}

static bool is_known(const struct object *o)
{
	for (uint32_t i = 0; i < n_known; i++)
		if (objects[i].base == o->base)
			return true;
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *library)
{
	struct object *o = &objects[n_objects];
	const ElfW(Dyn) * dynamic;

	if (n_objects == OBJECTS)
		return 1;
	dynamic = read_object(o, info);
	if (!dynamic || !needs(o, dynamic, library) || is_known(o))
		return 0;
	o->path = strdup(info->dlpi_name);
	n_objects += o->path != NULL;
	return 0;
}

static int count_loaded(struct dl_phdr_info *info, size_t size, void *count)
{
	*(uint64_t *)count = info->dlpi_adds;
	return 1;
}

uint64_t imports__loaded(void)
{
	uint64_t count = 0;

	dl_iterate_phdr(count_loaded, &count);
	return count;
}

/*
 * Keeps it loaded. Another thread may be loading it this moment, and relocating it: that is over
 * when it can be opened. False: it is gone, and maybe something else there.
 */
static bool keep(const struct object *o)
{
	void *handle = dlopen(*o->path ? o->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	const struct link_map *map;

	return handle && !dlinfo(handle, RTLD_DI_LINKMAP, &map) && map->l_addr == o->base;
}

static void find_objects(const char *library)
{
	uint64_t count = imports__loaded();

	if (count == n_loaded)
		return;
	n_loaded = count;
	dl_iterate_phdr(look_at, (void *)library);
	/* Not from inside of the iteration: that holds a lock of the loader. */
	for (uint32_t i = n_known; i < n_objects; i++) {
		bool kept = keep(&objects[i]);

		free(objects[i].path);
		if (kept)
			objects[n_known++] = objects[i];
	}
	n_objects = n_known;
}

/* ---- writing ---- */

/* Something else that has the function comes before the library. */
static bool is_hidden(const char *name, const void *original)
{
	const void *first = dlsym(RTLD_DEFAULT, name);

	return first && first != original;
}

/* A call that has not been made yet goes to where the object has its address looked up. */
static bool is_unbound(const struct object *o, const void *value)
{
	uintptr_t at = (uintptr_t)value;

	return at >= o->text && at < o->text_end;
}

static void write_to(const struct object *o, void **place, void *before, void *value)
{
	uintptr_t at = page((uintptr_t)place);
	size_t size = sysconf(_SC_PAGESIZE);
	bool locked = at >= o->relro && at < o->relro_end;

	if (locked && mprotect((void *)at, size, PROT_READ | PROT_WRITE))
		return;
	__atomic_compare_exchange_n(place, &before, value, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	if (locked)
		mprotect((void *)at, size, PROT_READ);
}

static void replace(const struct object *o, void **place, const char *name, const struct import *i)
{
	void *there = __atomic_load_n(place, __ATOMIC_RELAXED);

	if (there == i->original || (is_unbound(o, there) && !is_hidden(name, i->original)))
		write_to(o, place, there, i->replacement);
}

static void replace_in(const struct object *o, const struct relocations *r,
		       bool (*find)(const char *name, struct import *i))
{
	for (size_t n = 0; n < r->size / sizeof(*r->list); n++) {
		uint32_t type = ELF64_R_TYPE(r->list[n].r_info);
		const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(r->list[n].r_info)];
		const char *name = o->strings + symbol->st_name;
		struct import i;

		if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
		    symbol->st_shndx == SHN_UNDEF && find(name, &i))
			replace(o, (void **)(o->base + r->list[n].r_offset), name, &i);
	}
}

/*
 * What is bound already is looked at again: a thread that was just about to call for the first time
 * may have bound it to the original after us.
 */
void imports__replace(const char *library, bool (*find)(const char *name, struct import *i))
{
	find_objects(library);
	for (uint32_t i = 0; i < n_known; i++) {
		replace_in(&objects[i], &objects[i].data, find);
		replace_in(&objects[i], &objects[i].calls, find);
	}
}
