// SPDX-License-Identifier: MIT
/*
 * An HSA program that copies and fills by calls that return when it is done, and by calls that
 * name a GPU as both agents.
 *
 * Says on stdout what it does, in its order (see say()), then the counts (see count.h):
 *
 *   did copy HtoD BYTES CALL    what the memory is of, whatever the program declares
 *   did fill - BYTES CALL       by a GPU
 *
 * A copy between two GPUs goes through the host's memory, so it is two. What the host does by
 * itself and what is refused is not there. With a name of a file it prints "ready" before the
 * first, and waits for the file.
 */
#include "tests/workloads/hsa_gpu.h"

#define ROUNDS 3
#define BYTES  (1 << 20)
#define PART   4096

struct memory {
	char *plain, *host, *local;
	char *other;  /* the second GPU's, NULL without one */
	void *locked; /* `plain`, as the GPU sees it */
};

static void did(const char *what, const char *direction, size_t bytes, const char *call)
{
	printf("did %s %s %zu %s\n", what, direction, bytes, call);
}

/* ---- copies that return when they are done ---- */

static void copy(char *dst, const char *src, size_t bytes, const char *direction)
{
	CALL(hsa_memory_copy, (dst, src, bytes));
	if (direction)
		did("copy", direction, bytes, "hsa_memory_copy");
}

static void copy_blocking(const struct memory *m)
{
	for (int i = 1; i <= ROUNDS; i++) {
		memset(m->plain, i, BYTES);
		copy(m->local, m->plain, BYTES, "HtoD");
		copy(m->local + PART, m->local + 8 * PART, i * PART, "DtoD");
		copy(m->host + PART, m->local, BYTES - PART, "DtoH");
		CHECK(m->host[PART] == i, "the copies have not copied");
		copy(m->plain, m->host, BYTES, NULL);
	}
}

static void copy_between_gpus(const struct memory *m)
{
	if (!m->other)
		return;
	copy(m->other, m->local, 2 * PART, "DtoH");
	did("copy", "HtoD", 2 * PART, "hsa_memory_copy");
}

static void copy_nothing(const struct memory *m)
{
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_memory_copy, (NULL, m->local, PART));
	CALL(hsa_memory_copy, (m->local, m->host, 0));
}

/* ---- fills ---- */

static void fill(char *memory, size_t bytes)
{
	CALL(hsa_amd_memory_fill, (memory, 0x05050505, bytes / sizeof(uint32_t)));
	did("fill", "-", bytes, "hsa_amd_memory_fill");
}

static void fill_memory(const struct memory *m)
{
	fill(m->local, BYTES);
	fill(m->local + 2 * PART, PART);
	fill(m->host, 3 * PART);
	CHECK(m->host[0] == 5 && m->host[3 * PART - 1] == 5, "the fill has not filled");
	if (m->other)
		fill(m->other, 5 * PART);
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_fill, (m->local + 1, 0, PART));
}

/* ---- asynchronous copies ---- */

static void copy_async(struct gpu *gpu, void *dst, const void *src, size_t bytes,
		       const char *direction)
{
	hsa_signal_t done;

	CALL(hsa_signal_create, (1, 0, NULL, &done));
	CALL(hsa_amd_memory_async_copy, (dst, gpu->agent, src, gpu->agent, bytes, 0, NULL, done));
	did("copy", direction, bytes, "hsa_amd_memory_async_copy");
	COUNT(hsa_signal_wait_scacquire, 1);
	hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
				  HSA_WAIT_STATE_BLOCKED);
	CALL(hsa_signal_destroy, (done));
}

/* As OpenMP's runtime does. */
static void copy_with_gpu_as_both(struct gpu *gpu, const struct memory *m)
{
	copy_async(gpu, m->local, m->locked, BYTES, "HtoD");
	copy_async(gpu, m->locked, m->local, BYTES / 2, "DtoH");
	copy_async(gpu, m->local, m->host, PART, "HtoD");
	copy_async(gpu, m->host + PART, m->local + PART, 3 * PART, "DtoH");
	copy_async(gpu, m->local, m->local + BYTES / 2, 5 * PART, "DtoD");
}

static void copy_refused(struct gpu *gpu, const struct memory *m)
{
	hsa_signal_t done;

	CALL(hsa_signal_create, (1, 0, NULL, &done));
	EXPECT(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_async_copy,
	       (NULL, gpu->agent, m->host, gpu->agent, PART, 0, NULL, done));
	CALL(hsa_signal_destroy, (done));
}

/* ---- the program ---- */

static hsa_status_t see_other(hsa_agent_t agent, void *data)
{
	struct gpu *other = data;
	hsa_device_type_t type;

	CALL(hsa_agent_get_info, (agent, HSA_AGENT_INFO_DEVICE, &type));
	if (type == HSA_DEVICE_TYPE_GPU)
		other->agent = agent;
	return HSA_STATUS_SUCCESS;
}

/* The last GPU's memory, NULL if that is the first GPU. */
static char *allocate_other(const struct gpu *gpu)
{
	struct gpu other = {0};

	CALL(hsa_iterate_agents, (see_other, &other));
	if (other.agent.handle == gpu->agent.handle)
		return NULL;
	CALL(hsa_amd_agent_iterate_memory_pools, (other.agent, gpu__see_gpu_pool, &other));
	return gpu__allocate(&other, other.local, BYTES);
}

static void allocate(struct gpu *gpu, struct memory *m)
{
	m->plain = aligned_alloc(PART, BYTES);
	m->host = gpu__allocate(gpu, gpu->system, BYTES);
	m->local = gpu__allocate(gpu, gpu->local, BYTES);
	m->other = allocate_other(gpu);
	CHECK(m->plain, "no memory");
	CALL(hsa_amd_memory_lock, (m->plain, BYTES, &gpu->agent, 1, &m->locked));
}

static void release(const struct memory *m)
{
	CALL(hsa_amd_memory_unlock, (m->plain));
	gpu__free(m->host);
	gpu__free(m->local);
	if (m->other)
		gpu__free(m->other);
	free(m->plain);
}

static void wait_for_file(const char *path)
{
	printf("ready\n");
	fflush(stdout);
	while (access(path, F_OK))
		workload__sleep_us(1000);
}

int main(int argc, char **argv)
{
	struct memory m;
	struct gpu gpu;

	gpu__open(&gpu, workload__beside("kernels.hsaco"));
	allocate(&gpu, &m);
	if (argc > 1)
		wait_for_file(argv[1]);
	copy_blocking(&m);
	copy_between_gpus(&m);
	copy_nothing(&m);
	fill_memory(&m);
	copy_with_gpu_as_both(&gpu, &m);
	copy_refused(&gpu, &m);
	release(&m);
	gpu__close(&gpu);
	return count__pass();
}
