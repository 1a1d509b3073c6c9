// SPDX-License-Identifier: MIT
/*
 * Tests what becomes of an agent's records of memory, queues and code: sizes of what is freed, what
 * is in use, and records that make no sense.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/agent_layout.h"
#include "user/agent/agent_memory.h"
#include "user/merge/gpu_resources.h"

#define SLOTS	  16
#define META_SIZE 4096
#define RING_OFF  (RT_AGENT_META + META_SIZE)
#define SIZE	  (RING_OFF + SLOTS * sizeof(struct rt_agent_rec))

#define GPU  1 /* ids of agents */
#define HOST 2

struct fixture {
	struct resources *resources;
	struct agent_view *view;
	struct strings *strings;
	char *base;
	int fd;
};

static void ignore(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
}

static void put_meta(struct fixture *f)
{
	struct {
		struct rt_meta_agent agents[2];
		struct {
			struct rt_meta_code code;
			char uri[8];
		} code, cut;
		struct rt_meta_runtime runtime;
	} log = {
		.agents = {{.h = {RT_META_AGENT, sizeof(struct rt_meta_agent)},
			    .id = GPU,
			    .is_gpu = 1,
			    .cu_count = 60,
			    .bdf = 0x8301,
			    .domain = 0xab,
			    .uuid = "GPU-1234",
			    .kfd_node = 3,
			    .gpu_id = 4711,
			    .hip_index = 2},
			   {.h = {RT_META_AGENT, sizeof(struct rt_meta_agent)}, .id = HOST}},
		.code = {{.h = {RT_META_CODE, sizeof(log.code)}, .id = 7, .uri_len = 6}, "file:/"},
		/* A name that would reach beyond its record. */
		.cut = {{.h = {RT_META_CODE, sizeof(log.code)}, .id = 8, .uri_len = 9}, "file:/"},
		.runtime = {.h = {RT_META_RUNTIME, sizeof(log.runtime)}, .major = 1, .minor = 15},
	};

	memset(log.runtime.build, 'b', sizeof(log.runtime.build)); /* without an end */
	memset(log.agents[0].product, 'p', sizeof(log.agents[0].product));
	memcpy(f->base + RT_AGENT_META, &log, sizeof(log));
	((struct rt_agent_state *)(f->base + RT_AGENT_STATE))->meta_tail = sizeof(log);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct rt_agent_header *h;

	f->fd = memfd_create(RT_AGENT_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (f->fd < 0 || ftruncate(f->fd, SIZE) || fcntl(f->fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -1;
	f->base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	h = (void *)f->base;
	*h = (struct rt_agent_header){
		.magic = RT_AGENT_MAGIC,
		.version = RT_AGENT_VERSION,
		.layout = agent_layout__number(),
		.meta_off = RT_AGENT_META,
		.meta_size = META_SIZE,
		.ring_off = RING_OFF,
		.ring_slots = SLOTS,
		.slot_size = sizeof(struct rt_agent_rec),
	};
	put_meta(f);
	f->strings = string_pool__new();
	f->view = agent_memory__from_fd(getpid(), f->fd, f->strings);
	f->resources = gpu_resources__new();
	if (!f->view || agent_memory__claim(f->view, CLAIM_OF_PROCESS) || !f->resources)
		return -1;
	agent_memory__drain(f->view, false, ignore, NULL);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	gpu_resources__free(f->resources);
	agent_memory__free(f->view);
	string_pool__free(f->strings);
	munmap(f->base, SIZE);
	close(f->fd);
	free(f);
	return 0;
}

static struct rt_agent_rec memory(enum rt_agent_what what, uint64_t begin, uint64_t end,
				  uint64_t address, uint64_t bytes)
{
	return (struct rt_agent_rec){
		.kind = RT_AGENT_MEMORY,
		.time = end,
		.resource = {.what = what,
			     .agent =
				     what == RT_WHAT_FREE || what == RT_WHAT_VMEM_RELEASE ? 0 : GPU,
			     .begin = begin,
			     .address = address,
			     .bytes = bytes},
	};
}

static struct event fill(struct fixture *f, struct rt_agent_rec rec)
{
	struct event ev = {0};

	assert_true(gpu_resources__fill(f->resources, f->view, &rec, &ev));
	return ev;
}

#define ALLOC(begin, end, address, bytes) fill(f, memory(RT_WHAT_ALLOC, begin, end, address, bytes))
#define FREE(begin, end, address)	  fill(f, memory(RT_WHAT_FREE, begin, end, address, 0))

#define assert_freed(ev, size, rest)                            \
	do {                                                    \
		const struct event e_ = ev;                     \
		assert_int_equal(e_.gpu.device, 0);             \
		assert_true(e_.gpu.resource.bytes_known);       \
		assert_int_equal(e_.gpu.resource.bytes, size);  \
		assert_int_equal(e_.gpu.resource.in_use, rest); \
	} while (0)

static void what_is_freed_has_the_size_that_was_allocated(void **state)
{
	struct fixture *f = *state;
	struct event ev = ALLOC(10, 20, 0x1000, 100);

	assert_int_equal(ev.kind, EV_MEMORY);
	assert_string_equal(ev.name, "alloc");
	assert_int_equal(ev.begin, 10);
	assert_int_equal(ev.end, 20);
	assert_int_equal(ev.gpu.device, 0);
	assert_int_equal(ev.gpu.resource.in_use, 100);
	assert_int_equal(ALLOC(30, 40, 0x2000, 50).gpu.resource.in_use, 150);
	assert_freed(FREE(50, 60, 0x1000), 100, 50);
	assert_freed(FREE(70, 80, 0x2000), 50, 0);
}

static void what_was_not_seen_to_be_allocated_has_no_size(void **state)
{
	struct fixture *f = *state;
	struct event ev;

	ALLOC(1, 2, 0x1000, 100);
	FREE(3, 4, 0x1000);
	for (int i = 0; i < 2; i++) {
		ev = FREE(5, 6, 0x1000);
		assert_int_equal(ev.gpu.device, DEVICE_UNKNOWN);
		assert_false(ev.gpu.resource.bytes_known);
		assert_false(ev.gpu.resource.in_use_known);
	}
}

/* Another thread is given the address before the call that frees it has returned. */
static void an_address_may_be_allocated_before_it_is_told_to_be_free(void **state)
{
	struct fixture *f = *state;

	ALLOC(10, 20, 0x1000, 100);
	assert_int_equal(ALLOC(32, 38, 0x1000, 30).gpu.resource.in_use, 130);
	assert_freed(FREE(30, 40, 0x1000), 100, 30); /* began before the second was there */
	assert_freed(FREE(50, 60, 0x1000), 30, 0);
	assert_false(FREE(70, 80, 0x1000).gpu.resource.bytes_known);
}

/* The thread that frees first is held up until others have freed too. */
static void frees_may_be_told_in_another_order(void **state)
{
	struct fixture *f = *state;

	ALLOC(10, 20, 0x1000, 100);
	ALLOC(32, 38, 0x1000, 30);
	assert_freed(FREE(40, 42, 0x1000), 30, 100);
	assert_int_equal(ALLOC(44, 46, 0x1000, 7).gpu.resource.in_use, 107);
	assert_freed(FREE(30, 50, 0x1000), 100, 7);
	assert_freed(FREE(52, 54, 0x1000), 7, 0);
}

/*
 * The record of a free was lost: another's size is not reported in its place, and the allocation is
 * not counted for ever.
 */
static void a_lost_free_is_made_up_for(void **state)
{
	const uint64_t later = 5000000000;
	struct fixture *f = *state;

	ALLOC(10, 20, 0x1000, 100);
	ALLOC(30, 40, 0x1000, 30);
	assert_freed(FREE(50, 60, 0x1000), 30, 100);
	assert_false(FREE(70, 80, 0x1000).gpu.resource.bytes_known);
	assert_int_equal(ALLOC(later, later + 1, 0x1000, 5).gpu.resource.in_use, 5);
	for (int i = 2; i < 100; i++)
		ALLOC(later + i, later + i, 0x1000, 1);
	/* Of those that nobody frees the last few are remembered. */
	assert_freed(FREE(2 * later, 2 * later, 0x1000), 1, 3);
}

static void virtual_memory_counts_by_its_handle(void **state)
{
	struct fixture *f = *state;
	struct event ev;

	ALLOC(1, 2, 0x1000, 100);
	ev = fill(f, memory(RT_WHAT_VMEM_CREATE, 3, 4, 0x1000, 64)); /* the same number */
	assert_int_equal(ev.gpu.resource.in_use, 164);
	ev = fill(f, memory(RT_WHAT_VMEM_MAP, 5, 6, 0x9000, 64));
	assert_false(ev.gpu.resource.in_use_known);
	assert_freed(fill(f, memory(RT_WHAT_VMEM_RELEASE, 7, 8, 0x1000, 0)), 64, 100);
	assert_freed(FREE(9, 10, 0x1000), 100, 0);
}

static void sums_do_not_wrap(void **state)
{
	struct fixture *f = *state;

	ALLOC(1, 2, 0x1000, UINT64_MAX);
	assert_int_equal(ALLOC(3, 4, 0x2000, 10).gpu.resource.in_use, UINT64_MAX);
	FREE(5, 6, 0x1000);
	assert_int_equal(FREE(7, 8, 0x2000).gpu.resource.in_use, 0);
}

static void times_that_make_no_sense_are_mended(void **state)
{
	struct fixture *f = *state;
	struct event ev = ALLOC(UINT64_MAX, 20, 0x1000, 1);

	assert_int_equal(ev.begin, 20);
	assert_int_equal(ev.end, 20);
}

static void records_that_make_no_sense_are_refused(void **state)
{
	struct fixture *f = *state;

	for (unsigned int kind = 0; kind < 32; kind++) {
		for (uint32_t what = 0; what < 64; what++) {
			struct rt_agent_rec rec = {.kind = kind, .resource.what = what};
			struct event ev = {0};
			bool good = (kind == RT_AGENT_MEMORY && what >= RT_WHAT_ALLOC &&
				     what <= RT_WHAT_VMEM_UNMAP) ||
				    (kind == RT_AGENT_SCRATCH && what >= RT_WHAT_SCRATCH_ALLOC &&
				     what <= RT_WHAT_SCRATCH_RECLAIM) ||
				    (kind == RT_AGENT_QUEUE && (what == RT_WHAT_QUEUE_CREATE ||
								what == RT_WHAT_QUEUE_DESTROY)) ||
				    (kind == RT_AGENT_CODE &&
				     (what == RT_WHAT_CODE_LOAD || what == RT_WHAT_CODE_UNLOAD)) ||
				    (kind == RT_AGENT_RUNTIME &&
				     (what == RT_WHAT_RUNTIME_INIT || what == RT_WHAT_RUNTIME_END));

			assert_int_equal(gpu_resources__fill(f->resources, f->view, &rec, &ev),
					 good);
		}
	}
}

/* A process that never frees: memory of ours is bounded, and it goes on. */
static void allocations_without_end_become_unknown(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 1; i <= (1u << 20) + 10; i++)
		ALLOC(i, i, i * 4096, 1);
	assert_true(FREE(1u << 30, 1u << 30, 4096).gpu.resource.bytes_known);
	assert_false(
		FREE(1u << 30, 1u << 30, ((1u << 20) + 10) * 4096ull).gpu.resource.bytes_known);
}

static void code_objects_and_the_runtime_are_named(void **state)
{
	struct fixture *f = *state;
	struct rt_agent_rec rec = {.kind = RT_AGENT_CODE, .resource = {RT_WHAT_CODE_LOAD, GPU, 7}};
	struct event ev = fill(f, rec);

	assert_string_equal(ev.gpu.resource.text, "file:/");
	rec.resource.id = 8;
	assert_null(fill(f, rec).gpu.resource.text);
	rec.resource.id = 9;
	assert_null(fill(f, rec).gpu.resource.text);
	rec = (struct rt_agent_rec){.kind = RT_AGENT_RUNTIME,
				    .resource.what = RT_WHAT_RUNTIME_INIT};
	assert_string_equal(fill(f, rec).gpu.resource.text,
			    "HSA 1.15, build bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
			    "bbbbbbbbbb");
}

static void devices_are_described(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(
		agent_memory__device(f->view, GPU)->details,
		"60 CUs, PCI 00ab:83:00.1, GPU-1234, node 3, gpu_id 4711, device 2 of the process");
	assert_int_equal(agent_memory__hip_device(f->view, 2), 0);
	assert_int_equal(agent_memory__hip_device(f->view, 0), -1);
	assert_int_equal(agent_memory__device(f->view, HOST)->gpu, -1);
}

/* What one process says of an address is nothing to another. */
static void forgotten_with_its_process(void **state)
{
	struct fixture *f = *state;

	ALLOC(1, 2, 0x1000, 100);
	gpu_resources__forget(f->resources, f->view);
	assert_false(FREE(3, 4, 0x1000).gpu.resource.bytes_known);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_is_freed_has_the_size_that_was_allocated),
		TEST(what_was_not_seen_to_be_allocated_has_no_size),
		TEST(an_address_may_be_allocated_before_it_is_told_to_be_free),
		TEST(frees_may_be_told_in_another_order),
		TEST(a_lost_free_is_made_up_for),
		TEST(virtual_memory_counts_by_its_handle),
		TEST(sums_do_not_wrap),
		TEST(times_that_make_no_sense_are_mended),
		TEST(records_that_make_no_sense_are_refused),
		TEST(allocations_without_end_become_unknown),
		TEST(code_objects_and_the_runtime_are_named),
		TEST(devices_are_described),
		TEST(forgotten_with_its_process),
	};

	return cmocka_run_group_tests_name("resources", tests, NULL, NULL);
}
