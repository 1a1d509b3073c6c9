// SPDX-License-Identifier: MIT
/*
 * A library that calls roctx, for test_bind.c.
 */
#include "roctracer/roctx.h"

__attribute__((visibility("default"))) void plugin_mark(const char *message);

void plugin_mark(const char *message)
{
	roctxMarkA(message);
}

#ifdef ENDS
#include <unistd.h>

__attribute__((visibility("default"))) void (*plugin_at_end)(void);

/* It must be started once. */
__attribute__((constructor)) static void start(void)
{
	static int starts;

	if (starts++)
		_exit(3);
}

__attribute__((destructor)) static void end(void)
{
	if (plugin_at_end)
		plugin_at_end();
}
#endif

#ifdef TAKES_ADDRESS
__attribute__((visibility("default"))) void *plugin_address(void);

void *plugin_address(void)
{
	return (void *)roctxMarkA;
}
#endif
