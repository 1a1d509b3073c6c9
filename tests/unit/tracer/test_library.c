// SPDX-License-Identifier: MIT
/*
 * Tests which symbols of a file are probed, and where: on the real libraries, with readelf as the
 * judge, and on damaged files.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/tracer/rocm.h"
#include "user/probe/library_probes.h"

static struct selection selection;

static struct functions *all_functions(void)
{
	selection__all(&selection);
	selection.hot = true;
	return functions__new(&selection);
}

static struct library *open_library(const char *path, struct functions *fns)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return library_probes__open(fd, path, fns);
}

static long count_by_readelf(const char *path, const char *pattern)
{
	char cmd[512], line[64] = "";
	FILE *f;

	/* Distinct addresses of defined functions with a name that matches. */
	snprintf(cmd, sizeof(cmd),
		 "readelf -W --dyn-syms %s | awk '$4 == \"FUNC\" && $7 != \"UND\" && $8 ~ /%s/ "
		 "{print $2}'"
		 " | sort -u | wc -l",
		 path, pattern);
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	pclose(f);
	return atol(line);
}

static void all_functions_of(const char *path, const char *pattern)
{
	struct functions *fns = all_functions();
	struct library *lib = open_library(path, fns);

	assert_non_null(lib);
	assert_int_equal(lib->probe_count, count_by_readelf(path, pattern));
	assert_true(lib->probe_count > 50);
	library_probes__close(lib);
	functions__free(fns);
}

static void all_functions_of_hip_are_found(void **state)
{
	all_functions_of(rocm_library("libamdhip64"), "^(__|_Z[0-9]+)?hip");
}

static void all_functions_of_hsa_are_found(void **state)
{
	all_functions_of(rocm_library("libhsa-runtime64"), "^hsa_");
}

static void all_functions_of_the_thunk_are_found(void **state)
{
	all_functions_of(rocm_library("libhsakmt"), "^hsaKmt");
}

static const struct probe *find_probe(const struct library *lib, const char *name)
{
	for (size_t i = 0; i < lib->probe_count; i++)
		if (!strcmp(lib->probes[i].fn->name, name))
			return &lib->probes[i];
	return NULL;
}

static void hot_functions_are_left_out_unless_asked_for(void **state)
{
	struct functions *fns = all_functions();
	struct library *all = open_library(rocm_library("libhsa-runtime64"), fns);
	struct library *few;

	selection.hot = false;
	few = open_library(rocm_library("libhsa-runtime64"), fns);
	assert_null(find_probe(few, "hsa_signal_store_screlease"));
	assert_null(find_probe(few, "hsa_queue_load_read_index_relaxed"));
	assert_non_null(find_probe(few, "hsa_signal_wait_scacquire"));
	assert_non_null(find_probe(few, "hsa_queue_create"));
	assert_non_null(find_probe(all, "hsa_signal_store_screlease"));
	library_probes__close(few);
	library_probes__close(all);
	functions__free(fns);
}

static void a_function_is_found_at_its_probe_alone(void **state)
{
	struct functions *fns = all_functions();
	struct library *lib = open_library(rocm_library("libamdhip64"), fns);
	const struct probe *p = find_probe(lib, "hipMalloc");

	assert_non_null(p);
	assert_ptr_equal(library_probes__at(lib, p->offset), p->fn);
	assert_null(library_probes__at(lib, p->offset + 1));
	assert_null(library_probes__at(lib, 0));
	assert_null(library_probes__at(lib, UINT64_MAX));
	library_probes__close(lib);
	functions__free(fns);
}

static int temporary(const void *data, size_t size)
{
	char path[] = "/tmp/rtrace-test-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(write(fd, data, size), size);
	return fd;
}

static void files_that_are_no_library_are_refused(void **state)
{
	struct functions *fns = all_functions();
	static const char text[] =
		"not an ELF file at all, but longer than a header of one would be......";

	errno = 0;
	assert_null(library_probes__open(temporary(text, sizeof(text)), "text", fns));
	assert_int_equal(errno, ENOEXEC);
	assert_null(library_probes__open(temporary("", 0), "empty", fns));
	assert_int_equal(errno, ENOEXEC);
	functions__free(fns);
}

static void files_for_other_machines_are_refused(void **state)
{
	static const struct {
		size_t at;
		char value;
	} changes[] = {
		{EI_CLASS, ELFCLASS32},
		{EI_DATA, ELFDATA2MSB},
		{offsetof(Elf64_Ehdr, e_machine), EM_386},
		{offsetof(Elf64_Ehdr, e_type), ET_REL},
	};
	int fd = open(rocm_library("libhsa-runtime64"), O_RDONLY | O_CLOEXEC);
	struct functions *fns = all_functions();
	static char data[8 << 20];
	ssize_t size = read(fd, data, sizeof(data));

	close(fd);
	assert_true(size > 64);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char saved = data[changes[i].at];

		data[changes[i].at] = changes[i].value;
		errno = 0;
		assert_null(library_probes__open(temporary(data, size), "other", fns));
		assert_int_equal(errno, ENOEXEC);
		data[changes[i].at] = saved;
	}
	library_probes__close(library_probes__open(temporary(data, size), "as it was", fns));
	functions__free(fns);
}

/* Every prefix and many corruptions of a real library: refused or read, never a crash. */
static void damaged_libraries_do_no_harm(void **state)
{
	struct functions *fns = all_functions();
	int fd = open(rocm_library("libhsakmt"), O_RDONLY | O_CLOEXEC);
	static char data[1 << 20];
	ssize_t size = read(fd, data, sizeof(data));

	close(fd);
	assert_true(size > 64);
	for (ssize_t cut = 1; cut < size; cut += cut < 1024 ? 7 : 9973)
		library_probes__close(library_probes__open(temporary(data, cut), "cut", fns));
	srand(1);
	for (int round = 0; round < 300; round++) {
		char saved[4];
		size_t at = rand() % (round < 150 ? 64 : size - 4);

		memcpy(saved, data + at, sizeof(saved));
		for (size_t i = 0; i < sizeof(saved); i++)
			data[at + i] = rand();
		library_probes__close(library_probes__open(temporary(data, size), "damaged", fns));
		memcpy(data + at, saved, sizeof(saved));
	}
	functions__free(fns);
}

static void names_of_rocm_libraries(void **state)
{
	assert_true(library_probes__is_rocm("libamdhip64.so"));
	assert_true(library_probes__is_rocm("libamdhip64.so.6.4.43483"));
	assert_true(library_probes__is_rocm("libhsa-runtime64.so.1"));
	assert_true(library_probes__is_rocm("libroctx64.so.4"));
	assert_false(library_probes__is_rocm("libamdhip.so"));
	assert_false(library_probes__is_rocm("libc.so.6"));
	assert_false(library_probes__is_rocm(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_functions_of_hip_are_found),
		cmocka_unit_test(all_functions_of_hsa_are_found),
		cmocka_unit_test(all_functions_of_the_thunk_are_found),
		cmocka_unit_test(hot_functions_are_left_out_unless_asked_for),
		cmocka_unit_test(a_function_is_found_at_its_probe_alone),
		cmocka_unit_test(files_that_are_no_library_are_refused),
		cmocka_unit_test(files_for_other_machines_are_refused),
		cmocka_unit_test(damaged_libraries_do_no_harm),
		cmocka_unit_test(names_of_rocm_libraries),
	};

	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
