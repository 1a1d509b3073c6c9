// SPDX-License-Identifier: MIT
/*
 * Tests what one process's agent can cost. It is read in portions. Its operations in flight and the
 * names remembered of it are limited, and what is dropped is counted. Its records have no effect on
 * what is reported of other processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/agent_layout.h"
#include "user/agent/agent_set.h"
#include "user/merge/gpu_operations.h"
#include "user/merge/reorder_buffer.h"
#include "user/merge/task_names.h"

#define SLOTS	  (8 * AGENT_DRAIN_MAX)
#define META_SIZE (1u << 20)
#define RING_OFF  (RT_AGENT_META + META_SIZE)
#define SIZE	  (RING_OFF + (size_t)SLOTS * sizeof(struct rt_agent_rec))

#define GPU  1 /* its id */
#define SEC  1000000000ULL
#define TICK 10 /* ns */
#define MANY (1u << 20)

struct memory {
	int fd;
	char *base;
	struct rt_agent_state *state;
	struct rt_agent_rec *ring;
	struct strings *strings; /* of the reader */
};

static void make_memory(struct memory *m)
{
	m->fd = memfd_create(RT_AGENT_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_true(m->fd >= 0);
	assert_int_equal(ftruncate(m->fd, SIZE), 0);
	assert_int_equal(fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	m->base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	assert_true(m->base != MAP_FAILED);
	m->state = (void *)(m->base + RT_AGENT_STATE);
	m->ring = (void *)(m->base + RING_OFF);
	*(struct rt_agent_header *)m->base = (struct rt_agent_header){
		.magic = RT_AGENT_MAGIC,
		.version = RT_AGENT_VERSION,
		.layout = agent_layout__number(),
		.meta_off = RT_AGENT_META,
		.meta_size = META_SIZE,
		.ring_off = RING_OFF,
		.ring_slots = SLOTS,
		.slot_size = sizeof(struct rt_agent_rec),
	};
}

static void free_memory(struct memory *m)
{
	munmap(m->base, SIZE);
	close(m->fd);
}

static struct agent_view *claimed_view(pid_t pid, struct memory *m, struct strings *strings)
{
	struct agent_view *v = agent_memory__from_fd(pid, m->fd, strings);

	assert_non_null(v);
	assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), 0);
	return v;
}

static struct agent_view *make_view(struct memory *m)
{
	make_memory(m);
	m->strings = string_pool__new();
	return claimed_view(getpid(), m, m->strings);
}

static void free_view(struct memory *m, struct agent_view *v)
{
	agent_memory__free(v);
	string_pool__free(m->strings);
	free_memory(m);
}

static void put_meta(struct memory *m, const void *rec, uint32_t size)
{
	memcpy(m->base + RT_AGENT_META + m->state->meta_tail, rec, size);
	m->state->meta_tail += size;
}

static void put_device(struct memory *m, uint32_t id)
{
	struct rt_meta_agent gpu = {
		.h = {RT_META_AGENT, sizeof(gpu)}, .id = id, .is_gpu = 1, .name = "gfx906"};

	put_meta(m, &gpu, sizeof(gpu));
}

static void put(struct memory *m, struct rt_agent_rec rec)
{
	uint64_t pos = m->state->head++;

	m->ring[pos % SLOTS] = rec;
	m->ring[pos % SLOTS].seq = pos + 1;
}

static void put_clock(struct memory *m, uint64_t boot)
{
	struct rt_agent_rec rec = {.kind = RT_AGENT_CLOCK, .time = boot};

	rec.clock.agent = GPU;
	rec.clock.ticks = boot / TICK;
	put(m, rec);
}

/* ---- the ring, in portions ---- */

struct seen {
	size_t count;
	uint64_t last_op;
	unsigned int gone;
};

static void see(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct seen *s = arg;

	s->count++;
	s->last_op = rec->op;
	agent_memory__done_with(v);
}

static void hold(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	((struct seen *)arg)->count++;
}

static void see_gone(struct agent_view *v, void *arg)
{
	((struct seen *)arg)->gone++;
}

static void placed(pid_t pid, uint64_t address, void *arg)
{
}

static void see_pause(struct agent_view *v, uint64_t begin, uint64_t end, void *arg)
{
}

static struct agents *make_agents(struct memory *m, struct seen *seen)
{
	const struct agents_callbacks callbacks = {.record = see,
						   .gone = see_gone,
						   .placed = placed,
						   .paused = see_pause,
						   .arg = seen};
	struct agents *a;

	make_memory(m);
	m->strings = string_pool__new();
	a = agent_set__new(m->strings, &callbacks, true);
	agent_set__begin(a, 1);
	return a;
}

static void free_agents(struct memory *m, struct agents *a)
{
	agent_set__free(a);
	string_pool__free(m->strings);
	free_memory(m);
}

static void fill_ring(struct memory *m, size_t count)
{
	for (size_t i = 1; i <= count; i++)
		put(m, (struct rt_agent_rec){.kind = RT_AGENT_DISPATCH, .op = i});
}

static void a_full_ring_is_read_in_portions(void **state)
{
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	fill_ring(&m, SLOTS);
	assert_false(agent_memory__drain(v, false, see, &s));
	assert_int_equal(s.count, AGENT_DRAIN_MAX);
	while (!agent_memory__drain(v, false, see, &s))
		;
	assert_int_equal(s.count, SLOTS);
	assert_int_equal(s.last_op, SLOTS);
	assert_int_equal(agent_memory__bad(v), 0);
	free_view(&m, v);
}

/* What is not taken stays in the ring, where the agent counts what it has no room for. */
static void records_that_are_not_done_with_stop_the_reading(void **state)
{
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	for (unsigned int i = 0; i < AGENT_WAITING_MAX / SLOTS; i++) {
		fill_ring(&m, SLOTS);
		for (unsigned int n = 0; n < SLOTS / AGENT_DRAIN_MAX; n++)
			agent_memory__drain(v, false, hold, &s);
	}
	assert_int_equal(s.count, AGENT_WAITING_MAX);
	fill_ring(&m, 10);
	assert_false(agent_memory__drain(v, false, hold, &s));
	assert_int_equal(s.count, AGENT_WAITING_MAX);
	agent_memory__done_with(v);
	assert_false(agent_memory__drain(v, false, hold, &s));
	assert_int_equal(s.count, AGENT_WAITING_MAX + 1);
	free_view(&m, v);
}

/* Pages that nobody wrote would be made for us to look at. */
static void a_dead_process_with_nothing_in_its_ring_is_not_looked_through(void **state)
{
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	m.state->head = SLOTS;
	for (int rounds = 0; !agent_memory__drain(v, true, see, &s); rounds++)
		assert_true(rounds < SLOTS / AGENT_DRAIN_MAX);
	assert_int_equal(s.count, 0);
	/* At most 65536 threads may have been writing records of operations. */
	assert_int_equal(agent_memory__bad(v), SLOTS - 65536);
	free_view(&m, v);
}

static void a_dead_process_does_not_add_to_its_ring(void **state)
{
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	fill_ring(&m, AGENT_DRAIN_MAX + 1);
	assert_false(agent_memory__drain(v, true, see, &s));
	fill_ring(&m, 100);
	assert_true(agent_memory__drain(v, true, see, &s));
	assert_int_equal(s.count, AGENT_DRAIN_MAX + 1);
	free_view(&m, v);
}

static void what_is_given_up_is_counted_and_told_as_gone(void **state)
{
	struct seen s = {};
	struct memory m;
	struct agents *a = make_agents(&m, &s);

	agent_set__created(a, getpid(), m.fd, 100);
	fill_ring(&m, 3 * AGENT_DRAIN_MAX);
	agent_set__drain(a);
	agent_set__exec(a, getpid(), 150);
	agent_set__drain(a); /* the kernel may have more to say of it */
	agent_set__drain(a);
	assert_int_equal(s.count, 2 * AGENT_DRAIN_MAX);
	assert_int_equal(s.gone, 0);
	agent_set__give_up(a);
	assert_int_equal(s.count, 2 * AGENT_DRAIN_MAX);
	assert_int_equal(s.gone, 1);
	free_agents(&m, a);
}

/* The tracer waits for an agent that never completes its records, but not for ever. */
static void who_is_always_behind_is_waited_for_no_more(void **state)
{
	struct seen s = {};
	struct memory m;
	struct agents *a = make_agents(&m, &s);
	bool complete = false;

	agent_set__created(a, getpid(), m.fd, 100);
	m.state->head = 1; /* and never filled in */
	assert_false(agent_set__drain(a));
	for (int i = 0; i < 120000 && !complete; i++) {
		usleep(1000);
		complete = agent_set__drain(a);
	}
	assert_true(complete);
	assert_int_equal(s.count, 0);
	put(&m, (struct rt_agent_rec){.kind = RT_AGENT_DISPATCH});
	m.ring[0] = (struct rt_agent_rec){.seq = 1, .kind = RT_AGENT_DISPATCH};
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 2);
	free_agents(&m, a);
}

/* As a child has that was forked, until it looks after that. */
static void memory_of_another_process_is_not_read_twice(void **state)
{
	struct seen s = {};
	struct memory m;
	struct agents *a = make_agents(&m, &s);
	pid_t child;

	child = fork();
	if (!child)
		pause();
	agent_set__created(a, getpid(), m.fd, 100);
	agent_set__drain(a);
	agent_set__created(a, child, m.fd, 100);
	agent_set__drain(a);
	agent_set__look(a, child);
	assert_true(agent_set__reads(a, getpid()));
	assert_false(agent_set__reads(a, child));
	fill_ring(&m, 10);
	agent_set__drain(a);
	assert_int_equal(s.count, 10);
	assert_int_equal(agent_set__missed(a), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	free_agents(&m, a);
}

static void a_process_has_no_more_than_a_thousand_agents(void **state)
{
	struct seen s = {};
	struct memory m;
	struct agents *a = make_agents(&m, &s);

	for (int i = 0; i < 1010; i++) {
		free_memory(&m);
		make_memory(&m);
		agent_set__created(a, getpid(), m.fd, 100 + i);
		agent_set__drain(a);
	}
	agent_set__drain(a);
	assert_int_equal(s.gone, 1000);
	assert_int_equal(agent_set__missed(a), 10);
	free_agents(&m, a);
}

/* ---- names ---- */

static void ids_beyond_all_that_an_agent_gives_are_dropped_and_counted(void **state)
{
	const uint32_t ids[] = {0, 257, 1u << 31, UINT32_MAX};
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	for (int i = 0; i < 4; i++)
		put_device(&m, ids[i]);
	put_device(&m, 256);
	agent_memory__drain(v, false, see, &s);
	for (int i = 0; i < 4; i++)
		assert_null(agent_memory__device(v, ids[i]));
	assert_non_null(agent_memory__device(v, 256));
	assert_int_equal(agent_memory__lost_names(v), 4);
	free_view(&m, v);
}

static void pairs_of_clocks_from_the_future_are_not_believed(void **state)
{
	uint64_t now = clock__boot_ns();
	struct memory m;
	struct agent_view *v = make_view(&m);
	struct seen s = {};

	put_device(&m, GPU);
	put_clock(&m, now + 3600 * SEC);
	put_clock(&m, now);
	agent_memory__drain(v, false, see, &s);
	assert_int_equal(agent_memory__clock(v, GPU)->count, 1);
	assert_int_equal(agent_memory__bad(v), 1);
	free_view(&m, v);
}

/* ---- operations of two processes ---- */

struct fixture {
	struct trace trace;
	struct selection selection;
	struct operations *operations;
	struct memory memory[2];
	struct agent_view *view[2];
	pid_t other; /* a process for the second view */
	uint64_t now;
};

static struct event told[16]; /* the last */
static size_t told_count;

static void tell(struct sink *sink, const struct event *ev)
{
	told[told_count++ % 16] = *ev;
}

static struct sink *open_sink(const struct sink_target *to, const struct trace_origin *origin);

static int close_sink(struct sink *sink, const struct trace_stats *stats)
{
	free(sink);
	return 0;
}

static const struct sink_ops sink_seen = {
	.name = "seen",
	.open = open_sink,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = sink__ignore_device,
	.event = tell,
	.close = close_sink,
};

static struct sink *open_sink(const struct sink_target *to, const struct trace_origin *origin)
{
	struct sink *sink = calloc(1, sizeof(*sink));

	sink->ops = &sink_seen;
	return sink;
}

static void to_operations(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct fixture *f = arg;

	gpu_operations__record(f->operations, v, rec);
	agent_memory__done_with(v);
}

static void drain(struct fixture *f)
{
	for (int i = 0; i < 2; i++)
		while (!agent_memory__drain(f->view[i], false, to_operations, f))
			;
	gpu_operations__time(f->operations);
}

static int set_up(void **state)
{
	static struct output_names names;
	struct fixture *f = calloc(1, sizeof(*f));
	struct trace *t = &f->trace;

	selection__all(&f->selection);
	f->selection.domains = 1u << DOMAIN_GPU; /* no call is waited for */
	t->selection = &f->selection;
	t->strings = string_pool__new();
	t->tasks = processes__new();
	names = task_names__of(t->tasks);
	t->out = output_set__new(&names, NULL);
	t->end = UINT64_MAX;
	output_set__add(t->out, &sink_seen, NULL, NULL);
	f->operations = gpu_operations__new(t);
	f->other = fork();
	if (!f->other)
		pause();
	f->now = clock__boot_ns();
	for (int i = 0; i < 2; i++) {
		make_memory(&f->memory[i]);
		f->view[i] = claimed_view(i ? f->other : getpid(), &f->memory[i], t->strings);
		put_device(&f->memory[i], GPU);
		put_clock(&f->memory[i], f->now - SEC);
		put_clock(&f->memory[i], f->now - SEC / 2);
	}
	told_count = 0;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	gpu_operations__finish(f->operations);
	gpu_operations__free(f->operations);
	for (int i = 0; i < 2; i++) {
		agent_memory__free(f->view[i]);
		free_memory(&f->memory[i]);
	}
	output_set__close(f->trace.out, &f->trace.stats);
	processes__free(f->trace.tasks);
	string_pool__free(f->trace.strings);
	kill(f->other, SIGKILL);
	waitpid(f->other, NULL, 0);
	free(f);
	return 0;
}

static void submit(struct fixture *f, int i, uint64_t op, uint64_t time)
{
	struct rt_agent_rec rec = {.kind = RT_AGENT_DISPATCH, .op = op, .time = time};

	rec.dispatch.agent = GPU;
	put(&f->memory[i], rec);
}

static void end(struct fixture *f, int i, uint64_t op, uint64_t begin, uint64_t end)
{
	struct rt_agent_rec rec = {
		.kind = RT_AGENT_DONE, .flags = RT_AGENT_F_TICKS, .op = op, .time = f->now};

	rec.done.agent = GPU;
	rec.done.gpu_begin = begin;
	rec.done.gpu_end = end;
	put(&f->memory[i], rec);
}

static void an_end_far_ahead_does_not_hold_up_other_processes(void **state)
{
	struct fixture *f = *state;
	uint64_t at = f->now - SEC + TICK - f->now % TICK;

	submit(f, 0, 1, at);
	end(f, 0, 1, at / TICK, 1ull << 60);
	submit(f, 1, 1, at);
	end(f, 1, 1, at / TICK + 100, at / TICK + 300);
	drain(f);
	assert_int_equal(told_count, 1);
	assert_int_equal(told[0].pid, f->other);
	assert_int_equal(told[0].flags & EV_F_NO_TIMES, 0);
	assert_in_range(told[0].end, at + 3000 - 20, at + 3000 + 20);
}

static void times_that_cannot_be_are_not_told(void **state)
{
	struct fixture *f = *state;
	uint64_t at = f->now - SEC;
	const struct {
		uint64_t begin, end;
		bool told;
	} cases[] = {
		{at / TICK + 100, at / TICK + 200, true},
		{at / TICK - 3 * SEC / TICK, at / TICK + 200, false}, /* before its submission */
		{1, 2, false},
		{1, at / TICK, false},
		{at / TICK + 100, UINT64_MAX, false},
		{at / TICK + 100, at / TICK + 5 * SEC / TICK, false}, /* not yet */
	};
	uint64_t count = sizeof(cases) / sizeof(cases[0]);

	for (uint64_t i = 0; i < count; i++) {
		submit(f, 0, i + 1, at);
		end(f, 0, i + 1, cases[i].begin, cases[i].end);
	}
	drain(f);
	gpu_operations__agent_gone(f->operations, f->view[0]);
	assert_int_equal(told_count, count);
	for (uint64_t i = 0; i < count; i++) {
		const struct event *ev = &told[i];

		assert_int_equal(!(ev->flags & EV_F_NO_TIMES), cases[ev->gpu.op - 1].told);
		if (!cases[ev->gpu.op - 1].told)
			assert_true(ev->begin == at && ev->end == at);
	}
	assert_int_equal(f->trace.stats.lost_other, count - 1);
}

static void what_was_submitted_long_before_the_trace_is_not_believed(void **state)
{
	struct fixture *f = *state;

	submit(f, 0, 1, 1);
	submit(f, 0, 2, f->now);
	drain(f);
	gpu_operations__finish(f->operations);
	assert_int_equal(told_count, 1);
	assert_int_equal(told[0].gpu.op, 2);
	assert_int_equal(f->trace.stats.lost_other, 1);
}

static void operations_without_end_are_limited_and_the_others_not(void **state)
{
	struct fixture *f = *state;
	uint64_t op = 0;

	while (op < MANY + 1000) {
		for (int i = 0; i < AGENT_DRAIN_MAX && op < MANY + 1000; i++)
			submit(f, 0, ++op, f->now);
		drain(f);
	}
	assert_int_equal(gpu_operations__running(f->operations), MANY);
	assert_int_equal(f->trace.stats.lost_dispatches, 1000);
	assert_int_equal(f->trace.stats.lost_gpu, 1000);
	end(f, 0, op, 1, 2); /* of one that was dropped */
	submit(f, 1, 1, f->now);
	drain(f);
	assert_int_equal(gpu_operations__running(f->operations), MANY + 1);
	assert_int_equal(f->trace.stats.lost_other, 0);
	gpu_operations__agent_gone(f->operations, f->view[0]);
	assert_int_equal(gpu_operations__running(f->operations), 1);
	assert_int_equal(told_count, MANY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_ring_is_read_in_portions),
		cmocka_unit_test(records_that_are_not_done_with_stop_the_reading),
		cmocka_unit_test(a_dead_process_with_nothing_in_its_ring_is_not_looked_through),
		cmocka_unit_test(a_dead_process_does_not_add_to_its_ring),
		cmocka_unit_test(what_is_given_up_is_counted_and_told_as_gone),
		cmocka_unit_test(who_is_always_behind_is_waited_for_no_more),
		cmocka_unit_test(a_process_has_no_more_than_a_thousand_agents),
		cmocka_unit_test(memory_of_another_process_is_not_read_twice),
		cmocka_unit_test(ids_beyond_all_that_an_agent_gives_are_dropped_and_counted),
		cmocka_unit_test(pairs_of_clocks_from_the_future_are_not_believed),
		cmocka_unit_test_setup_teardown(an_end_far_ahead_does_not_hold_up_other_processes,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(times_that_cannot_be_are_not_told, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_submitted_long_before_the_trace_is_not_believed, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			operations_without_end_are_limited_and_the_others_not, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("limits of an agent", tests, NULL, NULL);
}
