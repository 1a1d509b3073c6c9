// SPDX-License-Identifier: MIT
/*
 * Follows the creation of queues. One that is destroyed is known until another takes its place.
 */
#include "rocprofiler/sources/queues.h"

#include <pthread.h>

#include "inprocess/pointer_map.h"
#include "inprocess/peek.h"
#include "rocprofiler/sources/hsa_functions.h"
#include "rocprofiler/support/say.h"

static struct map agents = MAP_INIT;

static void forked(void)
{
	pthread_mutex_init(&agents.lock, NULL);
}

__attribute__((constructor)) static void init(void)
{
	pthread_atfork(NULL, NULL, forked);
}

rocprofiler_agent_id_t queues__agent(const hsa_queue_t *queue)
{
	return (rocprofiler_agent_id_t){pointer_map__get(&agents, (uint64_t)queue)};
}

/* `place`: where the runtime has put its address. */
static void created(hsa_agent_t device, hsa_queue_t **place)
{
	const hsa_queue_t *queue = peek__pointer((void **)place, NULL);
	const rocprofiler_agent_t *agent = hsa_functions__agent(device);

	if (agent && queue && pointer_map__put(&agents, (uint64_t)queue, agent->id.handle))
		say("no memory: it is not known which GPU a queue is of");
}

static hsa_status_t create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
			   void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
			   uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
	hsa_status_t status = hsa_functions.core.hsa_queue_create_fn(
		device, size, type, callback, data, private_size, group_size, queue);

	if (status == HSA_STATUS_SUCCESS)
		created(device, queue);
	return status;
}

static hsa_status_t intercept_create(hsa_agent_t device, uint32_t size, hsa_queue_type32_t type,
				     void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				     void *data, uint32_t private_size, uint32_t group_size,
				     hsa_queue_t **queue)
{
	hsa_status_t status = hsa_functions.amd.hsa_amd_queue_intercept_create_fn(
		device, size, type, callback, data, private_size, group_size, queue);

	if (status == HSA_STATUS_SUCCESS)
		created(device, queue);
	return status;
}

void queues__wrap(HsaApiTable *table)
{
	if (TABLE_HAS(table->core_, hsa_queue_create))
		table->core_->hsa_queue_create_fn = create;
	if (TABLE_HAS(table->amd_ext_, hsa_amd_queue_intercept_create))
		table->amd_ext_->hsa_amd_queue_intercept_create_fn = intercept_create;
}
