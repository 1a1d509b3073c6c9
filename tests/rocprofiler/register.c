// SPDX-License-Identifier: MIT
/*
 * Makes of the HIP and the HSA in the process ones that hand in their tables by
 * rocprofiler-register. Preloaded, it has all of HIP's functions: each jumps to where HIP's table
 * says, which has been handed in by then. Named in HSA_TOOLS_LIB, it hands in the table that it is
 * given.
 *
 * RT_REGISTER: of hip, hsa, those that do so; without it, both.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define HIDDEN	 __attribute__((visibility("hidden"), used))
#define ROOM	 512
#define OLD	 "R0000"
#define VERSION	 60443

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
			      uint64_t count);

/* The first word is the size. */
HIDDEN void *hip_table[ROOM], *compiler_table[ROOM];

#define EXPORT(table, place, name)                                                                \
	__asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n\tjmp *" #table \
		"+8+8*" #place "(%rip)\n");
#include "tests/rocprofiler/exports.inc"
#undef EXPORT

/* Before HIP 6 these are the ones of the structure that it then changed. */
__asm__(".globl hipGetDeviceProperties\n.type hipGetDeviceProperties, @function\n"
	"hipGetDeviceProperties:\n\tjmp hipGetDevicePropertiesR0000@plt\n");

/* HIP's own. */
static void *look_up(const char *name)
{
	size_t length = strlen(name), old = strlen(OLD);
	void *found = dlsym(RTLD_NEXT, name);
	char *without;

	if (found || length < old || strcmp(name + length - old, OLD))
		return found;
	without = strndup(name, length - old);
	found = dlsym(RTLD_NEXT, without);
	free(without);
	return found;
}

static bool does(const char *what)
{
	const char *which = getenv("RT_REGISTER");

	return !which || strstr(which, what);
}

static void hand_in(const char *name, void *table)
{
	if (rocprofiler_set_api_table(name, VERSION, 0, &table, 1)) {
		fprintf(stderr, "register: %s\n", name);
		_exit(97);
	}
}

static void add(void **table, size_t place, const char *name)
{
	table[0] = (void *)((place + 2) * sizeof(*table));
	table[1 + place] = look_up(name);
}

__attribute__((constructor)) static void hand_in_hip(void)
{
#define EXPORT(table, place, name) add(table, place, #name);
#include "tests/rocprofiler/exports.inc"
#undef EXPORT
	if (!does("hip") || !look_up("hipInit"))
		return;
	hand_in("hip_compiler", compiler_table);
	hand_in("hip", hip_table);
}

EXPORTED bool OnLoad(void *table, uint64_t version, uint64_t failed_count,
		     const char *const *failed_names);
EXPORTED void OnUnload(void);

bool OnLoad(void *table, uint64_t version, uint64_t failed_count, const char *const *failed_names)
{
	if (does("hsa"))
		hand_in("hsa", table);
	return true;
}

void OnUnload(void)
{
}
