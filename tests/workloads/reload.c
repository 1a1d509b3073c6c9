// SPDX-License-Identifier: MIT
/*
 * Code that is loaded, run and unloaded, again and again, as just-in-time compilers do. What is
 * loaded comes from one buffer and goes to one place, so a kernel's address and the address of its
 * code object say nothing of which kernel it is.
 *
 * In turn reloadFirst_ runs once and reloadSecond twice, on one queue, each after the other has
 * ended; with -d by HSA alone. Prints the counts (see count.h) and the result.
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>

#include "tests/workloads/count.h"
#include "tests/workloads/hsa_packets.h"

#define IMAGE_MAX (1 << 20)

static const char usage[] = "reload [-n ROUNDS] [-d]\n";
static const char *const names[] = {"reloadFirst_", "reloadSecond"};
static char images[2][IMAGE_MAX], buffer[IMAGE_MAX];
static size_t sizes[2];

static void read_image(int which, const char *name)
{
	const char *path = workload__beside(name);
	FILE *file = fopen(path, "re");

	CHECK(file, "%s: %s", path, strerror(errno));
	sizes[which] = fread(images[which], 1, IMAGE_MAX, file);
	CHECK(sizes[which] > 0 && sizes[which] < IMAGE_MAX, "%s: has another size", path);
	fclose(file);
}

/* ---- HIP ---- */

static void run_by_hip(int which, int *memory)
{
	void *args[] = {&memory};
	hipFunction_t function;
	hipModule_t module;

	CALL(hipModuleLoadData, (&module, buffer));
	CALL(hipModuleGetFunction, (&function, module, names[which]));
	for (int i = 0; i <= which; i++) {
		CALL(hipModuleLaunchKernel, (function, 1, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
		KERNEL(names[which], 1);
	}
	CALL(hipDeviceSynchronize, ());
	CALL(hipModuleUnload, (module));
}

/* ---- HSA ---- */

struct program {
	struct gpu gpu;
	hsa_queue_t *queue;
	void *arguments;
};

static void load(struct gpu *gpu, int which)
{
	CALL(hsa_code_object_reader_create_from_memory, (buffer, sizes[which], &gpu->reader));
	gpu__load_by_reader(gpu);
}

static void run_by_hsa(struct program *p, int which)
{
	struct gpu code = p->gpu;
	struct gpu_kernel kernel;
	hsa_signal_t done;
	uint64_t index;

	load(&code, which);
	kernel = gpu__kernel(&code, which ? "reloadSecond.kd" : "reloadFirst_.kd");
	for (int i = 0; i <= which; i++) {
		done = signal__create(1);
		index = packet__reserve(p->queue, 1);
		packet__dispatch(p->queue, index, &kernel, p->arguments, 64, done);
		KERNEL(names[which], 1);
		packet__ring(p->queue, index);
		signal__wait(done);
		signal__destroy(done);
	}
	CALL(hsa_executable_destroy, (code.executable));
	CALL(hsa_code_object_reader_destroy, (code.reader));
}

static void open_hsa(struct program *p)
{
	gpu__open(&p->gpu, workload__beside("kernels.hsaco"));
	CALL(hsa_queue_create, (p->gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX,
				UINT32_MAX, &p->queue));
	p->arguments = gpu__allocate(&p->gpu, p->gpu.kernarg, 4096);
}

static void close_hsa(struct program *p)
{
	gpu__free(p->arguments);
	CALL(hsa_queue_destroy, (p->queue));
	gpu__close(&p->gpu);
}

int main(int argc, char **argv)
{
	unsigned long rounds = 100;
	struct program program;
	bool by_hsa = false;
	int *memory, option;

	while ((option = getopt(argc, argv, "n:dh")) != -1) {
		if (option == 'n')
			rounds = workload__number(optarg);
		else if (option == 'd')
			by_hsa = true;
		else
			return workload__usage(option, usage);
	}
	read_image(0, "reload_first.hsaco");
	read_image(1, "reload_second.hsaco");
	if (by_hsa)
		open_hsa(&program);
	else
		CALL(hipMalloc, ((void **)&memory, sizeof(*memory)));
	for (unsigned long i = 0; i < rounds; i++) {
		memcpy(buffer, images[i & 1], IMAGE_MAX);
		if (by_hsa)
			run_by_hsa(&program, i & 1);
		else
			run_by_hip(i & 1, memory);
	}
	if (by_hsa)
		close_hsa(&program);
	return count__pass();
}
