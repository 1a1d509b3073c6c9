// SPDX-License-Identifier: MIT
/*
 * libplugin.so: what brings HSA into a program that has nothing to do with it otherwise. The
 * runtime is loaded with it, started, used, shut down, and unloaded with it.
 */
#include "tests/agent/plugin.h"

#include "tests/agent/work.h"

void plugin__run(const char *code_object)
{
	struct work work;

	work__open(&work, code_object);
	work__submit(&work, 100);
	work__submit_copy(&work);
	work__verify(&work);
	CALL(hsa_queue_destroy, (work.queue));
	work__close(&work);
	count__print();
}
