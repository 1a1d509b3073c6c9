/* SPDX-License-Identifier: MIT */
/*
 * Tests the wrappers of HSA's functions: what a call reports, what the original receives, what the
 * caller gets back, and which entries of the runtime's tables are touched.
 *
 * A few functions are called by hand, all of them by any_call.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "roctracer/hsa_api.h"
#include "tests/unit/inprocess/any_call.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static CoreApiTable core;
static AmdExtTable amd;
static ImageExtTable image;
static HsaApiTable root;

/* What the library received of the last call. */
static struct {
	int enters, exits;
	uint32_t id;
	struct hsa_api_trace enter, exit;
	void *at; /* where the trace was */
	void (*meanwhile)(struct hsa_api_trace *trace);
} told;

void roctracer_hsa_enter(uint32_t id, struct hsa_api_trace *trace)
{
	told.enters++;
	assert_int_equal(told.enters, told.exits + 1);
	told.id = id;
	told.at = trace;
	told.enter = *trace;
	trace->api_data.correlation_id = 77;
	trace->call.phase_data = 88;
}

void roctracer_hsa_exit(uint32_t id, struct hsa_api_trace *trace)
{
	told.exits++;
	assert_int_equal(told.exits, told.enters);
	assert_int_equal(id, told.id);
	assert_ptr_equal(trace, told.at);
	assert_int_equal(trace->api_data.correlation_id, 77);
	assert_int_equal(trace->call.phase_data, 88);
	told.exit = *trace;
	if (told.meanwhile)
		told.meanwhile(trace);
}

/* ---- tables ---- */

/* What all entries are but those that a test is about. */
static void not_to_be_called(void)
{
	fail();
}

static void fill(void *table, size_t size, uint32_t major)
{
	void **entries = (void **)((char *)table + sizeof(ApiTableVersion));

	*(ApiTableVersion *)table = (ApiTableVersion){major, size, 0, 0};
	for (size_t i = 0; i < (size - sizeof(ApiTableVersion)) / sizeof(*entries); i++)
		entries[i] = not_to_be_called;
}

static int fresh(void **state)
{
	fill(&core, sizeof(core), HSA_CORE_API_TABLE_MAJOR_VERSION);
	fill(&amd, sizeof(amd), HSA_AMD_EXT_API_TABLE_MAJOR_VERSION);
	fill(&image, sizeof(image), HSA_IMAGE_API_TABLE_MAJOR_VERSION);
	memset(&root, 0, sizeof(root));
	root.version = (ApiTableVersion){HSA_API_TABLE_MAJOR_VERSION, sizeof(root), 0, 0};
	root.core_ = &core;
	root.amd_ext_ = &amd;
	root.image_ext_ = &image;
	memset(&told, 0, sizeof(told));
	memset(hsa_api_enabled, 0, sizeof(hsa_api_enabled));
	return 0;
}

static size_t entries(size_t table_size)
{
	return (table_size - sizeof(ApiTableVersion)) / sizeof(void *);
}

/* The entry of a function: numbers follow the tables. */
static void **entry(uint32_t id)
{
	size_t first = entries(sizeof(core)), second = first + entries(sizeof(amd));

	if (id < first)
		return (void **)((char *)&core + sizeof(core.version)) + id;
	if (id < second)
		return (void **)((char *)&amd + sizeof(amd.version)) + id - first;
	return (void **)((char *)&image + sizeof(image.version)) + id - second;
}

static void wrap_and_enable(uint32_t id)
{
	assert_true(hsa_api__wrap(&root));
	hsa_api_enabled[id] = 1;
}

static void is_told_once(uint32_t id)
{
	assert_int_equal(told.enters, 1);
	assert_int_equal(told.exits, 1);
	assert_int_equal(told.id, id);
	assert_int_equal(told.enter.api_data.correlation_id, 0);
	assert_int_equal(told.enter.api_data.phase, 0);
	assert_null(told.enter.api_data.phase_data);
	assert_int_equal(told.enter.call.phase_data, 0);
	assert_int_equal(told.enter.call.begin_ns, 0);
	assert_memory_equal(&told.enter.api_data.args, &told.exit.api_data.args,
			    sizeof(told.enter.api_data.args));
}

/* ---- by hand ---- */

static int calls;

static hsa_status_t fake_init(void)
{
	calls++;
	assert_int_equal(told.exits, 0);
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static void init(void **state)
{
	calls = 0;
	core.hsa_init_fn = fake_init;
	wrap_and_enable(HSA_API_ID_hsa_init);
	assert_int_equal(core.hsa_init_fn(), HSA_STATUS_ERROR_OUT_OF_RESOURCES);
	assert_int_equal(calls, 1);
	is_told_once(HSA_API_ID_hsa_init);
	assert_int_equal(told.exit.api_data.hsa_status_t_retval, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
}

static void on_queue_error(hsa_status_t status, hsa_queue_t *queue, void *data)
{
}

static int some, other;

static hsa_status_t fake_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
				      void (*callback)(hsa_status_t, hsa_queue_t *, void *),
				      void *data, uint32_t private_size, uint32_t group_size,
				      hsa_queue_t **queue)
{
	assert_int_equal(agent.handle, 0x1111111122222222);
	assert_int_equal(size, 4096);
	assert_int_equal(type, HSA_QUEUE_TYPE_SINGLE);
	assert_ptr_equal(callback, on_queue_error);
	assert_ptr_equal(data, &some);
	assert_int_equal(private_size, 0xfffffff1);
	assert_int_equal(group_size, 0xfffffff2);
	*queue = (hsa_queue_t *)&other;
	return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
}

static void queue_create(void **state)
{
	__typeof__(told.enter.api_data.args.hsa_queue_create) *args =
		&told.enter.api_data.args.hsa_queue_create;
	hsa_queue_t *queue = NULL;

	core.hsa_queue_create_fn = fake_queue_create;
	wrap_and_enable(HSA_API_ID_hsa_queue_create);
	assert_int_equal(core.hsa_queue_create_fn((hsa_agent_t){0x1111111122222222}, 4096,
						  HSA_QUEUE_TYPE_SINGLE, on_queue_error, &some,
						  0xfffffff1, 0xfffffff2, &queue),
			 HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
	assert_ptr_equal(queue, &other);
	is_told_once(HSA_API_ID_hsa_queue_create);
	assert_int_equal(args->agent.handle, 0x1111111122222222);
	assert_int_equal(args->size, 4096);
	assert_int_equal(args->type, HSA_QUEUE_TYPE_SINGLE);
	assert_ptr_equal(args->callback, on_queue_error);
	assert_ptr_equal(args->data, &some);
	assert_int_equal(args->private_segment_size, 0xfffffff1);
	assert_int_equal(args->group_segment_size, 0xfffffff2);
	assert_ptr_equal(args->queue, &queue);
	assert_int_equal(told.exit.api_data.hsa_status_t_retval,
			 HSA_STATUS_ERROR_INVALID_QUEUE_CREATION);
}

static void fake_store(hsa_signal_t signal, hsa_signal_value_t value)
{
	calls++;
	assert_int_equal(signal.handle, 0x5151);
	assert_int_equal(value, -3);
}

static void signal_store(void **state)
{
	calls = 0;
	core.hsa_signal_store_relaxed_fn = fake_store;
	wrap_and_enable(HSA_API_ID_hsa_signal_store_relaxed);
	core.hsa_signal_store_relaxed_fn((hsa_signal_t){0x5151}, -3);
	assert_int_equal(calls, 1);
	is_told_once(HSA_API_ID_hsa_signal_store_relaxed);
	assert_int_equal(told.enter.api_data.args.hsa_signal_store_relaxed.signal.handle, 0x5151);
	assert_int_equal(told.enter.api_data.args.hsa_signal_store_relaxed.value, -3);
}

static hsa_signal_value_t fake_wait(hsa_signal_t signal, hsa_signal_condition_t condition,
				    hsa_signal_value_t compare, uint64_t timeout,
				    hsa_wait_state_t wait)
{
	assert_int_equal(signal.handle, 0x6161);
	assert_int_equal(condition, HSA_SIGNAL_CONDITION_GTE);
	assert_int_equal(compare, INT64_MIN);
	assert_true(timeout == UINT64_MAX);
	assert_int_equal(wait, HSA_WAIT_STATE_ACTIVE);
	return INT64_MIN + 1;
}

static void signal_wait(void **state)
{
	__typeof__(told.enter.api_data.args.hsa_signal_wait_scacquire) *args =
		&told.enter.api_data.args.hsa_signal_wait_scacquire;

	core.hsa_signal_wait_scacquire_fn = fake_wait;
	wrap_and_enable(HSA_API_ID_hsa_signal_wait_scacquire);
	assert_true(core.hsa_signal_wait_scacquire_fn(
			    (hsa_signal_t){0x6161}, HSA_SIGNAL_CONDITION_GTE, INT64_MIN, UINT64_MAX,
			    HSA_WAIT_STATE_ACTIVE) == INT64_MIN + 1);
	is_told_once(HSA_API_ID_hsa_signal_wait_scacquire);
	assert_int_equal(args->signal.handle, 0x6161);
	assert_int_equal(args->condition, HSA_SIGNAL_CONDITION_GTE);
	assert_true(args->compare_value == INT64_MIN);
	assert_true(args->timeout_hint == UINT64_MAX);
	assert_int_equal(args->wait_state_hint, HSA_WAIT_STATE_ACTIVE);
	assert_true(told.exit.api_data.hsa_signal_value_t_retval == INT64_MIN + 1);
}

static hsa_signal_t deps[2] = {{1}, {2}};

static hsa_status_t fake_copy(void *dst, hsa_agent_t dst_agent, const void *src,
			      hsa_agent_t src_agent, size_t size, uint32_t deps_count,
			      const hsa_signal_t *dep_signals, hsa_signal_t completion)
{
	assert_ptr_equal(dst, &some);
	assert_int_equal(dst_agent.handle, 0xd1);
	assert_ptr_equal(src, &other);
	assert_int_equal(src_agent.handle, 0x51);
	assert_true(size == SIZE_MAX - 1);
	assert_int_equal(deps_count, 2);
	assert_ptr_equal(dep_signals, deps);
	assert_int_equal(completion.handle, 0xc0c0c0c0c0);
	return HSA_STATUS_ERROR_INVALID_AGENT;
}

static void async_copy(void **state)
{
	__typeof__(told.enter.api_data.args.hsa_amd_memory_async_copy) *args =
		&told.enter.api_data.args.hsa_amd_memory_async_copy;

	amd.hsa_amd_memory_async_copy_fn = fake_copy;
	wrap_and_enable(HSA_API_ID_hsa_amd_memory_async_copy);
	assert_int_equal(amd.hsa_amd_memory_async_copy_fn(&some, (hsa_agent_t){0xd1}, &other,
							  (hsa_agent_t){0x51}, SIZE_MAX - 1, 2,
							  deps, (hsa_signal_t){0xc0c0c0c0c0}),
			 HSA_STATUS_ERROR_INVALID_AGENT);
	is_told_once(HSA_API_ID_hsa_amd_memory_async_copy);
	assert_ptr_equal(args->dst, &some);
	assert_int_equal(args->dst_agent.handle, 0xd1);
	assert_ptr_equal(args->src, &other);
	assert_int_equal(args->src_agent.handle, 0x51);
	assert_true(args->size == SIZE_MAX - 1);
	assert_int_equal(args->num_dep_signals, 2);
	assert_ptr_equal(args->dep_signals, deps);
	assert_int_equal(args->completion_signal.handle, 0xc0c0c0c0c0);
}

static hsa_pitched_ptr_t to, from;
static hsa_dim3_t to_offset, from_offset, range = {11, 12, 13};
static const hsa_dim3_t *given_range;

static hsa_status_t fake_rect(const hsa_pitched_ptr_t *dst, const hsa_dim3_t *dst_offset,
			      const hsa_pitched_ptr_t *src, const hsa_dim3_t *src_offset,
			      const hsa_dim3_t *r, hsa_agent_t agent, hsa_amd_copy_direction_t dir,
			      uint32_t deps_count, const hsa_signal_t *dep_signals,
			      hsa_signal_t completion)
{
	assert_ptr_equal(dst, &to);
	assert_ptr_equal(dst_offset, &to_offset);
	assert_ptr_equal(src, &from);
	assert_ptr_equal(src_offset, &from_offset);
	assert_ptr_equal(r, given_range);
	assert_int_equal(agent.handle, 0xa9);
	assert_int_equal(dir, hsaDeviceToHost);
	assert_int_equal(deps_count, 1);
	assert_ptr_equal(dep_signals, deps + 1);
	assert_int_equal(completion.handle, 0xcc);
	return HSA_STATUS_SUCCESS;
}

static void copy_rect(const hsa_dim3_t *r)
{
	__typeof__(told.enter.api_data.args.hsa_amd_memory_async_copy_rect) *args =
		&told.enter.api_data.args.hsa_amd_memory_async_copy_rect;

	given_range = r;
	amd.hsa_amd_memory_async_copy_rect_fn = fake_rect;
	wrap_and_enable(HSA_API_ID_hsa_amd_memory_async_copy_rect);
	assert_int_equal(amd.hsa_amd_memory_async_copy_rect_fn(
				 &to, &to_offset, &from, &from_offset, r, (hsa_agent_t){0xa9},
				 hsaDeviceToHost, 1, deps + 1, (hsa_signal_t){0xcc}),
			 HSA_STATUS_SUCCESS);
	is_told_once(HSA_API_ID_hsa_amd_memory_async_copy_rect);
	assert_ptr_equal(args->dst, &to);
	assert_ptr_equal(args->dst_offset, &to_offset);
	assert_ptr_equal(args->src, &from);
	assert_ptr_equal(args->src_offset, &from_offset);
	assert_ptr_equal(args->range, r);
	assert_int_equal(args->range__val.x, r ? 11 : 0);
	assert_int_equal(args->range__val.y, r ? 12 : 0);
	assert_int_equal(args->range__val.z, r ? 13 : 0);
	assert_int_equal(args->copy_agent.handle, 0xa9);
	assert_int_equal(args->dir, hsaDeviceToHost);
	assert_int_equal(args->num_dep_signals, 1);
	assert_ptr_equal(args->dep_signals, deps + 1);
	assert_int_equal(args->completion_signal.handle, 0xcc);
}

static void async_copy_rect(void **state)
{
	copy_rect(&range);
	fresh(NULL);
	copy_rect(NULL);
}

static hsa_status_t fake_intercept(hsa_queue_t *queue, hsa_amd_queue_intercept_handler handler,
				   void *data)
{
	assert_ptr_equal(queue, &some);
	assert_ptr_equal(handler, not_to_be_called);
	assert_ptr_equal(data, &other);
	return HSA_STATUS_SUCCESS;
}

/* One that is declared for tools alone, beside the tables. */
static void queue_intercept_register(void **state)
{
	__typeof__(told.enter.api_data.args.hsa_amd_queue_intercept_register) *args =
		&told.enter.api_data.args.hsa_amd_queue_intercept_register;
	hsa_amd_queue_intercept_handler handler = (hsa_amd_queue_intercept_handler)not_to_be_called;

	amd.hsa_amd_queue_intercept_register_fn = fake_intercept;
	wrap_and_enable(HSA_API_ID_hsa_amd_queue_intercept_register);
	assert_int_equal(
		amd.hsa_amd_queue_intercept_register_fn((hsa_queue_t *)&some, handler, &other),
		HSA_STATUS_SUCCESS);
	is_told_once(HSA_API_ID_hsa_amd_queue_intercept_register);
	assert_ptr_equal(args->queue, &some);
	assert_ptr_equal(args->callback, handler);
	assert_ptr_equal(args->user_data, &other);
}

/* ---- every function ---- */

static const struct any_value copied = {"range", &range, sizeof(range)};

static void one_function(uint32_t id, const struct api_function *fn)
{
	const struct any_value *value =
		id == HSA_API_ID_hsa_amd_memory_async_copy_rect ? &copied : NULL;
	uint64_t words[ANY_WORDS];

	fresh(NULL);
	any_choose(fn, value, words);
	*entry(id) = any_original;
	memset(hsa_api_enabled, 1, sizeof(hsa_api_enabled));
	hsa_api_enabled[id] = 0;
	assert_true(hsa_api__wrap(&root));
	any_call(*entry(id), fn, words);
	assert_int_equal(told.enters + told.exits, 0);

	memset(hsa_api_enabled, 0, sizeof(hsa_api_enabled));
	hsa_api_enabled[id] = 1;
	any_call(*entry(id), fn, words);
	is_told_once(id);
	any_is_told(fn, value, words, &told.enter.api_data.args);
	/* All members of the union begin where it does. */
	any_returned(fn, &told.exit.api_data.uint64_t_retval);
}

/* Those that are declared beside the tables are not in the tracer's. */
static bool for_tools(const char *name)
{
	return strstr(name, "_intercept_") || strstr(name, "_runtime_queue_create_register");
}

static void every_function(void **state)
{
	size_t skipped = 0;

	for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id++) {
		const char *name = hsa_api__name(id);
		const struct api_function *fn = api__find(name);

		assert_true(fn || for_tools(name));
		if (fn)
			assert_string_equal(fn->name, name);
		if (!fn || id == HSA_API_ID_hsa_shut_down)
			skipped++;
		else
			one_function(id, fn);
	}
	assert_int_equal(skipped, 4);
}

/* ---- when ---- */

static hsa_status_t enables_itself(void)
{
	hsa_api_enabled[HSA_API_ID_hsa_init] = 1;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t disables_itself(void)
{
	hsa_api_enabled[HSA_API_ID_hsa_init] = 0;
	return HSA_STATUS_SUCCESS;
}

static void what_began_ends(void **state)
{
	core.hsa_init_fn = enables_itself;
	assert_true(hsa_api__wrap(&root));
	core.hsa_init_fn();
	assert_int_equal(told.enters + told.exits, 0);
	fresh(NULL);
	core.hsa_init_fn = disables_itself;
	wrap_and_enable(HSA_API_ID_hsa_init);
	core.hsa_init_fn();
	is_told_once(HSA_API_ID_hsa_init);
}

static void fail_instead(struct hsa_api_trace *trace)
{
	trace->api_data.hsa_status_t_retval = HSA_STATUS_ERROR_FATAL;
}

static void the_caller_gets_what_the_exit_left(void **state)
{
	core.hsa_init_fn = disables_itself;
	wrap_and_enable(HSA_API_ID_hsa_init);
	told.meanwhile = fail_instead;
	assert_int_equal(core.hsa_init_fn(), HSA_STATUS_ERROR_FATAL);
}

static void wrapped_twice(void **state)
{
	calls = 0;
	core.hsa_init_fn = fake_init;
	wrap_and_enable(HSA_API_ID_hsa_init);
	assert_true(hsa_api__wrap(&root));
	core.hsa_init_fn();
	assert_int_equal(calls, 1);
	is_told_once(HSA_API_ID_hsa_init);
}

/* ---- which entries ---- */

static void all_but_one_and_nothing_else(void **state)
{
	HsaApiTable before = root;
	ApiTableVersion core_version = core.version, amd_version = amd.version,
			image_version = image.version;

	assert_true(hsa_api__wrap(&root));
	assert_memory_equal(&before, &root, sizeof(root));
	assert_memory_equal(&core_version, &core.version, sizeof(core_version));
	assert_memory_equal(&amd_version, &amd.version, sizeof(amd_version));
	assert_memory_equal(&image_version, &image.version, sizeof(image_version));
	for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id++)
		assert_int_equal(*entry(id) == not_to_be_called, id == HSA_API_ID_hsa_shut_down);
}

static void entries_that_are_null(void **state)
{
	for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id += 2)
		*entry(id) = NULL;
	assert_true(hsa_api__wrap(&root));
	for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id++)
		assert_int_equal(*entry(id) == NULL, id % 2 == 0);
}

/* After the end of a table is whatever the runtime has there. */
static void tables_that_are_shorter(void **state)
{
	const uint32_t last = HSA_API_ID_hsa_queue_create;

	core.version.minor_id = offsetof(CoreApiTable, hsa_queue_create_fn) + sizeof(void *);
	image.version.minor_id = sizeof(image.version);
	assert_true(hsa_api__wrap(&root));
	for (uint32_t id = 0; id < entries(sizeof(core)); id++)
		assert_int_equal(*entry(id) != not_to_be_called,
				 id <= last && id != HSA_API_ID_hsa_shut_down);
	for (uint32_t id = HSA_API_ID_hsa_ext_image_get_capability; id < HSA_API_ID_DISPATCH; id++)
		assert_ptr_equal(*entry(id), not_to_be_called);

	fresh(NULL);
	core.version.minor_id = offsetof(CoreApiTable, hsa_queue_create_fn) + sizeof(void *) - 1;
	assert_true(hsa_api__wrap(&root));
	assert_ptr_equal(*entry(last), not_to_be_called);
	assert_ptr_not_equal(*entry(last - 1), not_to_be_called);
}

static void longer_tables(void **state)
{
	core.version.minor_id += 8;
	image.version.minor_id += 8;
	root.version.minor_id += 8;
	assert_true(hsa_api__wrap(&root));
	assert_ptr_not_equal(*entry(HSA_API_ID_DISPATCH - 1), not_to_be_called);
}

/* Is that table left alone, and are the others not? */
static void only_without(const void *table)
{
	assert_false(hsa_api__wrap(&root));
	assert_int_equal(*entry(0) == not_to_be_called, table == &core || table == &root);
	assert_int_equal(*entry(HSA_API_ID_hsa_amd_coherency_get_type) == not_to_be_called,
			 table == &amd || table == &root);
	assert_int_equal(*entry(HSA_API_ID_DISPATCH - 1) == not_to_be_called,
			 table == &image || table == &root);
	fresh(NULL);
}

static void tables_that_are_not_known(void **state)
{
	root.version.major_id++;
	only_without(&root);
	root.version.minor_id = offsetof(HsaApiTable, image_ext_);
	only_without(&root);
	core.version.major_id++;
	only_without(&core);
	amd.version.major_id++;
	only_without(&amd);
	image.version.major_id++;
	only_without(&image);
	root.image_ext_ = NULL;
	only_without(&image);
}

/* Between ROCm 5.2 and 5.7 another size is another layout; since 6.0 a shorter table is an older
 * one.
 */
static void an_extension_table_of_another_size(void **state)
{
	const uint32_t first = HSA_API_ID_hsa_amd_coherency_get_type;

	amd.version.minor_id -= sizeof(void *);
	assert_int_equal(hsa_api__wrap(&root), HSA_AMD_EXT_API_TABLE_MAJOR_VERSION > 1);
	assert_int_equal(*entry(first) != not_to_be_called,
			 HSA_AMD_EXT_API_TABLE_MAJOR_VERSION > 1);
	assert_ptr_equal(*entry(HSA_API_ID_hsa_ext_image_get_capability - 1), not_to_be_called);
}

/* ---- names and layout ---- */

static void names_and_numbers(void **state)
{
	assert_int_equal(HSA_API_ID_NUMBER, HSA_API_ID_DISPATCH + 1);
	assert_int_equal(HSA_API_ID_DISPATCH,
			 entries(sizeof(core)) + entries(sizeof(amd)) + entries(sizeof(image)));
	for (uint32_t id = 0; id < HSA_API_ID_DISPATCH; id++)
		assert_int_equal(hsa_api__code(hsa_api__name(id)), id);
	assert_string_equal(hsa_api__name(HSA_API_ID_hsa_init), "hsa_init");
	assert_string_equal(hsa_api__name(HSA_API_ID_hsa_ext_image_copy), "hsa_ext_image_copy");
	assert_int_equal(hsa_api__code("hsa_queue_create"), HSA_API_ID_hsa_queue_create);
	assert_ptr_equal(entry(HSA_API_ID_hsa_queue_create), &core.hsa_queue_create_fn);
	assert_ptr_equal(entry(HSA_API_ID_hsa_amd_memory_async_copy),
			 &amd.hsa_amd_memory_async_copy_fn);
	assert_ptr_equal(entry(HSA_API_ID_hsa_ext_image_copy), &image.hsa_ext_image_copy_fn);
}

static void names_that_are_none(void **state)
{
	assert_string_equal(hsa_api__name(HSA_API_ID_DISPATCH), "unknown");
	assert_string_equal(hsa_api__name(HSA_API_ID_NUMBER), "unknown");
	assert_string_equal(hsa_api__name(UINT32_MAX), "unknown");
	assert_int_equal(hsa_api__code(""), HSA_API_ID_NUMBER);
	assert_int_equal(hsa_api__code("hsa_initx"), HSA_API_ID_NUMBER);
	assert_int_equal(hsa_api__code("hsa_ini"), HSA_API_ID_NUMBER);
	assert_int_equal(hsa_api__code("unknown"), HSA_API_ID_NUMBER);
	assert_int_equal(hsa_api__code("zzz"), HSA_API_ID_NUMBER);
}

static void the_layout_of_the_data(void **state)
{
	assert_int_equal(offsetof(struct hsa_api_trace, api_data), 0);
	assert_int_equal(offsetof(hsa_api_data_t, correlation_id), 0);
	assert_int_equal(offsetof(hsa_api_data_t, phase), 8);
	assert_int_equal(offsetof(hsa_api_data_t, hsa_status_t_retval), 16);
	assert_int_equal(offsetof(hsa_api_data_t, args), 24);
	assert_int_equal(offsetof(hsa_api_data_t, phase_data), sizeof(hsa_api_data_t) - 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(init, fresh),
		cmocka_unit_test_setup(queue_create, fresh),
		cmocka_unit_test_setup(signal_store, fresh),
		cmocka_unit_test_setup(signal_wait, fresh),
		cmocka_unit_test_setup(async_copy, fresh),
		cmocka_unit_test_setup(async_copy_rect, fresh),
		cmocka_unit_test_setup(queue_intercept_register, fresh),
		cmocka_unit_test_setup(every_function, fresh),
		cmocka_unit_test_setup(what_began_ends, fresh),
		cmocka_unit_test_setup(the_caller_gets_what_the_exit_left, fresh),
		cmocka_unit_test_setup(wrapped_twice, fresh),
		cmocka_unit_test_setup(all_but_one_and_nothing_else, fresh),
		cmocka_unit_test_setup(entries_that_are_null, fresh),
		cmocka_unit_test_setup(tables_that_are_shorter, fresh),
		cmocka_unit_test_setup(longer_tables, fresh),
		cmocka_unit_test_setup(tables_that_are_not_known, fresh),
		cmocka_unit_test_setup(an_extension_table_of_another_size, fresh),
		cmocka_unit_test(names_and_numbers),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(the_layout_of_the_data),
	};

	return cmocka_run_group_tests_name("HSA API", tests, NULL, NULL);
}
