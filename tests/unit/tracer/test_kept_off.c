// SPDX-License-Identifier: MIT
/*
 * Tests which programs probes keep off, and that code is put back as it is in its file while all
 * else stays as the process has it. The process is this one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "user/probe/file_code.h"
#include "user/probe/kept_off.h"

#define BREAKPOINT 0xcc
#define PAGE	   4096
#define PAGES	   20
#define CODE	   0x1801 /* not at a page's begin, as linkers may lay it out */
#define CODE_END   0x12345

/* ---- names ---- */

static void translators_are_known(void **state)
{
	static const char *const translators[] = {
		"memcheck-amd64-linux", "none-amd64-linux", "my-own-valgrind-tool-amd64-linux",
		"libdynamorio.so",	"pinbin",	    "qemu-x86_64",
		"qemu-x86_64-static",	"-amd64-linux",
	};
	static const char *const others[] = {
		"",
		"valgrind",
		"amd64-linux",
		"python3.11-amd64-linux.bak",
		"pin",
		"pinbin2",
		"qemu-img",
		"qemu-system-x86_64",
		"a-pinbin",
		"libdynamorio.so.1",
		"memcheck-amd64-linu",
	};
	struct kept_off k;

	kept_off__init(&k);
	for (size_t i = 0; i < sizeof(translators) / sizeof(translators[0]); i++)
		assert_true(kept_off__has_name(&k, translators[i]));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_false(kept_off__has_name(&k, others[i]));
}

static void names_are_added_whole(void **state)
{
	char long_name[RT_EXE_NAME + 1];
	struct kept_off k;

	kept_off__init(&k);
	memset(long_name, 'x', RT_EXE_NAME);
	long_name[RT_EXE_NAME] = '\0';
	assert_int_equal(kept_off__add(&k, ""), -EINVAL);
	assert_int_equal(kept_off__add(&k, "a/b"), -EINVAL);
	assert_int_equal(kept_off__add(&k, long_name), -EINVAL);
	long_name[RT_EXE_NAME - 1] = '\0';
	assert_int_equal(kept_off__add(&k, long_name), 0);
	assert_true(kept_off__has_name(&k, long_name));
	assert_int_equal(kept_off__add(&k, "guard"), 0);
	assert_true(kept_off__has_name(&k, "guard"));
	assert_false(kept_off__has_name(&k, "guarded"));
	assert_false(kept_off__has_name(&k, "guar"));
	while (k.count < RT_EXE_NAMES)
		assert_int_equal(kept_off__add(&k, "more"), 0);
	assert_int_equal(kept_off__add(&k, "too many"), -E2BIG);
}

/* ---- code ---- */

struct mapped_file {
	struct library lib;
	struct mapping mapping;
	uint8_t *memory;
};

/* `from`: the first page that is mapped */
static void map_file(struct mapped_file *f, size_t from)
{
	static uint8_t content[PAGES * PAGE];
	int fd = memfd_create("code", MFD_CLOEXEC);

	for (size_t i = 0; i < sizeof(content); i++)
		content[i] = i % 251 == 250 ? BREAKPOINT : i % 251;
	assert_int_equal(write(fd, content, sizeof(content)), sizeof(content));
	f->memory = mmap(NULL, (PAGES - from) * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
			 from * PAGE);
	assert_ptr_not_equal(f->memory, MAP_FAILED);
	f->lib = (struct library){.fd = fd, .code = {{CODE, CODE_END}}, .code_count = 1};
	f->mapping = (struct mapping){
		.start = (uintptr_t)f->memory,
		.end = (uintptr_t)f->memory + (PAGES - from) * PAGE,
		.offset = from * PAGE,
	};
}

static void unmap_file(struct mapped_file *f)
{
	munmap(f->memory, f->mapping.end - f->mapping.start);
	close(f->lib.fd);
}

static uint8_t in_file(const struct mapped_file *f, size_t offset)
{
	uint8_t byte;

	assert_int_equal(pread(f->lib.fd, &byte, 1, offset), 1);
	return byte;
}

/* Puts breakpoints everywhere, and has the code put back. */
static void put_back(size_t from)
{
	size_t wanted = 0;
	struct mapped_file f;

	map_file(&f, from);
	memset(f.memory, BREAKPOINT, (PAGES - from) * PAGE);
	for (size_t at = CODE; at < CODE_END; at++)
		wanted += at >= from * PAGE && in_file(&f, at) != BREAKPOINT;
	mprotect(f.memory, (PAGES - from) * PAGE, PROT_NONE);
	assert_int_equal(file_code__restore(getpid(), &f.mapping, &f.lib), wanted);
	mprotect(f.memory, (PAGES - from) * PAGE, PROT_READ);
	for (size_t at = from * PAGE; at < PAGES * PAGE; at++)
		assert_int_equal(f.memory[at - from * PAGE],
				 at >= CODE && at < CODE_END ? in_file(&f, at) : BREAKPOINT);
	unmap_file(&f);
}

static void code_is_put_back_and_data_is_not(void **state)
{
	for (size_t from = 0; from < PAGES; from++)
		put_back(from);
}

static void what_is_no_breakpoint_stays(void **state)
{
	struct mapped_file f;

	map_file(&f, 0);
	memset(f.memory, 0x90, PAGES * PAGE);
	assert_int_equal(file_code__restore(getpid(), &f.mapping, &f.lib), 0);
	for (size_t at = 0; at < PAGES * PAGE; at++)
		assert_int_equal(f.memory[at], 0x90);
	unmap_file(&f);
}

/* The mapping may be larger than what the file has become, and code may end anywhere. */
static void files_that_have_shrunk(void **state)
{
	struct mapped_file f;

	map_file(&f, 0);
	f.memory[CODE] = f.memory[CODE + 3 * PAGE] = BREAKPOINT;
	assert_int_equal(ftruncate(f.lib.fd, 2 * PAGE), 0);
	f.lib.code[0].end = UINT64_MAX;
	assert_int_equal(file_code__restore(getpid(), &f.mapping, &f.lib), 1);
	unmap_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(translators_are_known),
		cmocka_unit_test(names_are_added_whole),
		cmocka_unit_test(code_is_put_back_and_data_is_not),
		cmocka_unit_test(what_is_no_breakpoint_stays),
		cmocka_unit_test(files_that_have_shrunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
