// SPDX-License-Identifier: MIT
/*
 * Calls each function of HIP and HSA with pointers that lead nowhere. How each call ends is to be
 * the same whoever traces it.
 *
 *   wild list                   the cases: NUMBER FUNCTION PARAMETER HOW NUMBERS
 *   wild screen FILE FROM STEP  runs every STEPth case in processes of many cases each; FILE gets a
 *                               byte a case: enum end
 *   wild run FILE FROM STEP     the same in this process, up to the first case that ends it
 *   wild one CASE               runs the case, which may end the process; status 0: it returned
 *
 * In one case one pointer is bad, the others lead to what fits, numbers are all 0 or all 8. The bad
 * one leads to where nothing is mapped, or to the last bytes before that, or to memory that another
 * thread takes away and gives back meanwhile. Functions are called by the program's own references;
 * WILD_WAIT=1: not before these lead elsewhere than to HIP and HSA.
 */
#include "tests/wild/wild.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hip/hip_runtime_api.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#define PAGE	  4096UL
#define RACES	  200 /* that the memory goes in a case with another thread */
#define RACE_NS	  200000000
#define TIME_US	  700000
#define PARAMS	  16
#define WAIT_US	  1000
#define WAIT_MAX  20000
#define ONE_TIME  20 /* s */
#define END_TIME  5  /* s */
#define CASES_MAX 60000

enum end {
	NOT_RUN,
	RETURNED,
	HUNG,
	EXITED,
	RUNNING = 100,
	SIGNALLED = 128, /* and the signal */
};

enum how {
	UNMAPPED,
	CUT_1, /* 1, 4 or 8 bytes before the end */
	CUT_4,
	CUT_8,
	CUT_HALF, /* of what it points to */
	RACE,
	HOWS
};

static const char *const how_names[] = {"unmapped", "cut1", "cut4", "cut8", "half", "race"};

struct one_case {
	uint16_t function;
	uint8_t param, how, number;
};

static struct one_case cases[CASES_MAX];
static size_t n_cases;

static bool is_pointer(const struct wild_param *p)
{
	return p->kind >= WILD_STRING;
}

static void add_cases(size_t function, uint8_t param)
{
	for (uint8_t how = 0; how < HOWS; how++)
		for (uint8_t number = 0; number <= 8 && n_cases < CASES_MAX; number += 8)
			cases[n_cases++] = (struct one_case){function, param, how, number};
}

static void list_cases(void)
{
	for (size_t f = 0; f < wild_function_count; f++) {
		bool is_there = dlsym(RTLD_DEFAULT, wild_functions[f].name);

		for (uint8_t p = 0; is_there && p < wild_functions[f].count; p++)
			if (is_pointer(&wild_functions[f].params[p]))
				add_cases(f, p);
	}
}

/* ---- memory ---- */

static char *good;   /* two pages for each parameter */
static char *edge;   /* where a page ends, and nothing follows */
static char *comes;  /* a page that another thread takes away */
static void *on_gpu; /* a device's memory */
static bool is_racing;
static uint64_t times_gone;

static void *map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The place stays taken: others must not be given it. */
static void *take_away(void *arg)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	for (;;) {
		if (!__atomic_load_n(&is_racing, __ATOMIC_ACQUIRE)) {
			usleep(100);
			continue;
		}
		mmap(comes, PAGE, PROT_NONE, flags, -1, 0);
		__atomic_add_fetch(&times_gone, 1, __ATOMIC_RELAXED);
		for (int i = 0; i < 50; i++)
			__builtin_ia32_pause();
		mmap(comes, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
		for (int i = 0; i < 200; i++)
			__builtin_ia32_pause();
	}
	return NULL;
}

static void make_memory(void)
{
	pthread_t thread;

	good = map(PARAMS * 2 * PAGE);
	edge = (char *)map(2 * PAGE) + PAGE;
	mprotect(edge, PAGE, PROT_NONE);
	comes = map(PAGE);
	pthread_create(&thread, NULL, take_away, NULL);
}

/* ---- objects ---- */

static hsa_agent_t agents[2]; /* by HSA_DEVICE_TYPE_* */
static hsa_amd_memory_pool_t pool;
static hsa_region_t region;
static hsa_signal_t a_signal;
static hsa_queue_t *queue;
static hipGraph_t graph;
static hipEvent_t event;
static hipStream_t stream;

static hsa_status_t on_agent(hsa_agent_t agent, void *arg)
{
	hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;

	hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
	if (type <= HSA_DEVICE_TYPE_GPU)
		agents[type] = agent;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t on_pool(hsa_amd_memory_pool_t found, void *arg)
{
	pool = found;
	return HSA_STATUS_INFO_BREAK;
}

static hsa_status_t on_region(hsa_region_t found, void *arg)
{
	region = found;
	return HSA_STATUS_INFO_BREAK;
}

static void make_objects(void)
{
	hipMalloc(&on_gpu, 1 << 20);
	hipGraphCreate(&graph, 0);
	hipEventCreate(&event);
	hipStreamCreate(&stream);
	hsa_init();
	hsa_iterate_agents(on_agent, NULL);
	hsa_amd_agent_iterate_memory_pools(agents[HSA_DEVICE_TYPE_CPU], on_pool, NULL);
	hsa_agent_iterate_regions(agents[HSA_DEVICE_TYPE_CPU], on_region, NULL);
	hsa_signal_create(1, 0, NULL, &a_signal);
	hsa_queue_create(agents[HSA_DEVICE_TYPE_GPU], 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0,
			 &queue);
}

struct object {
	const char *type;
	uint64_t value;
};

static uint64_t object_of(const char *type, uint64_t otherwise)
{
	const struct object objects[] = {
		{"hsa_agent_s", agents[HSA_DEVICE_TYPE_GPU].handle},
		{"hsa_signal_s", a_signal.handle},
		{"hsa_region_s", region.handle},
		{"hsa_amd_memory_pool_s", pool.handle},
		{"hsa_queue_s", (uint64_t)queue},
		{"ihipGraph", (uint64_t)graph},
		{"ihipEvent_t", (uint64_t)event},
		{"ihipStream_t", (uint64_t)stream},
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (!strcmp(objects[i].type, type))
			return objects[i].value;
	return otherwise;
}

/* ---- a call ---- */

static uint64_t do_nothing(void)
{
	return 0;
}

static uint64_t good_value(const struct wild_param *p, size_t i, uint64_t number)
{
	char *place = good + i * 2 * PAGE;

	switch (p->kind) {
	case WILD_VALUE:
		return object_of(p->type, p->words > 1 ? number | number << 32 : number);
	case WILD_FUNCTION:
		return (uint64_t)do_nothing;
	case WILD_MEMORY:
		return (uint64_t)on_gpu;
	case WILD_HANDLE:
		return object_of(p->type, 0);
	default:
		return object_of(p->type, (uint64_t)place);
	}
}

static uint64_t bad_value(const struct wild_param *p, enum how how)
{
	switch (how) {
	case CUT_1:
		return (uint64_t)edge - 1;
	case CUT_4:
		return (uint64_t)edge - 4;
	case CUT_8:
		return (uint64_t)edge - 8;
	case CUT_HALF:
		return (uint64_t)edge - (p->size / 2 + 7) / 8 * 8;
	case RACE:
		return (uint64_t)comes;
	default:
		return (uint64_t)edge + 64;
	}
}

static void fill(uint64_t *words, const struct one_case *c)
{
	const struct wild_function *f = &wild_functions[c->function];

	memset(good, 0, PARAMS * 2 * PAGE);
	memset(edge - PAGE, 0, PAGE);
	memset(words, 0, WILD_WORDS * sizeof(*words));
	if (f->hidden_result)
		words[0] = (uint64_t)(good + (PARAMS - 1) * 2 * PAGE);
	for (size_t i = 0; i < f->count && i < PARAMS; i++) {
		const struct wild_param *p = &f->params[i];
		uint64_t value = i == c->param ? bad_value(p, c->how) : good_value(p, i, c->number);

		for (size_t w = 0; w < p->words && p->first + w < WILD_WORDS; w++)
			words[p->first + w] = value;
	}
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* While the memory goes and comes, again and again: machines may be slow. */
static void race(size_t function, const uint64_t *words)
{
	uint64_t begin = now_ns(), until = times_gone + RACES;

	__atomic_store_n(&is_racing, true, __ATOMIC_RELEASE);
	do
		wild_call(function, words);
	while (__atomic_load_n(&times_gone, __ATOMIC_RELAXED) < until &&
	       now_ns() - begin < RACE_NS);
	__atomic_store_n(&is_racing, false, __ATOMIC_RELEASE);
}

static void run_case(const struct one_case *c)
{
	uint64_t words[WILD_WORDS];

	fill(words, c);
	if (c->how == RACE)
		race(c->function, words);
	else
		wild_call(c->function, words);
}

/* ---- before ---- */

/* The linker's tables of this program's calls of other libraries. */
struct imports {
	const ElfW(Rela) * calls;
	size_t size;
	const ElfW(Sym) * symbols;
	const char *strings;
};

static struct imports read_imports(void)
{
	struct imports im = {0};

	for (const ElfW(Dyn) *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_JMPREL)
			im.calls = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_PLTRELSZ)
			im.size = d->d_un.d_val;
		else if (d->d_tag == DT_SYMTAB)
			im.symbols = (const void *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			im.strings = (const void *)d->d_un.d_ptr;
	}
	return im;
}

static bool is_led_elsewhere(const char *name)
{
	const struct imports im = read_imports();
	const char *base;
	Dl_info self;

	dladdr(_DYNAMIC, &self);
	base = self.dli_fbase;
	for (size_t i = 0; i < im.size / sizeof(*im.calls); i++) {
		const ElfW(Rela) *r = &im.calls[i];

		if (!strcmp(im.strings + im.symbols[ELF64_R_SYM(r->r_info)].st_name, name))
			return *(void *const *)(base + r->r_offset) != dlsym(RTLD_DEFAULT, name);
	}
	return false;
}

static void wait_for_capture(void)
{
	for (int i = 0; getenv("WILD_WAIT") && i < WAIT_MAX; i++) {
		if (is_led_elsewhere("hipGetDevice") && is_led_elsewhere("hsa_agent_get_info"))
			return;
		hipGetLastError();
		usleep(WAIT_US);
	}
	if (getenv("WILD_WAIT"))
		_exit(77);
}

static void prepare(void)
{
	make_memory();
	make_objects();
	wait_for_capture();
}

/* ---- many cases in one process ---- */

static sigjmp_buf before_call;
static pthread_t caller;
static volatile uint8_t *ends;

static void on_fault(int number)
{
	if (!pthread_equal(pthread_self(), caller))
		_exit(90); /* in a thread of the libraries */
	siglongjmp(before_call, number);
}

static void on_time(int number)
{
	_exit(91);
}

static void set_handlers(void (*fault)(int), void (*time)(int))
{
	const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		signal(faults[i], fault);
	signal(SIGALRM, time);
}

/* A call that was left in the middle may have left the libraries unusable: then this fails, too. */
static bool are_usable(void)
{
	hsa_device_type_t type;
	int device;

	if (sigsetjmp(before_call, 1))
		return false;
	return !hipGetDevice(&device) && !hipSetDevice(device) &&
	       !hsa_agent_get_info(agents[HSA_DEVICE_TYPE_GPU], HSA_AGENT_INFO_DEVICE, &type);
}

static void run_guarded(size_t i)
{
	const struct itimerval time = {.it_value = {0, TIME_US}}, none = {0};
	int number;

	ends[i] = RUNNING;
	setitimer(ITIMER_REAL, &time, NULL);
	number = sigsetjmp(before_call, 1);
	if (!number)
		run_case(&cases[i]);
	__atomic_store_n(&is_racing, false, __ATOMIC_RELEASE);
	setitimer(ITIMER_REAL, &none, NULL);
	ends[i] = number ? SIGNALLED + number : RETURNED;
	setitimer(ITIMER_REAL, &time, NULL);
	if (!are_usable())
		_exit(92);
	setitimer(ITIMER_REAL, &none, NULL);
}

static void map_ends(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || ftruncate(fd, n_cases) ||
	    (ends = mmap(NULL, n_cases, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		perror(path);
		exit(2);
	}
	close(fd);
}

static int run(const char *path, size_t from, size_t step)
{
	map_ends(path);
	prepare();
	caller = pthread_self();
	set_handlers(on_fault, on_time);
	for (size_t i = from; i < n_cases; i += step)
		run_guarded(i);
	set_handlers(SIG_DFL, SIG_DFL);
	alarm(END_TIME); /* libraries that calls were left in may not find their end */
	exit(0);	 /* the tracer writes what is left */
}

static size_t first_not_run(size_t from, size_t step)
{
	while (from < n_cases && ends[from] != NOT_RUN && ends[from] != RUNNING)
		from += step;
	return from;
}

static uint8_t end_of(int status)
{
	if (WIFSIGNALED(status))
		return SIGNALLED + WTERMSIG(status);
	return WEXITSTATUS(status) == 91 ? HUNG : EXITED;
}

static int screen(const char *self, const char *path, size_t from, const char *step_text)
{
	size_t step = strtoul(step_text, NULL, 0), begun;
	char number[24];
	int status;

	map_ends(path);
	while ((from = first_not_run(from, step)) < n_cases) {
		pid_t pid = fork();

		snprintf(number, sizeof(number), "%zu", from);
		if (!pid)
			execl(self, self, "run", path, number, step_text, NULL);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			return 2;
		begun = from;
		from = first_not_run(from, step);
		if (from < n_cases && ends[from] == RUNNING)
			ends[from] = end_of(status);
		else if (from == begun) {
			fprintf(stderr, "wild: cannot begin: status %#x\n", status);
			return 2;
		}
	}
	return 0;
}

/* ---- ---- */

static int one(size_t i)
{
	if (i >= n_cases)
		return 2;
	prepare();
	alarm(ONE_TIME);
	run_case(&cases[i]);
	_exit(0);
}

static int list(void)
{
	for (size_t i = 0; i < n_cases; i++) {
		const struct one_case *c = &cases[i];

		printf("%zu %s %d %s %d\n", i, wild_functions[c->function].name, c->param,
		       how_names[c->how], c->number);
	}
	return 0;
}

int main(int argc, char **argv)
{
	list_cases();
	if (argc == 2 && !strcmp(argv[1], "list"))
		return list();
	if (argc == 3 && !strcmp(argv[1], "one"))
		return one(strtoul(argv[2], NULL, 0));
	if (argc == 5 && !strcmp(argv[1], "run"))
		return run(argv[2], strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
	if (argc == 5 && !strcmp(argv[1], "screen"))
		return screen(argv[0], argv[2], strtoul(argv[3], NULL, 0), argv[4]);
	fprintf(stderr, "usage: wild list | wild one CASE | wild screen FILE FROM STEP\n");
	return 2;
}
