// SPDX-License-Identifier: MIT
/*
 * Names by process and device, as copies.
 */
#define HASH_NONFATAL_OOM 1
#include "user/report/process_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define NO_DEVICE INT32_MIN /* the name is the process's own */

struct key {
	uint32_t pid;
	int32_t device;
};

struct named {
	struct key key;
	char *name;
	UT_hash_handle hh;
};

struct who {
	struct named *all;
};

struct who *process_names__new(void)
{
	return calloc(1, sizeof(struct who));
}

void process_names__free(struct who *w)
{
	struct named *n, *next;

	if (!w)
		return;
	HASH_ITER (hh, w->all, n, next) {
		HASH_DEL(w->all, n);
		free(n->name);
		free(n);
	}
	free(w);
}

static void set(struct who *w, uint32_t pid, int32_t device, const char *name)
{
	const struct key key = {pid, device};
	struct named *n;

	HASH_FIND(hh, w->all, &key, sizeof(key), n);
	if (!n) {
		n = calloc(1, sizeof(*n));
		if (!n)
			return;
		n->key = key;
		HASH_ADD(hh, w->all, key, sizeof(n->key), n);
		if (!n->hh.tbl) {
			free(n);
			return;
		}
	}
	free(n->name);
	n->name = strdup(name);
}

static const char *get(const struct who *w, uint32_t pid, int32_t device)
{
	const struct key key = {pid, device};
	struct named *n;

	HASH_FIND(hh, w->all, &key, sizeof(key), n);
	return n && n->name ? n->name : "";
}

void process_names__process(struct who *w, const struct process_info *info)
{
	set(w, info->pid, NO_DEVICE, info->comm);
}

void process_names__device(struct who *w, const struct device_info *info)
{
	set(w, info->pid, info->device, info->name);
}

const char *process_names__comm(const struct who *w, uint32_t pid)
{
	return get(w, pid, NO_DEVICE);
}

const char *process_names__device_name(const struct who *w, uint32_t pid, int32_t device)
{
	return get(w, pid, device);
}
