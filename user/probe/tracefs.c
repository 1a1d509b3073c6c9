// SPDX-License-Identifier: MIT
/*
 * Finds tracefs, or mounts it: containers and small systems often come without.
 */
#include "user/probe/tracefs.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "user/base/log.h"

static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

const char *tracefs__root(void)
{
	char path[128];

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", roots[i]);
		if (!access(path, R_OK))
			return roots[i];
	}
	if (!mount("tracefs", roots[0], "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
		log_info("mounted tracefs on %s", roots[0]);
		return roots[0];
	}
	log_err("tracefs: mount on %s: %s", roots[0], strerror(errno));
	return NULL;
}
