/* SPDX-License-Identifier: MIT */
/*
 * A job that runs for as long as it is wanted, to attach to.
 *
 * Each thread has a stream and repeats: copy in, elementAdd, copy out, synchronise, verify. When
 * everything is set up and has run once, the program prints `ready PID`. It then runs until
 * SIGTERM, or with -n for so many rounds in each thread.
 *
 * With --go FILE it first waits, without any call, until FILE exists or SIGUSR1 arrives, and
 * forgets what it counted before. A tracer that has attached in between must see exactly the calls
 * that are printed. Prints the counts (see count.h) and the result.
 */
#include "tests/workloads/kernels.hip"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>

#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define ELEMENTS 4096
#define BYTES	 (ELEMENTS * sizeof(uint32_t))

static const char usage[] =
	"job [-n ROUNDS per thread] [-t THREADS] [-d DELAY_US between rounds] [--go FILE]\n";

static const struct option long_options[] = {
	{"go", required_argument, NULL, 'g'},
	{"help", no_argument, NULL, 'h'},
	{},
};

struct worker {
	pthread_t thread;
	hipStream_t stream;
	uint32_t *host; /* pinned */
	uint32_t *gpu;
	uint32_t round;
};

static unsigned long rounds, threads = 1, delay_us;
static const char *go_file;
static volatile sig_atomic_t stop, go;

static void on_signal(int number)
{
	if (number == SIGTERM)
		stop = 1;
	else
		go = 1;
}

static void do_round(struct worker *w)
{
	uint32_t i, x;

	for (i = 0; i < ELEMENTS; i++)
		w->host[i] = elements__initial(i + w->round);
	CALL(hipMemcpyAsync, (w->gpu, w->host, BYTES, hipMemcpyHostToDevice, w->stream));
	COPIED(H2D, BYTES);
	LAUNCH(elementAdd, workload__blocks(ELEMENTS), WORKLOAD_BLOCK, 0, w->stream, w->gpu,
	       ELEMENTS, w->round);
	CALL(hipMemcpyAsync, (w->host, w->gpu, BYTES, hipMemcpyDeviceToHost, w->stream));
	COPIED(D2H, BYTES);
	CALL(hipStreamSynchronize, (w->stream));
	for (i = 0; count__verifying() && i < ELEMENTS; i++) {
		x = elements__add(elements__initial(i + w->round), w->round);
		CHECK(w->host[i] == x, "round %u, element %u: %#x instead of %#x", w->round, i,
		      w->host[i], x);
	}
	w->round++;
}

static void open_worker(struct worker *w)
{
	CALL(hipStreamCreate, (&w->stream));
	CALL(hipHostMalloc, ((void **)&w->host, BYTES, 0));
	CALL(hipMalloc, ((void **)&w->gpu, BYTES));
	/* What a runtime does once only is done before the tracer comes. */
	do_round(w);
}

static void close_worker(struct worker *w)
{
	CALL(hipStreamDestroy, (w->stream));
	CALL(hipHostFree, (w->host));
	CALL(hipFree, (w->gpu));
}

static void *work(void *arg)
{
	struct worker *w = (struct worker *)arg;
	unsigned long i;

	for (i = 0; !stop && (!rounds || i < rounds); i++) {
		do_round(w);
		if (delay_us)
			workload__sleep_us(delay_us);
	}
	return NULL;
}

static void wait_for_go(void)
{
	while (!go && !stop && access(go_file, F_OK) < 0)
		workload__sleep_us(10000);
	count__reset();
	COUNT(__hipUnregisterFatBinary, 1);
}

static int run(void)
{
	struct worker *workers = (struct worker *)calloc(threads, sizeof(*workers));
	unsigned long i;

	CHECK(workers, "no memory");
	for (i = 0; i < threads; i++)
		open_worker(&workers[i]);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (go_file)
		wait_for_go();
	for (i = 0; i < threads; i++)
		CHECK(!pthread_create(&workers[i].thread, NULL, work, &workers[i]), "no thread");
	for (i = 0; i < threads; i++)
		pthread_join(workers[i].thread, NULL);
	for (i = 0; i < threads; i++)
		close_worker(&workers[i]);
	free(workers);
	return count__pass();
}

int main(int argc, char **argv)
{
	struct sigaction action = {};
	int option;

	while ((option = getopt_long(argc, argv, "n:t:d:h", long_options, NULL)) != -1) {
		if (option == 'n')
			rounds = workload__number(optarg);
		else if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'd')
			delay_us = workload__number(optarg);
		else if (option == 'g')
			go_file = optarg;
		else
			return workload__usage(option, usage);
	}
	action.sa_handler = on_signal;
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGUSR1, &action, NULL);
	COUNT_REGISTRATION(KERNELS);
	return run();
}
