// SPDX-License-Identifier: MIT
/*
 * A program that goes on after its first thread has ended, as one does that calls pthread_exit()
 * in main(): its second thread works with HIP.
 *
 *   leaderless GO STOP LATE
 *
 * Prints `ready PID TID`, of the working thread, when HIP has been initialised. Works when the file
 * GO is there, until the file STOP is. The first thread ends before `ready`, or with LATE=1 once
 * the work has begun. Prints `calls FUNCTION N` and `result PASSED`.
 */
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
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

static void *work(void *arg)
{
	static char host[BYTES];
	long copies = 0;
	void *memory;
	int late = atoi(arguments[3]);

	if (!late)
		pthread_join(leader, NULL);
	CHECK(hipMalloc(&memory, BYTES));
	CHECK(hipDeviceSynchronize());
	printf("ready %d %ld\n", getpid(), syscall(SYS_gettid));
	fflush(stdout);
	wait_for(arguments[1]);
	for (; access(arguments[2], F_OK) || copies < 30; copies++) {
		if (copies == 10 && late)
			pthread_join(leader, NULL);
		CHECK(hipMemcpy(memory, host, BYTES, hipMemcpyHostToDevice));
		usleep(10000);
	}
	printf("calls hipMemcpy %ld\nresult PASSED\n", copies);
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
	pthread_exit(NULL);
}
