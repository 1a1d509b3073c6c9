// SPDX-License-Identifier: MIT
/*
 * Reads the dynamic symbols of a library.
 */
#include "tests/unit/inprocess/exports.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

const char *library_of(const char *function)
{
	Dl_info info;

	assert_int_not_equal(dladdr(dlsym(RTLD_DEFAULT, function), &info), 0);
	return info.dli_fname;
}

static int is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return 1;
	return 0;
}

/* In the file: in memory, a tracer that runs elsewhere on the machine may have a breakpoint there.
 */
static void check_entry(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *scn = elf_getscn(elf, symbol->st_shndx);
	const uint8_t push_rbp = 0x55;
	GElf_Shdr header;
	Elf_Data *code;

	assert_non_null(gelf_getshdr(scn, &header));
	code = elf_getdata(scn, NULL);
	assert_non_null(code);
	assert_in_range(symbol->st_value, header.sh_addr, header.sh_addr + code->d_size - 1);
	assert_int_equal(((const uint8_t *)code->d_buf)[symbol->st_value - header.sh_addr],
			 push_rbp);
}

/* Every exported function of the table `scn`; returns how many there are. */
static size_t check_table(Elf *elf, Elf_Scn *scn, const GElf_Shdr *header, const char *const *names,
			  size_t count)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = header->sh_size / header->sh_entsize, exports = 0;
	const char *name;
	GElf_Sym symbol;

	for (size_t i = 0; i < n; i++) {
		assert_non_null(gelf_getsym(data, (int)i, &symbol));
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx == SHN_ABS)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!is_one_of(name, names, count))
			fail_msg("%s is exported", name);
		assert_int_equal(GELF_ST_TYPE(symbol.st_info), STT_FUNC);
		assert_int_not_equal(symbol.st_size, 0);
		check_entry(elf, &symbol);
		exports++;
	}
	return exports;
}

void check_exports(const char *library, const char *const *names, size_t count)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	size_t exports = 0;
	GElf_Shdr header;
	Elf *elf;

	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	assert_non_null(elf);
	while ((scn = elf_nextscn(elf, scn))) {
		assert_non_null(gelf_getshdr(scn, &header));
		if (header.sh_type == SHT_DYNSYM)
			exports += check_table(elf, scn, &header, names, count);
	}
	assert_int_equal(exports, count);
	elf_end(elf);
	close(fd);
}
