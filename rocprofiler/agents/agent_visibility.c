// SPDX-License-Identifier: MIT
/*
 * Which GPUs the environment lets HSA and HIP see: ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES, or
 * a synonym of the latter. Each is a list of numbers, or of GPU-<unique id in hexadecimal>; HIP
 * counts those that HSA sees, in the list's order.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rocprofiler/agents/agent_files.h"

enum visibility {
	UNSET,
	HIDDEN,
	VISIBLE,
};

static bool is_meant(const char *word, const rocprofiler_agent_t *a, int32_t number)
{
	uint64_t id;

	if (isdigit((unsigned char)*word))
		return strtoll(word, NULL, 10) == number;
	if (strncmp(word, "GPU-", 4))
		return false;
	memcpy(&id, a->uuid.bytes, sizeof(id));
	return strtoull(word + 4, NULL, 16) == id;
}

/* *number becomes the agent's place in the list. */
static enum visibility look_up(const char *variable, const rocprofiler_agent_t *a, int32_t *number)
{
	const char *value = getenv(variable);
	enum visibility found = HIDDEN;
	char *words, *word, *rest;
	int32_t place = 0;

	if (!value || !*value)
		return UNSET;
	words = strdup(value);
	for (word = words ? strtok_r(words, ", ", &rest) : NULL; word && found == HIDDEN;
	     word = strtok_r(NULL, ", ", &rest), place++) {
		if (!is_meant(word, a, *number))
			continue;
		*number = place;
		found = VISIBLE;
	}
	free(words);
	return found;
}

static enum visibility look_up_hip(const rocprofiler_agent_t *a, int32_t number)
{
	static const char *const variables[] = {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES",
						"GPU_DEVICE_ORDINAL"};
	enum visibility v = UNSET;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && v == UNSET; i++)
		v = look_up(variables[i], a, &number);
	return v;
}

void agent_visibility__read(rocprofiler_agent_t *a)
{
	int32_t number = a->logical_node_type_id;
	bool hsa = true, hip = true;

	if (a->type == ROCPROFILER_AGENT_TYPE_GPU) {
		hsa = look_up("ROCR_VISIBLE_DEVICES", a, &number) != HIDDEN;
		hip = hsa && look_up_hip(a, number) != HIDDEN;
	}
	a->runtime_visibility.hsa = hsa;
	a->runtime_visibility.hip = hip;
	a->runtime_visibility.rccl = hip;
	a->runtime_visibility.rocdecode = hip;
}
