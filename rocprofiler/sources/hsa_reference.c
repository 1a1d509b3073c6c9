// SPDX-License-Identifier: MIT
/*
 * Counts calls of hsa_init() and hsa_shut_down(), which HSA makes through its table.
 */
#include "rocprofiler/sources/hsa_reference.h"

static void (*before_end)(void);
static int64_t count;
static __typeof__(((CoreApiTable *)0)->hsa_init_fn) real_init;
static __typeof__(((CoreApiTable *)0)->hsa_shut_down_fn) real_shut_down;

static hsa_status_t init(void)
{
	hsa_status_t status = real_init();

	if (status == HSA_STATUS_SUCCESS)
		__atomic_add_fetch(&count, 1, __ATOMIC_ACQ_REL);
	return status;
}

static hsa_status_t shut_down(void)
{
	if (__atomic_sub_fetch(&count, 1, __ATOMIC_ACQ_REL) == 0)
		before_end();
	return real_shut_down();
}

void hsa_reference__wrap(HsaApiTable *table, void (*ends)(void))
{
	CoreApiTable *core = table->core_;

	if (core->hsa_init_fn == init || !core->hsa_init_fn || !core->hsa_shut_down_fn)
		return;
	before_end = ends;
	real_init = core->hsa_init_fn;
	real_shut_down = core->hsa_shut_down_fn;
	__atomic_store_n(&count, 1, __ATOMIC_RELEASE);
	core->hsa_init_fn = init;
	core->hsa_shut_down_fn = shut_down;
}
