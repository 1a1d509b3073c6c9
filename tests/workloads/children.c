// SPDX-License-Identifier: MIT
/*
 * Makes processes in every way that Linux has. Parent and children call functions that are probed
 * in every way, and each says how often.
 *
 *   children WAY [-n CHILDREN] [-w]
 *
 * WAY: fork, inside (fork from inside of a probed function), vfork, vfork-inside, clone-vm (the
 * child shares the memory), spawn (posix_spawn), exec (fork, then exec). -w: waits for SIGUSR1
 * first.
 *
 * Prints "called PID FUNCTION COUNT", of each process, and "result PASSED" if no child ended other
 * than it should.
 */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "roctracer/roctx.h"
#include "tests/capture/fakehip.h"
#include "tests/workloads/workload.h"

#define ROUNDS	    3
#define STACK_BYTES (256 << 10)

extern char **environ;

static const char usage[] = "children WAY [-n CHILDREN] [-w]\n";

/* Of librocprofiler-sdk-roctx, which exports the names that libroctx64 has, too. */
static void (*sdk_mark)(const char *message);

/* One function of each kind of place: push, passed endbr64, single-stepped, 5-byte nops. */
static bool work(void)
{
	bool good = true;

	for (int i = 0; i < ROUNDS; i++) {
		roctxRangePushA("work");
		sdk_mark("mark");
		good &= hipTestPlain(1, 1, 1, 1, 1, 1) == 21;
		good &= hipTestEndbr(i) == i;
		hipTestRet(i);
		good &= hipTestNop5(i) == i && hipTestEndbrNop5(i) == i;
		hipGetLastError();
		roctxRangePop();
	}
	return good;
}

static void say_called(pid_t pid, int times)
{
	static const char *const functions[] = {
		"roctxRangePushA", "roctxMarkA",       "hipTestPlain",
		"hipTestEndbr",	   "hipTestRet",       "hipTestNop5",
		"hipGetLastError", "hipTestEndbrNop5", "roctxRangePop",
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		printf("called %d %s %d\n", pid, functions[i], times * ROUNDS);
}

static int run_child(void *arg)
{
	_exit(work() ? 0 : 1);
}

static long fork_child(void *arg)
{
	pid_t pid = fork();

	if (!pid)
		run_child(NULL);
	return pid;
}

/* The child works in the parent's memory, on its stack, with its thread-local storage. */
static long vfork_child(void *arg)
{
	pid_t pid = vfork();

	if (!pid)
		run_child(NULL);
	return pid;
}

static pid_t clone_child(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));

	return clone(run_child, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
}

/* Executes this program as `children work`. */
static pid_t exec_child(void)
{
	char *const argv[] = {(char *)"children", (char *)"work", NULL};
	pid_t pid = fork();

	if (!pid) {
		work();
		execve("/proc/self/exe", argv, environ);
		_exit(1);
	}
	return pid;
}

static pid_t spawn_child(void)
{
	char *const argv[] = {(char *)"children", (char *)"work", NULL};
	pid_t pid;

	return posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv, environ) ? -1 : pid;
}

static pid_t make_child(const char *way)
{
	if (!strcmp(way, "fork"))
		return fork_child(NULL);
	if (!strcmp(way, "inside"))
		return hipTestCallback(fork_child, NULL);
	if (!strcmp(way, "vfork"))
		return vfork_child(NULL);
	if (!strcmp(way, "vfork-inside"))
		return hipTestCallback(vfork_child, NULL);
	if (!strcmp(way, "clone-vm"))
		return clone_child();
	if (!strcmp(way, "spawn"))
		return spawn_child();
	if (!strcmp(way, "exec"))
		return exec_child();
	fputs(usage, stderr);
	exit(2);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&set, &signo);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "-h";
	unsigned long children = 5, bad = 0;
	int option, status;
	void *sdk;

	sdk = dlopen("librocprofiler-sdk-roctx.so.1", RTLD_NOW | RTLD_LOCAL);
	sdk_mark = sdk ? (void (*)(const char *))dlsym(sdk, "roctxMarkA") : NULL;
	if (!sdk_mark)
		return fprintf(stderr, "no librocprofiler-sdk-roctx\n"), 2;
	if (!strcmp(way, "work"))
		return !work();
	for (optind = 2; (option = getopt(argc, argv, "n:wh")) != -1;) {
		if (option == 'n')
			children = workload__number(optarg);
		else if (option == 'w')
			wait_for_signal();
		else
			return workload__usage(option, usage);
	}
	bad += !work();
	for (unsigned long i = 0; i < children; i++) {
		pid_t pid = make_child(way);

		if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
			printf("child %d ended with %#x\n", pid, status);
			bad++;
		}
		say_called(pid, strcmp(way, "exec") ? 1 : 2);
	}
	bad += !work();
	say_called(getpid(), 2);
	printf("result %s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
