/* SPDX-License-Identifier: MIT */
/* The ioctls of the kernel driver, by table: those that ROCm 5.2 to 6.4 really issue. */
#include <errno.h>
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "tests/simkfd/event.h"
#include "tests/simkfd/kernel.h"
#include "tests/simkfd/memory.h"
#include "tests/simkfd/queue.h"
#include "tests/simkfd/simkfd.h"

/* GB_ADDR_CONFIG must decode, or image support takes the runtime down. */
#define GB_ADDR_CONFIG_GFX906 0x26013041
#define GB_ADDR_CONFIG_GFX9   0x2a114042

/* AMDKFD_IOC_RUNTIME_ENABLE of driver interface 1.13, which Debian 12's header does not have yet.
 */
#define NR_RUNTIME_ENABLE    0x25
#define RUNTIME_ENABLE_MINOR 13

struct runtime_enable_args {
	uint64_t r_debug;
	uint32_t mode_mask, capabilities_mask;
};

int gpu__index(uint32_t gpu_id)
{
	return gpu_id >= GPU_ID && gpu_id < GPU_ID + config.gpus ? (int)(gpu_id - GPU_ID) : -1;
}

static int get_version(void *arg)
{
	struct kfd_ioctl_get_version_args *args = arg;

	args->major_version = KFD_IOCTL_MAJOR_VERSION;
	args->minor_version = config.minor;
	return 0;
}

static int create_queue(void *arg)
{
	return queue__create(arg);
}

static int destroy_queue(void *arg)
{
	const struct kfd_ioctl_destroy_queue_args *args = arg;

	return queue__destroy(args->queue_id);
}

static int update_queue(void *arg)
{
	return queue__update(arg);
}

/* Both clocks belong to the same instant. */
static int get_clock_counters(void *arg)
{
	struct kfd_ioctl_get_clock_counters_args *args = arg;
	uint64_t now = clock__boot_ns();
	int gpu = gpu__index(args->gpu_id);

	args->gpu_clock_counter = gpu < 0 ? 0 : clock__gpu_ticks(gpu, now);
	args->cpu_clock_counter = clock__ns(CLOCK_MONOTONIC_RAW);
	args->system_clock_counter = now;
	args->system_clock_freq = 1000000000;
	return 0;
}

/* The thunk checks these ranges; there are as many of them as GPUs, not as nodes. */
static int get_apertures(void *arg)
{
	struct kfd_ioctl_get_process_apertures_new_args *args = arg;
	struct kfd_process_device_apertures *apertures;
	uint32_t i;

	apertures = (void *)(uintptr_t)args->kfd_process_device_apertures_ptr;
	if (!args->num_of_nodes || args->num_of_nodes > (uint32_t)config.gpus)
		args->num_of_nodes = config.gpus;
	for (i = 0; apertures && i < args->num_of_nodes; i++)
		apertures[i] = (struct kfd_process_device_apertures){
			.lds_base = 0x1000000000000,
			.lds_limit = 0x10000ffffffff,
			.scratch_base = 0x2000000000000,
			.scratch_limit = 0x20000ffffffff,
			.gpuvm_base = 0x4000,
			.gpuvm_limit = (1ULL << 47) - 1,
			.gpu_id = GPU_ID + i,
		};
	return 0;
}

static int create_event(void *arg)
{
	return event__create(arg);
}

static int destroy_event(void *arg)
{
	const struct kfd_ioctl_destroy_event_args *args = arg;

	return event__destroy(args->event_id);
}

static int set_event(void *arg)
{
	const struct kfd_ioctl_set_event_args *args = arg;

	event__signal(args->event_id);
	return 0;
}

static int reset_event(void *arg)
{
	const struct kfd_ioctl_reset_event_args *args = arg;

	return event__reset(args->event_id);
}

static int wait_events(void *arg)
{
	return event__wait(arg);
}

static int get_tile_config(void *arg)
{
	struct kfd_ioctl_get_tile_config_args *args = arg;

	args->num_tile_configs = 0;
	args->num_macro_tile_configs = 0;
	args->gb_addr_config =
		config.model->version == 90006 ? GB_ADDR_CONFIG_GFX906 : GB_ADDR_CONFIG_GFX9;
	args->num_banks = 4;
	args->num_ranks = 1;
	return 0;
}

static int alloc_memory(void *arg)
{
	return memory__allocate(arg);
}

static int free_memory(void *arg)
{
	const struct kfd_ioctl_free_memory_of_gpu_args *args = arg;

	return memory__free(args->handle);
}

static int map_memory(void *arg)
{
	return memory__map(arg);
}

static int alloc_queue_gws(void *arg)
{
	struct kfd_ioctl_alloc_queue_gws_args *args = arg;

	args->first_gws = 0;
	return 0;
}

/* A descriptor on which nothing ever comes. */
static int smi_events(void *arg)
{
	struct kfd_ioctl_smi_events_args *args = arg;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return -errno;
	args->anon_fd = fd;
	return 0;
}

static void svm_answer(struct kfd_ioctl_svm_attribute *attr)
{
	switch (attr->type) {
	case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
	case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
		attr->value = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
		break;
	case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
		attr->value = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
		break;
	case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
		attr->value = 0;
		break;
	}
}

/* Shared virtual memory needs nothing: an address in no buffer is the host's. */
static int svm(void *arg)
{
	struct kfd_ioctl_svm_args *args = arg;
	uint32_t i;

	if (args->op == KFD_IOCTL_SVM_OP_GET_ATTR)
		for (i = 0; i < args->nattr; i++)
			svm_answer(&args->attrs[i]);
	return 0;
}

static int set_xnack_mode(void *arg)
{
	struct kfd_ioctl_set_xnack_mode_args *args = arg;

	if (args->xnack_enabled > 0)
		return -EPERM;
	args->xnack_enabled = 0;
	return 0;
}

static int available_memory(void *arg)
{
	struct kfd_ioctl_get_available_memory_args *args = arg;
	int gpu = gpu__index(args->gpu_id);

	if (gpu < 0)
		return -EINVAL;
	args->available = memory__available(gpu);
	return 0;
}

static int runtime_enable(void *arg)
{
	struct runtime_enable_args *args = arg;

	if (config.minor < RUNTIME_ENABLE_MINOR)
		return -EINVAL;
	args->capabilities_mask = 0;
	return 0;
}

/* Memory policy, trap handler, CU mask ...: nothing that the simulation would show. */
static int accept(void *arg)
{
	return 0;
}

#define NR(request) _IOC_NR(AMDKFD_IOC_##request)

static int (*const handlers[])(void *arg) = {
	[NR(GET_VERSION)] = get_version,
	[NR(CREATE_QUEUE)] = create_queue,
	[NR(DESTROY_QUEUE)] = destroy_queue,
	[NR(SET_MEMORY_POLICY)] = accept,
	[NR(GET_CLOCK_COUNTERS)] = get_clock_counters,
	[NR(UPDATE_QUEUE)] = update_queue,
	[NR(CREATE_EVENT)] = create_event,
	[NR(DESTROY_EVENT)] = destroy_event,
	[NR(SET_EVENT)] = set_event,
	[NR(RESET_EVENT)] = reset_event,
	[NR(WAIT_EVENTS)] = wait_events,
	[NR(SET_SCRATCH_BACKING_VA)] = accept,
	[NR(GET_TILE_CONFIG)] = get_tile_config,
	[NR(SET_TRAP_HANDLER)] = accept,
	[NR(GET_PROCESS_APERTURES_NEW)] = get_apertures,
	[NR(ACQUIRE_VM)] = accept,
	[NR(ALLOC_MEMORY_OF_GPU)] = alloc_memory,
	[NR(FREE_MEMORY_OF_GPU)] = free_memory,
	[NR(MAP_MEMORY_TO_GPU)] = map_memory,
	[NR(UNMAP_MEMORY_FROM_GPU)] = map_memory,
	[NR(SET_CU_MASK)] = accept,
	[NR(ALLOC_QUEUE_GWS)] = alloc_queue_gws,
	[NR(SMI_EVENTS)] = smi_events,
	[NR(SVM)] = svm,
	[NR(SET_XNACK_MODE)] = set_xnack_mode,
	[NR(AVAILABLE_MEMORY)] = available_memory,
	[NR_RUNTIME_ENABLE] = runtime_enable,
};

#define HANDLERS (sizeof(handlers) / sizeof(handlers[0]))

static void wait_at_gate(void)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (config.queue_gate && access(config.queue_gate, F_OK))
		nanosleep(&pause, NULL);
}

static int call(unsigned int nr, void *arg)
{
	int err;

	if (nr == NR(WAIT_EVENTS))
		return wait_events(arg); /* sleeps: not under the lock */
	/*
	 * The plug-in is loaded here and not at the first dispatch: that would be the engine, and
	 * if an application waits for its GPU inside a constructor, dlopen in another thread hangs.
	 */
	if (nr == NR(CREATE_QUEUE)) {
		kernel__load_functions();
		wait_at_gate();
	}
	sim__lock();
	err = handlers[nr](arg);
	sim__unlock();
	return err;
}

int kfd__ioctl(unsigned long command, void *arg)
{
	unsigned int nr = _IOC_NR(command);
	int err;

	sim__log(3, "ioctl %#x", nr);
	if (nr >= HANDLERS || !handlers[nr]) {
		sim__log(1, "ioctl %#x is not simulated", nr);
		return -EINVAL;
	}
	err = call(nr, arg);
	if (err)
		sim__log(2, "ioctl %#x: %s", nr, strerror(-err));
	return err;
}
