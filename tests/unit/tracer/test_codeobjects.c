// SPDX-License-Identifier: MIT
/*
 * Tests the reading of code objects from bytes that a process chooses: the workloads' kernels, with
 * readelf as the judge, and damaged files, lists and places. And which kernel an address means
 * while code comes and goes.
 */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/clock/clock_map.h"
#include "user/doorbell/code_objects.h"

/* ---- memory that a test makes up ---- */

struct memory {
	uint64_t base;
	char *bytes;
	uint64_t size;
	uint64_t reads;
};

static ssize_t read_memory(void *arg, uint64_t offset, void *buf, size_t size)
{
	struct memory *m = arg;
	uint64_t at = offset - m->base;

	m->reads++;
	if (at >= m->size)
		return -EFAULT;
	if (size > m->size - at)
		size = m->size - at;
	memcpy(buf, m->bytes + at, size);
	return size;
}

static struct memory read_file(const char *path)
{
	struct memory m = {};
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	m.bytes = malloc(1 << 20);
	m.size = fread(m.bytes, 1, 1 << 20, f);
	fclose(f);
	assert_true(m.size > sizeof(Elf64_Ehdr));
	return m;
}

/* ---- kernels ---- */

struct list {
	char text[4096];
	size_t len;
	int count;
};

static void note_kernel(uint64_t address, const char *name, size_t len, void *arg)
{
	struct list *l = arg;

	l->count++;
	l->len += snprintf(l->text + l->len, sizeof(l->text) - l->len, "%016lx %.*s\n",
			   (unsigned long)address, (int)len, name);
	assert_true(l->len < sizeof(l->text));
}

static void count_kernel(uint64_t address, const char *name, size_t len, void *arg)
{
	assert_int_equal(strnlen(name, len), len);
	++*(int *)arg;
}

static void kernels_are_those_of_readelf(void **state)
{
	struct memory m = read_file(KERNELS_HSACO);
	struct list l = {};
	char line[512], wanted[1024], *text = l.text;
	int count = 0;
	FILE *f;

	assert_int_equal(code_elf__kernels(read_memory, &m, m.size, note_kernel, &l), 0);
	f = popen("readelf -W --dyn-syms " KERNELS_HSACO
		  " | awk '$8 ~ /\\.kd$/ { sub(/\\.kd$/, \"\", $8); print $2, $8 }'",
		  "re");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		snprintf(wanted, sizeof(wanted), "%s", line);
		assert_non_null(strstr(text, wanted));
		count++;
	}
	pclose(f);
	assert_true(count > 2);
	assert_int_equal(l.count, count);
	free(m.bytes);
}

static void a_file_that_is_cut_anywhere(void **state)
{
	struct memory m = read_file(KERNELS_HSACO);
	uint64_t whole = m.size;
	int count;

	for (uint64_t size = 0; size < whole; size += size < 4096 ? 1 : 61) {
		char *copy = malloc(size + 1); /* for ASan */
		struct memory cut = {.bytes = copy, .size = size};

		memcpy(copy, m.bytes, size);
		/* With the real size, and with the size before the cut. */
		count = 0;
		code_elf__kernels(read_memory, &cut, size, count_kernel, &count);
		code_elf__kernels(read_memory, &cut, whole, count_kernel, &count);
		free(copy);
	}
	free(m.bytes);
}

static void a_file_with_damaged_bytes(void **state)
{
	struct memory m = read_file(KERNELS_HSACO);
	char *copy = malloc(m.size);
	struct memory damaged = {.bytes = copy, .size = m.size};
	uint64_t seed = 1, sections = ((Elf64_Ehdr *)m.bytes)->e_shoff;
	int count = 0;

	for (int round = 0; round < 20000; round++) {
		memcpy(copy, m.bytes, m.size);
		for (int i = 0; i < 4; i++) {
			uint64_t at;

			seed = seed * 6364136223846793005 + 1442695040888963407;
			at = seed >> 33;
			/* The headers decide: half of all hits go there. */
			at = i & 1 ? sections + at % (m.size - sections) : at % sizeof(Elf64_Ehdr);
			copy[at] = i & 2 ? 0xff : (char)(seed >> 24);
		}
		code_elf__kernels(read_memory, &damaged, m.size, count_kernel, &count);
	}
	free(copy);
	free(m.bytes);
}

static void sizes_that_are_absurd(void **state)
{
	struct memory m = read_file(KERNELS_HSACO);
	Elf64_Ehdr *h = (void *)m.bytes;
	Elf64_Shdr *sections = (void *)(m.bytes + h->e_shoff);
	int count = 0;

	for (int i = 0; i < h->e_shnum; i++) {
		Elf64_Shdr old = sections[i];

		sections[i].sh_size = UINT64_MAX;
		assert_true(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count) <= 0);
		sections[i] = old;
		sections[i].sh_offset = UINT64_MAX - 8;
		assert_true(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count) <= 0);
		sections[i] = old;
		sections[i].sh_link = UINT32_MAX;
		assert_true(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count) <= 0);
		sections[i] = old;
	}
	h->e_shoff = UINT64_MAX - 1;
	assert_int_equal(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count),
			 -ENOEXEC);
	h->e_shnum = 0;
	assert_int_equal(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count),
			 -ENOEXEC);
	h->e_machine = EM_X86_64;
	assert_int_equal(code_elf__kernels(read_memory, &m, m.size, count_kernel, &count),
			 -ENOEXEC);
	free(m.bytes);
}

/* ---- places ---- */

static void places(void **state)
{
	static const char *const wrong[] = {
		"",
		"file",
		"file://",
		"file://relative",
		"http://a/b",
		"memory://1",
		"memory://1#",
		"memory://1#offset=0x10",
		"memory://1#size=5",
		"memory://1#offset=&size=",
		"memory://1#offset=-1&size=5",
		"memory://1#offset=0x10&size=0",
		"memory://1#offset=0xffffffffffffffff&size=2",
		"memory://1#offset=0x1ffffffffffffffff&size=2",
		"file:///a#offset=1",
		"file:///a#offset=x&size=1",
		"file:///a%00b",
		"file://#offset=1&size=1",
	};
	struct code_place p;
	char uri[8300];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(code_place__parse(&p, wrong[i]));
	assert_true(code_place__parse(&p, "memory://17#offset=0x7f0010&size=4096"));
	assert_true(p.in_memory && p.offset == 0x7f0010 && p.size == 4096);
	assert_true(code_place__parse(&p, "file:///a%20b/c%2#offset=8192&size=77"));
	assert_true(!p.in_memory && p.offset == 8192 && p.size == 77);
	assert_string_equal(p.path, "/a b/c%2");
	assert_true(code_place__parse(&p, "file:///whole"));
	assert_true(p.offset == 0 && p.size == 0);
	memset(uri, '/', sizeof(uri));
	memcpy(uri, "file://", 7);
	uri[sizeof(uri) - 1] = '\0';
	assert_false(code_place__parse(&p, uri));
}

/* ---- lists ---- */

struct debug {
	int32_t version, pad;
	uint64_t map, brk;
	int32_t state, pad2;
};

struct map {
	uint64_t base, name, dynamic, next, prev;
};

#define BASE 0x10000

struct made {
	struct debug debug;
	struct map maps[3];
	char names[64];
};

static struct made whole_list(void)
{
	struct made m = {.debug = {.version = 1, .map = BASE + offsetof(struct made, maps)}};

	for (int i = 0; i < 3; i++) {
		m.maps[i].base = 0x1000 * (i + 1);
		m.maps[i].name = BASE + offsetof(struct made, names);
		m.maps[i].next =
			i < 2 ? BASE + offsetof(struct made, maps) + (i + 1) * sizeof(struct map)
			      : 0;
	}
	strcpy(m.names, "file:///x");
	return m;
}

static void count_entry(const struct code_entry *e, void *arg)
{
	assert_true(strlen(e->uri) < sizeof(e->uri));
	++*(int *)arg;
}

static int walk(struct made *made, int *count, uint64_t *reads)
{
	struct memory m = {BASE, (char *)made, sizeof(*made), 0};
	int err;

	*count = 0;
	err = code_list__walk(read_memory, &m, BASE, count_entry, count);
	*reads = m.reads;
	return err;
}

static void lists(void **state)
{
	static const uint64_t absurd[] = {1,	    0xfff,     UINT64_MAX, UINT64_MAX - 39,
					  BASE - 1, 1ULL << 63};
	struct made m = whole_list();
	uint64_t reads;
	int count;

	assert_int_equal(walk(&m, &count, &reads), 0);
	assert_int_equal(count, 3);
	m.debug.state = 1;
	assert_int_equal(walk(&m, &count, &reads), -EAGAIN);
	assert_int_equal(count, 0);
	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		m = whole_list();
		m.maps[1].next = absurd[i];
		assert_int_equal(walk(&m, &count, &reads), 0);
		assert_int_equal(count, 2);
		m = whole_list();
		m.maps[1].name = absurd[i];
		assert_int_equal(walk(&m, &count, &reads), 0);
		assert_int_equal(count, 2);
		m = whole_list();
		m.debug.map = absurd[i];
		assert_int_equal(walk(&m, &count, &reads), 0);
		assert_int_equal(count, 0);
	}
}

static void a_list_without_an_end(void **state)
{
	struct made m = whole_list();
	uint64_t reads;
	int count;

	m.maps[2].next = BASE + offsetof(struct made, maps);
	assert_int_equal(walk(&m, &count, &reads), 0);
	assert_true(reads < 20000);
}

static void a_name_without_an_end(void **state)
{
	struct made m = whole_list();
	uint64_t reads;
	int count;

	memset(m.names, 'x', sizeof(m.names));
	assert_int_equal(walk(&m, &count, &reads), 0);
	assert_int_equal(count, 0);
}

/* ---- names of a process: of this one ---- */

#define LOADED 0x700000000000

/* As the runtime has it that is linked into a program. */
struct debug _amdgpu_r_debug = {.version = 1};

struct fixture {
	struct strings *strings;
	struct codeobjects *code;
	struct memory image;
	struct map entry;
	char uri[128];
	struct code_unloads unloads;
	int asked;
	int unloads_at; /* it begins to unload at this number of questions */
	uint64_t add, xor;
};

static bool unloads_of(pid_t pid, struct code_unloads *unloads, void *arg)
{
	struct fixture *f = arg;

	if (++f->asked == f->unloads_at)
		f->unloads.began++;
	*unloads = f->unloads;
	return pid == getpid();
}

static void find_addresses(uint64_t address, const char *name, size_t len, void *arg)
{
	struct fixture *f = arg;

	if (len == strlen("elementAdd") && !memcmp(name, "elementAdd", len))
		f->add = LOADED + address;
	if (len == strlen("elementXor") && !memcmp(name, "elementXor", len))
		f->xor = LOADED + address;
}

static void forget_names(struct fixture *f)
{
	code_objects__free(f->code);
	f->code = code_objects__new(f->strings, unloads_of, f);
	assert_non_null(f->code);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->strings = string_pool__new();
	f->image = read_file(KERNELS_HSACO);
	code_elf__kernels(read_memory, &f->image, f->image.size, find_addresses, f);
	assert_true(f->add && f->xor);
	snprintf(f->uri, sizeof(f->uri), "memory://%d#offset=%p&size=%lu", getpid(),
		 (void *)f->image.bytes, (unsigned long)f->image.size);
	f->entry = (struct map){.base = LOADED, .name = (uintptr_t)f->uri};
	_amdgpu_r_debug.map = (uintptr_t)&f->entry;
	forget_names(f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	code_objects__free(f->code);
	string_pool__free(f->strings);
	free(f->image.bytes);
	free(f);
	return 0;
}

/* Another kernel has the name's place: all names of the image begin with "element". */
static void load_other_code(struct fixture *f)
{
	char *at;

	for (uint64_t i = 0; i + 7 < f->image.size; i++) {
		at = f->image.bytes + i;
		if (!memcmp(at, "element", 7))
			memcpy(at, "another", 7);
	}
	f->unloads.began += 1000;
}

/* Of a packet that is submitted now. If it is not known, the next walk may have to wait. */
static const char *name_of(struct fixture *f, uint64_t object, uint64_t unloaded)
{
	struct code_use use = {getpid(), object, clock__boot_ns(), unloaded};
	int asked = f->asked;
	const char *name;
	bool is_kernel;

	while (!(name = code_objects__kernel(f->code, &use, &is_kernel)) && f->asked == asked)
		usleep(1000);
	if (name)
		assert_true(is_kernel);
	return name;
}

static void a_kernel_that_is_there(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(name_of(f, f->add, 0), "elementAdd");
	assert_string_equal(name_of(f, f->xor, 0), "elementXor");
	assert_null(name_of(f, f->add + 1, 0));
}

static void code_in_the_place_of_other_code(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(name_of(f, f->add, 0), "elementAdd");
	load_other_code(f);
	assert_string_equal(name_of(f, f->add, 1000), "anotherAdd");
	/* Packets that come late. */
	assert_string_equal(name_of(f, f->add, 0), "elementAdd");
	assert_null(name_of(f, f->xor, 0));
	assert_string_equal(name_of(f, f->xor, 1000), "anotherXor");
}

static void code_that_was_unloaded_before_it_was_read(void **state)
{
	struct fixture *f = *state;

	load_other_code(f);
	assert_null(name_of(f, f->add, 0));
	assert_string_equal(name_of(f, f->add, 1000), "anotherAdd");
}

static void code_that_is_unloaded_while_the_list_is_read(void **state)
{
	struct fixture *f = *state;

	f->unloads_at = 2;
	assert_null(name_of(f, f->add, 0));
	assert_string_equal(name_of(f, f->add, 1), "elementAdd");
}

static void code_that_may_be_going(void **state)
{
	struct fixture *f = *state;

	f->unloads.may_go_on = true;
	assert_string_equal(name_of(f, f->add, 0), "elementAdd");
	/* What the walk has seen may be gone, and something else be in its place. */
	_amdgpu_r_debug.map = 0;
	assert_null(name_of(f, f->xor, 0));
	assert_string_equal(name_of(f, f->add, 0), "elementAdd");
}

static void a_process_that_has_ended(void **state)
{
	struct fixture *f = *state;
	struct code_use use = {0x7fffffff, f->add, clock__boot_ns(), 0};
	bool is_kernel;

	assert_null(code_objects__kernel(f->code, &use, &is_kernel));
	assert_false(is_kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_are_those_of_readelf),
		cmocka_unit_test(a_file_that_is_cut_anywhere),
		cmocka_unit_test(a_file_with_damaged_bytes),
		cmocka_unit_test(sizes_that_are_absurd),
		cmocka_unit_test(places),
		cmocka_unit_test(lists),
		cmocka_unit_test(a_list_without_an_end),
		cmocka_unit_test(a_name_without_an_end),
		cmocka_unit_test_setup_teardown(a_kernel_that_is_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(code_in_the_place_of_other_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(code_that_was_unloaded_before_it_was_read, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(code_that_is_unloaded_while_the_list_is_read,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(code_that_may_be_going, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_process_that_has_ended, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
