/* SPDX-License-Identifier: MIT */
/*
 * A process and its threads that change their names, as pools of workers and setproctitle do.
 *
 *   renames GO [early]
 *
 * Prints "ready" when its libraries are mapped, and waits, without any call, until GO exists. Then
 * each of its threads copies to the GPU and is called something else at another moment: before its
 * first call, after its last, between two, by another thread. One is named by roctx, too, which
 * counts whatever the kernel calls it. Main, which names the process, makes no call; it renames
 * itself last, or with "early" before any thread calls.
 *
 * Prints `name TID NAME` of each thread, main first, as /proc had it last, and the result.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <hip/hip_runtime_api.h>

#include "rocprofiler-sdk-roctx/roctx.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define BYTES (1 << 20)

enum moment { BEFORE, BETWEEN, AFTER, BY_OTHER, BY_ROCTX, MOMENTS };

/* What a format must not take for its own: brackets, quotes, backslashes, separators, spaces. */
static const char *const names[MOMENTS] = {
	[BEFORE] = "pool) 1, \"a\"", [BETWEEN] = "step\\2:[x]",	  [AFTER] = "ray::Task(3)",
	[BY_OTHER] = "<4> & more",   [BY_ROCTX] = "not this one",
};

struct worker {
	pthread_t thread;
	enum moment moment;
	pid_t tid;
	char name[64]; /* at its end */
};

static pthread_barrier_t called;

static void copy(void)
{
	static const char bytes[BYTES];
	void *gpu;

	CALL(hipMalloc, (&gpu, BYTES));
	CALL(hipMemcpy, (gpu, bytes, BYTES, hipMemcpyHostToDevice));
	CALL(hipFree, (gpu));
}

static void rename_self(const char *name)
{
	CHECK(!prctl(PR_SET_NAME, name), "prctl failed");
}

static void read_name(pid_t tid, char *name, size_t size)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", tid);
	file = fopen(path, "re");
	CHECK(file && fgets(name, (int)size, file), "no %s", path);
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
}

static void *work(void *arg)
{
	struct worker *w = arg;

	w->tid = (pid_t)syscall(SYS_gettid);
	if (w->moment == BEFORE)
		rename_self(names[BEFORE]);
	copy();
	if (w->moment == BY_ROCTX)
		CALL(roctxNameOsThread, ("by roctx"));
	if (w->moment == BETWEEN || w->moment == BY_ROCTX)
		rename_self(names[w->moment]);
	copy();
	if (w->moment == AFTER)
		rename_self(names[AFTER]);
	pthread_barrier_wait(&called);
	pthread_barrier_wait(&called); /* main has named one */
	read_name(w->tid, w->name, sizeof(w->name));
	return NULL;
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
	int early = argc > 2 && !strcmp(argv[2], "early");
	struct worker w[MOMENTS];
	char name[64];

	if (argc < 2)
		return workload__usage(0, "renames GO [early]\n");
	wait_for_file(argv[1]);
	if (early)
		rename_self("early) \"one\"");
	CHECK(!pthread_barrier_init(&called, NULL, MOMENTS + 1), "no barrier");
	for (int i = 0; i < MOMENTS; i++) {
		w[i].moment = (enum moment)i;
		CHECK(!pthread_create(&w[i].thread, NULL, work, &w[i]), "no thread");
	}
	pthread_barrier_wait(&called);
	CHECK(!pthread_setname_np(w[BY_OTHER].thread, names[BY_OTHER]), "no name");
	if (!early)
		rename_self("late) \"one\"");
	pthread_barrier_wait(&called);
	read_name(getpid(), name, sizeof(name));
	printf("name %d %s\n", getpid(), name);
	for (int i = 0; i < MOMENTS; i++) {
		pthread_join(w[i].thread, NULL);
		printf("name %d %s\n", w[i].tid, i == BY_ROCTX ? "by roctx" : w[i].name);
	}
	return count__pass();
}
