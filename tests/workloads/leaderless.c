// SPDX-License-Identifier: MIT
/*
 * A program that goes on after its first thread has ended, as one does that calls pthread_exit()
 * in main(): its second thread works with HIP.
 *
 *   leaderless GO STOP LATE [ROCTX MARK]
 *
 * Prints `ready PID TID`, of the working thread, when HIP has been initialised. Works when the file
 * GO is there, and 30 copies on when the file STOP is. The first thread ends before `ready`, with
 * LATE=1 once the work has begun, with LATE=2 not at all. With ROCTX, the path of that library, the
 * second opens it after that, and sets a mark for each copy once the file MARK is there. Prints `at
 * FUNCTION TIME` before each call (CLOCK_BOOTTIME, ns), and `result PASSED`.
 */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BYTES (1 << 20) /* smaller copies are not the GPU's */

static char **arguments;
static pthread_t leader;

#define CHECK(call)                                                              \
	do {                                                                     \
		if ((call) != hipSuccess) {                                      \
			printf("result FAILED: line %d: %s\n", __LINE__, #call); \
			_exit(1);                                                \
		}                                                                \
	} while (0)

static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(10000);
}

static void say(const char *function)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	printf("at %s %lld\n", function, ts.tv_sec * 1000000000LL + ts.tv_nsec);
}

static hsa_status_t ignore(hsa_agent_t agent, void *arg)
{
	return HSA_STATUS_SUCCESS;
}

static void open_roctx(void (**mark)(const char *))
{
	void *library = arguments[4] && arguments[5] ? dlopen(arguments[4], RTLD_NOW) : NULL;

	if (library)
		*(void **)mark = dlsym(library, "roctxMarkA");
}

static void *work(void *arg)
{
	static char host[BYTES];
	void (*mark)(const char *) = NULL;
	long copies = 0, more = 30;
	void *memory;
	int late = atoi(arguments[3]);

	if (!late)
		pthread_join(leader, NULL);
	CHECK(hipMalloc(&memory, BYTES));
	CHECK(hipDeviceSynchronize());
	printf("ready %d %ld\n", getpid(), syscall(SYS_gettid));
	fflush(stdout);
	wait_for(arguments[1]);
	for (; more; copies++, more -= !access(arguments[2], F_OK)) {
		if (copies == 10 && late == 1)
			pthread_join(leader, NULL);
		if (copies == 10)
			open_roctx(&mark);
		if (mark && !access(arguments[5], F_OK)) {
			say("roctxMarkA");
			mark("copy");
		}
		CHECK(hipMemset(memory, 0, BYTES)); /* a kernel */
		say("hsa_iterate_agents");
		hsa_iterate_agents(ignore, NULL);
		say("hipMemcpy");
		CHECK(hipMemcpy(memory, host, BYTES, hipMemcpyHostToDevice));
		usleep(10000);
	}
	puts("result PASSED");
	fflush(stdout);
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_t worker;

	if (argc < 4)
		return 2;
	arguments = argv;
	leader = pthread_self();
	if (pthread_create(&worker, NULL, work, NULL))
		return 2;
	if (atoi(argv[3]))
		wait_for(argv[1]);
	if (atoi(argv[3]) == 2)
		pthread_join(worker, NULL);
	pthread_exit(NULL);
}
