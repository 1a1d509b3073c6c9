// SPDX-License-Identifier: MIT
/*
 * Fuzzes the parsing of /proc/PID/maps, where a process chooses the paths.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/procfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1), name[256];
	struct mapping m;

	if (!line)
		return 0;
	memcpy(line, data, size);
	line[size] = '\0';
	if (procfs__parse_mapping(line, &m)) {
		if (m.end <= m.start || !m.path ||
		    (*m.path && (m.path < line || m.path > line + size)))
			abort();
		procfs__basename(m.path, name, sizeof(name));
		if (strlen(name) >= sizeof(name))
			abort();
	}
	free(line);
	return 0;
}
