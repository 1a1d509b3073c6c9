// SPDX-License-Identifier: MIT
/*
 * Tests the agent's shared memory: its producing end against a consumer that does as
 * abi/agent_ring.h says.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hsa_agent/ring/shared_memory.h"

#define SLOTS	   64u
#define THREADS	   4
#define PER_THREAD 50000u

static int set_up(void **state)
{
	static struct shm shm;

	memset(&shm, 0, sizeof(shm));
	*state = &shm;
	return shared_memory__create(&shm, SLOTS, 1, 2);
}

static int tear_down(void **state)
{
	shared_memory__destroy(*state);
	return 0;
}

/* Takes the next record if it is complete. */
static bool take(struct shm *shm, struct rt_agent_rec *out)
{
	uint64_t tail = shm->control->tail;
	const struct rt_agent_rec *slot = &shm->ring[tail % shm->slots];

	if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != tail + 1)
		return false;
	*out = *slot;
	__atomic_store_n(&shm->control->tail, tail + 1, __ATOMIC_RELEASE);
	return true;
}

static bool put(struct shm *shm, uint32_t tid, uint64_t op)
{
	uint64_t pos;
	struct rt_agent_rec *rec = shared_memory__claim(shm, RT_AGENT_DISPATCH, &pos);

	if (!rec)
		return false;
	rec->tid = tid;
	rec->op = op;
	rec->dispatch.kernel_object = op * 3;
	shared_memory__publish(rec, pos);
	return true;
}

/* A field of the mapping that has this address, from /proc/self/smaps. */
static void read_field(const void *address, const char *field, char *value, size_t size)
{
	unsigned long begin, end;
	bool inside = false;
	char line[512];
	FILE *file = fopen("/proc/self/smaps", "re");

	assert_non_null(file);
	*value = '\0';
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			inside = begin <= (uintptr_t)address && (uintptr_t)address < end;
		if (inside && !strncmp(line, field, strlen(field)))
			snprintf(value, size, "%s", line + strlen(field));
	}
	fclose(file);
	assert_true(*value);
}

static void test_locked_process(void **state)
{
	struct shm shm = {0};
	char value[128];

	assert_int_equal(mlockall(MCL_FUTURE), 0);
	assert_int_equal(shared_memory__create(&shm, 1u << 17, 1, 2), 0);
	assert_true(put(&shm, 1, 1));
	munlockall();
	read_field(shm.base, "VmFlags:", value, sizeof(value));
	assert_null(strstr(value, " lo"));
	assert_non_null(strstr(value, " dd"));
	assert_non_null(strstr(value, " wr"));
	read_field(shm.base, "Rss:", value, sizeof(value));
	assert_true(strtoul(value, NULL, 10) < 1024);
	shared_memory__destroy(&shm);
}

static void test_header(void **state)
{
	struct shm *shm = *state;
	const struct rt_agent_header *h = shm->base;

	assert_int_equal(h->magic, 0);
	shared_memory__announce(shm);
	assert_int_equal(h->magic, RT_AGENT_MAGIC);
	assert_int_equal(h->version, RT_AGENT_VERSION);
	assert_int_equal(h->pid, getpid());
	assert_int_equal(h->ring_slots, SLOTS);
	assert_int_equal(h->slot_size, sizeof(struct rt_agent_rec));
	assert_int_equal(h->meta_off, RT_AGENT_META);
	assert_int_equal(h->ring_off, RT_AGENT_META + h->meta_size);
	assert_true(h->ring_off + SLOTS * sizeof(struct rt_agent_rec) <= h->spans_off);
	assert_int_equal(h->spans_off + RT_SPANS_SIZE, shm->size);
}

/* Memory that is too small for spans is better than none. */
static void test_limited(void **state)
{
	const rlim_t sizes[] = {RLIM_INFINITY, 100 << 20, 1 << 20};
	struct shm shm = {0};
	int status;

	for (int i = 0; i < 3; i++) {
		if (!fork()) {
			struct rlimit limit = {sizes[i], sizes[i]};
			int err = setrlimit(RLIMIT_FSIZE, &limit) ||
				  shared_memory__create(&shm, SLOTS, 1, 2);

			_exit(err ? 2 : !shm.header->spans_off);
		}
		wait(&status);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), i);
	}
}

/* A tracer finds the memory by name, and nobody can change its size. */
static void test_sealed(void **state)
{
	const struct shm *shm = *state;
	char want[32], line[256], path[64], range[40] = "";
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd;

	snprintf(want, sizeof(want), "%lx-", (unsigned long)shm->base);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (!strncmp(line, want, strlen(want)) && strstr(line, "/memfd:" RT_AGENT_MEMFD))
			sscanf(line, "%39s", range);
	fclose(maps);
	assert_string_not_equal(range, "");
	snprintf(path, sizeof(path), "/proc/self/map_files/%s", range);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		print_message("%s: %s\n", path, strerror(errno));
		skip();
	}
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	assert_int_not_equal(ftruncate(fd, 4096), 0);
	close(fd);
}

static void test_in_order(void **state)
{
	struct shm *shm = *state;
	struct rt_agent_rec rec;

	for (uint64_t i = 1; i <= 10 * SLOTS; i++) {
		assert_true(put(shm, 7, i));
		assert_true(take(shm, &rec));
		assert_int_equal(rec.kind, RT_AGENT_DISPATCH);
		assert_int_equal(rec.tid, 7);
		assert_int_equal(rec.op, i);
	}
	assert_false(take(shm, &rec));
	assert_int_equal(shm->state->lost[RT_AGENT_DISPATCH], 0);
}

/* What a record does not set is zero, whatever was in the slot before. */
static void test_cleared(void **state)
{
	struct shm *shm = *state;
	struct rt_agent_rec rec, zero = {0}, *slot;
	uint64_t pos;

	memset(shm->ring, 0xff, sizeof(shm->ring[0]));
	slot = shared_memory__claim(shm, RT_AGENT_DONE, &pos);
	shared_memory__publish(slot, pos);
	assert_true(take(shm, &rec));
	assert_int_equal(rec.kind, RT_AGENT_DONE);
	rec.kind = 0;
	rec.seq = 0;
	assert_memory_equal(&rec, &zero, sizeof(rec));
}

static void test_full(void **state)
{
	struct shm *shm = *state;
	struct rt_agent_rec rec;

	for (uint64_t i = 0; i < SLOTS; i++)
		assert_true(put(shm, 1, i));
	for (int i = 0; i < 5; i++)
		assert_false(put(shm, 1, 1000));
	assert_int_equal(shm->state->lost[RT_AGENT_DISPATCH], 5);
	assert_int_equal(shm->state->head, SLOTS);
	assert_true(take(shm, &rec));
	assert_int_equal(rec.op, 0);
	assert_true(put(shm, 1, SLOTS));
	for (uint64_t i = 1; i <= SLOTS; i++) {
		assert_true(take(shm, &rec));
		assert_int_equal(rec.op, i);
	}
}

/* A tail that makes no sense costs records, nothing else. */
static void test_wrong_tail(void **state)
{
	struct shm *shm = *state;

	shm->control->tail = 12345;
	assert_false(put(shm, 1, 1));
	assert_int_equal(shm->state->lost[RT_AGENT_DISPATCH], 1);
}

struct producer {
	struct shm *shm;
	uint32_t tid;
	uint64_t lost;
};

static void *produce(void *arg)
{
	struct producer *p = arg;

	for (uint64_t i = 1; i <= PER_THREAD; i++)
		if (!put(p->shm, p->tid, i))
			p->lost++;
	return NULL;
}

/* Every record arrives once and whole, each producer's in order; what does not is counted. */
static void test_threads(void **state)
{
	struct shm *shm = *state;
	struct producer producers[THREADS] = {0};
	pthread_t threads[THREADS];
	uint64_t last[THREADS] = {0}, taken = 0, lost = 0;
	struct rt_agent_rec rec;

	for (int i = 0; i < THREADS; i++) {
		producers[i].shm = shm;
		producers[i].tid = i;
		pthread_create(&threads[i], NULL, produce, &producers[i]);
	}
	while (taken + __atomic_load_n(&shm->state->lost[RT_AGENT_DISPATCH], __ATOMIC_RELAXED) <
	       (uint64_t)THREADS * PER_THREAD) {
		if (!take(shm, &rec)) {
			sched_yield();
			continue;
		}
		taken++;
		assert_in_range(rec.tid, 0, THREADS - 1);
		assert_true(rec.op > last[rec.tid]);
		assert_int_equal(rec.dispatch.kernel_object, rec.op * 3);
		last[rec.tid] = rec.op;
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		lost += producers[i].lost;
	}
	assert_int_equal(lost, shm->state->lost[RT_AGENT_DISPATCH]);
	assert_int_equal(shm->state->head, taken);
	assert_false(take(shm, &rec));
}

/*
 * A process that dies between claim and publish leaves a slot that a reader can recognize and skip.
 */
static void test_killed(void **state)
{
	struct shm *shm = *state;
	struct rt_agent_rec rec;
	uint64_t pos;
	pid_t child;

	assert_true(put(shm, 1, 1));
	child = fork();
	if (!child) {
		shared_memory__claim(shm, RT_AGENT_DISPATCH, &pos);
		raise(SIGKILL);
	}
	waitpid(child, NULL, 0);
	assert_true(put(shm, 1, 2));

	assert_true(take(shm, &rec));
	assert_int_equal(rec.op, 1);
	assert_false(take(shm, &rec));
	assert_int_equal(shm->state->head, 3);
	shm->control->tail++;
	assert_true(take(shm, &rec));
	assert_int_equal(rec.op, 2);
	/* The slot is good again a lap later. */
	for (uint64_t i = 3; i < 3 + 2 * SLOTS; i++) {
		assert_true(put(shm, 1, i));
		assert_true(take(shm, &rec));
		assert_int_equal(rec.op, i);
	}
}

/* A forked child that disowns the memory does not reach the parent's any more. */
static void test_disowned(void **state)
{
	struct shm *shm = *state;
	int status;
	pid_t child = fork();

	if (!child) {
		shared_memory__disown(shm);
		/* The child's memory is empty, and so is what it would take for its parent's. */
		_exit(shm->state->head || !put(shm, 1, 1) || shm->state->head != 1);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	assert_int_equal(shm->state->head, 0);
}

static void test_meta(void **state)
{
	struct shm *shm = *state;
	struct rt_meta_clock rec = {.h = {RT_META_CLOCK, sizeof(rec)}};
	const struct rt_meta_clock *log = (const void *)shm->meta;
	uint64_t fit = RT_AGENT_META_LEN / sizeof(rec);

	for (uint64_t i = 0; i < fit; i++) {
		rec.hsa = i;
		assert_non_null(shared_memory__meta(shm, &rec.h));
	}
	assert_int_equal(shm->state->meta_tail, fit * sizeof(rec));
	assert_int_equal(log[fit - 1].hsa, fit - 1);
	rec.h.size = RT_AGENT_META_LEN - fit * sizeof(rec) + 8;
	assert_null(shared_memory__meta(shm, &rec.h));
	assert_int_equal(shm->state->meta_lost, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_header, set_up, tear_down),
		cmocka_unit_test(test_limited),
		cmocka_unit_test(test_locked_process),
		cmocka_unit_test_setup_teardown(test_sealed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_cleared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_wrong_tail, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_killed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_disowned, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_meta, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("agent_ring", tests, NULL, NULL);
}
