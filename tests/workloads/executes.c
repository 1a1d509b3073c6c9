// SPDX-License-Identifier: MIT
/*
 * A program with HIP that executes another one, from its first thread or from another thread, which
 * the kernel then gives the first one's place.
 *
 *   executes first|other GO PROGRAM [ARGUMENT...]
 *
 * Prints `executes`, and executes PROGRAM when the file GO is there.
 */
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void *execute(void *arg)
{
	char **argv = arg;

	while (access(argv[2], F_OK))
		usleep(10000);
	execv(argv[3], argv + 3);
	perror(argv[3]);
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc < 4)
		return 2;
	puts(hipGetErrorName(hipSuccess) ? "executes" : "result FAILED");
	fflush(stdout);
	if (!strcmp(argv[1], "first"))
		execute(argv);
	if (pthread_create(&other, NULL, execute, argv))
		return 2;
	pthread_join(other, NULL);
}
