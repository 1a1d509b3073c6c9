/* SPDX-License-Identifier: MIT */
/*
 * libsimkfd.so: a simulated AMD GPU under the unmodified ROCm user space.
 *
 *     LD_PRELOAD=build/libsimkfd.so SIMKFD_GPUS=2 ./app
 *
 * The real libamdhip64, libhsa-runtime64 and libhsakmt run; the kernel driver and the silicon are
 * played by this library, inside the process. One binary serves ROCm 5.2 to 6.4.
 *
 *   interpose.c  open, fopen, stat ... of /dev/kfd, /dev/dri/renderD*, /sys/.../kfd/topology; ioctl
 *   topology.c   the sysfs files that describe the machine, in a folder under $TMPDIR
 *   drm.c        the few functions of libdrm that the thunk calls
 *   device.c     one sparse memfd is the device file: each offset handed out to mmap is real in it
 *   ioctl.c      the driver's ioctls, by table
 *   memory.c     buffer objects; GPU address to host address
 *   event.c      what threads sleep on and the GPU wakes
 *   queue.c      the user-mode queues and the one engine thread that runs all of them
 *   aql.c        the packet processor of compute queues        sdma.c  that of copy queues
 *   kernel.c     which kernel a dispatch means, how long it takes, what it does
 *   blit.c       the runtimes' own copy and fill kernels, carried out natively
 *   truth.c      the log of what was really executed, and when
 *   clock.c      the GPU's clock        config.c  the environment
 *   process.c    start, fork, lock
 *
 * Kernels of the application are not executed: a dispatch takes its time and completes. A plug-in
 * (simkfd_kernels.h) can put host functions in their place.
 *
 * Time. A packet's begin and end are computed, not measured: it begins when its doorbell was seen
 * or when the packet before it lets it, and ends its duration later, so that the jitter of the
 * engine thread does not show. Its completion signal is sent no earlier than that end.
 *
 * Environment, with defaults:
 *   SIMKFD_GPUS=2            GPUs, 1 to 8
 *   SIMKFD_GFX=gfx906        or gfx908, gfx90a
 *   SIMKFD_VRAM_MB=4096      memory of each GPU
 *   SIMKFD_LARGE_BAR=1       0: the CPU cannot address VRAM
 *   SIMKFD_SVM=1             0: no shared virtual memory
 *   SIMKFD_MINOR=14          minor version of the driver interface. At 14 ROCr 6.4 has a
 *                            thread that spins, at 13 not; below 9 Debian's builds abort
 *   SIMKFD_KERNEL_NS=20000   what a kernel takes
 *   SIMKFD_KERNELS=K=NS,...  what kernels of these names take
 *   SIMKFD_KERNEL_LIB=FILE   host functions for kernels, see simkfd_kernels.h
 *   SIMKFD_GAP_NS=1000       between two packets that wait for each other
 *   SIMKFD_UNRUNG_US=1000000 after that a packet without a doorbell store runs, as when a queue
 *                            comes back on the hardware; a producer may be preempted for long
 *   SIMKFD_OVERLAP=4         packets of one queue that may run at a time, 1 to 64
 *   SIMKFD_COPY_GBPS=16      speed of the copy engines
 *   SIMKFD_GPU_KHZ=100000    frequency of the GPU's clock
 *   SIMKFD_DRIFT_PPM=0       how much faster than said it goes: times 1 on GPU 0, 2 on GPU 1 ...
 *   SIMKFD_CLOCK=T:C,...     changes C of the GPUs' clocks, T ms after SIMKFD_CLOCK_ZERO, the
 *                            earlier ones first:
 *                              ppm=P    the drift is P from now on, times 1 on GPU 0 ...
 *                              khz=F    so is the frequency
 *                              step=NS  the counter jumps by as much as it goes in NS, or back
 *                              stop=NS  the counter stops for NS, as in a suspend
 *   SIMKFD_CLOCK_ZERO=NS     boot time; default: when the first process with SIMKFD_CLOCK
 *                            started, which hands it down to those that it starts
 *   SIMKFD_POLL_US=50        how often an idle engine looks at the doorbells; up to 20 times
 *                            less often when nothing has happened for seconds
 *   SIMKFD_FAULT=NAME        a dispatch of that kernel raises a memory fault
 *   SIMKFD_QUEUE_GATE=FILE   no queue is made before that file is there
 *   SIMKFD_SYSCALLS=1        issue the ioctls for real too (they fail), for tracers of system
 *                            calls
 *   SIMKFD_TRUTH=FILE        append what was executed, see truth.h
 *   SIMKFD_LOG=0             1: what is not simulated, 2: queues and packets, 3: ioctls
 *   SIMKFD_LOGFILE=FILE      append the log there instead of stderr
 *
 * Not simulated: hipMemCreate/hipMemMap, IPC, the debugger, PM4 queues, PC sampling, counters. A
 * bad address crashes the process instead of raising a fault. Queues do not contend for compute
 * units.
 */
#ifndef SIMKFD_H
#define SIMKFD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXPORT __attribute__((visibility("default")))

#define MAX_GPUS     8
#define GPU_ID	     0x5000u /* the driver's id of GPU 0; the others follow */
#define RENDER_MINOR 128     /* /dev/dri/renderD128 is GPU 0 */
#define NEVER	     UINT64_MAX

/* ---- config.c ---- */

struct gpu_model {
	const char *gfx, *codename, *product;
	uint32_t version; /* gfx_target_version */
	uint32_t device_id;
	uint32_t compute_units, arrays, waves_per_simd;
};

struct config {
	int gpus;
	const struct gpu_model *model;
	uint64_t vram;
	bool large_bar, svm, syscalls;
	uint32_t minor;
	uint64_t kernel_ns, gap_ns, unrung_ns, gpu_khz, poll_ns;
	unsigned int overlap;
	double copy_gbps, drift_ppm;
	/* NULL or not empty: */
	const char *kernels, *kernel_lib, *fault, *queue_gate, *truth, *clock;
	int log;
};

extern struct config config;

/* Reads the environment; later calls do nothing. */
void config__read(void);

/* One line "simkfd[PID]: ..." if SIMKFD_LOG is at least `level`. */
__attribute__((format(printf, 2, 3))) void sim__log(int level, const char *format, ...);

/* ---- process.c ---- */

/* Reads the configuration if no constructor has run yet. */
void process__start(void);

/* Guards everything but the events. The engine gives way to any thread that waits in sim__lock. */
void sim__lock(void);
void sim__lock_engine(void);
void sim__unlock(void);

/* ---- clock.c ---- */

uint64_t clock__boot_ns(void); /* CLOCK_BOOTTIME */
uint64_t clock__ns(clockid_t id);

/* Reads SIMKFD_CLOCK. Before other threads are there. */
void clock__start(void);

/* What the GPU's counter shows at that instant. */
uint64_t clock__gpu_ticks(int gpu, uint64_t boot_ns);

/* ---- device.c ---- */

/* A descriptor of the device file, or -1 with errno. Flags as for open. */
int device__open(int flags);

/* 0: `fd` is not the device file; 1: it is; -1: it is that of the parent, from before a fork. */
int device__owns(int fd);

/* The simulator's own mapping of a piece of the device file, or NULL. */
void *device__map(uint64_t offset, uint64_t size);

/* Finds room for a buffer in the device file, and gives it back. */
uint64_t device__reserve(uint64_t size);
void device__release(uint64_t offset, uint64_t size);

/* Offsets for mmap: the doorbells of a GPU, one of its doorbells, its MMIO page. */
uint64_t device__doorbell_page(int gpu);
uint64_t device__doorbell_offset(int gpu, uint32_t slot);
uint64_t device__mmio_page(int gpu);

/* That doorbell as the engine sees it. */
volatile uint64_t *device__doorbell(int gpu, uint32_t slot);

/* Forgets the file, in the child of a fork. */
void device__forget(void);

/* ---- ioctl.c ---- */

/* Carries out an ioctl of the driver. 0 or -errno. */
int kfd__ioctl(unsigned long command, void *arg);

/* The index of the GPU with that driver id, or -1. */
int gpu__index(uint32_t gpu_id);

/* ---- topology.c ---- */

/* Where the file really is if `path` is in the topology (written to `buffer`), else NULL. */
const char *topology__redirect(const char *path, char *buffer, size_t size);

#endif
