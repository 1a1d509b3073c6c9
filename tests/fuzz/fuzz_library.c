// SPDX-License-Identifier: MIT
/*
 * Fuzzes the reading of libraries: whatever the file, it is refused, or every probe is in it and in
 * order. Every function is wanted, whatever its name. The memory of the process that has loaded it
 * holds what the file does.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/api_tables.h"
#include "user/probe/trampoline_targets.h"
#include "user/probe/library_probes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct function functions[64];

bool functions__wants(const struct functions *fns, const char *name)
{
	return *name;
}

enum door functions__door(const struct functions *fns, const char *name)
{
	return (unsigned char)*name % DOORS;
}

struct function *functions__get_in(struct functions *fns, const char *symbol, uint32_t *library)
{
	static char name[] = "function";
	size_t i = strlen(symbol) % 65; /* as if there were no more */

	if (i == 64)
		return NULL;
	functions[i].name = name;
	return &functions[i];
}

static void check(const struct library *lib, size_t size)
{
	for (size_t i = 0; i < lib->probe_count; i++) {
		const struct probe *p = &lib->probes[i];

		if (p->offset >= size || (i && p->offset <= p[-1].offset) ||
		    p->place.kind >= PLACE_SKIPPED || p->place.shift > p->offset || !p->symbol ||
		    library_probes__at(lib, p->offset) != p->fn)
			abort();
	}
	for (size_t i = 0; i < lib->unprobed_count; i++)
		if (!lib->unprobed[i].symbol || !lib->unprobed[i].why)
			abort();
}

struct input {
	const uint8_t *data;
	size_t size;
};

static ssize_t read_input(void *arg, uint64_t address, void *buf, size_t size)
{
	const struct input *in = arg;

	if (in->size < size)
		return -EFAULT;
	memcpy(buf, in->data + address % (in->size - size + 1), size);
	return size;
}

static void check_implementations(const struct library *lib, struct input *in)
{
	struct implementation *found = NULL;
	int n = trampoline_targets__find(lib, 0, read_input, in, &found);

	for (int i = 0; i < n; i++)
		if (found[i].offset >= in->size || found[i].place.kind >= PLACE_SINGLE_STEPPED ||
		    (i && found[i].offset <= found[i - 1].offset))
			abort();
	if (n >= 0)
		free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	int fd = memfd_create("library", MFD_CLOEXEC);
	struct library *lib;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	lib = library_probes__open_on(fd, "fuzzed", NULL, KERNEL(6, 18));
	if (lib) {
		check(lib, size);
		check_implementations(lib, &in);
	}
	library_probes__close(lib);
	return 0;
}
