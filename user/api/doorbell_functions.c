// SPDX-License-Identifier: MIT
/*
 * The table of functions that dispatches are recorded from.
 *
 * The runtime's own submissions do not pass the exported functions. The names with _release are of
 * the same functions as those with _screlease.
 */
#include "user/api/doorbell_functions.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *symbol;
	enum door door;
} doors[] = {
	{"hsa_signal_store_screlease", DOOR_BELL},
	{"hsa_signal_store_relaxed", DOOR_BELL},
	{"hsa_signal_destroy", DOOR_SIGNAL_END},
	{"hsa_amd_memory_async_copy", DOOR_COPY},
	{"hsa_amd_memory_async_copy_on_engine", DOOR_COPY},
	{"hsa_amd_memory_async_copy_rect", DOOR_COPY_RECT},
	{"hsa_executable_destroy", DOOR_CODE_UNLOAD},
	{"hsa_shut_down", DOOR_CODE_UNLOAD},
};

enum door doorbell_functions__door(const char *symbol)
{
	for (size_t i = 0; i < sizeof(doors) / sizeof(doors[0]); i++)
		if (!strcmp(doors[i].symbol, symbol))
			return doors[i].door;
	return DOOR_NONE;
}
