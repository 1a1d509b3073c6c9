// SPDX-License-Identifier: MIT
/*
 * A program with HIP that executes another one, from its first thread or from another thread, which
 * the kernel then gives the first one's place.
 *
 *   executes first|other GO PROGRAM [ARGUMENT...]
 *
 * Prints `executes`, waits until the file GO is there, copies a few times, and executes PROGRAM.
 */
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BYTES 65536

static void *gpu;

static void copy_some(void)
{
	static char host[BYTES];

	for (int i = 0; i < 20; i++)
		if (hipMemcpy(gpu, host, sizeof(host), hipMemcpyHostToDevice))
			_exit(1);
}

static void *execute(void *arg)
{
	char **argv = arg;

	while (access(argv[2], F_OK))
		usleep(10000);
	copy_some();
	execv(argv[3], argv + 3);
	perror(argv[3]);
	_exit(1);
}

int main(int argc, char **argv)
{
	pthread_t other;

	if (argc < 4)
		return 2;
	puts(hipMalloc(&gpu, BYTES) ? "result FAILED" : "executes");
	fflush(stdout);
	if (!strcmp(argv[1], "first"))
		execute(argv);
	if (pthread_create(&other, NULL, execute, argv))
		return 2;
	pthread_join(other, NULL);
}
