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

#ifdef TAKES_ADDRESS
__attribute__((visibility("default"))) void *plugin_address(void);

void *plugin_address(void)
{
	return (void *)roctxMarkA;
}
#endif
