// SPDX-License-Identifier: MIT
/*
 * Numbers GPUs by the driver's topology, and as HIP does by its variables.
 */
#include "hsa_agent/core/device_numbers.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define LISTED_MAX 64

/* A CPU has 0 for a gpu_id. That of a GPU which a container may not use cannot be read. */
static bool is_cpu(uint32_t node, bool *there)
{
	char path[80], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/class/kfd/kfd/topology/nodes/%" PRIu32 "/gpu_id", node);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*there = fd >= 0;
	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	return text[0] == '0';
}

uint32_t device_numbers__in_machine(uint32_t node, uint32_t fallback)
{
	uint32_t cpus = 0;
	bool there;

	for (uint32_t i = 0; i < node; i++) {
		cpus += is_cpu(i, &there);
		if (!i && !there)
			return fallback;
	}
	return node >= cpus ? node - cpus : fallback;
}

struct list {
	uint32_t seen[LISTED_MAX];
	uint32_t count;
};

static bool is_listed(const struct list *l, uint32_t index)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->seen[i] == index)
			return true;
	return false;
}

/*
 * The list's next word, of `len` bytes: HIP takes no notice of repetitions. A word that names
 * another GPU by its UUID is taken for a GPU that is not `index`.
 */
static uint32_t meant(const char *word, size_t len, uint32_t index, const char *uuid)
{
	bool same;

	if (len && isdigit((unsigned char)*word))
		return strtoul(word, NULL, 10);
	same = len == strlen(uuid) && !strncasecmp(word, uuid, len);
	return same ? index : NUMBER_NONE;
}

uint32_t device_numbers__in_hip(uint32_t index, const char *uuid)
{
	static const char *const variables[] = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
						"GPU_DEVICE_ORDINAL"};
	const char *text = NULL;
	struct list l = {};

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && (!text || !*text); i++)
		text = getenv(variables[i]);
	if (!text || !*text)
		return index;
	while (l.count < LISTED_MAX) {
		size_t len = strcspn(text, ",");
		uint32_t one = meant(text, len, index, uuid);

		if (one == index)
			return l.count;
		if (one == NUMBER_NONE || !is_listed(&l, one))
			l.seen[l.count++] = one;
		if (!text[len])
			break;
		text += len + 1;
	}
	return NUMBER_NONE;
}
