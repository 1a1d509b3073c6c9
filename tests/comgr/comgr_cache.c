/* SPDX-License-Identifier: MIT */
/*
 * A libamd_comgr.so.2 that remembers what it has compiled.
 *
 * HIP compiles the kernels by which it copies and fills memory when a process needs them first,
 * once for each GPU: 0.3 seconds of CPU in every program of the tests. Here an action's results are
 * kept in a file beside the library, and taken from it when the action comes again with the same
 * input. Only amd_comgr_do_action is defined; all else is found in the real library, which this one
 * needs by its path (module.mk).
 *
 * A file is called by a hash of the input, and holds the input, then the results, each with its
 * length (a word) before it. Results are one after another: kind and size (words), name and bytes.
 */
#include <amd_comgr.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT	 __attribute__((visibility("default")))
#define OK(call) ((call) == AMD_COMGR_STATUS_SUCCESS)

struct bytes {
	char *data;
	size_t size;
};

static void put(FILE *to, const void *data, uint64_t size)
{
	fwrite(&size, sizeof(size), 1, to);
	fwrite(data, 1, size, to);
}

/* A data object: its kind, name and bytes. */
static bool put_object(FILE *to, amd_comgr_data_kind_t kind, amd_comgr_data_t object)
{
	size_t name_size = 0, size = 0;
	char *name = NULL, *data = NULL;
	bool good = OK(amd_comgr_get_data_name(object, &name_size, NULL)) &&
		    OK(amd_comgr_get_data(object, &size, NULL)) &&
		    (name = calloc(1, name_size + 1)) && (data = malloc(size + 1)) &&
		    OK(amd_comgr_get_data_name(object, &name_size, name)) &&
		    OK(amd_comgr_get_data(object, &size, data));

	if (good) {
		put(to, &kind, sizeof(kind));
		put(to, name, strlen(name) + 1);
		put(to, data, size);
	}
	free(name);
	free(data);
	return good;
}

static bool put_objects(FILE *to, amd_comgr_data_set_t set, bool with_logs)
{
	for (int kind = AMD_COMGR_DATA_KIND_UNDEF + 1; kind <= AMD_COMGR_DATA_KIND_LAST; kind++) {
		size_t count = 0;

		if (!with_logs &&
		    (kind == AMD_COMGR_DATA_KIND_LOG || kind == AMD_COMGR_DATA_KIND_DIAGNOSTIC))
			continue;
		/* Not every number between is a kind. */
		if (!OK(amd_comgr_action_data_count(set, kind, &count)))
			continue;
		for (size_t i = 0; i < count; i++) {
			amd_comgr_data_t object;
			bool good;

			if (!OK(amd_comgr_action_data_get_data(set, kind, i, &object)))
				return false;
			good = put_object(to, kind, object);
			amd_comgr_release_data(object);
			if (!good)
				return false;
		}
	}
	return true;
}

static bool put_options(FILE *to, amd_comgr_action_info_t info)
{
	size_t count = 0;

	if (!OK(amd_comgr_action_info_get_option_list_count(info, &count)))
		return true; /* none were set */
	for (size_t i = 0; i < count; i++) {
		char option[4096] = "";
		size_t size = sizeof(option);

		if (!OK(amd_comgr_action_info_get_option_list_item(info, i, &size, NULL)) ||
		    size > sizeof(option) ||
		    !OK(amd_comgr_action_info_get_option_list_item(info, i, &size, option)))
			return false;
		put(to, option, size);
	}
	return true;
}

/*
 * All that the results depend on, the library's version with it. But for the folder that relative
 * paths begin at: HIP sets none, and comgr 2.4 ends the program that asks for one that was not set.
 */
static bool put_action(FILE *to, amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
		       amd_comgr_data_set_t input)
{
	amd_comgr_language_t language = AMD_COMGR_LANGUAGE_NONE;
	char isa[256] = "";
	size_t isa_size = sizeof(isa), major, minor;
	bool logging = false;

	amd_comgr_get_version(&major, &minor);
	put(to, &major, sizeof(major));
	put(to, &minor, sizeof(minor));
	put(to, &kind, sizeof(kind));
	if (!OK(amd_comgr_action_info_get_language(info, &language)) ||
	    !OK(amd_comgr_action_info_get_logging(info, &logging)) ||
	    !OK(amd_comgr_action_info_get_isa_name(info, &isa_size, NULL)) ||
	    isa_size > sizeof(isa) || !OK(amd_comgr_action_info_get_isa_name(info, &isa_size, isa)))
		return false;
	put(to, &language, sizeof(language));
	put(to, &logging, sizeof(logging));
	put(to, isa, strlen(isa));
	return put_options(to, info) && put_objects(to, input, false);
}

/* $(O)/comgr/HASH */
static bool file_of(const struct bytes *key, char *path, size_t size)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */
	Dl_info here;

	for (size_t i = 0; i < key->size; i++)
		hash = (hash ^ (uint8_t)key->data[i]) * 1099511628211u;
	return dladdr(file_of, &here) &&
	       (size_t)snprintf(path, size, "%.*s/%016lx",
				(int)(strrchr(here.dli_fname, '/') - here.dli_fname),
				here.dli_fname, hash) < size;
}

/* The next of what was put. */
static bool take(struct bytes *from, struct bytes *taken)
{
	uint64_t size;

	if (from->size < sizeof(size))
		return false;
	memcpy(&size, from->data, sizeof(size));
	if (size > from->size - sizeof(size))
		return false;
	*taken = (struct bytes){from->data + sizeof(size), size};
	from->data += sizeof(size) + size;
	from->size -= sizeof(size) + size;
	return true;
}

static bool add_objects(amd_comgr_data_set_t set, struct bytes from)
{
	struct bytes kind, name, data;
	bool good = true;

	while (good && take(&from, &kind) && take(&from, &name) && take(&from, &data)) {
		amd_comgr_data_t object;

		if (!OK(amd_comgr_create_data(*(amd_comgr_data_kind_t *)kind.data, &object)))
			return false;
		good = OK(amd_comgr_set_data_name(object, name.data)) &&
		       OK(data.size ? amd_comgr_set_data(object, data.size, data.data)
				    : amd_comgr_set_data(
					      object, 1,
					      "")) && /* an empty log; it takes no empty data */
		       OK(amd_comgr_data_set_add(set, object));
		amd_comgr_release_data(object);
	}
	return good;
}

static bool recall(const char *path, const struct bytes *key, amd_comgr_data_set_t result)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct bytes all = {}, kept;
	struct stat st;
	bool good;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st))
		all = (struct bytes){mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0),
				     st.st_size};
	close(fd);
	if (!all.size || all.data == MAP_FAILED)
		return false;
	struct bytes rest = all;
	good = take(&rest, &kept) && kept.size == key->size &&
	       !memcmp(kept.data, key->data, key->size) && add_objects(result, rest);
	munmap(all.data, all.size);
	return good;
}

/* Under another name first: a file is whole, or not there. Where it cannot be written nothing is
 * kept. */
static void keep(const char *path, const struct bytes *key, amd_comgr_data_set_t result)
{
	char unfinished[PATH_MAX + 16];
	FILE *file;
	bool good;

	snprintf(unfinished, sizeof(unfinished), "%s.%d", path, (int)gettid());
	file = fopen(unfinished, "wxe");
	if (!file)
		return;
	put(file, key->data, key->size);
	good = put_objects(file, result, true);
	if (fclose(file) || !good || rename(unfinished, path))
		unlink(unfinished);
}

EXPORT amd_comgr_status_t amd_comgr_do_action(amd_comgr_action_kind_t kind,
					      amd_comgr_action_info_t info,
					      amd_comgr_data_set_t input,
					      amd_comgr_data_set_t result)
{
	__typeof__(&amd_comgr_do_action) real = dlsym(RTLD_NEXT, "amd_comgr_do_action");
	amd_comgr_status_t status = AMD_COMGR_STATUS_SUCCESS;
	struct bytes key = {};
	char path[PATH_MAX];
	FILE *to = open_memstream(&key.data, &key.size);
	bool known = put_action(to, kind, info, input);

	known = !fclose(to) && known && file_of(&key, path, sizeof(path));
	if (!known || !recall(path, &key, result)) {
		status = real(kind, info, input, result);
		if (known && status == AMD_COMGR_STATUS_SUCCESS)
			keep(path, &key, result);
	}
	free(key.data);
	return status;
}
