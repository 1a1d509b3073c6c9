// SPDX-License-Identifier: MIT
/*
 * An HSA program that takes and gives back resources: memory of pools and regions, queues, code
 * objects.
 *
 * Says on stdout what it does, in its order (see say()), then the counts (see count.h):
 *
 *   did alloc BYTES DEVICE    gpu or cpu
 *   did free BYTES DEVICE
 *   did create-queue PACKETS, did destroy-queue PACKETS
 *   did load-code, did unload-code
 *
 * With -t THREADS it does something else: that number of threads allocate and free, again and
 * again, and addresses go from one to the other. Thread N (from 1) allocates N * 4096 bytes each
 * time.
 */
#include <getopt.h>
#include <pthread.h>

#include "tests/workloads/hsa_gpu.h"

#define QUEUES 3
#define BLOCKS 5

#define THREADS_MAX 16

static const char usage[] = "hsa_resources [-t THREADS [-n ROUNDS]] [CODE-OBJECT]\n";

static void use_pool(struct gpu *gpu, hsa_amd_memory_pool_t pool, const char *device)
{
	void *blocks[BLOCKS];
	size_t i;

	for (i = 0; i < BLOCKS; i++) {
		blocks[i] = gpu__allocate(gpu, pool, 4096 << i);
		printf("did alloc %d %s\n", 4096 << i, device);
	}
	/* In another order, and one of them again, which gets an address that was in use. */
	for (i = 0; i < BLOCKS; i += 2) {
		gpu__free(blocks[i]);
		printf("did free %d %s\n", 4096 << i, device);
	}
	blocks[0] = gpu__allocate(gpu, pool, 12288);
	printf("did alloc 12288 %s\n", device);
	for (i = 1; i < BLOCKS; i += 2) {
		gpu__free(blocks[i]);
		printf("did free %d %s\n", 4096 << i, device);
	}
	gpu__free(blocks[0]);
	printf("did free 12288 %s\n", device);
}

static hsa_status_t see_region(hsa_region_t region, void *data)
{
	hsa_region_t *found = data;
	hsa_region_segment_t segment;
	uint32_t flags = 0;

	CALL(hsa_region_get_info, (region, HSA_REGION_INFO_SEGMENT, &segment));
	if (segment != HSA_REGION_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	CALL(hsa_region_get_info, (region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags));
	if (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED && !found->handle)
		*found = region;
	return HSA_STATUS_SUCCESS;
}

static void use_region(struct gpu *gpu)
{
	hsa_region_t region = {0};
	void *block;

	CALL(hsa_agent_iterate_regions, (gpu->cpu, see_region, &region));
	CHECK(region.handle, "no region of the host's memory");
	CALL(hsa_memory_allocate, (region, 20480, &block));
	printf("did alloc 20480 cpu\n");
	CALL(hsa_memory_free, (block));
	printf("did free 20480 cpu\n");
}

/* What fails has not happened. */
static void fail(struct gpu *gpu)
{
	void *block;

	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_pool_allocate,
	       (gpu->local, 0, 0, &block));
}

static void use_queues(struct gpu *gpu)
{
	hsa_queue_t *queues[QUEUES];
	uint32_t i;

	for (i = 0; i < QUEUES; i++) {
		CALL(hsa_queue_create, (gpu->agent, 64 << i, HSA_QUEUE_TYPE_MULTI, NULL, NULL,
					UINT32_MAX, UINT32_MAX, &queues[i]));
		printf("did create-queue %u\n", 64 << i);
	}
	for (i = 0; i < QUEUES; i++) {
		CALL(hsa_queue_destroy, (queues[i]));
		printf("did destroy-queue %u\n", 64 << i);
	}
}

struct worker {
	struct gpu *gpu;
	size_t size;
	unsigned long rounds;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	for (unsigned long i = 0; i < w->rounds; i++)
		gpu__free(gpu__allocate(w->gpu, w->gpu->local, w->size));
	return NULL;
}

static void use_threads(struct gpu *gpu, unsigned long count, unsigned long rounds)
{
	struct worker workers[THREADS_MAX];
	pthread_t threads[THREADS_MAX];
	unsigned long i;

	for (i = 0; i < count; i++) {
		workers[i] = (struct worker){gpu, (i + 1) * 4096, rounds};
		pthread_create(&threads[i], NULL, work, &workers[i]);
	}
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *code_object = workload__beside("kernels.hsaco");
	unsigned long threads = 0, rounds = 1000;
	struct gpu gpu;
	int option;

	while ((option = getopt(argc, argv, "t:n:h")) != -1) {
		if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'n')
			rounds = workload__number(optarg);
		else
			return workload__usage(option, usage);
	}
	CHECK(threads <= THREADS_MAX, "at most %d threads", THREADS_MAX);
	if (optind < argc)
		code_object = argv[optind];
	gpu__open(&gpu, code_object);
	if (threads) {
		use_threads(&gpu, threads, rounds);
		gpu__close(&gpu);
		return count__pass();
	}
	printf("did load-code\n");
	use_pool(&gpu, gpu.local, "gpu");
	use_pool(&gpu, gpu.system, "cpu");
	use_region(&gpu);
	fail(&gpu);
	use_queues(&gpu);
	gpu__close(&gpu);
	printf("did unload-code\n");
	return count__pass();
}
