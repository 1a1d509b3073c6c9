/* SPDX-License-Identifier: MIT */
/*
 * Test of the simulated GPU, through the real libhsa-runtime64.
 *
 *     LD_PRELOAD=build/libsimkfd.so build/tests/test_simkfd
 *
 * The simulator takes its settings from the environment when a process starts, so the program sets
 * them and executes itself again. As `test_simkfd worker` it is a second process for some tests: it
 * runs kernels and writes a byte to its stdout for each that is complete; as `test_simkfd clock N`
 * it prints samples of the clocks, and N - 1 more processes do so after it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/simkfd/test_clock.h"
#include "tests/simkfd/test_gpu.h"
#include "tests/simkfd/test_truth.h"

#define GPUS	       3
#define SHORT_NS       5000   /* what the kernel "short" takes */
#define LONG_NS	       700000 /* "long" */
#define PRECISION_NS   1000   /* of times that have gone through two clocks and back */
#define DRIFT_PPM      100
#define WORKER_KERNELS 50

/* AMDKFD_IOC_GET_VERSION */
#define KFD_GET_VERSION _IOR('K', 0x01, uint32_t[2])

enum { SHORT, LONG, VECTOR_ADD, OTHER };
static const char *const names[IMAGE_KERNELS] = {"short", "long", "vector_add", "other"};

static uint64_t objects[IMAGE_KERNELS];
static void *image;
static const char *truth_path;
static long truth_offset;

static int open_machine(void **state)
{
	machine__open();
	image = new_image();
	image__name(image, names, objects);
	return 0;
}

static int close_machine(void **state)
{
	CHECK(hsa_shut_down());
	return 0;
}

/* Each test looks only at the lines that it has caused. */
static int skip_truth(void **state)
{
	struct truth_log log = truth_log__read(truth_path, &truth_offset);

	truth_log__free(&log);
	return 0;
}

static void assert_near(uint64_t a, uint64_t b)
{
	if (a > b + PRECISION_NS || b > a + PRECISION_NS)
		fail_msg("%llu and %llu are %lld ns apart", (unsigned long long)a,
			 (unsigned long long)b, (long long)(a - b));
}

static void test_agents(void **state)
{
	char name[64];

	assert_int_equal(machine.gpu_count, GPUS);
	CHECK(hsa_agent_get_info(machine.gpus[0].agent, HSA_AGENT_INFO_NAME, name));
	assert_string_equal(name, "gfx906");
}

/* One kernel at a time: inside the host's interval, as long as configured, as the log says. */
static void test_dispatch(void **state)
{
	enum { COUNT = 200 };
	hsa_amd_profiling_dispatch_time_t times[COUNT];
	int gpu = GPUS - 1, i;
	hsa_queue_t *queue = new_queue(gpu);
	hsa_signal_t signal = new_signal();
	uint64_t before, after, length;
	struct truth_log log;

	for (i = 0; i < COUNT; i++) {
		hsa_signal_store_relaxed(signal, 1);
		before = hsa_now();
		dispatch(queue, objects[i & 1 ? LONG : SHORT], NULL, 64 * (i + 1), signal);
		assert_true(wait_for(signal));
		after = hsa_now();
		CHECK(hsa_amd_profiling_get_dispatch_time(machine.gpus[gpu].agent, signal,
							  &times[i]));
		assert_true(times[i].start + PRECISION_NS >= before);
		assert_true(times[i].end <= after + PRECISION_NS);
		length = times[i].end - times[i].start;
		assert_in_range(length, (i & 1 ? LONG_NS : SHORT_NS) - 50,
				(i & 1 ? LONG_NS : SHORT_NS) + 50);
	}
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(log.count, COUNT);
	for (i = 0; i < COUNT; i++) {
		assert_int_equal(log.lines[i].pid, getpid());
		assert_int_equal(log.lines[i].gpu, gpu);
		assert_int_equal(log.lines[i].n, i);
		assert_int_equal(log.lines[i].op, i);
		assert_string_equal(log.lines[i].kind, "dispatch");
		assert_string_equal(log.lines[i].kernel, names[i & 1 ? LONG : SHORT]);
		assert_int_equal(log.lines[i].grid[0], 64 * (i + 1));
		assert_int_equal(log.lines[i].workgroup[0], 64);
		assert_int_equal(log.lines[i].barrier, 1);
		assert_near(log.lines[i].begin, times[i].start);
		assert_near(log.lines[i].end, times[i].end);
	}
	truth_log__free(&log);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

/* More kernels than the queue holds, without waiting: one after the other and none lost. */
static void test_backlog(void **state)
{
	enum { COUNT = 2000 };
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t signal = new_signal();
	struct truth_log log;
	int i;

	hsa_signal_store_relaxed(signal, COUNT);
	for (i = 0; i < COUNT; i++)
		dispatch(queue, objects[SHORT], NULL, 64, signal);
	assert_true(wait_for(signal));
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(truth_log__count(&log, getpid(), "dispatch", "short"), COUNT);
	for (i = 0; i < COUNT; i++) {
		assert_int_equal(log.lines[i].n, i);
		assert_int_equal(log.lines[i].end - log.lines[i].begin, SHORT_NS);
		if (i)
			assert_true(log.lines[i].begin >= log.lines[i - 1].end);
	}
	truth_log__free(&log);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

/* `count` packets, one after the other, that are still to be published. */
static void reserve_short(hsa_queue_t *queue, hsa_signal_t signal, int count,
			  hsa_kernel_dispatch_packet_t **packet, uint64_t *index)
{
	hsa_signal_store_relaxed(signal, count);
	for (int i = 0; i < count; i++) {
		packet[i] = reserve_packet(queue, &index[i]);
		packet[i]->kernel_object = objects[SHORT];
		packet[i]->completion_signal = signal;
	}
}

/* The doorbell keeps the last value written, which need not be the highest. */
static void test_doorbell_order(void **state)
{
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t signal = new_signal();
	hsa_kernel_dispatch_packet_t *packet[3];
	uint64_t index[3];
	int i;

	reserve_short(queue, signal, 3, packet, index);
	for (i = 0; i < 3; i++)
		publish(packet[i], HSA_PACKET_TYPE_KERNEL_DISPATCH, true, 1);
	ring(queue, index[1]);
	ring(queue, index[0]); /* and no store for the third */
	assert_true(wait_for(signal));
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

/* Of two threads that share a queue one may ring before the other has written its packet. */
static void test_late_packet(void **state)
{
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t signal = new_signal();
	hsa_kernel_dispatch_packet_t *packet[2];
	struct truth_log log;
	uint64_t index[2], written;

	reserve_short(queue, signal, 2, packet, index);
	publish(packet[1], HSA_PACKET_TYPE_KERNEL_DISPATCH, true, 1);
	ring(queue, index[1]);
	usleep(20000);
	written = hsa_now();
	publish(packet[0], HSA_PACKET_TYPE_KERNEL_DISPATCH, true, 1);
	assert_true(wait_for(signal));
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(log.count, 2);
	assert_true(log.lines[0].begin >= written);
	assert_true(log.lines[1].begin >= log.lines[0].end);
	truth_log__free(&log);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

static void test_barrier(void **state)
{
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t dependency = new_signal(), done = new_signal();
	hsa_barrier_and_packet_t *packet;
	struct truth_log log;
	uint64_t index, opened;

	packet = reserve_packet(queue, &index);
	packet->dep_signal[1] = dependency;
	packet->completion_signal = done;
	publish(packet, HSA_PACKET_TYPE_BARRIER_AND, false, 0);
	ring(queue, index);
	usleep(20000);
	assert_int_equal(hsa_signal_load_scacquire(done), 1);
	opened = hsa_now();
	hsa_signal_subtract_screlease(dependency, 1);
	assert_true(wait_for(done));
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(log.count, 1);
	assert_string_equal(log.lines[0].kind, "barrier");
	assert_string_equal(log.lines[0].kernel, "-");
	assert_true(log.lines[0].begin >= opened);
	truth_log__free(&log);
	CHECK(hsa_signal_destroy(done));
	CHECK(hsa_signal_destroy(dependency));
	CHECK(hsa_queue_destroy(queue));
}

/* Another module in the place of the first: the same addresses are other kernels now. */
static void test_reloaded_code(void **state)
{
	static const char *const others[IMAGE_KERNELS] = {"shorter", "s", "_Z4lessv", "last"};
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t signal = new_signal();
	struct truth_log log;
	int i;

	dispatch(queue, objects[SHORT], NULL, 64, signal);
	assert_true(wait_for(signal));
	image__name(image, others, objects);
	hsa_signal_store_relaxed(signal, IMAGE_KERNELS);
	for (i = 0; i < IMAGE_KERNELS; i++)
		dispatch(queue, objects[i], NULL, 64, signal);
	assert_true(wait_for(signal));
	image__name(image, names, objects);
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(log.count, 1 + IMAGE_KERNELS);
	assert_string_equal(log.lines[0].kernel, "short");
	for (i = 0; i < IMAGE_KERNELS; i++)
		assert_string_equal(log.lines[1 + i].kernel, others[i]);
	truth_log__free(&log);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

static void test_host_function(void **state)
{
	enum { COUNT = 1000 };
	struct {
		float *a, *b, *sum;
		uint32_t count;
	} *args = kernarg_memory(sizeof(*args));
	hsa_queue_t *queue = new_queue(1);
	hsa_signal_t signal = new_signal();
	int i;

	args->a = host_memory(COUNT * sizeof(float));
	args->b = host_memory(COUNT * sizeof(float));
	args->sum = host_memory(COUNT * sizeof(float));
	args->count = COUNT;
	for (i = 0; i < COUNT; i++) {
		args->a[i] = i;
		args->b[i] = 3 * i;
		args->sum[i] = -1;
	}
	dispatch(queue, objects[VECTOR_ADD], args, 1024, signal);
	assert_true(wait_for(signal));
	for (i = 0; i < COUNT; i++)
		assert_true(args->sum[i] == 4 * i);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

/* What the log says of the copy that it ends with: all lines of its operation together. */
static struct truth_line last_copy(void)
{
	struct truth_log log = truth_log__read(truth_path, &truth_offset);
	struct truth_line sum = {.begin = UINT64_MAX};
	const struct truth_line *last, *l;

	assert_true(log.count > 0);
	last = &log.lines[log.count - 1];
	for (l = log.lines; l <= last; l++) {
		if (l->queue != last->queue || l->op != last->op || strcmp(l->kind, last->kind))
			continue;
		memcpy(sum.kind, l->kind, sizeof(sum.kind));
		sum.bytes += l->bytes;
		sum.begin = l->begin < sum.begin ? l->begin : sum.begin;
		sum.end = l->end > sum.end ? l->end : sum.end;
	}
	truth_log__free(&log);
	return sum;
}

/* A copy inside one GPU (kind NULL) is a blit or not, as the runtime likes. */
static void copy(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
		 size_t size, const char *kind)
{
	hsa_amd_profiling_async_copy_time_t times;
	hsa_signal_t signal = new_signal();
	struct truth_line truth;
	uint64_t before = hsa_now();

	CHECK(hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, 0, NULL, signal));
	assert_true(wait_for(signal));
	CHECK(hsa_amd_profiling_get_async_copy_time(signal, &times));
	truth = last_copy();
	if (kind)
		assert_string_equal(truth.kind, kind);
	assert_int_equal(truth.bytes, size);
	assert_near(truth.begin, times.start);
	assert_near(truth.end, times.end);
	assert_true(truth.begin >= before && truth.end <= hsa_now());
	CHECK(hsa_signal_destroy(signal));
}

/* Host to GPU 0, inside GPU 0, to GPU 1, back to the host: all bytes, at any alignment. */
static void copy_around(size_t size, size_t shift)
{
	struct test_gpu *gpu = machine.gpus;
	uint8_t *first = gpu_memory(0, size + 64), *second = gpu_memory(0, size + 64);
	uint8_t *third = gpu_memory(1, size + 64);
	uint8_t *from = host_memory(size), *to = host_memory(size);
	size_t i;

	for (i = 0; i < size; i++)
		from[i] = i * 2654435761u >> 13;
	memset(to, 0, size);
	copy(first + shift, gpu[0].agent, from, machine.cpu, size, "copy");
	copy(second, gpu[0].agent, first + shift, gpu[0].agent, size, NULL);
	copy(third + 2 * shift, gpu[1].agent, second, gpu[0].agent, size, "copy");
	copy(to, machine.cpu, third + 2 * shift, gpu[1].agent, size, "copy");
	assert_memory_equal(from, to, size);
	CHECK(hsa_amd_memory_pool_free(from));
	CHECK(hsa_amd_memory_pool_free(to));
	CHECK(hsa_amd_memory_pool_free(first));
	CHECK(hsa_amd_memory_pool_free(second));
	CHECK(hsa_amd_memory_pool_free(third));
}

static void test_copies(void **state)
{
	copy_around(8 << 20, 0);
	copy_around(12345, 3);
	copy_around(20 << 20, 1);
}

static void test_fill(void **state)
{
	enum { COUNT = 100000 };
	uint32_t *memory = gpu_memory(0, COUNT * sizeof(uint32_t)), i;
	uint32_t *host = host_memory(COUNT * sizeof(uint32_t));

	CHECK(hsa_amd_memory_fill(memory, 0xdeadbeef, COUNT));
	copy(host, machine.cpu, memory, machine.gpus[0].agent, COUNT * sizeof(uint32_t), "copy");
	for (i = 0; i < COUNT; i++)
		assert_int_equal(host[i], 0xdeadbeef);
	CHECK(hsa_amd_memory_pool_free(memory));
	CHECK(hsa_amd_memory_pool_free(host));
}

/* ---- several processes ---- */

static int child_after_fork(int inherited)
{
	uint32_t version[2] = {0, 0};
	int fd;

	if (ioctl(inherited, KFD_GET_VERSION, version) != -1 || errno != EBADF)
		return 1;
	fd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, KFD_GET_VERSION, version) || version[0] != 1)
		return 2;
	return 0;
}

/* The child has a device of its own, not the parent's, and the parent's kernels go on. */
static void test_fork(void **state)
{
	hsa_queue_t *queue = new_queue(0);
	hsa_signal_t signal = new_signal();
	int fd = open("/dev/kfd", O_RDWR | O_CLOEXEC), status, i;
	struct truth_log log;
	pid_t child;

	assert_true(fd >= 0);
	hsa_signal_store_relaxed(signal, 20);
	for (i = 0; i < 20; i++)
		dispatch(queue, objects[LONG], NULL, 64, signal);
	child = fork();
	if (!child)
		_exit(child_after_fork(fd));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(wait_for(signal));
	log = truth_log__read(truth_path, &truth_offset);
	assert_int_equal(truth_log__count(&log, getpid(), "dispatch", "long"), 20);
	assert_int_equal(log.count, 20);
	truth_log__free(&log);
	close(fd);
	CHECK(hsa_signal_destroy(signal));
	CHECK(hsa_queue_destroy(queue));
}

static int work(int count)
{
	hsa_queue_t *queue;
	hsa_signal_t signal;
	int i;

	open_machine(NULL);
	queue = new_queue(0);
	signal = new_signal();
	for (i = 0; count < 0 || i < count; i++) {
		hsa_signal_store_relaxed(signal, 1);
		dispatch(queue, objects[OTHER], NULL, 64, signal);
		if (!wait_for(signal) || write(STDOUT_FILENO, ".", 1) != 1)
			return 1;
	}
	return 0;
}

/* A second process running the same program as `what`; *out reads its stdout. */
static pid_t start_process(const char *what, const char *count, int *out)
{
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl("/proc/self/exe", "test_simkfd", what, count, NULL);
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	return child;
}

static void test_processes(void **state)
{
	pid_t child[3];
	struct truth_log log;
	int out[3], status, i;

	for (i = 0; i < 3; i++)
		child[i] = start_process("worker", "50", &out[i]);
	for (i = 0; i < 3; i++) {
		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
		close(out[i]);
	}
	log = truth_log__read(truth_path, &truth_offset);
	for (i = 0; i < 3; i++)
		assert_int_equal(truth_log__count(&log, child[i], "dispatch", "other"),
				 WORKER_KERNELS);
	truth_log__free(&log);
}

/* What a killed process has seen complete is in the log, and all lines are whole. */
static void test_kill(void **state)
{
	struct truth_log log;
	size_t seen = 0;
	char bytes[256];
	ssize_t got = 0;
	int out;
	pid_t child = start_process("worker", "-1", &out);

	while (seen < WORKER_KERNELS && (got = read(out, bytes, 1)) > 0)
		seen += got;
	kill(child, SIGKILL);
	while ((got = read(out, bytes, sizeof(bytes))) > 0)
		seen += got;
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(seen >= WORKER_KERNELS);
	log = truth_log__read(truth_path, &truth_offset);
	assert_true(truth_log__count(&log, child, "dispatch", "other") >= seen);
	truth_log__free(&log);
	close(out);
}

/* The samples of two processes, of which one has started the other. */
static void test_clock_schedule(void **state)
{
	int out, status;
	pid_t child;

	setenv("SIMKFD_CLOCK", CLOCK_SCHEDULE, 1);
	child = start_process("clock", "2", &out);
	unsetenv("SIMKFD_CLOCK");
	assert_int_equal(clock_samples__check(out, GPUS - 1, DRIFT_PPM), 2 * CLOCK_SAMPLES);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Prints samples; a second process goes on with that. */
static int sample_clocks(int count)
{
	int err = clock_samples__print(GPUS - 1);

	if (!err && count > 1)
		execl("/proc/self/exe", "test_simkfd", "clock", "1", NULL);
	return err;
}

static int run_all(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_agents, skip_truth),
		cmocka_unit_test_setup(test_dispatch, skip_truth),
		cmocka_unit_test_setup(test_backlog, skip_truth),
		cmocka_unit_test_setup(test_doorbell_order, skip_truth),
		cmocka_unit_test_setup(test_late_packet, skip_truth),
		cmocka_unit_test_setup(test_barrier, skip_truth),
		cmocka_unit_test_setup(test_reloaded_code, skip_truth),
		cmocka_unit_test_setup(test_host_function, skip_truth),
		cmocka_unit_test_setup(test_copies, skip_truth),
		cmocka_unit_test_setup(test_fill, skip_truth),
		cmocka_unit_test_setup(test_fork, skip_truth),
		cmocka_unit_test_setup(test_processes, skip_truth),
		cmocka_unit_test_setup(test_kill, skip_truth),
		cmocka_unit_test(test_clock_schedule),
	};
	int failed = cmocka_run_group_tests_name("simkfd", tests, open_machine, close_machine);

	unlink(truth_path);
	return failed;
}

/* The plug-in is in the folder of this program. */
static void set_kernel_lib(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - sizeof("_kernels.so"));

	if (len < 0)
		return;
	strcpy(path + len, "_kernels.so");
	setenv("SIMKFD_KERNEL_LIB", path, 1);
}

static int execute_with_settings(char **argv)
{
	char path[] = "/tmp/test_simkfd.XXXXXX", kernels[64], gpus[8], drift[8];
	int fd = mkstemp(path);

	if (fd < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	snprintf(kernels, sizeof(kernels), "long=%d,short=%d", LONG_NS, SHORT_NS);
	snprintf(gpus, sizeof(gpus), "%d", GPUS);
	setenv("TEST_SIMKFD_TRUTH", path, 1);
	setenv("SIMKFD_TRUTH", path, 1);
	setenv("SIMKFD_GPUS", gpus, 1);
	setenv("SIMKFD_GFX", "gfx906", 1);
	setenv("SIMKFD_KERNELS", kernels, 1);
	snprintf(drift, sizeof(drift), "%d", DRIFT_PPM);
	setenv("SIMKFD_DRIFT_PPM", drift, 1);
	set_kernel_lib();
	execv("/proc/self/exe", argv);
	perror("execv");
	return 1;
}

int main(int argc, char **argv)
{
	truth_path = getenv("TEST_SIMKFD_TRUTH");
	if (!truth_path)
		return execute_with_settings(argv);
	if (argc == 3 && !strcmp(argv[1], "clock"))
		return sample_clocks(atoi(argv[2]));
	if (argc == 3)
		return work(atoi(argv[2]));
	return run_all();
}
