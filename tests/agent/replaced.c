// SPDX-License-Identifier: MIT
/*
 * libreplaced.so: preloaded, stands for every function of the C library that our in-process
 * libraries import, as a library of the application may. It counts the calls that ours make, leaves
 * a number of its own in errno before each, and passes them on. Other callers notice nothing.
 *
 *   REPLACED_FAIL=WHAT:N     the Nth of our calls of WHAT fails: a function, a group, `any`
 *   REPLACED_FAIL=WHAT:N+    that one and all after it
 *   REPLACED_FAIL=WHAT:N/K   that one and each Kth after it
 *   REPLACED_ERRNO=NUMBER    with this error (default ENOMEM)
 *   REPLACED_MARK=1          each call makes a mark before, but in threads of ours
 *   REPLACED_LOG=FILE        gets a line FUNCTION CALLS FAILED MARKS for each function at the end
 *
 * replaced_entry.S has a function for each name; the list of them is made of what our libraries
 * import. Nothing here may call the C library by name: it would come back here.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "inprocess/raw_syscall.h"

#define HIDDEN	     __attribute__((visibility("hidden")))
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
#define REPLACE(name, number) INDEX_##name = number,
#include "replaced_names.h"
#undef REPLACE
	NAMES
};

static const char *const names[] = {
#define REPLACE(name, number) #name,
#include "replaced_names.h"
#undef REPLACE
};

/* What a function returns that has failed. Those that are not here do not fail. */
enum failure { NEVER, NOTHING, MINUS_ONE, ERROR_NUMBER };

static const struct {
	const char *group, *name;
	enum failure how;
} can_fail[] = {
	{"memory", "aligned_alloc", NOTHING},
	{"memory", "calloc", NOTHING},
	{"memory", "malloc", NOTHING},
	{"memory", "realloc", NOTHING},
	{"memory", "strdup", NOTHING},
	{"memory", "strndup", NOTHING},
	{"mappings", "ftruncate", MINUS_ONE},
	{"mappings", "madvise", MINUS_ONE},
	{"mappings", "memfd_create", MINUS_ONE},
	{"mappings", "mmap", MINUS_ONE},
	{"files", "access", MINUS_ONE},
	{"files", "fchmod", MINUS_ONE},
	{"files", "fcntl", MINUS_ONE},
	{"files", "fopen", NOTHING},
	{"files", "ioctl", MINUS_ONE},
	{"files", "open", MINUS_ONE},
	{"files", "opendir", NOTHING},
	{"files", "read", MINUS_ONE},
	{"files", "realpath", NOTHING},
	{"threads", "pthread_attr_init", ERROR_NUMBER},
	{"threads", "pthread_attr_setstacksize", ERROR_NUMBER},
	{"threads", "pthread_cond_init", ERROR_NUMBER},
	{"threads", "pthread_create", ERROR_NUMBER},
	{"threads", "pthread_key_create", ERROR_NUMBER},
	{"threads", "pthread_mutex_init", ERROR_NUMBER},
	{"threads", "pthread_mutex_timedlock", ERROR_NUMBER},
	{"threads", "pthread_setname_np", ERROR_NUMBER},
	{"threads", "pthread_setspecific", ERROR_NUMBER},
	{"process", "__cxa_atexit", MINUS_ONE},
	{"process", "__register_atfork", ERROR_NUMBER},
	{"process", "getenv", NOTHING},
	{"process", "getrlimit", MINUS_ONE},
	{"process", "kill", MINUS_ONE},
	{"process", "nanosleep", MINUS_ONE},
	{"process", "prctl", MINUS_ONE},
	{"process", "setenv", MINUS_ONE},
	{"loader", "dl_iterate_phdr", NOTHING},
	{"loader", "dladdr", NOTHING},
	{"loader", "dladdr1", NOTHING},
	{"loader", "dlinfo", MINUS_ONE},
	{"loader", "dlopen", NOTHING},
	{"loader", "dlsym", NOTHING},
	{"loader", "dlvsym", NOTHING},
};

static const char *const ours[] = {"librtrace-agent.so", "libroctx64.so", "libroctracer64.so",
				   "librocprofiler-sdk"};

typedef void *dlsym_fn(void *handle, const char *name);
typedef int *errno_fn(void);
typedef int iterate_fn(int (*look_at)(struct dl_phdr_info *, size_t, void *), void *arg);
typedef void mark_fn(const char *message);

extern char **environ;

static void *real[NAMES];	    /* what comes after us in the process */
static unsigned long calls[NAMES];  /* that our libraries have made */
static unsigned long failed[NAMES]; /* of those */
static unsigned long marks[NAMES];  /* that they made */
static enum failure to_fail[NAMES]; /* what was asked for */
static unsigned long first, every;  /* the Nth, each Kth; every: 0 only that one */
static unsigned long candidates;    /* calls of what is to fail */
static int error_number = ENOMEM;
static bool makes_marks;
static uintptr_t seen_callers[4096]; /* an address of a call, twice, and 1 if it is ours */
static __thread bool in_mark __attribute__((tls_model("initial-exec")));

static bool starts_with(const char *text, const char *begin)
{
	while (*begin && *text == *begin)
		text++, begin++;
	return !*begin;
}

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static unsigned long number_at(const char **text)
{
	unsigned long n = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++)
		n = n * 10 + (unsigned long)(**text - '0');
	return n;
}

static const char *variable(const char *name)
{
	for (char **e = environ; e && *e; e++) {
		const char *value = *e, *n = name;

		while (*n && *value == *n)
			value++, n++;
		if (!*n && *value == '=')
			return value + 1;
	}
	return NULL;
}

static const char *file_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* The C library's, by its own table of symbols: to ask for dlsym by name gives ours. */
static dlsym_fn *find_dlsym(void)
{
	const struct link_map *map = _r_debug.r_map;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;

	while (map && !is_same(file_name(map->l_name), "libc.so.6"))
		map = map->l_next;
	for (const ElfW(Dyn) *d = map ? map->l_ld : NULL; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
		if (d->d_tag == DT_STRTAB)
			strings = (const char *)d->d_un.d_ptr;
	}
	/* The strings follow the symbols there. */
	for (const ElfW(Sym) *s = symbols; (const char *)s < strings; s++)
		if (s->st_shndx != SHN_UNDEF && is_same(strings + s->st_name, "dlsym"))
			return (dlsym_fn *)(map->l_addr + s->st_value);
	__builtin_trap();
}

/* dlsym() may allocate, so the allocator is found by other names. */
static const char *name_to_ask_for(unsigned index)
{
	switch (index) {
	case INDEX_malloc:
		return "__libc_malloc";
	case INDEX_calloc:
		return "__libc_calloc";
	case INDEX_realloc:
		return "__libc_realloc";
	case INDEX_aligned_alloc:
		return "__libc_memalign";
	case INDEX_free:
		return "__libc_free";
	default:
		return names[index];
	}
}

static void *find(unsigned index)
{
	static dlsym_fn *ask;

	if (!ask)
		ask = find_dlsym();
	if (!real[index])
		real[index] =
			index == INDEX_dlsym ? (void *)ask : ask(RTLD_NEXT, name_to_ask_for(index));
	return real[index];
}

struct place {
	uintptr_t at;
	bool is_ours;
};

static int look_at(struct dl_phdr_info *library, size_t size, void *arg)
{
	struct place *place = arg;
	bool has_it = false;

	for (int i = 0; i < library->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &library->dlpi_phdr[i];

		has_it |= p->p_type == PT_LOAD &&
			  place->at - (library->dlpi_addr + p->p_vaddr) < p->p_memsz;
	}
	for (size_t i = 0; has_it && i < COUNT(ours); i++)
		place->is_ours |= starts_with(file_name(library->dlpi_name), ours[i]);
	return has_it;
}

static bool is_ours(uintptr_t caller)
{
	uintptr_t *seen = &seen_callers[(caller ^ caller >> 12) % COUNT(seen_callers)];
	uintptr_t verdict = __atomic_load_n(seen, __ATOMIC_RELAXED);
	struct place place = {.at = caller};

	if (verdict >> 1 != caller) {
		((iterate_fn *)find(INDEX_dl_iterate_phdr))(look_at, &place);
		verdict = caller << 1 | place.is_ours;
		__atomic_store_n(seen, verdict, __ATOMIC_RELAXED);
	}
	return verdict & 1;
}

static bool is_to_fail(unsigned index)
{
	unsigned long n;

	if (!to_fail[index])
		return false;
	n = __atomic_add_fetch(&candidates, 1, __ATOMIC_RELAXED);
	return n == first || (every && n > first && (n - first) % every == 0);
}

static bool is_thread_of_ours(void)
{
	char name[16];

	return !raw_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0) &&
	       starts_with(name, "rtrace-");
}

static void make_mark(unsigned index)
{
	static mark_fn *mark;

	if (in_mark || is_thread_of_ours())
		return;
	in_mark = true;
	if (!mark)
		mark = (mark_fn *)((dlsym_fn *)find(INDEX_dlsym))(RTLD_DEFAULT, "roctxMarkA");
	if (mark) {
		__atomic_add_fetch(&marks[index], 1, __ATOMIC_RELAXED);
		mark(names[index]);
	}
	in_mark = false;
}

/* strtol() and its kind are asked whether they have set errno. */
static bool leaves_errno(unsigned index)
{
	return index == INDEX___errno_location || starts_with(names[index], "strto");
}

struct decision {
	void *to; /* NULL: return at once */
	long result;
};

/* For replaced_entry.S. */
HIDDEN struct decision replaced__decide(unsigned index, uintptr_t caller);

struct decision replaced__decide(unsigned index, uintptr_t caller)
{
	struct decision d = {.to = find(index)};
	int *error;

	if (!is_ours(caller))
		return d;
	__atomic_add_fetch(&calls[index], 1, __ATOMIC_RELAXED);
	if (makes_marks)
		make_mark(index);
	if (leaves_errno(index))
		return d;
	error = ((errno_fn *)find(INDEX___errno_location))();
	*error = 4000;
	if (is_to_fail(index)) {
		__atomic_add_fetch(&failed[index], 1, __ATOMIC_RELAXED);
		*error = error_number;
		d.to = NULL;
		d.result = to_fail[index] == NOTHING	 ? 0
			   : to_fail[index] == MINUS_ONE ? -1
							 : EAGAIN;
	}
	return d;
}

static void read_wish(const char *wish)
{
	const char *number = wish;
	unsigned n = 0;

	while (*number && *number != ':')
		number++;
	for (size_t i = 0; i < COUNT(can_fail); i++) {
		const char *group = can_fail[i].group, *name = can_fail[i].name;
		unsigned long length = (unsigned long)(number - wish);
		bool is_it = (starts_with(wish, group) && !group[length]) ||
			     (starts_with(wish, name) && !name[length]) ||
			     (starts_with(wish, "any") && length == 3);

		for (n = 0; is_it && n < NAMES; n++)
			if (is_same(names[n], name))
				to_fail[n] = can_fail[i].how;
	}
	number++;
	first = number_at(&number);
	if (*number == '+')
		every = 1;
	else if (*number == '/')
		number++, every = number_at(&number);
}

__attribute__((constructor)) static void begin(void)
{
	const char *wish = variable("REPLACED_FAIL"), *error = variable("REPLACED_ERRNO");

	for (unsigned i = 0; i < NAMES; i++)
		find(i);
	makes_marks = variable("REPLACED_MARK");
	if (error)
		error_number = (int)number_at(&error);
	if (wish)
		read_wish(wish);
}

static char *put_number(char *to, unsigned long n)
{
	char digits[20];
	int length = 0;

	do
		digits[length++] = (char)('0' + n % 10);
	while (n /= 10);
	while (length)
		*to++ = digits[--length];
	return to;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = variable("REPLACED_LOG");
	char line[256], *to;
	long fd;

	makes_marks = false;
	if (!path)
		return;
	fd = raw_syscall(SYS_openat, AT_FDCWD, (long)path,
			 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600, 0, 0);
	for (unsigned i = 0; i < NAMES; i++) {
		to = line;
		for (const char *c = names[i]; *c; c++)
			*to++ = *c;
		*to++ = ' ';
		to = put_number(to, calls[i]);
		*to++ = ' ';
		to = put_number(to, failed[i]);
		*to++ = ' ';
		to = put_number(to, marks[i]);
		*to++ = '\n';
		if (calls[i])
			raw_syscall(SYS_write, fd, (long)line, to - line, 0, 0, 0);
	}
	raw_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
}
