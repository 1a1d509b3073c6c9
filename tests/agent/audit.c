// SPDX-License-Identifier: MIT
/*
 * libaudit.so: for LD_AUDIT. The loader calls it at each call of a function of HIP from one library
 * to another, and makes the call itself then. It says at the end how many there were.
 *
 *   AUDIT_LOG=FILE   gets that number
 */
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static unsigned long entered, left;

static int is_hip(const char *name)
{
	return !strncmp(name, "hip", 3);
}

EXPORT unsigned int la_version(unsigned int version)
{
	return version < LAV_CURRENT ? version : LAV_CURRENT;
}

EXPORT unsigned int la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	return LA_FLG_BINDTO | LA_FLG_BINDFROM;
}

EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int number, uintptr_t *from,
			      uintptr_t *to, unsigned int *flags, const char *name)
{
	if (!is_hip(name))
		*flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
	return symbol->st_value;
}

EXPORT Elf64_Addr la_x86_64_gnu_pltenter(Elf64_Sym *symbol, unsigned int number, uintptr_t *from,
					 uintptr_t *to, La_x86_64_regs *regs, unsigned int *flags,
					 const char *name, long *frame)
{
	__atomic_add_fetch(&entered, 1, __ATOMIC_RELAXED);
	*frame = 256;
	return symbol->st_value;
}

EXPORT unsigned int la_x86_64_gnu_pltexit(Elf64_Sym *symbol, unsigned int number, uintptr_t *from,
					  uintptr_t *to, const La_x86_64_regs *in,
					  La_x86_64_retval *out, const char *name)
{
	__atomic_add_fetch(&left, 1, __ATOMIC_RELAXED);
	return 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("AUDIT_LOG");
	FILE *f = path ? fopen(path, "ae") : NULL;

	if (!f)
		return;
	fprintf(f, "entered %lu left %lu\n", entered, left);
	fclose(f);
}
