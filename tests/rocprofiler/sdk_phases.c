// SPDX-License-Identifier: MIT
/*
 * A HIP program that is its own tool: threads call HIP and launch kernels while others start and
 * stop contexts, again and again. A call or launch within the time of a running context is reported
 * exactly once. One outside of all is not reported. A kernel that was reported as submitted is
 * reported as complete. A context that always runs misses nothing.
 *
 *   sdk_phases [-t THREADS] [-n PHASES] [-d throw|call|finalize]
 *
 * What the tool does in callbacks: throw (each 16th), call (HIP, from inside), finalize (half-way).
 * Prints `told WHAT N` and the result.
 */
#include <getopt.h>
#include <hip/hip_runtime_api.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "tests/rocprofiler/thrower.h"
#include "tests/workloads/count.h"
#include "tests/workloads/workload.h"

#define CONTEXTS    2 /* that are started and stopped, each by a thread of its own */
#define THREADS_MAX 16
#define BUFFER_SIZE 65536

static const char usage[] = "sdk_phases [-t THREADS] [-n PHASES] [-d throw|call|finalize]\n";

/* Of a context: STOPPED, then one that is not clear, RUNS, not clear, STOPPED ... */
enum { STOPPED, STARTING, RUNS, STOPPING, STATES };

struct told {
	uint64_t begun, ended;
	uint64_t id; /* the last one's */
};

/*
 * What each context reported of a thread. Another context may report that the thread submits a
 * kernel.
 */
static struct worker {
	uint64_t tid;
	struct told calls[CONTEXTS], launches[CONTEXTS], submitted[CONTEXTS];
} workers[THREADS_MAX];

static rocprofiler_context_id_t contexts[CONTEXTS], always;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_client_finalize_t end_client;
static rocprofiler_client_id_t *client;
static uint64_t state[CONTEXTS];
static uint64_t made, recorded, kernels_submitted, kernels_complete, checked, thrown, ready;
static const char *does = "";
static bool quit, finalizes, is_finalized;
static unsigned long phases = 300, threads = 4;
static hipFunction_t function;
static uint32_t *data;

static uint64_t get(const uint64_t *n)
{
	return __atomic_load_n(n, __ATOMIC_SEQ_CST);
}

static void add(uint64_t *n, uint64_t by)
{
	__atomic_fetch_add(n, by, __ATOMIC_SEQ_CST);
}

static void ok(rocprofiler_status_t status, const char *what)
{
	CHECK(!status, "%s: %s", what, rocprofiler_get_status_string(status));
}

#define OK(call) ok(call, #call)

/* ---- the tool ---- */

static void misbehave(void)
{
	static __thread uint32_t n;
	int count;

	n++;
	if (!strcmp(does, "throw") && n % 16 == 0) {
		add(&thrown, 1);
		throw_something();
	}
	if (!strcmp(does, "call"))
		CHECK(!hipGetDeviceCount(&count) && count, "hipGetDeviceCount from inside");
	if (!strcmp(does, "finalize") && get(&state[0]) / STATES >= phases / 2) {
		__atomic_store_n(&finalizes, true, __ATOMIC_SEQ_CST);
		end_client(*client);
	}
}

static struct worker *worker_of(uint64_t tid)
{
	for (int i = 0; i < THREADS_MAX; i++)
		if (get(&workers[i].tid) == tid)
			return &workers[i];
	return NULL;
}

static void note(struct told *told, const rocprofiler_callback_tracing_record_t *r)
{
	__atomic_store_n(&told->id, r->correlation_id.internal, __ATOMIC_SEQ_CST);
	add(r->phase == ROCPROFILER_CALLBACK_PHASE_ENTER ? &told->begun : &told->ended, 1);
}

static void on_call(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
		    void *arg)
{
	bool is_launch = r.operation == ROCPROFILER_HIP_RUNTIME_API_ID_hipModuleLaunchKernel;
	struct worker *w = worker_of(r.thread_id);
	size_t c = (size_t)arg;

	CHECK(!__atomic_load_n(&is_finalized, __ATOMIC_SEQ_CST), "told when finalised");
	CHECK(w, "a call of thread %" PRIu64, r.thread_id);
	note(is_launch ? &w->launches[c] : &w->calls[c], &r);
	if (r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		user->value = r.correlation_id.internal;
	CHECK(user->value == r.correlation_id.internal, "another call's user data");
	if (!is_launch && r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		misbehave();
}

static void on_kernel(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
		      void *arg)
{
	struct worker *w = worker_of(r.thread_id);
	size_t c = (size_t)arg;

	CHECK(w, "a kernel of thread %" PRIu64, r.thread_id);
	if (r.operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE)
		add(&kernels_complete, 1);
	else
		note(&w->submitted[c], &r);
	if (r.operation == ROCPROFILER_KERNEL_DISPATCH_ENQUEUE &&
	    r.phase == ROCPROFILER_CALLBACK_PHASE_ENTER)
		add(&kernels_submitted, 1);
}

static void on_records(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id,
		       rocprofiler_record_header_t **headers, size_t count, void *arg,
		       uint64_t lost)
{
	CHECK(!lost, "%" PRIu64 " records lost", lost);
	add(&recorded, count);
}

static const rocprofiler_tracing_operation_t traced[] = {
	ROCPROFILER_HIP_RUNTIME_API_ID_hipGetDevice,
	ROCPROFILER_HIP_RUNTIME_API_ID_hipModuleLaunchKernel,
};

static int init(rocprofiler_client_finalize_t end, void *arg)
{
	end_client = end;
	for (size_t c = 0; c < CONTEXTS; c++) {
		OK(rocprofiler_create_context(&contexts[c]));
		OK(rocprofiler_configure_callback_tracing_service(
			contexts[c], ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, traced, 2,
			on_call, (void *)c));
		OK(rocprofiler_configure_callback_tracing_service(
			contexts[c], ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0,
			on_kernel, (void *)c));
	}
	OK(rocprofiler_create_context(&always));
	OK(rocprofiler_create_buffer(always, BUFFER_SIZE, BUFFER_SIZE / 2,
				     ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_records, NULL,
				     &buffer));
	OK(rocprofiler_configure_buffer_tracing_service(
		always, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, traced, 2, buffer));
	OK(rocprofiler_start_context(always));
	return 0;
}

static void fini(void *arg)
{
	OK(rocprofiler_flush_buffer(buffer));
	__atomic_store_n(&is_finalized, true, __ATOMIC_SEQ_CST);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version,
							   const char *runtime_version,
							   uint32_t priority,
							   rocprofiler_client_id_t *id)
{
	static rocprofiler_tool_configure_result_t result = {
		.size = sizeof(result), .initialize = init, .finalize = fini};

	id->name = "sdk_phases";
	client = id;
	return &result;
}

/* ---- the callers ---- */

static void get_device(void *arg)
{
	int device;

	add(&made, 1);
	CHECK(!hipGetDevice(&device), "hipGetDevice");
}

static void launch(void *stream)
{
	uint32_t n = 1, operand = 1;
	void *args[] = {&data, &n, &operand};

	add(&made, 1);
	CHECK(!hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, args, NULL),
	      "hipModuleLaunchKernel");
	CHECK(!hipStreamSynchronize(stream), "hipStreamSynchronize");
}

/* True: the context ran all the time. */
static bool check(size_t c, uint64_t before, const struct told *had, const struct told *has,
		  const char *what)
{
	uint64_t want = before % STATES == RUNS;

	if (before != get(&state[c]) || before % STATES == STARTING ||
	    before % STATES == STOPPING || __atomic_load_n(&finalizes, __ATOMIC_SEQ_CST))
		return false;
	add(&checked, 1);
	CHECK(has->begun - had->begun == want, "%s: begin told %" PRIu64 " times, not %" PRIu64,
	      what, has->begun - had->begun, want);
	CHECK(has->ended - had->ended == want, "%s: end told %" PRIu64 " times, not %" PRIu64, what,
	      has->ended - had->ended, want);
	return want;
}

struct before {
	uint64_t state[CONTEXTS];
	struct worker told;
};

static void look(struct before *before, const struct worker *w)
{
	for (int c = 0; c < CONTEXTS; c++)
		before->state[c] = get(&state[c]);
	before->told = *w;
}

/* When one tool's function throws, others receive nothing: of that call nothing is known. */
static void get_device_checked(const struct worker *w)
{
	struct before before;
	bool threw;

	look(&before, w);
	threw = catches(get_device, NULL);
	CHECK(!threw || !strcmp(does, "throw"), "hipGetDevice has thrown");
	for (size_t c = 0; c < CONTEXTS && !threw; c++)
		check(c, before.state[c], &before.told.calls[c], &w->calls[c], "hipGetDevice");
}

static void launch_checked(const struct worker *w, hipStream_t stream)
{
	struct before before;

	look(&before, w);
	launch(stream);
	for (size_t c = 0; c < CONTEXTS; c++) {
		const struct told *call = &w->launches[c], *kernel = &w->submitted[c];

		if (check(c, before.state[c], &before.told.launches[c], call, "a launch") &&
		    check(c, before.state[c], &before.told.submitted[c], kernel, "its kernel"))
			CHECK(kernel->id == call->id, "a kernel of another call");
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;
	hipStream_t stream;

	__atomic_store_n(&w->tid, gettid(), __ATOMIC_SEQ_CST);
	CHECK(!hipStreamCreate(&stream), "hipStreamCreate");
	launch(stream);
	add(&ready, 1);
	while (!__atomic_load_n(&quit, __ATOMIC_RELAXED)) {
		for (int i = 0; i < 8; i++)
			get_device_checked(w);
		launch_checked(w, stream);
	}
	CHECK(!hipStreamDestroy(stream), "hipStreamDestroy");
	return NULL;
}

/* ---- starts and stops ---- */

static void *toggle(void *arg)
{
	size_t c = (size_t)arg;
	uint32_t seed = c;

	for (unsigned long i = 0; i < phases && !__atomic_load_n(&is_finalized, __ATOMIC_SEQ_CST);
	     i++) {
		rocprofiler_status_t status;

		add(&state[c], 1);
		status = rocprofiler_start_context(contexts[c]);
		CHECK(!status || !strcmp(does, "finalize"), "start: %d", status);
		add(&state[c], status ? 0 : 1);
		workload__sleep_us(100 + rand_r(&seed) % 1000);
		add(&state[c], status ? 2 : 1);
		status = rocprofiler_stop_context(contexts[c]);
		CHECK(!status || !strcmp(does, "finalize"), "stop: %d", status);
		add(&state[c], 1);
		workload__sleep_us(rand_r(&seed) % 500);
	}
	return NULL;
}

static void run(void)
{
	pthread_t thread[THREADS_MAX], toggler[CONTEXTS];

	for (unsigned long i = 0; i < threads; i++)
		CHECK(!pthread_create(&thread[i], NULL, work, &workers[i]), "pthread_create");
	while (get(&ready) < threads)
		workload__sleep_us(1000);
	for (size_t i = 0; i < CONTEXTS; i++)
		CHECK(!pthread_create(&toggler[i], NULL, toggle, (void *)i), "pthread_create");
	for (size_t i = 0; i < CONTEXTS; i++)
		pthread_join(toggler[i], NULL);
	__atomic_store_n(&quit, true, __ATOMIC_RELAXED);
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
}

/* All that was asked for has been reported when the tool has been finalised. */
static void check_all(void)
{
	bool early = is_finalized;

	end_client(*client);
	CHECK(kernels_complete == kernels_submitted,
	      "%" PRIu64 " kernels submitted, %" PRIu64 " complete", kernels_submitted,
	      kernels_complete);
	CHECK(early || recorded + thrown == made,
	      "%" PRIu64 " calls, %" PRIu64 " left, %" PRIu64 " recorded", made, thrown, recorded);
	CHECK(checked > phases, "only %" PRIu64 " of %" PRIu64 " were clear", checked, made);
	CHECK(early == !strcmp(does, "finalize"), "finalised");
	CHECK(!thrown == !!strcmp(does, "throw"), "thrown");
}

int main(int argc, char **argv)
{
	hipModule_t module;
	int option;

	while ((option = getopt(argc, argv, "t:n:d:h")) != -1) {
		if (option == 't')
			threads = workload__number(optarg);
		else if (option == 'n')
			phases = workload__number(optarg);
		else if (option == 'd')
			does = optarg;
		else
			return workload__usage(option, usage);
	}
	CHECK(threads && threads <= THREADS_MAX, "threads");
	CHECK(!hipModuleLoad(&module, workload__beside("../workloads/kernels.hsaco")) &&
		      !hipModuleGetFunction(&function, module, "elementAdd") &&
		      !hipMalloc((void **)&data, sizeof(*data)),
	      "HIP");
	run();
	check_all();
	printf("told checked %" PRIu64 "\ntold kernels %" PRIu64 "\ntold records %" PRIu64 "\n",
	       checked, kernels_complete, recorded);
	return count__pass();
}
