// SPDX-License-Identifier: MIT
/*
 * Tests packets and signals that are reported in every order. Covered are the times of signals that
 * are used again, shared or seen from outside too early, and packets that another thread's doorbell
 * store submits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "user/clock/clock_map.h"
#include "user/doorbell/completion_signals.h"
#include "user/doorbell/doorbell_queues.h"

/* ---- completions ---- */

struct user {
	int ended;
	uint64_t start, end;
	enum ev_why why;
};

static void on_end(void *user, uint64_t start, uint64_t end, void *arg)
{
	struct user *u = user;

	u->ended++;
	u->start = start;
	u->end = end;
}

static void on_unknown(void *user, enum ev_why why, void *arg)
{
	struct user *u = user;

	u->ended++;
	u->why = why;
}

static void on_drop(void *user)
{
	struct user *u = user;

	u->ended++;
}

static uint64_t unheard = UINT64_MAX; /* since when a packet is missing */

static bool unsure(pid_t pid, void *user, uint64_t start_ticks, void *arg)
{
	assert_int_equal(pid, getpid());
	assert_non_null(user);
	return start_ticks >= unheard;
}

static void use(struct completions *c, uint64_t signal, int64_t value, uint64_t start, uint64_t end,
		struct user *u)
{
	const struct signal_words words = {value, start, end};

	assert_true(completion_signals__use(c, getpid(), signal, &words, u));
}

#define UNKNOWN(u, because)                         \
	do {                                        \
		assert_int_equal((u).ended, 1);     \
		assert_int_equal((u).why, because); \
	} while (0)

#define ENDED(u, s, e)                                                     \
	do {                                                               \
		assert_int_equal((u).ended, 1);                            \
		assert_int_equal((u).why, WHY_NOT_SAID);                   \
		assert_true((u).start == (uint64_t)(s) && (u).end == (e)); \
	} while (0)

static void a_signal_that_is_used_again_tells_of_the_packet_before(void **state)
{
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[3] = {};

	use(c, 0x1000, 1, 5, 9, &u[0]); /* 5 and 9 are of somebody before */
	use(c, 0x1000, 1, 10, 20, &u[1]);
	ENDED(u[0], 10, 20);
	use(c, 0x1000, 1, 30, 40, NULL); /* a barrier packet takes it ... */
	ENDED(u[1], 30, 40);
	use(c, 0x1000, 1, 50, 50, &u[2]); /* ... and its times are nobody's */
	assert_int_equal(u[2].ended, 0);
	completion_signals__free(c, on_drop);
	assert_int_equal(u[2].ended, 1);
}

static void of_a_shared_signal_nobody_knows_whose_times_it_has(void **state)
{
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[4] = {};

	use(c, 0x1000, 3, 0, 0, &u[0]);
	use(c, 0x1000, 3, 0, 0, &u[1]); /* u[0] runs yet */
	use(c, 0x1000, 2, 10, 20, &u[2]);
	UNKNOWN(u[0], WHY_SIGNAL_SHARED);
	UNKNOWN(u[1], WHY_SIGNAL_SHARED);
	UNKNOWN(u[2], WHY_SIGNAL_SHARED);
	use(c, 0x1000, 3, 30, 40, &u[3]); /* armed again: only its own packet is in flight */
	use(c, 0x1000, 2, 50, 60, NULL);
	ENDED(u[3], 50, 60);
	completion_signals__free(c, on_drop);
}

static void of_a_packet_that_was_taken_before_times_may_be_its_own(void **state)
{
	const struct signal_words armed = {1, 10, 20}, lower = {0, 30, 40};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[3] = {};

	use(c, 0x1000, 1, 0, 0, &u[0]);
	assert_true(completion_signals__use_late(c, getpid(), 0x1000, &armed, &u[1]));
	UNKNOWN(u[0], WHY_SIGNAL_REUSED); /* 10 and 20 may be of either */
	assert_false(completion_signals__use_late(c, getpid(), 0x1000, &lower, &u[2]));
	UNKNOWN(u[1], WHY_SIGNAL_REUSED);
	assert_int_equal(u[2].ended, 0);
	completion_signals__free(c, on_drop);
}

static void what_began_before_a_packet_was_missing_is_not_of_it(void **state)
{
	const struct signal_words armed = {1, 10, 20}, own = {0, 50, 60}, later = {1, 70, 80};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[4] = {};

	use(c, 0x1000, 1, 0, 0, &u[0]);
	unheard = 25;
	completion_signals__settle(c, getpid(), 0x1000, &armed);
	ENDED(u[0], 10, 20);
	unheard = UINT64_MAX;
	/* The times before are known: others are those of the packet that was taken. */
	assert_true(completion_signals__use_late(c, getpid(), 0x1000, &own, &u[1]));
	ENDED(u[1], 50, 60);
	use(c, 0x1000, 1, 50, 60, &u[2]);
	unheard = 65;
	completion_signals__settle(c, getpid(), 0x1000, &later);
	assert_int_equal(u[2].ended, 0); /* that may be of the packet that was taken */
	unheard = UINT64_MAX;
	assert_true(completion_signals__use_late(c, getpid(), 0x1000, &later, &u[3]));
	UNKNOWN(u[2], WHY_SIGNAL_REUSED);
	completion_signals__settle(c, getpid(), 0x7000, &later);
	completion_signals__free(c, on_drop);
}

static void a_packet_that_was_taken_while_another_is_missing(void **state)
{
	const struct signal_words own = {0, 50, 60};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[2] = {};

	use(c, 0x1000, 1, 0, 0, &u[0]);
	use(c, 0x1000, 1, 10, 20, NULL); /* a barrier packet, with unknown times */
	assert_false(completion_signals__use_late(c, getpid(), 0x1000, &own, &u[1]));
	u[0].ended = 0;
	use(c, 0x1000, 1, 0, 0, &u[0]);
	completion_signals__settle(c, getpid(), 0x1000, &(struct signal_words){1, 10, 20});
	ENDED(u[0], 10, 20);
	unheard = 45; /* 50 and 60 may be of that one */
	assert_false(completion_signals__use_late(c, getpid(), 0x1000, &own, &u[1]));
	assert_int_equal(u[1].ended, 0);
	unheard = UINT64_MAX;
	completion_signals__free(c, on_drop);
}

static void while_a_packet_is_missing_times_may_be_its_own(void **state)
{
	const struct signal_words done = {0, 50, 60};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[6] = {};

	use(c, 0x1000, 1, 0, 0, &u[0]);
	use(c, 0x2000, 1, 0, 0, &u[1]);
	use(c, 0x3000, 1, 0, 0, &u[3]);
	use(c, 0x4000, 1, 0, 0, &u[4]);
	use(c, 0x5000, 1, 0, 0, &u[5]);
	unheard = 25;
	use(c, 0x1000, 1, 30, 40, &u[2]);
	use(c, 0x3000, 1, 10, 20, NULL); /* it began before the missing one could */
	ENDED(u[3], 10, 20);
	completion_signals__end(c, getpid(), 0x2000, &done);
	completion_signals__end(c, getpid(), 0x4000, &done);
	completion_signals__end(c, getpid(), 0x5000, &done);
	completion_signals__believe(c, UINT64_MAX);
	assert_int_equal(u[0].ended + u[1].ended + u[2].ended + u[4].ended + u[5].ended, 0);
	unheard = UINT64_MAX; /* it was reported, had been taken, and used the signal of u[1] */
	use(c, 0x2000, 1, 0, 0, NULL);
	completion_signals__use_late(c, getpid(), 0x2000, &done, NULL);
	UNKNOWN(u[1], WHY_SIGNAL_REUSED);
	completion_signals__use_late(c, getpid(), 0x5000, &done, NULL); /* that is destroyed */
	UNKNOWN(u[5], WHY_SIGNAL_REUSED);
	completion_signals__believe(c, 0);
	ENDED(u[0], 30, 40);
	ENDED(u[4], 50, 60);
	completion_signals__end(c, getpid(), 0x1000, &done);
	ENDED(u[2], 50, 60);
	completion_signals__free(c, on_drop);
}

static void a_packet_that_stays_missing(void **state)
{
	const struct signal_words done = {0, 50, 60};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[3] = {};
	static struct user many[70000];

	unheard = 25;
	for (int i = 0; i < 3; i++) {
		use(c, 0x1000, 1, 0, 0, &u[i]);
		completion_signals__end(c, getpid(), 0x1000, &done);
		if (i == 0)
			completion_signals__forget(c, getpid());
		if (i == 1)
			completion_signals__give_up(c);
	}
	UNKNOWN(u[0], WHY_SIGNAL_REUSED);
	UNKNOWN(u[1], WHY_SIGNAL_REUSED);
	assert_int_equal(u[2].ended, 0);
	for (int i = 0; i < 70000; i++) { /* more than wait */
		use(c, 0x1000, 1, 0, 0, &many[i]);
		completion_signals__end(c, getpid(), 0x1000, &done);
	}
	UNKNOWN(many[69999], WHY_NO_ROOM);
	assert_int_equal(many[0].ended, 0);
	unheard = UINT64_MAX;
	completion_signals__believe(c, 0);
	ENDED(many[0], 50, 60);
	unheard = 25;
	u[0].ended = 0;
	use(c, 0x1000, 1, 0, 0, &u[0]);
	completion_signals__end(c, getpid(), 0x1000, &done);
	assert_int_equal(u[0].ended, 0);
	completion_signals__free(c, on_drop);
	assert_int_equal(u[0].ended, 1);
	unheard = UINT64_MAX;
}

static void the_end_of_a_signal(void **state)
{
	const struct signal_words done = {0, 10, 20}, not_done = {1, 0, 0};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[3] = {};

	use(c, 0x1000, 1, 0, 0, &u[0]);
	use(c, 0x2000, 1, 0, 0, &u[1]);
	completion_signals__end(c, getpid(), 0x1000, &done);
	completion_signals__end(c, getpid(), 0x2000, &not_done);
	completion_signals__end(c, getpid(), 0x3000, &done);
	ENDED(u[0], 10, 20);
	UNKNOWN(u[1], WHY_SIGNAL_GONE);
	use(c, 0x1000, 1, 0, 0, &u[2]);
	completion_signals__give_up(c);
	UNKNOWN(u[2], WHY_TRACE_END);
	completion_signals__free(c, on_drop);
}

struct amd_signal {
	int64_t kind, value;
	uint64_t mailbox, event, start, end;
};

static void from_outside_it_is_believed_when_nobody_else_can_have_used_it(void **state)
{
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct amd_signal s = {.kind = 1, .value = 1};
	struct user u[3] = {};
	uint64_t before = clock__boot_ns();

	use(c, (uintptr_t)&s, 1, 0, 0, &u[0]);
	completion_signals__look(c, UINT64_MAX);
	assert_int_equal(u[0].ended, 0); /* runs */
	s.start = 10;
	s.end = 20;
	completion_signals__look(c, UINT64_MAX);
	assert_int_equal(u[0].ended, 0); /* its times may not be whole */
	s.value = 0;
	completion_signals__look(c, before);
	completion_signals__look(c, before);
	assert_int_equal(u[0].ended, 0); /* another use may have come in between */
	completion_signals__look(c, clock__boot_ns());
	ENDED(u[0], 10, 20);

	/* And here it has: what is seen is of u[2]. */
	s.value = 1;
	use(c, (uintptr_t)&s, 1, 10, 20, &u[1]);
	s = (struct amd_signal){1, 0, 0, 0, 50, 60};
	completion_signals__look(c, before);
	use(c, (uintptr_t)&s, 1, 30, 40, &u[2]);
	ENDED(u[1], 30, 40);
	completion_signals__look(c, clock__boot_ns());
	completion_signals__look(c, clock__boot_ns());
	ENDED(u[2], 50, 60);
	completion_signals__free(c, on_drop);
}

static void signals_at_absurd_addresses(void **state)
{
	static const uint64_t absurd[] = {1, 8, 0xfff, 1ULL << 47, 1ULL << 63, UINT64_MAX};
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct user u[6] = {};

	for (int i = 0; i < 6; i++)
		use(c, absurd[i], 1, 0, 0, &u[i]);
	completion_signals__look(c, UINT64_MAX);
	completion_signals__believe(c, UINT64_MAX);
	for (int i = 0; i < 6; i++)
		assert_int_equal(u[i].ended, 0);
	completion_signals__forget(c, getpid());
	for (int i = 0; i < 6; i++)
		UNKNOWN(u[i], WHY_SIGNAL_GONE);
	completion_signals__free(c, on_drop);
}

static void many_signals_are_all_looked_at(void **state)
{
	enum { N = 10000 };
	struct completions *c = completion_signals__new(on_end, on_unknown, unsure, NULL);
	struct amd_signal *s = calloc(N, sizeof(*s));
	struct user *u = calloc(N, sizeof(*u));

	for (int i = 0; i < N; i++)
		use(c, (uintptr_t)&s[i], 1, 0, 0, &u[i]);
	for (int i = 0; i < N; i++)
		s[i] = (struct amd_signal){1, 0, 0, 0, i + 1, i + 2};
	for (int round = 0; round < 2 * N / 4096 + 4; round++)
		completion_signals__look(c, UINT64_MAX);
	for (int i = 0; i < N; i++)
		ENDED(u[i], i + 1, (uint64_t)i + 2);
	completion_signals__free(c, on_drop);
	free(s);
	free(u);
}

/* ---- packets of a queue ---- */

static int given_up;

static void on_unclaimed(struct dispatch *one, void *arg)
{
	given_up++;
}

static void dropped(struct dispatch *one)
{
}

static struct rt_rec_dispatch packet(uint64_t index)
{
	return (struct rt_rec_dispatch){.h = {.pid = getpid(), .tid = getpid()},
					.queue = 0x5000,
					.queue_id = 3,
					.index = index};
}

static void each_packet_is_heard_of_once(void **state)
{
	struct trace trace = {};
	struct gpuclocks *clocks = gpu_clock_reader__new();
	struct doorbells *d = doorbell_queues__new(&trace, clocks, on_unclaimed, NULL);
	struct rt_rec_dispatch rec = packet(10);
	struct doorbell_queue *q = doorbell_queues__get(d, &rec);

	assert_ptr_equal(doorbell_queues__get(d, &rec), q);
	assert_int_equal(doorbell_queues__number(q), 1);
	assert_true(doorbell_queues__first(q, 10));
	assert_true(doorbell_queues__first(q, 12));
	assert_int_equal(doorbell_queues__missing_since(q, 11), 0);
	doorbell_queues__missing(q, 11, 1);
	assert_int_equal(doorbell_queues__missing_since(q, 11), 1);
	assert_int_equal(doorbell_queues__unseen(d), 1);
	assert_true(doorbell_queues__first(q, 11));
	assert_int_equal(doorbell_queues__missing_since(q, 11), 0);
	assert_int_equal(doorbell_queues__unseen(d), 0);
	for (uint64_t i = 10; i < 13; i++)
		assert_false(doorbell_queues__first(q, i));
	doorbell_queues__missing(q, 12, 1); /* reported already */
	assert_int_equal(doorbell_queues__unseen(d), 0);
	/* All around the window, and far beyond it. */
	for (uint64_t i = 13; i < 5000; i++)
		assert_true(doorbell_queues__first(q, i));
	for (uint64_t i = 4000; i < 5000; i++)
		assert_false(doorbell_queues__first(q, i));
	assert_true(doorbell_queues__first(q, UINT64_MAX - 1));
	assert_false(doorbell_queues__first(q, UINT64_MAX - 1));
	for (uint64_t i = 0; i < 200; i++)
		doorbell_queues__missing(q, 1000000 + i, 1);
	assert_int_equal(doorbell_queues__unseen(d), 200);
	doorbell_queues__forget(d, getpid());
	assert_int_equal(doorbell_queues__unseen(d), 200);
	doorbell_queues__free(d, dropped);
	gpu_clock_reader__free(clocks);
}

static void what_was_passed_over_is_claimed_or_given_up(void **state)
{
	struct trace trace = {};
	struct gpuclocks *clocks = gpu_clock_reader__new();
	struct doorbells *d = doorbell_queues__new(&trace, clocks, on_unclaimed, NULL);
	struct rt_rec_dispatch rec = packet(0);
	struct doorbell_queue *q = doorbell_queues__get(d, &rec);
	struct dispatch *one = (void *)0x10, *two = (void *)0x20, *three = (void *)0x30;

	given_up = 0;
	assert_int_equal(doorbell_queues__pass(d, q, 5, 100, one), 0);
	assert_int_equal(doorbell_queues__pass(d, q, 6, 100, two), 0);
	assert_int_equal(doorbell_queues__pass(d, q, 7, 200, three), 0);
	assert_ptr_equal(doorbell_queues__claim(d, q, 6), two);
	assert_null(doorbell_queues__claim(d, q, 6));
	doorbell_queues__give_up(d, 100);
	assert_int_equal(given_up, 0);
	doorbell_queues__give_up(d, 101);
	assert_int_equal(given_up, 1);
	doorbell_queues__forget(d, getpid());
	assert_int_equal(given_up, 2);
	doorbell_queues__free(d, dropped);
	gpu_clock_reader__free(clocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_that_is_used_again_tells_of_the_packet_before),
		cmocka_unit_test(of_a_shared_signal_nobody_knows_whose_times_it_has),
		cmocka_unit_test(of_a_packet_that_was_taken_before_times_may_be_its_own),
		cmocka_unit_test(what_began_before_a_packet_was_missing_is_not_of_it),
		cmocka_unit_test(a_packet_that_was_taken_while_another_is_missing),
		cmocka_unit_test(while_a_packet_is_missing_times_may_be_its_own),
		cmocka_unit_test(a_packet_that_stays_missing),
		cmocka_unit_test(the_end_of_a_signal),
		cmocka_unit_test(from_outside_it_is_believed_when_nobody_else_can_have_used_it),
		cmocka_unit_test(signals_at_absurd_addresses),
		cmocka_unit_test(many_signals_are_all_looked_at),
		cmocka_unit_test(each_packet_is_heard_of_once),
		cmocka_unit_test(what_was_passed_over_is_claimed_or_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
