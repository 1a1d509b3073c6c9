// SPDX-License-Identifier: MIT
/*
 * Tests spans that are captured inside of the process: what stubs write
 * (hsa_agent/calls/call_spans.c) against what the tracer reads of it (user/agent/agent_calls.c), in
 * one process or two.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inprocess/tsc_clock.h"
#include "hsa_agent/calls/call_stubs.h"
#include "user/agent/agent_calls.h"
#include "user/clock/clock_map.h"

#define FIRST_CORR (7 * AGENT_SPANS_CORRS)
#define ID	   77 /* the tracer's */
#define KEPT_MAX   4096

static char *memory;
static struct agent_spans *reader;

/* What was read: the last ones, and how many. */
static union span_record kept[KEPT_MAX];
static size_t n_kept;

/* Threads that have started and ended. */
static size_t n_threads, n_ended;

static void keep(const struct rt_rec *rec, void *arg)
{
	assert_true(rec->flags & RT_REC_BY_AGENT);
	if (rec->kind == RT_REC_SPAN)
		memcpy(&kept[n_kept++ % KEPT_MAX], rec, rec->size);
	else if (rec->kind == RT_REC_TASK)
		n_threads++;
	else if (rec->kind == RT_REC_EXIT)
		n_ended++;
}

static void drain(void)
{
	assert_true(agent_calls__drain(reader, keep, NULL));
}

/* ---- functions ---- */

typedef void (*inside_fn)(void *arg);

/* Where a call goes that is not captured, as if the probe were there. */
static __attribute__((noinline)) int passed(uint64_t a, uint64_t b, inside_fn inside, void *arg)
{
	if (inside)
		inside(arg);
	return 0;
}

/* Where one goes on that is. */
static __attribute__((noinline)) int captured(uint64_t a, uint64_t b, inside_fn inside, void *arg)
{
	if (inside)
		inside(arg);
	return 1;
}

static __attribute__((noinline)) const char *read_of(const char *text, const void *bytes,
						     const char *ret, uint64_t r3, uint64_t r4,
						     uint64_t r5, uint64_t word,
						     const char *const *at)
{
	return ret;
}

#define FUNCTION 0
#define READING	 1

static struct function functions[] = {
	{.id = ID, .registers = 0x3},
	{
		.id = ID + 1,
		.registers = 0x3,
		.plan = {.stack_words = 2,
			 .reads = 4,
			 .failure = RT_FAILURE_NONZERO,
			 .benign = 9,
			 .read = {{RT_READ_STRING, 0, 8},
				  {RT_READ_BYTES, 1, 16},
				  {RT_READ_STRING_AT, 7, 8},
				  {RT_READ_STRING, RT_WORD_RET, 8}}},
	},
};

static void add_functions(void)
{
	const struct agent_span_way ways[] = {
		{RT_SPAN_WAY_JUMP, 0, (uintptr_t)passed, (uintptr_t)captured, 0},
		{RT_SPAN_WAY_JUMP, 0, (uintptr_t)read_of, (uintptr_t)read_of, 0},
	};

	for (int i = 0; i < 2; i++)
		assert_int_equal(agent_calls__add(reader, &functions[i], &ways[i]), 0);
}

/* 1: it was captured. */
static int call(uint64_t a, uint64_t b, inside_fn inside, void *arg)
{
	return ((typeof(passed) *)call_stubs__instead(passed))(a, b, inside, arg);
}

static void call_reading(const char *text, const void *bytes, const char *const *at,
			 const char *ret)
{
	((typeof(read_of) *)call_stubs__instead(read_of))(text, bytes, ret, 0, 0, 0, 11, at);
}

/* ---- each test ---- */

static void use(void)
{
	const struct spans_area area = call_spans__area_at(memory);

	call_spans__use(&area);
	call_stubs__use(&area);
}

/* Does the agent capture, by the setting last stored for it? */
static bool captures(void)
{
	const struct spans_area area = call_spans__area_at(memory);

	return area.state->since > area.state->until &&
	       area.state->generation == area.control->generation;
}

static void want(bool wanted)
{
	agent_calls__want(reader, wanted);
	call_stubs__follow(true);
	assert_int_equal(captures(), wanted);
}

static int set_up(void **state)
{
	memory = mmap(NULL, RT_SPANS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (memory == MAP_FAILED)
		return -1;
	n_kept = n_threads = n_ended = 0;
	use();
	reader = agent_calls__new(memory, FIRST_CORR);
	add_functions();
	want(true);
	return 0;
}

static int tear_down(void **state)
{
	call_stubs__use(NULL);
	call_spans__use(NULL);
	agent_calls__free(reader);
	return munmap(memory, RT_SPANS_SIZE);
}

/* ---- calls ---- */

static void a_call_has_its_times_arguments_and_result(void **state)
{
	uint64_t before = clock__boot_ns(), after;
	const struct rt_rec_span *s = &kept[0].span;

	assert_int_equal(call(3, 4, NULL, NULL), 1);
	after = clock__boot_ns();
	drain();
	assert_int_equal(n_kept, 1);
	assert_int_equal(s->h.kind, RT_REC_SPAN);
	assert_int_equal(s->h.size, sizeof(*s));
	assert_int_equal(s->h.flags, RT_REC_BY_AGENT);
	assert_int_equal(s->h.tid, gettid());
	assert_true(before <= s->begin && s->begin <= s->h.ts && s->h.ts <= after);
	assert_int_equal(s->func, ID);
	assert_int_equal(s->args[0], 3);
	assert_int_equal(s->args[1], 4);
	assert_int_equal(s->args[2], 0);
	assert_int_equal((uint32_t)s->ret, 1);
	assert_int_equal(s->depth, 0);
	assert_int_equal(s->parent, 0);
	assert_int_equal(s->root, s->corr);
	assert_true(s->corr > FIRST_CORR && s->corr < FIRST_CORR + AGENT_SPANS_CORRS);
}

static __u64 current[2];

static void call_in_call(void *arg)
{
	int depth = *(int *)arg;

	(*(int *)arg)--;
	if (depth)
		call(depth, 0, call_in_call, arg);
	else
		call_spans__in(&current[0], &current[1]);
}

static void calls_inside_of_calls(void **state)
{
	int depth = 3;

	call(4, 0, call_in_call, &depth);
	drain();
	assert_int_equal(n_kept, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const struct rt_rec_span *s = &kept[i].span;

		assert_int_equal(s->args[0], i + 1);
		assert_int_equal(s->depth, 3 - i);
		assert_int_equal(s->root, kept[3].span.corr);
		assert_int_equal(s->parent, i < 3 ? kept[i + 1].span.corr : 0);
	}
	assert_int_equal(agent_calls__corr(reader, current[0]), kept[0].span.corr);
	assert_int_equal(agent_calls__corr(reader, current[1]), kept[3].span.corr);
	call_spans__in(&current[0], &current[1]);
	assert_int_equal(current[0], 0);
}

static void what_is_not_wanted_is_not_captured(void **state)
{
	want(false);
	assert_int_equal(call(1, 2, NULL, NULL), 0);
	call_stubs__follow(true);
	want(true);
	assert_int_equal(call(1, 2, NULL, NULL), 1);
	call_stubs__follow(false); /* the tracer has ended */
	assert_int_equal(call(1, 2, NULL, NULL), 0);
	drain();
	assert_int_equal(n_kept, 1);
	assert_int_equal(agent_calls__lost(reader), 0);
}

static void deeper_than_can_be_followed(void **state)
{
	int depth = RT_SPANS_DEPTH + 2;

	call(100, 0, call_in_call, &depth);
	drain();
	assert_int_equal(n_kept, RT_SPANS_DEPTH);
	assert_int_equal(agent_calls__lost(reader), 0); /* they went to where the probe is */
}

/* ---- items ---- */

static const struct rt_item *item(size_t n)
{
	const struct rt_item *i = span_items__next(&kept[0].span, NULL);

	while (n-- && i)
		i = span_items__next(&kept[0].span, i);
	return i;
}

static void expect_item(size_t n, uint8_t kind, uint32_t flags, const void *data, size_t len)
{
	const struct rt_item *i = item(n);

	assert_non_null(i);
	assert_int_equal(i->kind, kind);
	assert_int_equal(i->flags, flags);
	assert_int_equal(i->len, len);
	assert_memory_equal(span_items__data(i), data, len);
}

static void what_pointers_lead_to(void **state)
{
	const char *const at = "at its place";
	const char bytes[16] = "0123456789abcde";
	uint64_t words[2] = {11, (uintptr_t)&at};

	functions[1].plan.failure = RT_FAILURE_NONE;
	add_functions();
	want(true);
	call_reading("short", bytes, &at, "returned");
	functions[1].plan.failure = RT_FAILURE_NONZERO;
	drain();
	expect_item(0, RT_ITEM_STACK, 0, words, sizeof(words));
	expect_item(1, RT_ITEM_READ, 0, "short", 5);
	expect_item(2, RT_ITEM_READ, 0, bytes, sizeof(bytes));
	expect_item(3, RT_ITEM_READ, RT_ITEM_CUT, "at its p", 8);
	expect_item(4, RT_ITEM_READ, 0, "returned", 8);
	assert_null(item(5));
	assert_int_equal(item(3)->index, 2);
}

/* A call that has failed may have been given anything. */
static void pointers_of_a_failed_call_are_not_trusted(void **state)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uint64_t nowhere = 16;

	munmap(page + 4096, 4096);
	memcpy(page + 4096 - 4, "end", 3);
	page[4095] = '!'; /* no NUL before what is not there */
	call_reading(page + 4096 - 4, (void *)nowhere, (const void *)nowhere, (char *)1);
	call_reading((char *)nowhere, page + 4096 - 8, NULL, (char *)1);
	drain();
	assert_int_equal(n_kept, 2);
	expect_item(1, RT_ITEM_READ, 0, "end!", 4);
	expect_item(2, RT_ITEM_READ, RT_ITEM_FAULT, NULL, 0);
	kept[0] = kept[1];
	expect_item(1, RT_ITEM_READ, RT_ITEM_FAULT, &nowhere, sizeof(nowhere));
	expect_item(2, RT_ITEM_READ, RT_ITEM_FAULT, NULL, 0);
	munmap(page, 4096);
}

/* ---- calls that do not return ---- */

static jmp_buf out;

static void jump_out(void *arg)
{
	longjmp(out, 1);
}

static void call_and_jump(void *arg)
{
	call(2, 0, jump_out, NULL);
}

static __attribute__((noinline)) void jump_out_of_two_calls(void)
{
	if (!setjmp(out))
		call(1, 0, call_and_jump, NULL);
}

static void calls_that_are_left_by_longjmp(void **state)
{
	jump_out_of_two_calls();
	call(3, 0, NULL, NULL);
	drain();
	assert_int_equal(n_kept, 3);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(kept[i].span.args[0], 2 - i);
		assert_int_equal(kept[i].span.h.flags, RT_REC_BY_AGENT | RT_SPAN_UNWOUND);
		assert_int_equal(kept[i].span.ret, 0);
	}
	assert_int_equal(kept[2].span.depth, 0);
	assert_int_equal(kept[2].span.h.flags, RT_REC_BY_AGENT);
}

static void end_thread(void *arg)
{
	pthread_exit(NULL);
}

static void *end_in_call(void *arg)
{
	call(1, 0, end_thread, NULL);
	return NULL;
}

static void a_thread_that_ends_in_a_call(void **state)
{
	pthread_t thread;

	pthread_create(&thread, NULL, end_in_call, NULL);
	pthread_join(thread, NULL);
	drain();
	assert_int_equal(n_kept, 1);
	assert_int_equal(kept[0].span.h.flags, RT_REC_BY_AGENT | RT_SPAN_UNFINISHED);
	assert_int_equal(n_threads, 1);
	assert_int_equal(n_ended, 1);
}

static void raise_signal(void *arg)
{
	raise(SIGUSR1);
}

static void call_in_handler(int sig)
{
	call(2, 0, NULL, NULL);
}

static void use_signal(int sig, int flags, void (*handler)(int sig))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

	sigaction(sig, &action, NULL);
}

static void calls_of_a_signal_handler_on_its_own_stack_or_not(void **state)
{
	static char low[65536], high[65536];
	stack_t alt = {.ss_sp = low, .ss_size = sizeof(low)};

	for (int i = 0; i < 3; i++) {
		use_signal(SIGUSR1, i ? SA_ONSTACK : 0, call_in_handler);
		alt.ss_sp = i == 1 ? low : high;
		sigaltstack(&alt, NULL);
		n_kept = 0;
		call(1, 0, raise_signal, NULL);
		drain();
		assert_int_equal(n_kept, 2);
		assert_int_equal(kept[0].span.args[0], 2);
		assert_int_equal(kept[0].span.parent, kept[1].span.corr);
		assert_int_equal(kept[1].span.h.flags, RT_REC_BY_AGENT);
	}
	alt.ss_flags = SS_DISABLE;
	sigaltstack(&alt, NULL);
}

/* A handler comes at any point of a call, of the writing of it, too. */
static uint64_t made, taken;

static void call_and_count(int sig)
{
	made++;
	taken += call(2, 0, NULL, NULL);
}

static void signals_at_any_point(void **state)
{
	const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
	uint64_t until = clock__boot_ns() + 1000000000ULL;

	made = taken = 0;
	use_signal(SIGALRM, 0, call_and_count);
	setitimer(ITIMER_REAL, &often, NULL);
	while (clock__boot_ns() < until) {
		sigset_t set;
		int captured = call(1, 0, NULL, NULL);

		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigprocmask(SIG_BLOCK, &set, NULL);
		made++;
		taken += captured;
		agent_calls__drain(reader, keep, NULL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	drain();
	assert_int_equal(n_kept, taken);
	assert_int_equal(agent_calls__lost(reader), 0);
	assert_in_range(taken, made / 2, made);
	assert_int_equal(agent_calls__bad(reader), 0);
}

/* ---- many calls ---- */

#define THREADS 8
#define CALLS	100000

static uint64_t read_count, last_of[THREADS], disorder;

static void check_order(const struct rt_rec *rec, void *arg)
{
	const struct rt_rec_span *s = (const void *)rec;
	uint32_t thread;

	if (rec->kind != RT_REC_SPAN)
		return;
	thread = s->args[0];
	read_count++;
	/* In the order in which they were made, none twice. */
	disorder += thread >= THREADS || s->args[1] <= last_of[thread];
	last_of[thread % THREADS] = s->args[1];
}

static void *call_often(void *arg)
{
	for (uint64_t i = 1; i <= CALLS; i++)
		call((uintptr_t)arg, i, NULL, NULL);
	return NULL;
}

static void run_threads(bool read_meanwhile)
{
	pthread_t threads[THREADS];
	uint64_t begun = clock__boot_ns();

	read_count = disorder = 0;
	memset(last_of, 0, sizeof(last_of));
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_often, (void *)i);
	while (read_meanwhile && read_count < THREADS * CALLS / 2 &&
	       clock__boot_ns() - begun < 10000000000ULL)
		agent_calls__drain(reader, check_order, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	while (!agent_calls__drain(reader, check_order, NULL))
		;
	assert_int_equal(disorder, 0);
	assert_int_equal(agent_calls__bad(reader), 0);
	assert_int_equal(read_count + agent_calls__lost(reader), THREADS * CALLS);
}

static void all_calls_of_all_threads_are_read_or_counted(void **state)
{
	for (int i = 0; i < 3; i++) {
		agent_calls__skip(reader);
		run_threads(true);
		assert_true(read_count > CALLS);
	}
}

/* More than there is room for. */
static void what_does_not_fit_is_counted(void **state)
{
	const uint64_t some = RT_SPANS_SIZE / sizeof(struct rt_rec_span);

	for (uint64_t i = 0; i < 2 * some; i++)
		call(1, i, NULL, NULL);
	while (!agent_calls__drain(reader, keep, NULL))
		;
	assert_true(agent_calls__lost(reader) > 0);
	assert_int_equal(n_kept + agent_calls__lost(reader), 2 * some);
	n_kept = 0;
	call(1, 2, NULL, NULL);
	drain();
	assert_int_equal(n_kept, 1);
}

static void *call_one_time(void *arg)
{
	call(1, 0, NULL, NULL);
	return NULL;
}

static void places_of_threads_that_have_ended_are_used_again(void **state)
{
	const int many = 2 * RT_SPANS_THREADS_MAX;
	pthread_t thread;

	for (int i = 0; i < many; i++) {
		pthread_create(&thread, NULL, call_one_time, NULL);
		pthread_join(thread, NULL);
		if (i % 100 == 0)
			drain();
	}
	drain();
	assert_int_equal(n_kept, many);
	for (int i = 0; i < RT_SPANS_THREADS_MAX + 10; i++) { /* nobody reads: there is no room */
		pthread_create(&thread, NULL, call_one_time, NULL);
		pthread_join(thread, NULL);
	}
	drain();
	assert_int_equal(n_threads, n_kept);
	assert_int_equal(n_ended, n_kept);
	assert_int_equal(n_kept, many + RT_SPANS_THREADS_MAX); /* the others: to the probe */
	assert_int_equal(agent_calls__lost(reader), 0);
}

/* ---- the end ---- */

static int inside, go_on;

#define TIDS (1 << 22) /* that Linux has at most */

static bool told[TIDS]; /* the threads that the reader has reported, and not of their ends */

static void check_told(const struct rt_rec *rec, void *arg)
{
	assert_true(rec->tid < TIDS);
	if (rec->kind == RT_REC_SPAN)
		assert_true(told[rec->tid]);
	else
		told[rec->tid] = rec->kind == RT_REC_TASK;
}

static void *read_until(void *arg)
{
	while (!__atomic_load_n((bool *)arg, __ATOMIC_ACQUIRE))
		agent_calls__drain(reader, check_told, NULL);
	return NULL;
}

/* One at a time: the reader looks at it at any moment of its life. */
static void a_thread_is_told_of_before_its_calls(void **state)
{
	pthread_t reading, calling;
	bool done = false;

	assert_int_equal(pthread_create(&reading, NULL, read_until, &done), 0);
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(pthread_create(&calling, NULL, call_one_time, NULL), 0);
		pthread_join(calling, NULL);
	}
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	pthread_join(reading, NULL);
}

static void wait_inside(void *arg)
{
	__atomic_store_n(&inside, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&go_on, __ATOMIC_ACQUIRE))
		usleep(1000);
}

static void *call_and_wait(void *arg)
{
	call(1, 0, wait_inside, NULL);
	return NULL;
}

/* What it submits in that call is put down to it. */
static void a_thread_is_told_of_while_its_first_call_lasts(void **state)
{
	pthread_t thread;

	inside = go_on = 0;
	pthread_create(&thread, NULL, call_and_wait, NULL);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(1000);
	drain();
	assert_int_equal(n_threads, 1);
	assert_int_equal(n_kept, 0);
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	drain();
	assert_int_equal(n_threads, 1);
	assert_int_equal(n_ended, 1);
	assert_int_equal(n_kept, 1);
}

static void calls_that_are_open_at_the_end(void **state)
{
	uint64_t now = clock__boot_ns() + 1000000000;
	pthread_t thread;

	inside = go_on = 0;
	pthread_create(&thread, NULL, call_and_wait, NULL);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(1000);
	call(2, 0, NULL, NULL);
	agent_calls__finish(reader, now, keep, NULL);
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	assert_int_equal(n_kept, 2);
	assert_int_equal(kept[0].span.args[0], 2);
	assert_int_equal(kept[1].span.args[0], 1);
	assert_int_equal(kept[1].span.h.flags, RT_REC_BY_AGENT | RT_SPAN_UNFINISHED);
	assert_int_equal(kept[1].span.h.ts, now);
	assert_int_not_equal(kept[1].span.h.tid, gettid());
}

static uint32_t waiting_tid;

static void call_inside_and_wait(void *arg)
{
	__atomic_store_n(&waiting_tid, gettid(), __ATOMIC_RELEASE);
	*(uint64_t *)arg = clock__boot_ns();
	call(2, 0, wait_inside, NULL);
}

static void *call_twice_and_wait(void *arg)
{
	call(1, 0, call_inside_and_wait, arg);
	call(3, 0, NULL, NULL);
	return NULL;
}

/* Of one thread, the inner one before the outer, neither again when it returns after all. */
static void calls_that_are_taken_to_end_one_by_one(void **state)
{
	uint64_t between = 0, now;
	pthread_t thread;

	inside = go_on = 0;
	pthread_create(&thread, NULL, call_twice_and_wait, &between);
	while (!__atomic_load_n(&inside, __ATOMIC_ACQUIRE))
		usleep(1000);
	now = clock__boot_ns();
	agent_calls__finish_thread(reader, gettid(), 0, now, keep, NULL);
	assert_int_equal(n_kept, 0);
	agent_calls__finish_thread(reader, waiting_tid, between, now, keep, NULL);
	agent_calls__finish_thread(reader, waiting_tid, between, now, keep, NULL);
	assert_int_equal(n_kept, 1);
	assert_int_equal(kept[0].span.args[0], 2);
	assert_int_equal(kept[0].span.h.flags, RT_REC_BY_AGENT | RT_SPAN_UNFINISHED);
	assert_int_equal(kept[0].span.h.ts, now);
	assert_int_not_equal(kept[0].span.parent, 0);
	agent_calls__finish_thread(reader, waiting_tid, 0, now + 1, keep, NULL);
	assert_int_equal(n_kept, 2);
	assert_int_equal(kept[1].span.corr, kept[0].span.parent);
	__atomic_store_n(&go_on, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	drain();
	assert_int_equal(n_kept, 3);
	assert_int_equal(kept[2].span.args[0], 3);
	assert_int_equal(n_ended, 1);
}

/* The second tracer knows which thread's calls they are. */
static void another_tracer(void **state)
{
	call(1, 0, NULL, NULL);
	drain();
	call(2, 0, NULL, NULL);
	agent_calls__free(reader);
	reader = agent_calls__new(memory, 2 * FIRST_CORR);
	call_stubs__follow(true);
	assert_false(captures());
	assert_int_equal(call(3, 0, NULL, NULL), 0);
	add_functions();
	agent_calls__skip(reader);
	n_kept = 0;
	want(true);
	call(4, 0, NULL, NULL);
	drain();
	assert_int_equal(n_kept, 1);
	assert_int_equal(kept[0].span.args[0], 4);
	assert_int_equal(kept[0].span.h.tid, gettid());
	assert_true(kept[0].span.corr > 2 * FIRST_CORR);
}

/* A call that is left from the tracer before is neither read as another function nor as damaged. */
static void a_function_that_only_the_tracer_before_has_wanted(void **state)
{
	call(1, 0, NULL, NULL);
	agent_calls__free(reader);
	reader = agent_calls__new(memory, 2 * FIRST_CORR);
	n_kept = 0;
	drain();
	assert_int_equal(n_kept, 0);
	assert_int_equal(agent_calls__bad(reader), 0);
	add_functions(); /* by which its number is known: the same function */
	want(true);
	call(2, 0, NULL, NULL);
	drain();
	assert_int_equal(n_kept, 1);
	assert_int_equal(kept[0].span.args[0], 2);
}

/* Of a process that is killed at any moment no more is lost than the call that it was writing. */
static void a_process_that_is_killed(void **state)
{
	volatile uint64_t *progress =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 40; i++) {
		uint64_t calls = 0;
		pid_t child;

		*progress = 0;
		child = fork();
		if (!child) {
			for (;; (*progress)++)
				call(1, *progress, NULL, NULL);
		}
		while (!*progress)
			usleep(100);
		usleep(137 * i);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		agent_calls__finish(reader, clock__boot_ns(), keep, NULL);
		calls = *progress;
		assert_int_equal(agent_calls__bad(reader), 0);
		assert_in_range(n_kept + agent_calls__lost(reader), calls, calls + 1);
		tear_down(state);
		set_up(state);
	}
	munmap((void *)progress, 4096);
}

/* ---- memory that is hostile ---- */

static void spoil(unsigned int seed)
{
	srandom(seed);
	for (int i = 0; i < 2000; i++) {
		size_t at = random() % (RT_SPANS_CHUNKS - RT_SPANS_STATE + 4 * RT_SPANS_CHUNK_SIZE);

		memory[RT_SPANS_STATE + at] = random();
	}
	((struct rt_spans_state *)(memory + RT_SPANS_STATE))->threads = random();
}

static void spoil_record(unsigned int seed)
{
	struct rt_span_chunk *c = (void *)(memory + RT_SPANS_CHUNKS);

	srandom(seed);
	for (int i = 0; i < 4; i++)
		c->data[random() % 1024] = random();
}

static void nothing_is_believed(void **state)
{
	for (unsigned int seed = 0; seed < 300; seed++) {
		for (int i = 0; i < 20; i++)
			call_reading("text", "0123456789abcdef", NULL, NULL);
		if (seed % 2)
			spoil_record(seed);
		else
			spoil(seed);
		agent_calls__drain(reader, keep, NULL);
		agent_calls__finish(reader, clock__boot_ns(), keep, NULL);
		tear_down(state);
		set_up(state);
	}
}

/* Its times do not go back, and are right again after a millisecond. */
static void a_clock_that_has_been_ahead(void **state)
{
	uint64_t begun = clock__boot_ns(), last, now;
	struct clock c = {0};

	while (clock__boot_ns() < begun + 30000000) /* until it knows how long a tick is */
		;
	clock__now(&c);
	if (!c.mult) {
		print_message("needs a kernel that makes its clock of the time-stamp counter\n");
		skip();
	}
	c.ns += 300000;
	c.ticks = 0;
	last = clock__now(&c);
	assert_true(last >= clock__boot_ns());
	while (clock__boot_ns() < begun + 40000000) {
		now = clock__now(&c);
		assert_true(now >= last);
		last = now;
	}
	for (int i = 0; i < 1000; i++) {
		uint64_t before = clock__boot_ns(), after;

		now = clock__now(&c);
		after = clock__boot_ns();
		assert_in_range(now, before - 2000, after + 2000);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_has_its_times_arguments_and_result),
		TEST(calls_inside_of_calls),
		TEST(what_is_not_wanted_is_not_captured),
		TEST(deeper_than_can_be_followed),
		TEST(what_pointers_lead_to),
		TEST(pointers_of_a_failed_call_are_not_trusted),
		TEST(calls_that_are_left_by_longjmp),
		TEST(a_thread_that_ends_in_a_call),
		TEST(calls_of_a_signal_handler_on_its_own_stack_or_not),
		TEST(signals_at_any_point),
		TEST(all_calls_of_all_threads_are_read_or_counted),
		TEST(what_does_not_fit_is_counted),
		TEST(places_of_threads_that_have_ended_are_used_again),
		TEST(a_thread_is_told_of_before_its_calls),
		TEST(a_thread_is_told_of_while_its_first_call_lasts),
		TEST(calls_that_are_open_at_the_end),
		TEST(calls_that_are_taken_to_end_one_by_one),
		TEST(another_tracer),
		TEST(a_function_that_only_the_tracer_before_has_wanted),
		TEST(a_process_that_is_killed),
		TEST(nothing_is_believed),
		cmocka_unit_test(a_clock_that_has_been_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
