// SPDX-License-Identifier: MIT
/*
 * What a process may do with its life while its GPU works: fork, end in every way, shut the runtime
 * down and start it again, run out of descriptors.
 *
 * Each deed begins with work that is waited for and verified. Prints the counts (see count.h) and
 * the result before a process ends in an unusual way; lines that begin with `elapsed` may differ
 * from run to run.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/agent/work.h"

static const char usage[] =
	"life [-n NUMBER] [-o KERNELS.hsaco] DEED\n"
	"  plain             work, then an orderly end\n"
	"  fork fork-exec vfork-exec spawn   children, while a thread works\n"
	"  exit exit-thread exit-handler _exit quick_exit abort segv main-thread-exit\n"
	"                    so it ends, with work in flight\n"
	"  handler           a copy that the runtime's own thread waits for\n"
	"  restart           shuts the runtime down and starts it again NUMBER times, every other "
	"time\n"
	"                    with a queue left behind\n"
	"  restart-child     shuts the runtime down; a child starts it again, and so does the "
	"parent\n"
	"  descriptors       work when there is no file descriptor left\n"
	"  file-size         work from the beginning with a limit for the size of files\n"
	"  queues            NUMBER queues come and go, every 16th works\n";

#define DISPATCHES 200
#define IN_FLIGHT  64
#define STATUS	   42

extern char **environ;

/* More than the small stacks have that threads of tools are content with. */
static __thread char large_local[1 << 20];

static struct work work;
static const char *code_object;
static const char *self;
static unsigned long number = 4;

static void do_work(struct work *w)
{
	work__submit(w, DISPATCHES);
	work__submit_copy(w);
	work__verify(w);
}

static void end_work(void)
{
	CALL(hsa_queue_destroy, (work.queue));
	work__close(&work);
}

static int plain(void)
{
	end_work();
	return count__pass();
}

/* ---- children ---- */

static volatile int children_done;

static void *work_on(void *arg)
{
	while (!__atomic_load_n(&children_done, __ATOMIC_ACQUIRE))
		do_work(&work);
	return NULL;
}

/* How much of the agent's shared memory this process has. */
static int agent_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int n = 0;

	while (maps && fgets(line, sizeof(line), maps))
		n += strstr(line, "memfd:rtrace-agent") != NULL;
	if (maps)
		fclose(maps);
	return n;
}

static void exec_self(void)
{
	execl(self, self, "-o", code_object, "plain", NULL);
	_exit(127);
}

/* Of a child that goes on with what it has, without the GPU. */
static void live_on(int i)
{
	void *memory[64];

	for (int k = 0; k < 64; k++)
		memory[k] = malloc(4096 << (k % 8));
	for (int k = 0; k < 64; k++)
		free(memory[k]);
	if (agent_mappings())
		_exit(99);
	if (i % 2)
		exit(STATUS + 1); /* with what libraries do at exit */
	_exit(STATUS);
}

static pid_t make_child(const char *how, int i)
{
	char *argv[] = {(char *)self, "-o", (char *)code_object, "plain", NULL};
	pid_t pid;

	if (!strcmp(how, "spawn")) {
		CHECK(!posix_spawn(&pid, self, NULL, NULL, argv, environ), "posix_spawn");
		return pid;
	}
	fflush(stdout);
	pid = *how == 'v' ? vfork() : fork();
	CHECK(pid >= 0, "%s: %s", how, strerror(errno));
	if (pid)
		return pid;
	if (strcmp(how, "fork"))
		exec_self();
	live_on(i);
	return 0;
}

static int children(const char *how)
{
	bool computes = strcmp(how, "fork");
	int status, n = computes ? 2 : 20;
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, work_on, NULL), "no thread");
	for (int i = 0; i < n; i++) {
		pid_t pid = make_child(how, i);

		CHECK(waitpid(pid, &status, 0) == pid, "waitpid");
		printf("child status %d\n", status);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == (computes ? 0 : STATUS + i % 2),
		      "a child ended with %#x", status);
	}
	__atomic_store_n(&children_done, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	end_work();
	printf("result PASSED\n");
	return 0;
}

/* ---- ends ---- */

static void leave_in_flight(void)
{
	for (int i = 0; i < IN_FLIGHT; i++) {
		work__submit(&work, 1);
		if (!(i % 8))
			work__submit_copy(&work);
	}
	count__print();
	printf("result PASSED\n");
	fflush(stdout);
}

static void *exit_here(void *arg)
{
	leave_in_flight();
	exit(STATUS);
}

static bool exit_in_handler(hsa_signal_value_t value, void *arg)
{
	leave_in_flight();
	exit(STATUS);
}

static void *outlive_main(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	do_work(&work);
	leave_in_flight();
	exit(STATUS);
}

static int *volatile nowhere;

static int end(const char *how)
{
	static pthread_t thread, main_thread;
	hsa_signal_t signal;

	if (!strcmp(how, "exit-thread")) {
		CHECK(!pthread_create(&thread, NULL, exit_here, NULL), "no thread");
		pthread_join(thread, NULL);
	} else if (!strcmp(how, "exit-handler")) {
		CALL(hsa_signal_create, (1, 0, NULL, &signal));
		CALL(hsa_amd_signal_async_handler,
		     (signal, HSA_SIGNAL_CONDITION_LT, 1, exit_in_handler, NULL));
		hsa_signal_store_screlease(signal, 0);
		for (;;)
			pause();
	} else if (!strcmp(how, "main-thread-exit")) {
		main_thread = pthread_self();
		CHECK(!pthread_create(&thread, NULL, outlive_main, &main_thread), "no thread");
		pthread_exit(NULL);
	}
	leave_in_flight();
	if (!strcmp(how, "_exit"))
		_exit(STATUS);
	if (!strcmp(how, "quick_exit"))
		quick_exit(STATUS);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*nowhere = 0;
	exit(STATUS);
}

/* The runtime's own thread waits for a copy, which no one else but the GPU has to complete. */
static bool copy_in_handler(hsa_signal_value_t value, void *arg)
{
	work__submit_copy(&work);
	work__wait(&work);
	__atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
	return false;
}

static int handler(void)
{
	hsa_signal_t signal;
	int done = 0;

	CALL(hsa_signal_create, (1, 0, NULL, &signal));
	CALL(hsa_amd_signal_async_handler,
	     (signal, HSA_SIGNAL_CONDITION_LT, 1, copy_in_handler, &done));
	hsa_signal_store_screlease(signal, 0);
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
		workload__sleep_us(100);
	CALL(hsa_signal_destroy, (signal));
	end_work();
	return count__pass();
}

/* ---- the runtime again, resources ---- */

static int restart(void)
{
	hsa_status_t status;

	for (unsigned long i = 0; i < number; i++) {
		if (i % 2)
			CALL(hsa_queue_destroy, (work.queue));
		work__close(&work);
		/* Not every release can be started twice. */
		status = hsa_init();
		printf("start %lu: %#x\n", i, status);
		if (status)
			break;
		work__open(&work, code_object);
		hsa_shut_down();
		do_work(&work);
	}
	if (!status)
		end_work();
	return count__pass();
}

static int restart_in_child(void)
{
	int status;
	pid_t pid;

	end_work();
	pid = fork();
	CHECK(pid >= 0, "fork: %s", strerror(errno));
	status = hsa_init();
	if (status) {
		printf("start: %#x\n", status);
	} else {
		work__open(&work, code_object);
		hsa_shut_down();
		do_work(&work);
		end_work();
	}
	if (!pid)
		_exit(0);
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the child ended with %#x", status);
	return count__pass();
}

/* The simulated GPU makes its large file when it is opened first. */
static void limit_file_size(void)
{
	struct rlimit limit = {1 << 20, 1 << 20};

	close(open("/dev/kfd", O_RDWR | O_CLOEXEC));
	CHECK(!setrlimit(RLIMIT_FSIZE, &limit), "setrlimit");
}

static int use_up_descriptors(void)
{
	struct rlimit limit = {256, 256};

	/* The simulated GPU has descriptors above, of its own. */
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
		;
	CHECK(errno == EMFILE, "open: %s", strerror(errno));
	for (int i = 0; i < 20; i++) {
		do_work(&work);
		workload__sleep_us(20000);
	}
	end_work();
	return count__pass();
}

static unsigned long resident_kib(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	unsigned long kib = 0;
	char line[256];

	while (fgets(line, sizeof(line), status) && !sscanf(line, "VmRSS: %lu", &kib))
		;
	fclose(status);
	return kib;
}

static int queues(void)
{
	unsigned long first = 0, i;
	hsa_queue_t *queue;

	for (i = 0; i < number; i++) {
		if (i == number / 5)
			first = resident_kib();
		queue = work__queue(&work, 64);
		if (!(i % 16)) {
			work__submit_to(&work, queue);
			work__wait(&work);
		}
		CALL(hsa_queue_destroy, (queue));
	}
	printf("elapsed memory %lu to %lu KiB\n", first, resident_kib());
	work__verify(&work);
	end_work();
	return count__pass();
}

static int run(const char *deed)
{
	if (!strcmp(deed, "plain") || !strcmp(deed, "file-size"))
		return plain();
	if (!strcmp(deed, "handler"))
		return handler();
	if (!strcmp(deed, "restart"))
		return restart();
	if (!strcmp(deed, "restart-child"))
		return restart_in_child();
	if (!strcmp(deed, "descriptors"))
		return use_up_descriptors();
	if (!strcmp(deed, "queues"))
		return queues();
	if (strstr(deed, "fork") || !strcmp(deed, "spawn"))
		return children(deed);
	return end(deed);
}

int main(int argc, char **argv)
{
	int option;

	large_local[0] = 1;
	self = argv[0];
	code_object = workload__beside("../workloads/kernels.hsaco");
	while ((option = getopt(argc, argv, "n:o:h")) != -1) {
		if (option == 'n')
			number = workload__number(optarg);
		else if (option == 'o')
			code_object = optarg;
		else
			return workload__usage(option, usage);
	}
	if (optind + 1 != argc)
		return workload__usage(0, usage);
	if (!strcmp(argv[optind], "file-size"))
		limit_file_size();
	work__open(&work, code_object);
	do_work(&work);
	return run(argv[optind]);
}
