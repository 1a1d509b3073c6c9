// SPDX-License-Identifier: MIT
/* liblate.so: calls what its program has given it, in its own destructor. */
#include <stddef.h>

__attribute__((visibility("default"))) void (*late_at_end)(void);

static void __attribute__((destructor)) end(void)
{
	if (late_at_end)
		late_at_end();
}
