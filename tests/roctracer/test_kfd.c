// SPDX-License-Identifier: MIT
/*
 * Tests libroctracer64's domain of libhsakmt's calls with a libhsakmt of our own (fakekmt.h), which
 * counts its calls, and with objects that are linked against it in all ways.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "roctracer/roctracer_kfd.h"
#include "tests/roctracer/fakekmt.h"
#include "tests/roctracer/tooltest.h"

#define KFD  ACTIVITY_DOMAIN_KFD_API
#define OPEN KFD_API_ID_hsaKmtOpenKFD
#define SET  KFD_API_ID_hsaKmtSetEvent
#define WAIT KFD_API_ID_hsaKmtWaitOnEvent

static const struct caller *const callers[] = {&lazy_caller, &bound_caller, &noplt_caller};
#define CALLERS (sizeof(callers) / sizeof(*callers))

static HsaEvent event;

/* ---- what the tool received ---- */

#define TOLD_MAX 256

static struct {
	uint32_t op;
	kfd_api_data_t data;
	uint64_t left; /* what was in phase_data */
	void *arg;
} told[TOLD_MAX];
static uint32_t n_told;

static void remember(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const kfd_api_data_t *d = data;

	assert_int_equal(domain, KFD);
	told[n_told].op = op;
	told[n_told].data = *d;
	told[n_told].left = *d->phase_data;
	told[n_told++].arg = arg;
	if (d->phase == ACTIVITY_API_PHASE_ENTER)
		*d->phase_data = d->correlation_id + 1;
}

static activity_record_t records[TOLD_MAX];
static uint32_t n_records;

static void keep(const char *begin, const char *end, void *arg)
{
	for (const activity_record_t *r = (const void *)begin; r < (const activity_record_t *)end;
	     r++)
		records[n_records++ % TOLD_MAX] = *r;
}

static int start(void **state)
{
	const roctracer_properties_t properties = {.buffer_size = 0x1000,
						   .buffer_callback_fun = keep};

	n_told = n_records = 0;
	fakekmt_counts = (struct fakekmt_counts){0};
	return roctracer_open_pool(&properties);
}

/* ---- while calls are made, for the first time ---- */

static bool enabled, over;

/* Calls until everything has been enabled for a while; of those from then on it keeps count. */
static void *call_meanwhile(void *arg)
{
	uint64_t *made = arg;

	while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
		bool counts = __atomic_load_n(&enabled, __ATOMIC_ACQUIRE);

		for (size_t i = 0; i < CALLERS; i++)
			assert_int_equal(callers[i]->open(), FAKE_OPENED);
		*made += counts ? CALLERS : 0;
	}
	return NULL;
}

static uint64_t entered, exited;

static void count_call(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const kfd_api_data_t *d = data;

	__atomic_add_fetch(d->phase ? &exited : &entered, 1, __ATOMIC_RELAXED);
}

#define THREADS 4

static void bound_while_calls_are_made(void **state)
{
	pthread_t threads[THREADS];
	uint64_t made[THREADS] = {0}, sum = 0, told_before;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_meanwhile, &made[i]);
	while (__atomic_load_n(&fakekmt_counts.opens, __ATOMIC_RELAXED) < 1000)
		sched_yield();
	assert_ok(roctracer_enable_domain_callback(KFD, count_call, NULL));
	told_before = __atomic_load_n(&fakekmt_counts.opens, __ATOMIC_RELAXED);
	__atomic_store_n(&enabled, true, __ATOMIC_RELEASE);
	while (__atomic_load_n(&fakekmt_counts.opens, __ATOMIC_RELAXED) < told_before + 10000)
		sched_yield();
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += made[i];
	}
	assert_true(sum > 0);
	assert_true(entered >= sum && entered <= fakekmt_counts.opens);
	assert_int_equal(entered, exited);
}

/* ---- one thread ---- */

static void all_ways_of_calling(void **state)
{
	int arg;

	assert_ok(roctracer_enable_op_callback(KFD, SET, remember, &arg));
	for (size_t i = 0; i < CALLERS; i++) {
		n_told = 0;
		assert_int_equal(callers[i]->open(), FAKE_OPENED);
		assert_int_equal(n_told, 0);
		assert_int_equal(callers[i]->set(&event), FAKE_SET);
		assert_int_equal(n_told, 2);
		assert_int_equal(fakekmt_counts.sets, i + 1);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(told[k].op, SET);
			assert_ptr_equal(told[k].arg, &arg);
			assert_int_equal(told[k].data.phase, k);
			assert_ptr_equal(told[k].data.args.hsaKmtSetEvent.Event, &event);
		}
		assert_int_not_equal(told[0].data.correlation_id, 0);
		assert_int_equal(told[0].data.correlation_id, told[1].data.correlation_id);
		assert_int_equal(told[1].data.HSAKMT_STATUS_retval, FAKE_SET);
		assert_int_equal(told[0].left, 0);
		assert_int_equal(told[1].left, told[0].data.correlation_id + 1);
	}
	assert_ok(roctracer_disable_op_callback(KFD, SET));
	n_told = 0;
	for (size_t i = 0; i < CALLERS; i++)
		assert_int_equal(callers[i]->set(&event), FAKE_SET);
	assert_int_equal(n_told, 0);
	assert_int_equal(fakekmt_counts.sets, 2 * CALLERS);
}

static void a_domain_and_all_domains(void **state)
{
	assert_ok(roctracer_enable_domain_callback(KFD, remember, NULL));
	bound_caller.open();
	bound_caller.set(&event);
	assert_int_equal(n_told, 4);
	assert_int_equal(told[0].op, OPEN);
	assert_int_equal(told[1].data.HSAKMT_STATUS_retval, FAKE_OPENED);
	assert_ok(roctracer_disable_domain_callback(KFD));
	bound_caller.open();
	assert_int_equal(n_told, 4);
	assert_ok(roctracer_enable_callback(remember, NULL));
	bound_caller.open();
	assert_int_equal(n_told, 6);
	roctracer_stop();
	bound_caller.open();
	assert_int_equal(n_told, 6);
	roctracer_start();
	bound_caller.open();
	assert_int_equal(n_told, 8);
	assert_ok(roctracer_disable_callback());
	bound_caller.open();
	assert_int_equal(n_told, 8);
}

static void only_calls_from_outside_that_are_bound_to_the_thunk(void **state)
{
	HSAKMT_STATUS (*set)(HsaEvent *) = dlsym(RTLD_DEFAULT, "hsaKmtSetEvent");

	assert_ok(roctracer_enable_domain_callback(KFD, remember, NULL));
	assert_int_equal(bound_caller.wait(&event, 7), FAKE_WAITED); /* which sets the event */
	assert_int_equal(fakekmt_counts.sets, 1);
	assert_int_equal(n_told, 2);
	assert_int_equal(told[1].op, WAIT);
	assert_int_equal(told[1].data.args.hsaKmtWaitOnEvent.Milliseconds, 7);
	assert_int_equal(set(&event), FAKE_SET);
	assert_int_equal(n_told, 2);
	/* What is bound to something else is not ours to take. */
	assert_int_equal(noplt_caller.reset(&event), FAKE_HIDDEN);
	assert_int_equal(bound_caller.reset(&event), FAKE_HIDDEN);
	assert_int_equal(hiding_caller.reset(&event), FAKE_HIDDEN);
	assert_int_equal(lazy_caller.reset(&event), FAKE_HIDDEN);
	assert_int_equal(fakekmt_counts.resets, 0);
	assert_int_equal(n_told, 2);
}

static void records_of_calls(void **state)
{
	uint64_t before, after, last;

	assert_ok(roctracer_enable_op_activity(KFD, SET));
	bound_caller.open();
	assert_ok(roctracer_activity_push_external_correlation_id(4711));
	bound_caller.set(&event);
	assert_ok(roctracer_activity_pop_external_correlation_id(&last));
	assert_ok(roctracer_disable_op_activity(KFD, SET));
	bound_caller.set(&event);
	assert_ok(roctracer_enable_domain_activity(KFD));
	lazy_caller.open();
	noplt_caller.wait(&event, 1);
	assert_ok(roctracer_disable_domain_activity(KFD));
	bound_caller.open();
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 4);
	assert_int_equal(records[0].domain, ACTIVITY_DOMAIN_EXT_API);
	assert_int_equal(records[0].external_id, 4711);
	assert_int_equal(records[0].correlation_id, records[1].correlation_id);
	assert_int_equal(records[1].op, SET);
	assert_int_equal(records[2].op, OPEN);
	assert_int_equal(records[3].op, WAIT);
	before = records[1].begin_ns;
	for (int i = 1; i < 4; i++) {
		after = records[i].end_ns;
		assert_int_equal(records[i].domain, KFD);
		assert_true(before && before <= records[i].begin_ns &&
			    records[i].begin_ns <= after);
		assert_int_equal(records[i].process_id, getpid());
		assert_int_equal(records[i].thread_id, gettid());
		before = after;
	}
	assert_int_not_equal(records[2].correlation_id, records[3].correlation_id);
}

/* ---- in the middle of a call, and in callbacks ---- */

static void enable_now(void)
{
	assert_ok(roctracer_enable_op_callback(KFD, SET, remember, NULL));
}

static void disable_now(void)
{
	assert_ok(roctracer_disable_op_callback(KFD, SET));
}

static void in_the_middle_of_a_call(void **state)
{
	fakekmt_inside = enable_now;
	bound_caller.set(&event);
	assert_int_equal(n_told, 0); /* it had begun */
	fakekmt_inside = disable_now;
	bound_caller.set(&event);
	fakekmt_inside = NULL;
	assert_int_equal(n_told, 1);
	bound_caller.set(&event);
	assert_int_equal(n_told, 1);
}

static void disable_inside(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	remember(domain, op, data, arg);
	assert_ok(roctracer_disable_domain_callback(KFD));
	assert_ok(roctracer_enable_op_callback(KFD, OPEN, remember, NULL));
}

static void changes_inside_of_a_callback(void **state)
{
	assert_ok(roctracer_enable_domain_callback(KFD, disable_inside, NULL));
	bound_caller.set(&event);
	bound_caller.set(&event);
	assert_int_equal(n_told, 1);
	bound_caller.open();
	assert_int_equal(n_told, 3);
}

/* As a tool does that calls HSA. */
static void call_inside(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	remember(domain, op, data, arg);
	assert_int_equal(bound_caller.set(&event), FAKE_SET);
	assert_int_equal(lazy_caller.open(), FAKE_OPENED);
}

static void calls_inside_of_a_callback_are_recorded_but_do_not_call_back(void **state)
{
	assert_ok(roctracer_enable_domain_activity(KFD));
	assert_ok(roctracer_enable_domain_callback(KFD, call_inside, NULL));
	bound_caller.set(&event);
	bound_caller.set(&event);
	assert_int_equal(n_told, 4);
	assert_ok(roctracer_flush_activity());
	assert_int_equal(n_records, 2 * (1 + 2 * 2));
	assert_int_equal(fakekmt_counts.sets, 6);
	assert_int_equal(fakekmt_counts.opens, 4);
	for (uint32_t i = 0; i < n_records; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(records[i].correlation_id, records[k].correlation_id);
}

/* ---- what is loaded later ---- */

/* From the folder where the others are. */
static void *load(const char *file)
{
	char path[4096];
	Dl_info there;
	void *lib;

	assert_true(dladdr((void *)lazy_caller.open, &there));
	snprintf(path, sizeof(path), "%.*s/%s",
		 (int)(strrchr(there.dli_fname, '/') - there.dli_fname), there.dli_fname, file);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		fail_msg("%s", dlerror());
	return lib;
}

/* HSA's runtime loads us as a tool when it is there: its tables are of no version that we know. */
static void when_hsa_is_there(void)
{
	struct {
		uint64_t version[2];
		void *tables[8];
	} none = {0};
	bool (*on_load)(void *, uint64_t, uint64_t, const char *const *) =
		dlsym(RTLD_DEFAULT, "OnLoad");
	void (*on_unload)(void) = dlsym(RTLD_DEFAULT, "OnUnload");

	assert_true(on_load(&none, 0, 0, NULL));
	on_unload();
}

static void what_is_loaded_later_is_found(void **state)
{
	const struct caller *late;

	assert_ok(roctracer_enable_op_callback(KFD, SET, remember, NULL));
	late = dlsym(load("libcaller-late.so"), "late_caller");
	late->set(&event);
	assert_int_equal(n_told, 0);
	when_hsa_is_there();
	late->set(&event);
	assert_int_equal(n_told, 2);
	late->open();
	assert_int_equal(n_told, 2);
	assert_ok(roctracer_enable_op_callback(KFD, OPEN, remember, NULL));
	late->open();
	assert_int_equal(n_told, 4);
}

/* ---- memory ---- */

/* The lines of /proc/self/maps that are of this file, but for where they are. */
static void read_maps(const char *file, char text[4096])
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(maps);
	text[0] = '\0';
	while (fgets(line, sizeof(line), maps))
		if (strstr(line, file))
			strncat(text, line, 4095 - strlen(text));
	fclose(maps);
}

static void what_was_read_only_is_so_again(void **state)
{
	char before[4096], after[4096];
	const struct caller *other;
	void *lib;

	assert_ok(roctracer_enable_op_callback(KFD, OPEN, remember, NULL));
	lib = load("libcaller-other.so");
	other = dlsym(lib, "other_caller");
	read_maps("libcaller-other", before);
	assert_non_null(strstr(before, "r--p"));
	assert_ok(roctracer_enable_op_callback(KFD, SET, remember, NULL));
	read_maps("libcaller-other", after);
	assert_string_equal(before, after);
	other->set(&event);
	assert_int_equal(n_told, 2);
	dlclose(lib); /* it is not kept, and nothing writes to it after it is unloaded */
	read_maps("libcaller-other", after);
	assert_string_equal(after, "");
	assert_ok(roctracer_enable_op_callback(KFD, WAIT, remember, NULL));
}

/* ---- the rest of the interface ---- */

static void names_and_errors(void **state)
{
	uint32_t op = 77, kind = 77;

	assert_string_equal(roctracer_op_string(KFD, SET, 0), "hsaKmtSetEvent");
	assert_string_equal(roctracer_op_string(KFD, KFD_API_ID_NUMBER, 0), "unknown");
	assert_ok(roctracer_op_code(KFD, "hsaKmtWaitOnEvent", &op, &kind));
	assert_int_equal(op, WAIT);
	assert_int_equal(kind, 0);
	expect_error(roctracer_op_code(KFD, "hsaKmtWait", &op, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "hsaKmtWait");
	expect_error(roctracer_op_code(KFD, NULL, &op, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "NULL");
	expect_error(roctracer_enable_op_callback(KFD, KFD_API_ID_NUMBER, remember, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation");
	expect_error(roctracer_enable_op_activity(KFD, KFD_API_ID_NUMBER),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no operation");
	expect_error(roctracer_enable_domain_callback(KFD, NULL, NULL),
		     ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "no callback");
	expect_error(roctracer_enable_domain_activity(KFD),
		     ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED, "no pool");
	/* One that this libhsakmt has not, and one that none has any more. */
	assert_ok(roctracer_enable_op_callback(KFD, KFD_API_ID_hsaKmtCreateQueue, remember, NULL));
	assert_ok(roctracer_enable_op_callback(KFD, KFD_API_ID_hsaKmtSendHostTrap, remember, NULL));
	assert_ok(roctracer_set_properties(KFD, NULL));
	assert_ok(roctracer_disable_domain_callback(KFD));
}

/* ---- many threads ---- */

#define LOAD_THREADS 8
#define ROUNDS	     100000

static bool on, done;
static uint64_t toggles, strays, written, always[2];

static void count_stray(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	if (!__atomic_load_n(&on, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(&strays, 1, __ATOMIC_RELAXED);
}

static void count_always(uint32_t domain, uint32_t op, const void *data, void *arg)
{
	const kfd_api_data_t *d = data;

	__atomic_add_fetch(&always[d->phase], 1, __ATOMIC_RELAXED);
}

static void *make_calls(void *arg)
{
	for (uint64_t i = 0; i < ROUNDS || __atomic_load_n(&toggles, __ATOMIC_RELAXED) < 20; i++) {
		const struct caller *c = callers[i % CALLERS];

		assert_int_equal(i % 2 ? c->open() : c->set(&event),
				 i % 2 ? FAKE_OPENED : FAKE_SET);
	}
	return NULL;
}

static void *toggle(void *arg)
{
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
		__atomic_store_n(&on, true, __ATOMIC_SEQ_CST);
		assert_ok(roctracer_enable_op_callback(KFD, SET, count_stray, NULL));
		sched_yield();
		assert_ok(roctracer_disable_op_callback(KFD, SET));
		__atomic_store_n(&on, false, __ATOMIC_SEQ_CST); /* no callback from now on */
		__atomic_add_fetch(&toggles, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void enabled_and_disabled_under_load(void **state)
{
	roctracer_properties_t p = {.buffer_size = 1 << 16,
				    .buffer_callback_fun = count_records,
				    .buffer_callback_arg = &written};
	pthread_t threads[LOAD_THREADS], toggler;
	roctracer_pool_t *pool;

	assert_ok(roctracer_open_pool_expl(&p, &pool));
	assert_ok(roctracer_enable_op_callback(KFD, OPEN, count_always, NULL));
	assert_ok(roctracer_enable_op_activity_expl(KFD, OPEN, pool));
	pthread_create(&toggler, NULL, toggle, NULL);
	for (int i = 0; i < LOAD_THREADS; i++)
		pthread_create(&threads[i], NULL, make_calls, NULL);
	for (int i = 0; i < LOAD_THREADS; i++)
		pthread_join(threads[i], NULL);
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	pthread_join(toggler, NULL);
	assert_ok(roctracer_close_pool_expl(pool));
	assert_int_equal(strays, 0);
	assert_true(fakekmt_counts.opens >= LOAD_THREADS * ROUNDS / 2);
	assert_int_equal(always[0], fakekmt_counts.opens);
	assert_int_equal(always[1], fakekmt_counts.opens);
	assert_int_equal(written, fakekmt_counts.opens);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, disable_everything)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bound_while_calls_are_made), /* first: it is done once */
		TEST(all_ways_of_calling),
		TEST(a_domain_and_all_domains),
		TEST(only_calls_from_outside_that_are_bound_to_the_thunk),
		TEST(records_of_calls),
		TEST(in_the_middle_of_a_call),
		TEST(changes_inside_of_a_callback),
		TEST(calls_inside_of_a_callback_are_recorded_but_do_not_call_back),
		TEST(what_is_loaded_later_is_found),
		TEST(what_was_read_only_is_so_again),
		cmocka_unit_test(names_and_errors),
		TEST(enabled_and_disabled_under_load),
	};

	return cmocka_run_group_tests_name("calls of libhsakmt", tests, NULL, NULL);
}
