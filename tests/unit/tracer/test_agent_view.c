// SPDX-License-Identifier: MIT
/*
 * Tests the tracer's reading of agents' memory: good records come out, all of them from where the
 * trace began, and no content of the memory, however damaged, gets further than a count.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/agent_layout.h"
#include "hsa_agent/ring/meta_name.h"
#include "user/agent/agent_set.h"
#include "user/clock/clock_map.h"

#define SLOTS	  64
#define META_SIZE 262144
#define RING_OFF  (RT_AGENT_META + META_SIZE)
#define SIZE	  (RING_OFF + SLOTS * sizeof(struct rt_agent_rec))
#define SPANS_OFF ((SIZE + 4095) & ~4095ULL)

struct memory {
	int fd;
	char *base;
	struct rt_agent_header *header;
	struct rt_agent_control *control;
	struct rt_agent_state *state;
	struct rt_agent_rec *ring;
	struct strings *strings;
	size_t size;
};

static void seal(struct memory *m)
{
	assert_int_equal(fcntl(m->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
}

static int make_of_size(void **state, size_t size)
{
	struct memory *m = calloc(1, sizeof(*m));

	m->size = size;
	m->fd = memfd_create(RT_AGENT_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (m->fd < 0 || ftruncate(m->fd, size))
		return -1;
	m->base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	m->header = (void *)m->base;
	m->control = (void *)(m->base + RT_AGENT_CONTROL);
	m->state = (void *)(m->base + RT_AGENT_STATE);
	m->ring = (void *)(m->base + RING_OFF);
	m->strings = string_pool__new();
	*m->header = (struct rt_agent_header){
		.magic = RT_AGENT_MAGIC,
		.version = RT_AGENT_VERSION,
		.layout = agent_layout__number(),
		.pid = getpid(),
		.meta_off = RT_AGENT_META,
		.meta_size = META_SIZE,
		.ring_off = RING_OFF,
		.ring_slots = SLOTS,
		.slot_size = sizeof(struct rt_agent_rec),
	};
	*state = m;
	return 0;
}

static int make_unsealed(void **state)
{
	return make_of_size(state, SIZE);
}

static int make(void **state)
{
	if (make_unsealed(state))
		return -1;
	seal(*state);
	return 0;
}

/* With room for calls. */
static int make_with_spans(void **state)
{
	struct memory *m;

	if (make_of_size(state, SPANS_OFF + RT_SPANS_SIZE))
		return -1;
	m = *state;
	m->header->spans_off = SPANS_OFF;
	seal(m);
	return 0;
}

static int destroy(void **state)
{
	struct memory *m = *state;

	munmap(m->base, m->size);
	close(m->fd);
	string_pool__free(m->strings);
	free(m);
	return 0;
}

static struct agent_view *view(struct memory *m)
{
	struct agent_view *v = agent_memory__from_fd(getpid(), m->fd, m->strings);

	if (v)
		assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), 0);
	return v;
}

static void put(struct memory *m, uint64_t op)
{
	uint64_t pos = m->state->head++;
	struct rt_agent_rec *slot = &m->ring[pos % SLOTS];

	memset(slot, 0, sizeof(*slot));
	slot->kind = RT_AGENT_DISPATCH;
	slot->op = op;
	slot->seq = pos + 1;
}

struct seen {
	uint64_t ops[4 * SLOTS];
	size_t count;
	int gone;
	uint64_t address;
};

static void see(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct seen *s = arg;

	assert_true(s->count < 4 * SLOTS);
	s->ops[s->count++] = rec->op;
}

static void records_come_out_in_order_around_the_ring(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};

	assert_non_null(v);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 50; i++)
			put(m, round * 50 + i);
		assert_true(agent_memory__drain(v, false, see, &s));
		assert_int_equal(m->control->tail, (round + 1) * 50);
	}
	assert_int_equal(s.count, 150);
	for (int i = 0; i < 150; i++)
		assert_int_equal(s.ops[i], i);
	assert_int_equal(agent_memory__bad(v), 0);
	agent_memory__free(v);
}

static void an_unfinished_slot_holds_up_the_living_and_is_skipped_for_the_dead(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};

	for (int i = 1; i <= 5; i++)
		put(m, i);
	m->ring[1].seq = 0; /* of a dispatch: it was not submitted */
	m->ring[3].seq = 0;
	m->ring[3].kind = RT_AGENT_MEMORY;
	assert_false(agent_memory__drain(v, false, see, &s));
	assert_int_equal(s.count, 1);
	assert_false(agent_memory__drain(v, false, see, &s));
	assert_int_equal(s.count, 1);
	agent_memory__drain(v, true, see, &s);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.ops[1], 3);
	assert_int_equal(s.ops[2], 5);
	assert_int_equal(agent_memory__bad(v), 1);
	agent_memory__free(v);
}

static void what_was_before_can_be_left_aside(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};

	put(m, 1);
	m->state->lost[RT_AGENT_COPY] = 3;
	assert_int_equal(agent_memory__lost(v), 3);
	agent_memory__skip_recorded(v);
	agent_memory__forget_losses(v);
	put(m, 2);
	m->state->lost[RT_AGENT_COPY] = 5;
	assert_true(agent_memory__drain(v, false, see, &s));
	assert_int_equal(s.count, 1);
	assert_int_equal(s.ops[0], 2);
	assert_int_equal(agent_memory__lost(v), 2);
	agent_memory__free(v);
}

/* ---- the agents of a trace: here there is one, of this process ---- */

static void see_gone(struct agent_view *v, void *arg)
{
	((struct seen *)arg)->gone++;
}

static void placed(pid_t pid, uint64_t address, void *arg)
{
	((struct seen *)arg)->address = address;
}

static void paused(struct agent_view *v, uint64_t begin, uint64_t end, void *arg)
{
}

struct blind {
	int times;
	uint64_t begin, end;
};

static void blinded(pid_t pid, uint64_t begin, uint64_t end, void *arg)
{
	struct blind *b = arg;

	assert_int_equal(pid, getpid());
	b->times++;
	b->begin = begin;
	b->end = end;
}

static struct agents *agents(struct memory *m, struct seen *s)
{
	const struct agents_callbacks callbacks = {
		.record = see, .gone = see_gone, .placed = placed, .paused = paused, .arg = s};

	return agent_set__new(m->strings, &callbacks, true);
}

static void needs_root(void)
{
	if (geteuid()) {
		print_message("needs root, for /proc/PID/map_files\n");
		skip();
	}
}

static void an_agent_that_was_there_is_read_from_now(void **state)
{
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);

	needs_root();
	put(m, 1);
	assert_true(agent_set__look(a, getpid()));
	put(m, 2);
	m->state->active = 1;
	agent_set__begin(a, 1);
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 1);
	assert_int_equal(s.ops[0], 2);
	assert_int_equal(m->control->active, 1);
	agent_set__free(a);
}

/* The process may close the descriptor before the tracer learns of the agent. */
static void an_agent_that_is_new_is_read_from_its_first_record(void **state)
{
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);

	needs_root();
	agent_set__begin(a, 1);
	put(m, 1);
	put(m, 2);
	agent_set__created(a, getpid(), -1, 1);
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 2);
	assert_int_equal(agent_set__missed(a), 0);
	agent_set__free(a);
}

/* When it captures is up to its agent and another tracer: it may be over before it is looked at. */
static void calls_that_another_has_captured_are_told_as_missing(void **state)
{
	struct memory *m = *state;
	struct blind b = {};
	const struct agents_callbacks callbacks = {.blinded = blinded, .arg = &b};
	struct agents *a = agent_set__new(m->strings, &callbacks, false);
	struct rt_spans_state *s = (void *)(m->base + SPANS_OFF + RT_SPANS_STATE);
	uint64_t before = clock__boot_ns();

	needs_root();
	s->since = before - 2;
	s->until = before - 1; /* of the time before the trace */
	agent_set__look(a, getpid());
	agent_set__begin(a, 1);
	agent_set__drain(a);
	assert_int_equal(b.times, 0);
	assert_true(m->control->probing >= before); /* that we are there is said */

	s->since = clock__boot_ns();
	s->until = s->since + 1;
	agent_set__drain(a);
	agent_set__drain(a);
	assert_int_equal(b.times, 1);
	assert_int_equal(b.begin, s->since);
	assert_int_equal(b.end, s->until);

	s->since = clock__boot_ns(); /* and goes on */
	agent_set__drain(a);
	assert_int_equal(b.times, 1);
	agent_set__drain_last(a);
	assert_int_equal(b.times, 2);
	assert_int_equal(b.begin, s->since);
	assert_true(b.end > b.begin && b.end <= clock__boot_ns());

	s->since = 1; /* what the process says is of now at most, and of the trace */
	s->until = UINT64_MAX;
	agent_set__drain(a);
	assert_int_equal(b.times, 3);
	assert_true(b.begin > before && b.end <= clock__boot_ns());
	agent_set__free(a);
}

/* The number of its descriptor may be another file's by then, one that might be sealed some day. */
static void an_agent_whose_descriptor_is_another_file_is_found(void **state)
{
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);
	int other = memfd_create("another", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	needs_root();
	agent_set__begin(a, 1);
	put(m, 1);
	agent_set__created(a, getpid(), other, 1);
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 1);
	agent_set__free(a);
	close(other);
}

static void an_agent_that_is_gone_is_counted(void **state)
{
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	agent_set__begin(a, 1);
	agent_set__created(a, pid, -1, 1);
	assert_int_equal(agent_set__missed(a), 1);
	agent_set__free(a);
}

static void an_exec_ends_what_was_there_before_it(void **state)
{
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);

	agent_set__begin(a, 1);
	agent_set__created(a, getpid(), m->fd, 100);
	agent_set__exec(a, getpid(), 50); /* reported late */
	put(m, 1);
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 1);
	put(m, 2);
	agent_set__exec(a, getpid(), 150);
	agent_set__drain(a); /* the kernel may have more to say of it */
	assert_int_equal(s.gone, 0);
	assert_true(agent_set__drain(a));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.gone, 1);
	agent_set__free(a);
}

/* What the kernel saw when the process was killed comes after the records in the ring. */
static void ends_that_the_kernel_saw_come_last(void **state)
{
	struct rt_rec_ended end = {.h.pid = getpid(), .op = 7, .begin_ticks = 1, .end_ticks = 2};
	struct memory *m = *state;
	struct seen s = {};
	struct agents *a = agents(m, &s);

	m->header->address = 0x7000;
	agent_set__begin(a, 1);
	agent_set__created(a, getpid(), m->fd, 100);
	agent_set__ended(a, &end); /* not ready yet: it cannot be of this one */
	assert_true(agent_set__drain(a));
	assert_int_equal(s.address, 0x7000);
	agent_set__ended(a, &end);
	agent_set__exec(a, getpid(), 150);
	assert_int_equal(s.address, 0);
	end.op = 8;
	agent_set__ended(a, &end);
	put(m, 1);
	agent_set__drain(a);
	agent_set__drain(a);
	assert_int_equal(s.count, 3);
	assert_int_equal(s.ops[0], 1);
	assert_int_equal(s.ops[1], 7);
	assert_int_equal(s.ops[2], 8);
	assert_int_equal(s.gone, 1);
	agent_set__ended(a, &end);
	agent_set__drain(a);
	assert_int_equal(s.count, 3);
	agent_set__free(a);
}

/* ---- names, and headers that are refused ---- */

static size_t put_kernel(struct memory *m, size_t at, uint32_t id, const char *name)
{
	struct rt_meta_kernel *k = (void *)(m->base + RT_AGENT_META + at);

	*k = (struct rt_meta_kernel){.h.kind = RT_META_KERNEL, .id = id, .name_len = strlen(name)};
	memcpy(k->name, name, k->name_len);
	k->h.size = (sizeof(*k) + k->name_len + 7) & ~7u;
	m->state->meta_tail = at + k->h.size;
	return at + k->h.size;
}

static void names_are_read_and_demangled(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};
	size_t at;

	at = put_kernel(m, 0, 1, "plain_kernel");
	put_kernel(m, at, 2, "_Z4vaddPKfS0_Pfi");
	agent_memory__drain(v, false, see, &s);
	assert_string_equal(agent_memory__kernel(v, 1)->name, "plain_kernel");
	assert_string_equal(agent_memory__kernel(v, 2)->name,
			    "vadd(float const*, float const*, float*, int)");
	assert_null(agent_memory__kernel(v, 3));
	agent_memory__free(v);
}

static void long_names_are_whole_or_marked_as_cut(void **state)
{
	static const size_t lengths[] = {8193, RT_META_NAME_MAX, RT_META_NAME_MAX + 1};
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};
	size_t at = 0;

	for (uint32_t i = 0; i < 3; i++) {
		char *name = calloc(1, lengths[i] + 1), *put = calloc(1, RT_META_NAME_MAX + 1);

		memset(name, 'a' + (int)i, lengths[i]);
		rt_meta_put_name(put, name, lengths[i]);
		at = put_kernel(m, at, i + 1, put);
		agent_memory__drain(v, false, see, &s);
		if (lengths[i] > RT_META_NAME_MAX)
			strcpy(name + RT_META_NAME_MAX - 3, "...");
		assert_string_equal(agent_memory__kernel(v, i + 1)->name, name);
		free(name);
		free(put);
	}
	agent_memory__free(v);
}

static void records_that_make_no_sense_end_the_list_of_names(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct seen s = {};
	struct rt_meta_hdr *bad;
	size_t at;

	at = put_kernel(m, 0, 1, "good");
	bad = (void *)(m->base + RT_AGENT_META + at);
	*bad = (struct rt_meta_hdr){.kind = RT_META_KERNEL, .size = 0xfffffff8};
	m->state->meta_tail = UINT64_MAX;
	agent_memory__drain(v, false, see, &s);
	assert_non_null(agent_memory__kernel(v, 1));
	assert_int_equal(agent_memory__bad(v), 1);
	agent_memory__drain(v, false, see, &s);
	assert_int_equal(agent_memory__bad(v), 1);
	agent_memory__free(v);
}

static void a_name_longer_than_its_record_is_not_read(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);
	struct rt_meta_kernel *k = (void *)(m->base + RT_AGENT_META);
	struct seen s = {};

	put_kernel(m, 0, 1, "short");
	k->name_len = 60000;
	agent_memory__drain(v, false, see, &s);
	assert_null(agent_memory__kernel(v, 1));
	agent_memory__free(v);
}

static void memory_that_is_not_what_it_says_is_refused(void **state)
{
	struct memory *m = *state;
	struct rt_agent_header good = *m->header;

#define REFUSED(member, value)                   \
	do {                                     \
		*m->header = good;               \
		m->header->member = (value);     \
		errno = 0;                       \
		assert_null(view(m));            \
		assert_int_equal(errno, EPROTO); \
	} while (0)

	REFUSED(magic, 1);
	REFUSED(version, RT_AGENT_VERSION + 1);
	REFUSED(layout, agent_layout__number() + 1);
	REFUSED(slot_size, 64);
	REFUSED(slot_size, 0);
	REFUSED(ring_slots, 0);
	REFUSED(ring_slots, SLOTS + 1);
	REFUSED(ring_slots, SLOTS * 2);
	REFUSED(ring_slots, 1u << 31);
	REFUSED(ring_off, RING_OFF + 128);
	REFUSED(ring_off, UINT64_MAX - 127);
	REFUSED(ring_off, 0);
	REFUSED(meta_off, 0);
	REFUSED(meta_size, UINT64_MAX);
	REFUSED(spans_off, 4096);
	REFUSED(spans_off, SIZE & ~4095ULL); /* no room for them after that */
	REFUSED(spans_off, UINT64_MAX & ~4095ULL);
	*m->header = good;
	m->header->magic = 0;
	assert_null(view(m));
	assert_int_equal(errno, EAGAIN); /* not ready yet */
}

static void losses_are_told_by_kind_and_without_those_of_before(void **state)
{
	struct memory *m = *state;
	struct agent_view *v;

	m->control->tail = m->state->head = 5; /* there was a tracer before */
	for (int i = 0; i < RT_AGENT_KINDS; i++)
		m->state->lost[i] = 100;
	v = view(m);
	m->state->lost[RT_AGENT_COPY] += 3;
	m->state->lost[RT_AGENT_MEMORY] += 4;
	m->state->meta_lost = 2;
	assert_int_equal(agent_memory__lost(v), 7);
	assert_int_equal(agent_memory__lost_of(v, RT_AGENT_COPY), 3);
	assert_int_equal(agent_memory__lost_of(v, RT_AGENT_MEMORY), 4);
	assert_int_equal(agent_memory__lost_of(v, RT_AGENT_DISPATCH), 0);
	assert_int_equal(agent_memory__lost_of(v, RT_AGENT_KINDS), 0);
	agent_memory__close(v);
	assert_int_equal(agent_memory__lost_of(v, RT_AGENT_COPY), 3);
	assert_int_equal(agent_memory__lost_names(v), 2);
	agent_memory__free(v);
}

/* Else one process makes nonsense of the sum over all. */
static void losses_that_no_agent_can_have_are_not_believed(void **state)
{
	struct memory *m = *state;
	struct agent_view *v;

	m->control->tail = m->state->head = 5; /* there was a tracer before */
	m->state->lost[RT_AGENT_COPY] = 100;
	v = view(m);
	assert_true(agent_memory__is_flawless(v));
	m->state->lost[RT_AGENT_DISPATCH] = 2;
	m->state->lost[RT_AGENT_COPY] = 99;
	m->state->lost[RT_AGENT_MEMORY] = UINT64_MAX;
	m->state->meta_lost = 1ULL << 62;
	assert_int_equal(agent_memory__lost(v), 2);
	assert_int_equal(agent_memory__lost_names(v), 0);
	assert_int_equal(agent_memory__bad(v), 3);
	agent_memory__close(v);
	assert_int_equal(agent_memory__lost(v), 2);
	assert_int_equal(agent_memory__bad(v), 3);
	assert_false(agent_memory__is_flawless(v));
	agent_memory__free(v);
}

/* A file that can be cut would be a SIGBUS in our hands. */
static void memory_that_is_not_sealed_is_not_mapped(void **state)
{
	struct memory *m = *state;

	assert_null(view(m));
	assert_int_equal(errno, EAGAIN);
	seal(m);
	agent_memory__free(view(m));
}

/* All of the memory but the checked header is noise, again and again: only counts may come of it.
 */
static void noise_does_no_harm(void **state)
{
	struct memory *m = *state;
	struct agent_view *v = view(m);

	srand(1);
	for (int round = 0; round < 500; round++) {
		struct seen s = {};

		for (size_t i = 0; i < SIZE; i += 1 + rand() % 64)
			m->base[i] = rand();
		if (round % 2) /* plausible indices reach deeper */
			m->state->head = m->control->tail + rand() % (2 * SLOTS);
		m->state->meta_tail = rand() % (2 * META_SIZE);
		agent_memory__drain(v, round % 3 == 0, see, &s);
		assert_true(s.count <= SLOTS);
		agent_memory__activate(v);
		agent_memory__lost(v);
	}
	agent_memory__free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(long_names_are_whole_or_marked_as_cut, make,
						destroy),
		cmocka_unit_test_setup_teardown(records_come_out_in_order_around_the_ring, make,
						destroy),
		cmocka_unit_test_setup_teardown(
			an_unfinished_slot_holds_up_the_living_and_is_skipped_for_the_dead, make,
			destroy),
		cmocka_unit_test_setup_teardown(what_was_before_can_be_left_aside, make, destroy),
		cmocka_unit_test_setup_teardown(an_agent_that_was_there_is_read_from_now, make,
						destroy),
		cmocka_unit_test_setup_teardown(an_agent_that_is_new_is_read_from_its_first_record,
						make, destroy),
		cmocka_unit_test_setup_teardown(calls_that_another_has_captured_are_told_as_missing,
						make_with_spans, destroy),
		cmocka_unit_test_setup_teardown(an_agent_whose_descriptor_is_another_file_is_found,
						make, destroy),
		cmocka_unit_test_setup_teardown(an_agent_that_is_gone_is_counted, make, destroy),
		cmocka_unit_test_setup_teardown(an_exec_ends_what_was_there_before_it, make,
						destroy),
		cmocka_unit_test_setup_teardown(ends_that_the_kernel_saw_come_last, make, destroy),
		cmocka_unit_test_setup_teardown(names_are_read_and_demangled, make, destroy),
		cmocka_unit_test_setup_teardown(records_that_make_no_sense_end_the_list_of_names,
						make, destroy),
		cmocka_unit_test_setup_teardown(a_name_longer_than_its_record_is_not_read, make,
						destroy),
		cmocka_unit_test_setup_teardown(memory_that_is_not_what_it_says_is_refused, make,
						destroy),
		cmocka_unit_test_setup_teardown(memory_that_is_not_sealed_is_not_mapped,
						make_unsealed, destroy),
		cmocka_unit_test_setup_teardown(noise_does_no_harm, make, destroy),
		cmocka_unit_test_setup_teardown(losses_are_told_by_kind_and_without_those_of_before,
						make, destroy),
		cmocka_unit_test_setup_teardown(losses_that_no_agent_can_have_are_not_believed,
						make, destroy),
	};

	return cmocka_run_group_tests_name("agent view", tests, NULL, NULL);
}
