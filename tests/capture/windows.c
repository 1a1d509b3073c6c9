// SPDX-License-Identifier: MIT
/*
 * Switches its own tracing on and off between calls of fakehip.c, and says which of the calls are
 * to be in the trace.
 *
 *   windows SCENARIO [on|off [COUNT [FILE]]]    on, off: how tracing begins
 *
 * With FILE, `stamps` and `stamps_when_told` go on until it exists, and for COUNT calls more.
 *
 * Each call of hipTestPlain has as arguments its number (from 1, unique in the run), 1 if tracing
 * is on, else 0, and the external ID that it is made under. At the end come the lines
 *
 *   inside N       calls that are to be in the trace
 *   outside N      those that are not
 *   result PASSED
 */
#include <fcntl.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/capture/fakehip.h"
#include "tests/capture/fakeroctracer.h"

#define THREADS 4

#define CHECK(cond)                                                              \
	do {                                                                     \
		if (!(cond)) {                                                   \
			printf("result FAILED: line %d: %s\n", __LINE__, #cond); \
			exit(1);                                                 \
		}                                                                \
	} while (0)

static bool on;	    /* tracing, of the process, as it began or was switched last */
static long each;   /* calls in a row */
static long serial; /* of the last call */
static long inside, outside;
static const char *until_file;

static long next_number(void)
{
	return __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
}

static void call_under(long n, bool traced, uint64_t external)
{
	for (long i = 0; i < n; i++)
		hipTestPlain(next_number(), traced, external, 0, 0, 0);
	__atomic_add_fetch(traced ? &inside : &outside, n, __ATOMIC_RELAXED);
}

static void calls(long n, bool traced)
{
	call_under(n, traced, 0);
}

static void report(void)
{
	printf("inside %ld\noutside %ld\n", inside, outside);
	fflush(stdout);
}

/* ---- the process ---- */

static void start_stop(void)
{
	calls(each, on);
	for (int i = 0; i < 3; i++) {
		roctracer_start();
		calls(each, true);
		roctracer_stop();
		calls(each, false);
	}
	roctracer_start();
	roctracer_start();
	calls(each, true);
	roctracer_stop();
	roctracer_stop();
	calls(each, false);
	roctracer_start();
	calls(each, true);
}

static void pause_resume(void)
{
	calls(each, on);
	for (int i = 0; i < 3; i++) {
		CHECK(!roctxProfilerResume(0));
		calls(each, true);
		CHECK(!roctxProfilerPause(0));
		calls(each, false);
	}
}

/* Two reasons to be off: it is on when neither holds. */
static void both(void)
{
	roctracer_start();
	CHECK(!roctxProfilerResume(0));
	calls(each, true);
	roctracer_stop();
	calls(each, false);
	CHECK(!roctxProfilerPause(0));
	calls(each, false);
	roctracer_start();
	calls(each, false);
	CHECK(!roctxProfilerResume(0));
	calls(each, true);
}

/* The switch is thrown inside of a call, which is in the trace if it was entered while on. */
static long stop_inside(void *arg)
{
	calls(each, true);
	roctracer_stop();
	calls(each, false);
	return 0;
}

static long start_inside(void *arg)
{
	calls(each, false);
	roctracer_start();
	calls(each, true);
	return 0;
}

static void nested(void)
{
	roctracer_start();
	hipTestCallback(stop_inside, NULL);
	hipTestCallback(start_inside, NULL);
	calls(each, true);
}

/* ---- threads ---- */

static pthread_barrier_t barrier;

static void meet(void)
{
	pthread_barrier_wait(&barrier);
}

static void *follow_process(void *arg)
{
	for (int i = 0; i < 4; i++) {
		meet(); /* switched */
		calls(each, i % 2);
		meet();
	}
	return NULL;
}

static void with_threads(void *(*fn)(void *), void (*lead)(void))
{
	pthread_t threads[THREADS];

	CHECK(!pthread_barrier_init(&barrier, NULL, THREADS + 1));
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, fn, (void *)i));
	lead();
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

static void lead_process(void)
{
	for (int i = 0; i < 4; i++) {
		if (i % 2)
			roctracer_start();
		else
			roctracer_stop();
		meet();
		calls(each, i % 2);
		meet();
	}
}

/* One thread switches, all of the process follow. */
static void threads(void)
{
	with_threads(follow_process, lead_process);
}

static uint64_t ids[THREADS];

/* What each of the threads finds; `traced` by thread. */
static void *follow_steps(void *arg)
{
	static const bool traced[][THREADS] = {
		{false, true, true, true},    /* thread 0 has paused itself */
		{false, false, true, true},   /* thread 1 was paused by another */
		{true, false, true, true},    /* thread 0 has resumed itself */
		{false, false, false, false}, /* all were paused */
		{false, false, true, false},  /* of all, thread 2 was resumed */
		{true, true, true, true},     /* all were resumed */
		{true, true, true, true},     /* one that is on was resumed */
	};
	long me = (long)arg;

	CHECK(!roctxGetThreadId(&ids[me]));
	meet();
	for (size_t step = 0; step < sizeof(traced) / sizeof(traced[0]); step++) {
		if (step == 0 && me == 0)
			CHECK(!roctxProfilerPause(ids[0]));
		if (step == 2 && me == 0)
			CHECK(!roctxProfilerResume(ids[0]));
		meet();
		meet(); /* now the first has done its part */
		calls(each, traced[step][me]);
		meet();
	}
	return NULL;
}

static void lead_steps(void)
{
	meet();
	for (int step = 0; step < 7; step++) {
		meet();
		if (step == 1)
			CHECK(!roctxProfilerPause(ids[1]));
		if (step == 3)
			CHECK(!roctxProfilerPause(0));
		if (step == 4)
			CHECK(!roctxProfilerResume(ids[2]));
		if (step == 5)
			CHECK(!roctxProfilerResume(0));
		if (step == 6)
			CHECK(!roctxProfilerResume(ids[3]));
		meet();
		meet();
	}
}

static void pause_threads(void)
{
	CHECK(!roctxProfilerResume(0));
	with_threads(follow_steps, lead_steps);
}

/* ---- processes ---- */

static void in_child(void (*fn)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		inside = outside = 0;
		serial += 1000000;
		fn();
		report();
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && !status);
	serial += 2000000;
}

static void child_of_stopped(void)
{
	calls(each, false);
	roctracer_start();
	calls(each, true);
}

static void child_of_started(void)
{
	calls(each, true);
	roctracer_stop();
	calls(each, false);
}

/* A child begins as its parent is; from then on each has its own switch. */
static void forks(void)
{
	roctracer_stop();
	in_child(child_of_stopped);
	calls(each, false);
	roctracer_start();
	in_child(child_of_started);
	calls(each, true);
}

static void exec_in_child(void)
{
	char count[32];

	snprintf(count, sizeof(count), "%ld", each);
	report();
	execl("/proc/self/exe", "windows", "plain", on ? "on" : "off", count, NULL);
	_exit(127);
}

/* A new program begins as every program does. */
static void execs(void)
{
	if (on)
		roctracer_stop();
	else
		roctracer_start();
	calls(each, !on);
	in_child(exec_in_child);
	calls(each, !on);
}

static void plain(void)
{
	serial = getpid() * 1000000L;
	calls(each, on);
}

/* A child that the tracer has not been asked for, of a parent that has used the switch. */
static void stray_child(void)
{
	calls(each, false);
}

static void wait_for_signal(void);

static void stray(void)
{
	wait_for_signal();
	roctracer_stop();
	roctracer_start();
	calls(each, true);
	in_child(stray_child);
}

/* ---- external correlation IDs ---- */

static void push_and_pop(uint64_t base)
{
	uint64_t popped = 0;

	call_under(each, true, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		CHECK(!roctracer_activity_push_external_correlation_id(base + i));
		call_under(each, true, base + i);
	}
	for (uint64_t i = 3; i >= 1; i--) {
		CHECK(!roctracer_activity_pop_external_correlation_id(&popped));
		CHECK(popped == base + i);
		call_under(each, true, i > 1 ? base + i - 1 : 0);
	}
	CHECK(roctracer_activity_pop_external_correlation_id(&popped)); /* is empty */
	call_under(each, true, 0);
	CHECK(!roctracer_activity_push_external_correlation_id(UINT64_MAX - base));
	call_under(each, true, UINT64_MAX - base);
}

/* Ends at once, leaving all that could be taken for another's that gets its number. */
static void leave(void)
{
	CHECK(!roctracer_activity_push_external_correlation_id(77));
	CHECK(!roctxNameOsThread("the one before"));
	CHECK(!roctxProfilerPause(gettid()));
	CHECK(!roctxProfilerPause(0));
	roctracer_stop();
	raise(SIGKILL);
}

static void *push_in_thread(void *arg)
{
	push_and_pop(100 * (1 + (long)arg));
	return NULL;
}

static void push_in_main(void)
{
	push_and_pop(1000);
}

static void external(void)
{
	with_threads(push_in_thread, push_in_main);
}

/* rocprofiler's functions name the thread: the leader pushes for the others. */
static void *take_ids(void *arg)
{
	long me = (long)arg;

	CHECK(!roctxGetThreadId(&ids[me]));
	calls(1, true);
	meet();
	meet(); /* pushed */
	call_under(each, true, 10 + me);
	meet();
	meet(); /* popped */
	call_under(each, true, 0);
	return NULL;
}

static void give_ids(void)
{
	const struct rocprofiler_context context = {7};
	union rocprofiler_user_data id;

	meet();
	for (uint64_t i = 0; i < THREADS; i++) {
		id.value = 10 + i;
		CHECK(!rocprofiler_push_external_correlation_id(context, ids[i], id));
	}
	meet();
	call_under(each, true, 0);
	meet();
	for (uint64_t i = 0; i < THREADS; i++)
		CHECK(!rocprofiler_pop_external_correlation_id(context, ids[i], &id) &&
		      id.value == 10 + i);
	meet();
}

static void external_of_others(void)
{
	with_threads(take_ids, give_ids);
}

/* ---- driven from outside ---- */

static volatile sig_atomic_t signals;

static void on_signal(int signo)
{
	signals++;
}

static void wait_for_signal(void)
{
	sigset_t set, old;

	if (!signals) {
		struct sigaction sa = {.sa_handler = on_signal};

		sigaction(SIGUSR2, &sa, NULL);
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* At each SIGUSR2 one batch; a batch in two is traced. */
static void batches(void)
{
	for (int i = 0; i < 4; i++) {
		wait_for_signal();
		calls(each, (i % 2 == 0) == on);
		printf("batch %d\n", i + 1);
		fflush(stdout);
	}
}

static int kfd;

/* The name of its file identifies the driver; this one refuses. */
static void ask_driver(void)
{
	ioctl(kfd, AMDKFD_IOC_GET_VERSION, NULL);
}

/*
 * After SIGUSR2: the process is traced alone. Its own choice of what is to be traced does not make
 * its child traced. KFD names a file that replaces the driver. The tracer sees requests to the
 * driver by all processes.
 */
static void alone(void)
{
	wait_for_signal();
	kfd = open(getenv("KFD"), O_RDWR);
	CHECK(kfd >= 0);
	roctracer_stop();
	roctracer_start();
	in_child(ask_driver);
	ask_driver();
	calls(each, true);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/*
 * Calls until the file exists, if one is named, then `each` more. A millisecond lies between them.
 * Prints when each was made: "call NUMBER BEFORE AFTER".
 */
static void stamps(void)
{
	struct timespec pause = {.tv_nsec = 1000000};
	long left = each;

	for (long i = 1; left; i++) {
		bool waits = until_file && access(until_file, F_OK);
		uint64_t before = now_ns();

		left -= !waits;
		hipTestPlain(i, 1, 0, 0, 0, 0);
		printf("call %ld %lu %lu\n", i, before, now_ns());
		nanosleep(&pause, NULL);
	}
}

static void stamps_when_told(void)
{
	wait_for_signal();
	stamps();
}

static long sleep_us(void *arg)
{
	struct timespec time = {.tv_nsec = (long)arg * 1000};

	while (nanosleep(&time, &time))
		;
	return 0;
}

/* Calls that are known to take at least 0, 20 and 60 ms. */
static void sleeps(void)
{
	for (long i = 0; i < each; i++) {
		hipTestCallback(sleep_us, (void *)0);
		hipTestCallback(sleep_us, (void *)20000);
		hipTestCallback(sleep_us, (void *)60000);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"start_stop", start_stop},
	{"pause_resume", pause_resume},
	{"both", both},
	{"nested", nested},
	{"threads", threads},
	{"pause_threads", pause_threads},
	{"forks", forks},
	{"execs", execs},
	{"plain", plain},
	{"stray", stray},
	{"external", external},
	{"leave", leave},
	{"external_of_others", external_of_others},
	{"batches", batches},
	{"alone", alone},
	{"stamps", stamps},
	{"stamps_when_told", stamps_when_told},
	{"sleeps", sleeps},
};

int main(int argc, char **argv)
{
	on = argc <= 2 || !strcmp(argv[2], "on");
	each = argc > 3 ? atol(argv[3]) : 10;
	until_file = argc > 4 ? argv[4] : NULL;
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		if (strcmp(scenarios[i].name, argv[1]))
			continue;
		scenarios[i].run();
		report();
		printf("result PASSED\n");
		return 0;
	}
	fprintf(stderr, "usage: windows SCENARIO [on|off [COUNT [FILE]]]\n");
	return 2;
}
