// SPDX-License-Identifier: MIT
/*
 * Finds the API functions of a library file, by its dynamic symbols, and a place for each probe.
 */
#include "user/probe/library_probes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/api_tables.h"
#include "user/elf/branch_targets.h"
#include "user/elf/elf_image.h"
#include "user/base/log.h"
#include "user/elf/stack_arguments.h"
#include "user/probe/nop5_test.h"

static const char *const rocm_libraries[] = {
	"libamdhip64.so",
	"libhsa-runtime64.so",
	"libhsakmt.so",
	"libroctx64.so",
	"libroctracer64.so",
	"librocprofiler-sdk.so",
	"librocprofiler-sdk-roctx.so",
};

/*
 * Functions of one file that no header knows. Ids are for all: a file must not use them up.
 */
#define UNKNOWN_MAX 512

/* Functions of one file that are looked at: all that headers know are some 1700. */
#define CANDIDATES_MAX 8192

bool library_probes__is_rocm(const char *basename)
{
	for (size_t i = 0; i < sizeof(rocm_libraries) / sizeof(rocm_libraries[0]); i++)
		if (!strncmp(basename, rocm_libraries[i], strlen(rocm_libraries[i])))
			return true;
	return false;
}

/* A function on its way to being probed. */
struct candidate {
	const char *symbol; /* in the image */
	struct function *fn;
	struct code code;
	uint64_t offset; /* in the file, of its entry */
	size_t limit;	 /* bytes from its entry to where others enter */
	struct place place;
	struct spills spills;
};

struct candidates {
	struct candidate *array;
	size_t count, space;
	uint64_t *starts; /* of all functions, sorted */
	size_t start_count;
	uint32_t library; /* functions__get_in's number */
};

/* For an array of `count`, is there room for one more? Grows by half. */
static bool make_room(void *array, size_t count, size_t *space, size_t size)
{
	void **p = array, *grown;
	size_t more = *space + *space / 2 + 64;

	if (count < *space)
		return true;
	grown = realloc(*p, more * size);
	if (!grown)
		return false;
	*p = grown;
	*space = more;
	return true;
}

static int not_probed(struct library *lib, const char *symbol, const char *why)
{
	struct unprobed *grown;
	char *copy;

	grown = realloc(lib->unprobed, (lib->unprobed_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	lib->unprobed = grown;
	copy = strdup(symbol);
	if (!copy)
		return -ENOMEM;
	lib->unprobed[lib->unprobed_count++] = (struct unprobed){copy, why};
	log_debug("%s: %s is not probed: %s", lib->name, symbol, why);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int collect_starts(struct candidates *c, const struct image *image)
{
	const char *name;
	GElf_Sym sym;

	c->starts = calloc(image->symbol_count + 1, sizeof(*c->starts));
	if (!c->starts)
		return -ENOMEM;
	for (size_t i = 0; i < image->symbol_count; i++)
		if (elf_image__function(image, i, &sym, &name))
			c->starts[c->start_count++] = sym.st_value;
	qsort(c->starts, c->start_count, sizeof(*c->starts), by_number);
	return 0;
}

/* Bytes to the next function that has a symbol; SIZE_MAX if there is none. */
static size_t to_next(const struct candidates *c, uint64_t address)
{
	size_t low = 0, high = c->start_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->starts[mid] <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->start_count ? c->starts[low] - address : SIZE_MAX;
}

static int add_symbol(struct library *lib, struct candidates *c, const struct image *image,
		      const GElf_Sym *sym, const char *name, struct functions *fns)
{
	struct candidate new = {.symbol = name, .limit = to_next(c, sym->st_value)};
	size_t size = sym->st_size ? sym->st_size : new.limit;

	if (GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC)
		return not_probed(lib, name, "it only chooses the function that will be called");
	if (!elf_image__code(image, sym->st_value, &new.code, &new.offset))
		return not_probed(lib, name, "it lies in no executable segment");
	if (new.code.size > size)
		new.code.size = size;
	new.fn = functions__get_in(fns, name, &c->library);
	if (!new.fn)
		return not_probed(lib, name, "too many functions, or no memory");
	if (!make_room(&c->array, c->count, &c->space, sizeof(*c->array)))
		return -ENOMEM;
	c->array[c->count++] = new;
	return 0;
}

/* A program's own functions may be called anything: only what a header knows is API. */
static bool is_wanted(const struct library *lib, const struct functions *fns, const char *name)
{
	return functions__wants(fns, name) && (!lib->program || api__find(name));
}

static int collect(struct library *lib, struct candidates *c, const struct image *image,
		   struct functions *fns)
{
	int err = collect_starts(c, image);
	size_t unknown = 0;
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; i < image->symbol_count && !err; i++) {
		if (!elf_image__function(image, i, &sym, &name) ||
		    (!is_wanted(lib, fns, name) && !functions__door(fns, name)))
			continue;
		if (!api__knows(name) && unknown++ >= UNKNOWN_MAX)
			continue;
		if (c->count == CANDIDATES_MAX) {
			log_warn("%s: more than %d API functions in one file: the rest is not "
				 "probed",
				 lib->name, CANDIDATES_MAX);
			break;
		}
		err = add_symbol(lib, c, image, &sym, name, fns);
	}
	if (unknown > UNKNOWN_MAX)
		log_warn("%s: %zu functions without argument information are not probed: the limit "
			 "is %d a file",
			 lib->name, unknown - UNKNOWN_MAX, UNKNOWN_MAX);
	return err;
}

/*
 * Which of two names of one address to call the function by. HSA keeps the deprecated names of its
 * atomics (hsa_signal_wait_acquire) beside the current ones (hsa_signal_wait_scacquire).
 */
static int by_preference(const char *a, const char *b)
{
	bool sc_a = strstr(a, "_sc"), sc_b = strstr(b, "_sc");

	if (sc_a != sc_b)
		return sc_a ? -1 : 1;
	return strcmp(a, b);
}

static int by_offset(const void *a, const void *b)
{
	const struct candidate *ca = a, *cb = b;

	if (ca->offset != cb->offset)
		return ca->offset < cb->offset ? -1 : 1;
	return by_preference(ca->fn->name, cb->fn->name);
}

/* Several names of one address are one function. */
static void sort_and_unite(struct candidates *c)
{
	size_t kept = 0;

	if (!c->count)
		return;
	qsort(c->array, c->count, sizeof(*c->array), by_offset);
	for (size_t i = 1; i < c->count; i++)
		if (c->array[i].offset != c->array[kept].offset)
			c->array[++kept] = c->array[i];
	c->count = kept + 1;
}

/* The candidates that other branches must not lead into, by address. */
static size_t make_spans(const struct candidates *c, struct span *spans)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *one = &c->array[i];

		uint32_t reach =
			one->place.reach > one->spills.reach ? one->place.reach : one->spills.reach;

		if (reach > 1)
			spans[n++] =
				(struct span){one->code.address, reach, one->code.size, UINT64_MAX};
	}
	qsort(spans, n, sizeof(*spans), by_number); /* start is its first member */
	return n;
}

static const struct span *find_span(const struct span *spans, size_t n, uint64_t start)
{
	return bsearch(&start, spans, n, sizeof(*spans), by_number);
}

/* How many vector registers its arguments come in. */
static unsigned int float_args(const struct api_function *api)
{
	unsigned int n = 0;

	for (unsigned int i = 0; api && i < api->param_count; i++)
		for (int half = 0; half < 2; half++)
			if (API_IS_XMM(api->params[i].place[half]) &&
			    API_XMM_NUM(api->params[i].place[half]) >= n)
				n = API_XMM_NUM(api->params[i].place[half]) + 1;
	return n;
}

static int place_all(struct candidates *c, const struct image *image, unsigned int kernel)
{
	struct span *spans;
	size_t n;

	for (size_t i = 0; i < c->count; i++) {
		struct candidate *one = &c->array[i];

		one->place = probe_place__choose(&one->code, one->limit, kernel);
		if (stack_arguments__find(&one->code, float_args(one->fn->api), kernel,
					  &one->spills) &&
		    one->spills.reach > one->limit)
			one->spills = (struct spills){};
	}
	spans = calloc(c->count + 1, sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	n = make_spans(c, spans);
	for (size_t i = 0; i < image->segment_count; i++)
		branch_targets__find(&image->segments[i].code, spans, n);
	for (size_t i = 0; i < c->count; i++) {
		struct candidate *one = &c->array[i];
		const struct span *span = find_span(spans, n, one->code.address);

		if (!span || span->hit == UINT64_MAX)
			continue;
		if (span->hit - span->start < one->limit)
			one->limit = span->hit - span->start;
		one->place = probe_place__choose(&one->code, one->limit, kernel);
		if (one->spills.reach > one->limit)
			one->spills = (struct spills){};
	}
	free(spans);
	return 0;
}

/* Functions that show dispatches have programs of their own, even if the API is probed there. */
static int add_door(struct library *lib, const struct candidate *one)
{
	char *symbol = strdup(one->symbol);

	if (!symbol)
		return -ENOMEM;
	lib->doors[lib->door_count++] =
		(struct probe){one->offset + one->place.shift, one->fn, symbol, one->place, 0, 0};
	return 0;
}

static int add_probe(struct library *lib, const struct candidate *one)
{
	uint64_t offset = one->offset + one->place.shift;
	char *symbol;

	if (one->place.kind == PLACE_SKIPPED)
		return not_probed(lib, one->symbol, one->place.why);
	/* Segments that overlap in the file give one place two addresses. */
	if (lib->probe_count && lib->probes[lib->probe_count - 1].offset >= offset)
		return not_probed(lib, one->symbol, "another one overlaps it");
	symbol = strdup(one->symbol);
	if (!symbol)
		return -ENOMEM;
	lib->probes[lib->probe_count++] = (struct probe){offset, one->fn, symbol, one->place, 0, 0};
	if (one->spills.slots.count)
		lib->spills[lib->spill_count++] = (struct spill_probe){
			one->offset + one->spills.shift, one->fn, one->spills.slots};
	return 0;
}

static bool has_functions(const struct library *lib, const struct image *image,
			  const struct functions *fns)
{
	const char *name;
	GElf_Sym sym;

	for (size_t i = 0; i < image->symbol_count; i++)
		if (elf_image__function(image, i, &sym, &name) && is_wanted(lib, fns, name))
			return true;
	return false;
}

/* Most programs have nothing of an API: those are not read further. */
static int open_image(const struct library *lib, struct image *image, const struct functions *fns)
{
	int err;

	if (!lib->program)
		return elf_image__open(image, lib->fd);
	err = elf_image__open_program(image, lib->fd);
	if (err)
		return err;
	err = has_functions(lib, image, fns) ? elf_image__read_code(image, lib->fd) : -ENOEXEC;
	if (err)
		elf_image__close(image);
	return err;
}

static void keep_code(struct library *lib, const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];

		lib->code[lib->code_count++] =
			(struct file_range){s->offset, s->offset + s->code.size};
	}
}

static int read_functions(struct library *lib, struct functions *fns, unsigned int kernel)
{
	struct candidates c = {};
	struct image image;
	int err;

	err = open_image(lib, &image, fns);
	if (err)
		return err;
	keep_code(lib, &image);
	err = collect(lib, &c, &image, fns);
	sort_and_unite(&c);
	if (!err)
		err = place_all(&c, &image, kernel);
	lib->probes = calloc(c.count + 1, sizeof(*lib->probes));
	lib->doors = calloc(c.count + 1, sizeof(*lib->doors));
	lib->spills = calloc(c.count + 1, sizeof(*lib->spills));
	if (!lib->probes || !lib->doors || !lib->spills)
		err = -ENOMEM;
	for (size_t i = 0; i < c.count && !err; i++) {
		const struct candidate *one = &c.array[i];

		if (functions__door(fns, one->symbol) && one->place.kind != PLACE_SKIPPED)
			err = add_door(lib, one);
		if (!err && is_wanted(lib, fns, one->symbol))
			err = add_probe(lib, one);
	}
	free(c.array);
	free(c.starts);
	elf_image__close(&image);
	return err;
}

static struct library *new_library(int fd, const char *name, bool program)
{
	struct library *lib = calloc(1, sizeof(*lib));
	struct stat st;

	if (!lib) {
		close(fd);
		return NULL;
	}
	lib->fd = fd;
	lib->program = program;
	lib->name = strdup(name);
	if (!lib->name || fstat(fd, &st)) {
		library_probes__close(lib);
		return NULL;
	}
	lib->dev = st.st_dev;
	lib->ino = st.st_ino;
	lib->changed = st.st_ctim;
	return lib;
}

struct library *library_probes__open(int fd, const char *name, struct functions *fns)
{
	return library_probes__open_on(fd, name, fns, nop5_test__running_kernel());
}

struct library *library_probes__open_on(int fd, const char *name, struct functions *fns,
					unsigned int kernel)
{
	struct library *lib = new_library(fd, name, false);
	int err;

	if (!lib)
		return NULL;
	err = read_functions(lib, fns, kernel);
	if (err) {
		library_probes__close(lib);
		errno = -err;
		return NULL;
	}
	return lib;
}

struct library *library_probes__open_program(int fd, const char *name, struct functions *fns)
{
	struct library *lib = new_library(fd, name, true);

	/* One that cannot be read is one without API functions. */
	if (lib)
		read_functions(lib, fns, nop5_test__running_kernel());
	if (lib && !lib->probe_count) {
		close(lib->fd);
		lib->fd = -1;
	}
	return lib;
}

void library_probes__close(struct library *lib)
{
	if (!lib)
		return;
	if (lib->fd >= 0)
		close(lib->fd);
	free(lib->name);
	for (size_t i = 0; i < lib->probe_count; i++)
		free(lib->probes[i].symbol);
	for (size_t i = 0; i < lib->unprobed_count; i++)
		free(lib->unprobed[i].symbol);
	for (size_t i = 0; i < lib->door_count; i++)
		free(lib->doors[i].symbol);
	free(lib->probes);
	free(lib->doors);
	free(lib->spills);
	free(lib->unprobed);
	free(lib);
}

const struct function *library_probes__at(const struct library *lib, uint64_t offset)
{
	size_t low = 0, high = lib->probe_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (lib->probes[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < lib->probe_count && lib->probes[low].offset == offset ? lib->probes[low].fn
									   : NULL;
}
