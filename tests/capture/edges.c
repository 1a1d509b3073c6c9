// SPDX-License-Identifier: MIT
/*
 * Calls the functions of fakehip.c in one scenario, named by the argument, and checks what it can
 * see of their results. What the trace must hold is in tests/e2e/capture/capture.bats.
 *
 *   edges SCENARIO [N]      edges load LIBRARY
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/capture/fakehip.h"

#define CHECK(cond)                                                              \
	do {                                                                     \
		if (!(cond)) {                                                   \
			printf("result FAILED: line %d: %s\n", __LINE__, #cond); \
			exit(1);                                                 \
		}                                                                \
	} while (0)

static void plain(long n)
{
	for (long i = 0; i < n; i++)
		CHECK(hipTestPlain(i, 2, 3, 4, 5, 6) == i + 4 + 9 + 16 + 25 + 36);
}

static void nested(long n)
{
	for (long i = 0; i < n; i++)
		CHECK(hipTestNested(3) == 3);
}

static void recurse(long n)
{
	CHECK(hipTestRecurse(n) == n);
	plain(1);
}

/* After each jump a plain call at the same level: it must have no parent. */
static void jump(long n)
{
	jmp_buf env;

	for (volatile long i = 0; i < n; i++) {
		if (!setjmp(env))
			hipTestJumpDeep(&env);
		plain(1);
	}
}

static void tail(long n)
{
	for (long i = 0; i < n; i++) {
		CHECK(hipTestTail(1, 1, 1, 1, 1, 1) == 21);
		CHECK(hipTestTailTwice(1, 1, 1, 1, 1, 1) == 21);
	}
}

static void on_signal(int signo)
{
	CHECK(hipTestNested(2) == 1);
}

static void on_signal_jump(int signo);
static sigjmp_buf from_signal;

static void handle(int signo, void (*fn)(int), int flags)
{
	struct sigaction sa = {.sa_handler = fn, .sa_flags = flags};

	CHECK(!sigaction(signo, &sa, NULL));
}

static void use_altstack(void)
{
	static char stack[65536];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof(stack)};

	CHECK(!sigaltstack(&ss, NULL));
}

/* A handler that calls traced functions, on the thread's own stack and on an alternate one. */
static void signals(long n)
{
	use_altstack();
	handle(SIGUSR1, on_signal, 0);
	handle(SIGUSR2, on_signal, SA_ONSTACK);
	for (long i = 0; i < n; i++) {
		CHECK(!hipTestRaise(SIGUSR1));
		CHECK(!hipTestRaise(SIGUSR2));
	}
}

static long jump_out(void *arg)
{
	siglongjmp(from_signal, 1);
}

static void on_signal_jump(int signo)
{
	hipTestCallback(jump_out, NULL);
}

/* The handler leaves its alternate stack, and the call it interrupted, by siglongjmp. */
static void signal_jump(long n)
{
	use_altstack();
	handle(SIGUSR2, on_signal_jump, SA_ONSTACK | SA_NODEFER);
	for (volatile long i = 0; i < n; i++) {
		if (!sigsetjmp(from_signal, 1))
			hipTestRaise(SIGUSR2);
		plain(1);
	}
}

static void *exit_in_call(void *arg)
{
	plain(1);
	hipTestExitThread();
	return NULL;
}

static void exit_thread(long n)
{
	pthread_t t;

	for (long i = 0; i < n; i++) {
		CHECK(!pthread_create(&t, NULL, exit_in_call, NULL));
		CHECK(!pthread_join(t, NULL));
	}
}

static long fork_here(void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		plain(2);
		_exit(7);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	return 5;
}

/* A fork inside of a call: it returns in the parent; the child makes calls of its own. */
static void fork_in_call(long n)
{
	for (long i = 0; i < n; i++)
		CHECK(hipTestCallback(fork_here, NULL) == 5);
}

static long spawn_here(void *arg)
{
	pid_t pid = vfork();
	int status;

	if (!pid) {
		hipTestPlain(1, 2, 3, 4, 5, 6);
		execl("/proc/self/exe", "edges", "plain", "2", NULL);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	plain(1);
	return 5;
}

/* Inside of a call: a child that shares the memory makes a call and runs another program. */
static void vfork_in_call(long n)
{
	for (long i = 0; i < n; i++)
		CHECK(hipTestCallback(spawn_here, NULL) == 5);
}

static void *many_calls(void *arg)
{
	nested(*(long *)arg);
	return NULL;
}

static void threads(long n)
{
	static pthread_t t[1000];
	long each = 10;

	CHECK(n <= 1000);
	for (long i = 0; i < n; i++)
		CHECK(!pthread_create(&t[i], NULL, many_calls, &each));
	for (long i = 0; i < n; i++)
		CHECK(!pthread_join(t[i], NULL));
}

static void asm_entries(long n)
{
	for (long i = 0; i < n; i++) {
		hipTestRet(i);
		CHECK(hipTestEndbr(i) == i);
	}
}

static long sleep_in_call(void *arg)
{
	printf("ready %d\n", getpid());
	fflush(stdout);
	pause();
	return 0;
}

static void open_call(long n)
{
	hipTestCallback(sleep_in_call, NULL);
}

static void ready(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &signo);
}

/* Nothing before SIGUSR1, then all at once. */
static void go(long n)
{
	ready();
	wait_for_signal();
	plain(n);
}

#define CALLERS 8

static int entered;

static long wait_here(void *arg)
{
	__atomic_fetch_add(&entered, 1, __ATOMIC_RELAXED);
	pause();
	return 0;
}

static void *never_return(void *arg)
{
	hipTestCallback(wait_here, NULL);
	return NULL;
}

/* From SIGUSR1 on: children with threads that all end at once, each inside a call. */
static void end_together(long n)
{
	pthread_t t;
	pid_t pid;

	ready();
	wait_for_signal();
	for (long i = 0; i < n; i++) {
		pid = fork();
		if (!pid) {
			for (int k = 0; k < CALLERS; k++)
				pthread_create(&t, NULL, never_return, NULL);
			while (__atomic_load_n(&entered, __ATOMIC_RELAXED) < CALLERS)
				usleep(100);
			_exit(0);
		}
		CHECK(waitpid(pid, NULL, 0) == pid);
	}
}

static bool threads_done;

static void *no_work(void *arg)
{
	return arg;
}

/* Starts one thread after the other, until the second SIGUSR1 and then that many more. */
static void *start_threads(void *arg)
{
	struct timespec ms = {.tv_nsec = 1000000};
	bool signaled = false;
	sigset_t set;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	for (long left = *(long *)arg; left; left -= signaled) {
		CHECK(!pthread_create(&t, NULL, no_work, NULL) && !pthread_join(t, NULL));
		signaled |= sigtimedwait(&set, NULL, &ms) == SIGUSR1;
	}
	__atomic_store_n(&threads_done, true, __ATOMIC_RELEASE);
	return NULL;
}

static long call_until_done(void *arg)
{
	printf("inside\n");
	fflush(stdout);
	while (!__atomic_load_n(&threads_done, __ATOMIC_ACQUIRE)) {
		hipTestPlain(1, 2, 3, 4, 5, 6);
		usleep(1000);
	}
	return 0;
}

/* From SIGUSR1 on: a call that makes others, and returns when another thread has started threads.
 */
static void wait_for_threads(long n)
{
	pthread_t t;

	ready();
	wait_for_signal();
	CHECK(!pthread_create(&t, NULL, start_threads, &n));
	hipTestCallback(call_until_done, NULL);
	pthread_join(t, NULL);
}

/* Loads a roctx library at the first SIGUSR1 and uses it at the second. */
static int load(const char *path)
{
	void (*mark)(const char *message);
	void *lib;

	ready();
	wait_for_signal();
	lib = dlopen(path, RTLD_NOW);
	CHECK(lib);
	mark = (void (*)(const char *))dlsym(lib, "roctxMarkA");
	CHECK(mark);
	wait_for_signal();
	for (int i = 0; i < 10; i++)
		mark("from a late library");
	printf("result PASSED\n");
	return 0;
}

static const struct {
	const char *name;
	void (*run)(long n);
} scenarios[] = {
	{"plain", plain},
	{"nested", nested},
	{"recurse", recurse},
	{"jump", jump},
	{"tail", tail},
	{"signals", signals},
	{"signal_jump", signal_jump},
	{"exit_thread", exit_thread},
	{"fork_in_call", fork_in_call},
	{"vfork_in_call", vfork_in_call},
	{"threads", threads},
	{"asm", asm_entries},
	{"open_call", open_call},
	{"end_together", end_together},
	{"wait_for_threads", wait_for_threads},
	{"go", go},
};

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1;

	if (argc > 2 && !strcmp(argv[1], "load"))
		return load(argv[2]);
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[1]))
			continue;
		scenarios[i].run(n);
		printf("result PASSED\n");
		return 0;
	}
	fprintf(stderr, "usage: edges SCENARIO [N]\n");
	return 2;
}
