// SPDX-License-Identifier: MIT
/*
 * Finds the objects that are linked against a library, and writes to the places that their
 * relocations name.
 */
#include "inprocess/got_patch.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inprocess/page.h"
#include "inprocess/poke.h"

#define TRIES 3 /* another may close the page before we have written */

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
	struct poke_page open;	    /* of that */
};

/* Those that are linked against one of the libraries. */
struct found {
	const struct imports *im;
	struct object *objects;
	uint32_t count;
};

/* ---- finding them ---- */

/* The loader has added the object's base address, or not. */
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
			o->relro = page__of(at);
			o->relro_end = page__of(end);
		}
	}
	if (dynamic)
		read_dynamic(o, dynamic);
	return dynamic;
}

static bool is_one_of(const char *file, const char *const *libraries)
{
	while (*libraries && strncmp(file, *libraries, strlen(*libraries)))
		libraries++;
	return *libraries;
}

static bool needs_one(const struct object *o, const ElfW(Dyn) * d, const char *const *libraries)
{
	for (; o->strings && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED && is_one_of(o->strings + d->d_un.d_val, libraries))
			return true;
	return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct found *f = arg;
	struct object *grown, o;
	const ElfW(Dyn) *dynamic = read_object(&o, info);

	if (!dynamic || !needs_one(&o, dynamic, f->im->libraries))
		return 0;
	o.path = strdup(info->dlpi_name);
	grown = realloc(f->objects, (f->count + 1) * sizeof(o));
	if (!o.path || !grown) {
		free(o.path);
		f->objects = grown ? grown : f->objects;
		return 1;
	}
	f->objects = grown;
	f->objects[f->count++] = o;
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
 * Another thread may be loading it this moment, and relocating it: that has ended when it can be
 * opened. It is not unloaded before the handle is closed; closing the handle may then unload it.
 * NULL: it was unloaded, and another object may be there.
 */
static void *hold(const struct object *o)
{
	void *handle = dlopen(*o->path ? o->path : NULL, RTLD_LAZY | RTLD_NOLOAD);
	const struct link_map *map;

	if (!handle)
		return NULL;
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map) && map->l_addr == o->base)
		return handle;
	dlclose(handle);
	return NULL;
}

/* ---- writing ---- */

/* A call that has not been made yet goes to where the object has its address looked up. */
static bool is_unbound(const struct object *o, const void *value)
{
	uintptr_t at = (uintptr_t)value;

	return at >= o->text && at < o->text_end;
}

/* What the loader would find. */
static void *look_up(void *handle, const char *name)
{
	void *function = dlsym(RTLD_DEFAULT, name);

	return function ? function : dlsym(handle, name);
}

static bool is_relro(const struct object *o, const void *place)
{
	return (uintptr_t)place >= o->relro && (uintptr_t)place < o->relro_end;
}

/* Another tool in the process may have made either sort of page what it is not usually. */
static bool write_to(struct object *o, void **place, void *before, void *value)
{
	bool done = poke__pointer(place, before, value);

	for (int i = 0; i < TRIES && !done && is_relro(o, place) &&
			__atomic_load_n(place, __ATOMIC_RELAXED) == before;
	     i++)
		done = poke__open(&o->open, place) && poke__pointer(place, before, value);
	return done;
}

static bool replace(const struct imports *im, struct object *o, void *handle, void **place,
		    const char *name)
{
	void *there = __atomic_load_n(place, __ATOMIC_RELAXED), *function, *instead;

	if (!is_unbound(o, there))
		function = there;
	else if (!im->bound_only)
		function = look_up(handle, name);
	else
		return false;
	instead = im->instead(name, im->behind ? im->behind(function) : function);
	return instead && instead != there && write_to(o, place, there, instead);
}

static uint32_t replace_in(const struct imports *im, struct object *o, void *handle,
			   const struct relocations *r)
{
	uint32_t count = 0;

	for (size_t n = 0; n < r->size / sizeof(*r->list); n++) {
		uint32_t type = ELF64_R_TYPE(r->list[n].r_info);
		const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(r->list[n].r_info)];
		const char *name = o->strings + symbol->st_name;
		void **place = (void **)(o->base + r->list[n].r_offset);

		if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
		    symbol->st_shndx == SHN_UNDEF && im->wants(name))
			count += replace(im, o, handle, place, name);
	}
	return count;
}

bool imports__audited(void)
{
	const char *libraries = getenv("LD_AUDIT");

	return libraries && *libraries;
}

static bool stopped;

void imports__stop(void)
{
	__atomic_store_n(&stopped, true, __ATOMIC_RELEASE);
}

/*
 * What is bound already is looked at again: a thread that was just about to call for the first time
 * may have bound it to the original after us.
 */
uint32_t imports__replace(const struct imports *im)
{
	struct found f = {.im = im};
	uint32_t count = 0;

	dl_iterate_phdr(look_at, &f);
	/* Not from inside of the iteration: that holds a lock of the loader. */
	for (uint32_t i = 0; i < f.count; i++) {
		struct object *o = &f.objects[i];
		void *handle = __atomic_load_n(&stopped, __ATOMIC_ACQUIRE) ? NULL : hold(o);

		if (handle) {
			if (!im->calls_only)
				count += replace_in(im, o, handle, &o->data);
			count += replace_in(im, o, handle, &o->calls);
			poke__close(&o->open);
			dlclose(handle);
		}
		free(o->path);
	}
	free(f.objects);
	return count;
}

static int is_named(struct dl_phdr_info *info, size_t size, void *libraries)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	return is_one_of(slash ? slash + 1 : info->dlpi_name, libraries);
}

bool imports__has_one(const char *const *libraries)
{
	return dl_iterate_phdr(is_named, (void *)libraries);
}
