// SPDX-License-Identifier: MIT
/*
 * Tests where probes are placed: in functions of every kind (tests/capture/sites.S, where labels
 * mark each place), and in the real libraries, with objdump as the judge of what is an instruction.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/capture/sites.h"
#include "tests/unit/tracer/rocm.h"
#include "user/probe/library_probes.h"

static struct selection everything;
static const struct site *first, *last;
static const struct link_map *map;

static int setup(void **state)
{
	void *handle = dlopen(SITES_LIBRARY, RTLD_NOW);

	if (!handle)
		return -1;
	first = dlsym(handle, "sites");
	last = dlsym(handle, "sites_end");
	selection__all(&everything);
	everything.hot = true;
	return dlinfo(handle, RTLD_DI_LINKMAP, &map) || !first || !last;
}

struct opened {
	struct functions *fns;
	struct library *lib;
};

static struct opened open_on(const char *path, unsigned int kernel)
{
	struct opened o = {.fns = functions__new(&everything)};

	o.lib = library_probes__open_on(open(path, O_RDONLY | O_CLOEXEC), path, o.fns, kernel);
	assert_non_null(o.lib);
	return o;
}

static void close_opened(struct opened *o)
{
	library_probes__close(o->lib);
	functions__free(o->fns);
}

static const struct probe *probe_of(const struct library *lib, const char *name)
{
	for (size_t i = 0; i < lib->probe_count; i++)
		if (!strcmp(lib->probes[i].symbol, name))
			return &lib->probes[i];
	return NULL;
}

static const char *why_not(const struct library *lib, const char *name)
{
	for (size_t i = 0; i < lib->unprobed_count; i++)
		if (!strcmp(lib->unprobed[i].symbol, name))
			return lib->unprobed[i].why;
	return NULL;
}

/* The file offset of a loaded address, by the loader's own table. */
struct find {
	uintptr_t address;
	uint64_t offset;
};

static int find_offset(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct find *f = arg;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (info->dlpi_addr == map->l_addr && ph->p_type == PT_LOAD &&
		    f->address >= start && f->address - start < ph->p_filesz)
			f->offset = f->address - start + ph->p_offset;
	}
	return 0;
}

static uint64_t offset_of(const void *address)
{
	struct find f = {.address = (uintptr_t)address, .offset = UINT64_MAX};

	dl_iterate_phdr(find_offset, &f);
	return f.offset;
}

static bool is_where_it_belongs(const struct library *lib, const struct site *site)
{
	const struct probe *p = probe_of(lib, site->name);
	const char *why = why_not(lib, site->name);

	if (site->kind == SITE_SKIPPED) {
		if (!p && why)
			return true;
		print_error("%s: is probed\n", site->name);
		return false;
	}
	if (!p) {
		print_error("%s: is not probed: %s\n", site->name, why ? why : "not found");
		return false;
	}
	if (p->offset == offset_of(site->place) && (long)p->place.kind == site->kind &&
	    p->offset - p->place.shift == offset_of(site->entry) &&
	    !p->place.why == (site->kind != SITE_STEPPED))
		return true;
	print_error("%s: at +%u as %s; expected: at +%td as %s\n", site->name, p->place.shift,
		    place_kind_names[p->place.kind],
		    (const char *)site->place - (const char *)site->entry,
		    place_kind_names[site->kind]);
	return false;
}

static void each_site_is_probed_where_it_belongs(void **state)
{
	struct opened o = open_on(SITES_LIBRARY, KERNEL(6, 18));
	size_t wrong = 0;

	assert_true(last - first > 90);
	for (const struct site *site = first; site < last; site++)
		wrong += !is_where_it_belongs(o.lib, site);
	assert_int_equal(wrong, 0);
	assert_int_equal(o.lib->probe_count + o.lib->unprobed_count, last - first);
	close_opened(&o);
}

static enum place_kind kind_on(const char *name, unsigned int kernel, uint32_t shift)
{
	struct opened o = open_on(SITES_LIBRARY, kernel);
	const struct probe *p = probe_of(o.lib, name);
	enum place_kind kind = p ? p->place.kind : PLACE_SKIPPED;

	if (p)
		assert_int_equal(p->place.shift, shift);
	close_opened(&o);
	return kind;
}

static void older_kernels_emulate_fewer_nops(void **state)
{
	assert_int_equal(kind_on("hipSiteNop5", KERNEL(6, 18), 0), PLACE_NOP5);
	assert_int_equal(kind_on("hipSiteNop5", KERNEL(6, 17), 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop5", KERNEL(6, 12), 0), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteNop4", KERNEL(6, 12), 0), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteNop2", KERNEL(6, 12), 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop2", KERNEL(5, 15), 2), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteNop", KERNEL(5, 15), 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteEndbrNop5", KERNEL(6, 12), 0), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteEndbrPush", KERNEL(5, 15), 4), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteRedZoneNop5Push", KERNEL(5, 15), 10), PLACE_EMULATED);
}

/* Where the kernel has forked children die of rewritten nops, all that have five bytes are passed.
 */
static void no_nop5_is_probed_where_children_die_of_it(void **state)
{
	const unsigned int kernel = KERNEL(6, 18) | KERNEL_NOP5_KILLS;
	struct opened o = open_on(SITES_LIBRARY, kernel);
	size_t nops = 0;

	for (const struct site *site = first; site < last; site++) {
		const struct probe *p = probe_of(o.lib, site->name);

		if (site->kind != SITE_NOP5)
			continue;
		nops++;
		assert_non_null(p);
		assert_int_not_equal(p->offset, offset_of(site->place));
	}
	assert_true(nops > 6);
	for (size_t i = 0; i < o.lib->probe_count; i++)
		assert_int_not_equal(o.lib->probes[i].place.kind, PLACE_NOP5);
	close_opened(&o);
	assert_int_equal(kind_on("hipSiteNop5", kernel, 5), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteNop5Push", kernel, 5), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop5Prefixed", kernel, 5), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteEndbrNop5", kernel, 0), PLACE_SINGLE_STEPPED);
	assert_int_equal(kind_on("hipSiteEndbrNop5Push", kernel, 9), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop5Indirect", kernel, 5), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSitePageEnd", kernel, 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteForeignNop5", kernel, 0), PLACE_SKIPPED);
}

static void nops_that_stay_traps_are_emulated(void **state)
{
	const unsigned int kernel = KERNEL(7, 3) | KERNEL_NOP5_TRAPS;

	assert_int_equal(kind_on("hipSiteNop5", kernel, 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop5Prefixed", kernel, 0), PLACE_EMULATED);
	assert_int_equal(kind_on("hipSiteNop5", KERNEL(6, 12) | KERNEL_NOP5_TRAPS, 0),
			 PLACE_SINGLE_STEPPED);
}

/* Decodes by objdump from the function's first byte up to the probe. */
static bool objdump_agrees(const char *path, const struct probe *p, uint64_t address)
{
	uint64_t entry = address - p->place.shift, last_seen = 0;
	bool straight = true;
	char cmd[512], line[512];
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "objdump -d --no-show-raw-insn --start-address=0x%lx --stop-address=0x%lx %s",
		 entry, address + 1, path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char name[32] = "";
		uint64_t at;

		if (sscanf(line, " %lx: %31s", &at, name) != 2 || strchr(line, '<') == line)
			continue;
		last_seen = at;
		if (at < address && (name[0] == 'j' || !strncmp(name, "call", 4) ||
				     !strncmp(name, "ret", 3) || !strncmp(name, "loop", 4)))
			straight = false;
	}
	pclose(f);
	return straight && last_seen == address;
}

/* The address that nm has for the symbol, which the library is not asked for. */
static uint64_t address_by_nm(FILE *nm, const char *symbol)
{
	char line[512], name[512];
	uint64_t address;

	rewind(nm);
	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%lx %*c %511s", &address, name) != 2)
			continue;
		name[strcspn(name, "@")] = '\0';
		if (!strcmp(name, symbol))
			return address;
	}
	return 0;
}

static FILE *run_nm(const char *path)
{
	char cmd[512], buf[4096];
	FILE *all = tmpfile(), *nm;
	size_t n;

	snprintf(cmd, sizeof(cmd), "nm -D --defined-only %s", path);
	nm = popen(cmd, "r");
	assert_true(all && nm);
	while ((n = fread(buf, 1, sizeof(buf), nm)) > 0)
		fwrite(buf, 1, n, all);
	pclose(nm);
	return all;
}

static void places_are_instructions(const char *path)
{
	struct opened o = open_on(path, KERNEL(6, 18));
	FILE *nm = run_nm(path);
	size_t wrong = 0;

	assert_true(o.lib->probe_count > 50);
	assert_int_equal(o.lib->unprobed_count, 0);
	for (size_t i = 0; i < o.lib->probe_count; i++) {
		const struct probe *p = &o.lib->probes[i];
		uint64_t entry = address_by_nm(nm, p->symbol);

		/* At a function's first byte there is an instruction. */
		assert_true(entry);
		if (!p->place.shift || objdump_agrees(path, p, entry + p->place.shift))
			continue;
		print_error("%s+%u\n", p->symbol, p->place.shift);
		wrong++;
	}
	assert_int_equal(wrong, 0);
	fclose(nm);
	close_opened(&o);
}

static void places_in_hip_are_instructions(void **state)
{
	places_are_instructions(rocm_library("libamdhip64"));
}

static void places_in_hsa_are_instructions(void **state)
{
	places_are_instructions(rocm_library("libhsa-runtime64"));
}

static void places_in_the_thunk_are_instructions(void **state)
{
	places_are_instructions(rocm_library("libhsakmt"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_site_is_probed_where_it_belongs),
		cmocka_unit_test(older_kernels_emulate_fewer_nops),
		cmocka_unit_test(no_nop5_is_probed_where_children_die_of_it),
		cmocka_unit_test(nops_that_stay_traps_are_emulated),
		cmocka_unit_test(places_in_hip_are_instructions),
		cmocka_unit_test(places_in_hsa_are_instructions),
		cmocka_unit_test(places_in_the_thunk_are_instructions),
	};

	return cmocka_run_group_tests_name("placement", tests, setup, NULL);
}
