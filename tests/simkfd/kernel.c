/* SPDX-License-Identifier: MIT */
/*
 * Kernels: what a dispatch packet's kernel object is called, and what the simulator does for it.
 *
 * A dispatch packet names the GPU address of a kernel descriptor. The loader has put the code
 * object into GPU memory as an ELF image, so the name is found there: step back from the descriptor
 * page by page to the ELF header, then look for the dynamic symbol with that address, "NAME.kd".
 *
 * What was found is kept in a small cache. An object's address can come to mean another kernel when
 * a module is unloaded and the next one lands in its place, inside the same buffer, without notice
 * to the driver: so the cache keeps a pointer to the symbol and compares its name at each use.
 */
#include "tests/simkfd/kernel.h"

#include <dlfcn.h>
#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/simkfd/memory.h"
#include "tests/simkfd/simkfd.h"

#define PAGE	     4096ULL
#define MACHINE_AMD  224 /* EM_AMDGPU */
#define NAME_BUCKETS 1024
#define CACHE_SIZE   4096

static struct kernel *names[NAME_BUCKETS];
static const struct simkfd_kernel *functions; /* of SIMKFD_KERNEL_LIB */

static struct cached {
	uint64_t object;
	const struct kernel *kernel;
	const char *symbol; /* "NAME.kd", in the image */
} cache[CACHE_SIZE];

static void load_functions(void)
{
	void *lib;

	if (!config.kernel_lib)
		return;
	lib = dlopen(config.kernel_lib, RTLD_NOW | RTLD_LOCAL);
	if (lib)
		functions = dlsym(lib, "simkfd_kernels");
	if (!functions)
		sim__log(0, "SIMKFD_KERNEL_LIB: %s", dlerror());
}

void kernel__load_functions(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_functions);
}

/* Length of a symbol's name without its ".kd". */
static size_t name_length(const char *symbol)
{
	size_t len = strlen(symbol);

	return len > 3 && !strcmp(symbol + len - 3, ".kd") ? len - 3 : len;
}

/* What SIMKFD_KERNELS=name=ns,name=ns says of that kernel. */
static uint64_t configured_duration(const char *name)
{
	const char *item = config.kernels;
	size_t len = strlen(name);

	while (item && *item) {
		if (!strncmp(item, name, len) && item[len] == '=')
			return strtoull(item + len + 1, NULL, 0);
		item = strchr(item, ',');
		if (item)
			item++;
	}
	return config.kernel_ns;
}

static struct kernel *kernel_new(const char *name, size_t len)
{
	const struct simkfd_kernel *f;
	struct kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->name = strndup(name, len);
	if (!k->name) {
		free(k);
		return NULL;
	}
	k->duration = configured_duration(k->name);
	k->faults = config.fault && !strcmp(config.fault, k->name);
	k->blit = blit__by_name(k->name);
	for (f = functions; f && f->name; f++)
		if (!strcmp(f->name, k->name))
			k->run = f->run;
	return k;
}

static const struct kernel *intern(const char *name, size_t len)
{
	uint32_t hash = 2166136261u;
	struct kernel *k;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)name[i]) * 16777619u;
	for (k = names[hash % NAME_BUCKETS]; k; k = k->next)
		if (!strncmp(k->name, name, len) && !k->name[len])
			return k;
	k = kernel_new(name, len);
	if (k) {
		k->next = names[hash % NAME_BUCKETS];
		names[hash % NAME_BUCKETS] = k;
	}
	return k;
}

/* A loaded code object. */
struct image {
	struct buffer *buffer;
	uint64_t base;
};

/* `size` bytes at that address of the image, NULL if they are not in its buffer. */
static const void *image_bytes(const struct image *image, uint64_t va, uint64_t size)
{
	const struct buffer *b = image->buffer;

	if (va < b->va || va - b->va > b->size || size > b->size - (va - b->va))
		return NULL;
	return b->host + (va - b->va);
}

static bool image_find(struct image *image, uint64_t object)
{
	const Elf64_Ehdr *header;
	uint64_t va;

	image->buffer = memory__find(object);
	if (!image->buffer || !image->buffer->host)
		return false;
	for (va = object & ~(PAGE - 1); va >= image->buffer->va && va <= object; va -= PAGE) {
		header = image_bytes(image, va, sizeof(*header));
		if (header && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
		    header->e_machine == MACHINE_AMD) {
			image->base = va;
			return true;
		}
	}
	return false;
}

static const Elf64_Dyn *image_dynamic(const struct image *image)
{
	const Elf64_Ehdr *header = image_bytes(image, image->base, sizeof(*header));
	const Elf64_Phdr *ph;
	int i;

	ph = image_bytes(image, image->base + header->e_phoff, header->e_phnum * sizeof(*ph));
	for (i = 0; ph && i < header->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			return image_bytes(image, image->base + ph[i].p_vaddr, ph[i].p_memsz);
	return NULL;
}

/* Where a pointer of the dynamic section points, whether the loader has relocated it or not. */
static uint64_t image_address(const struct image *image, uint64_t pointer)
{
	return pointer && pointer < image->base ? pointer + image->base : pointer;
}

static const char *image_symbol(const struct image *image, uint64_t object)
{
	const Elf64_Dyn *dyn = image_dynamic(image);
	uint64_t symbols = 0, strings = 0, hash = 0, count, i;
	const uint32_t *table;
	const Elf64_Sym *sym;

	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_SYMTAB)
			symbols = image_address(image, dyn->d_un.d_ptr);
		else if (dyn->d_tag == DT_STRTAB)
			strings = image_address(image, dyn->d_un.d_ptr);
		else if (dyn->d_tag == DT_HASH)
			hash = image_address(image, dyn->d_un.d_ptr);
	}
	table = hash ? image_bytes(image, hash, 2 * sizeof(*table)) : NULL;
	count = table ? table[1] : 0; /* nchain: one for each symbol */
	sym = image_bytes(image, symbols, count * sizeof(*sym));
	for (i = 0; sym && i < count; i++)
		if (image->base + sym[i].st_value == object)
			return image_bytes(image, strings + sym[i].st_name, 1);
	return NULL;
}

static const struct kernel *look_up(struct cached *entry, uint64_t object)
{
	struct image image;
	const char *symbol;

	if (!image_find(&image, object))
		return NULL;
	symbol = image_symbol(&image, object);
	if (!symbol)
		return NULL;
	entry->object = object;
	entry->symbol = symbol;
	entry->kernel = intern(symbol, name_length(symbol));
	image.buffer->has_code = true;
	return entry->kernel;
}

static bool cached_is_current(const struct cached *entry)
{
	size_t len = strlen(entry->kernel->name);

	return !strncmp(entry->symbol, entry->kernel->name, len) &&
	       name_length(entry->symbol) == len;
}

const struct kernel *kernel__by_object(uint64_t object)
{
	struct cached *entry = &cache[(object >> 6) % CACHE_SIZE];

	if (entry->kernel && entry->object == object && cached_is_current(entry))
		return entry->kernel;
	return look_up(entry, object);
}

void kernel__forget_objects(void)
{
	memset(cache, 0, sizeof(cache));
}
