// SPDX-License-Identifier: MIT
/*
 * Tests which functions are found at the end of functions that jump on through a table. For those
 * made for this test, the assembly names the target. For all of HSA's, objdump and this process's
 * memory are the judges.
 */
#include <dlfcn.h>
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

#include "tests/unit/tracer/rocm.h"
#include "user/probe/trampoline_targets.h"
#include "user/base/procfs.h"

struct loaded {
	void *handle;
	uint64_t base;
	struct functions *fns;
	struct library *lib;
	struct implementation *found;
	int count;
};

static ssize_t read_self(void *arg, uint64_t address, void *buf, size_t size)
{
	return procfs__read_memory(getpid(), address, buf, size);
}

static struct loaded load(const char *path)
{
	static struct selection all;
	struct loaded l = {.handle = dlopen(path, RTLD_NOW)};
	struct link_map *map;

	assert_non_null(l.handle);
	assert_int_equal(dlinfo(l.handle, RTLD_DI_LINKMAP, &map), 0);
	l.base = map->l_addr;
	selection__all(&all);
	all.hot = true;
	l.fns = functions__new(&all);
	l.lib = library_probes__open(open(path, O_RDONLY | O_CLOEXEC), path, l.fns);
	assert_non_null(l.lib);
	l.count = trampoline_targets__find(l.lib, l.base, read_self, NULL, &l.found);
	assert_true(l.count >= 0);
	return l;
}

static void unload(struct loaded *l)
{
	free(l->found);
	library_probes__close(l->lib);
	functions__free(l->fns);
	dlclose(l->handle);
}

static const struct implementation *behind(const struct loaded *l, const char *symbol)
{
	for (int i = 0; i < l->count; i++)
		if (!strcmp(l->found[i].trampoline->symbol, symbol))
			return &l->found[i];
	return NULL;
}

/* The trampoline, decoded alone. */
static bool leads_to(const struct loaded *l, const char *symbol, uint64_t *address)
{
	const char *entry = dlsym(l->handle, symbol);
	struct trampoline t;
	struct image image;
	struct code code;
	uint64_t offset;
	bool found;

	assert_non_null(entry);
	assert_int_equal(elf_image__open(&image, l->lib->fd), 0);
	assert_true(elf_image__code(&image, (uintptr_t)entry - l->base, &code, &offset));
	found = trampoline__decode(&image, &code, &t) &&
		!trampoline__read(&t, l->base, read_self, NULL, address);
	elf_image__close(&image);
	return found;
}

static void those_that_keep_everything_are_followed(void **state)
{
	static const char *const names[] = {"hipSiteTableLoad", "hipSiteTableCall",
					    "hipSiteTableCallSaves"};
	struct loaded l = load(SITES_LIBRARY);
	const uint64_t *expected = dlsym(l.handle, "sites_behind");

	assert_non_null(expected);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t address = 0;

		assert_true(leads_to(&l, names[i], &address));
		assert_int_equal(address, *expected);
	}
	unload(&l);
}

static void others_are_not(void **state)
{
	static const char *const names[] = {"hipSiteTableArgument", "hipSiteTableLosesArgument",
					    "hipSiteTableEscapes",  "hipSiteTableBranch",
					    "hipSiteTableEmpty",    "hipSitePush",
					    "hipSiteReturn",	    "hipSiteComputedJump"};
	struct loaded l = load(SITES_LIBRARY);
	uint64_t address;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (leads_to(&l, names[i], &address))
			fail_msg("%s: leads to %#lx", names[i], address);
	}
	unload(&l);
}

/*
 * The three above lead to one function: a probe there could not distinguish by which of them it was
 * entered.
 */
static void what_is_no_function_of_its_own_is_not_probed(void **state)
{
	struct loaded l = load(SITES_LIBRARY);

	assert_null(behind(&l, "hipSiteTableMiddle"));
	assert_null(behind(&l, "hipSiteTableNoFrame"));
	assert_null(behind(&l, "hipSiteTableLoad"));
	assert_int_equal(l.count, 0);
	unload(&l);
}

/*
 * By objdump's reading of "mov X(%rip),%rax; ...; jmp *N(%rax)", or "mov N(%rax),%rax; jmp *%rax"
 * at the end, and this process's memory.
 */
static uint64_t by_objdump(const struct loaded *l, const char *path, const struct probe *p)
{
	uint64_t entry = (uintptr_t)dlsym(l->handle, p->symbol) - l->base, variable = 0;
	char cmd[512], line[512];
	uint64_t found = 0;
	long slot = -1, loaded = -1;
	bool ended = false;
	FILE *f;

	snprintf(cmd, sizeof(cmd),
		 "objdump -d --no-show-raw-insn --start-address=0x%lx --stop-address=0x%lx %s",
		 entry, entry + 40, path);
	f = popen(cmd, "r");
	assert_non_null(f);
	while (!ended && fgets(line, sizeof(line), f)) {
		const char *comment = strchr(line, '#'), *jump = strstr(line, "jmp    *");

		if (comment && !variable)
			variable = strtoul(comment + 1, NULL, 16);
		else if (jump)
			slot = jump[strlen("jmp    *")] == '%'
				       ? loaded
				       : strtol(jump + strlen("jmp    *"), NULL, 16);
		else if (strstr(line, "(%rax),%rax"))
			loaded = strtol(strstr(line, "mov ") + strlen("mov "), NULL, 16);
		ended = jump || strstr(line, "\tret");
	}
	pclose(f);
	if (variable && slot >= 0 && read_self(NULL, l->base + variable, &found, 8) == 8)
		read_self(NULL, found + slot, &found, 8);
	return found;
}

static void all_of_hsa_are_followed(void **state)
{
	struct loaded l = load(rocm_library("libhsa-runtime64"));
	size_t followed = 0, wrong = 0;

	for (size_t i = 0; i < l.lib->probe_count; i++) {
		const struct probe *p = &l.lib->probes[i];
		uint64_t address = 0, expected = by_objdump(&l, l.lib->name, p);

		followed += leads_to(&l, p->symbol, &address);
		if (address == expected)
			continue;
		print_error("%s: %#lx, expected %#lx\n", p->symbol, address, expected);
		wrong++;
	}
	assert_int_equal(wrong, 0);
	assert_true(followed > 150);
	print_message("%zu of %zu followed, %d to a place that is emulated\n", followed,
		      l.lib->probe_count, l.count);
	assert_true(l.count > 100);
	unload(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_keep_everything_are_followed),
		cmocka_unit_test(others_are_not),
		cmocka_unit_test(what_is_no_function_of_its_own_is_not_probed),
		cmocka_unit_test(all_of_hsa_are_followed),
	};

	return cmocka_run_group_tests_name("trampoline", tests, NULL, NULL);
}
