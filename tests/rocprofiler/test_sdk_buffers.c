// SPDX-License-Identifier: MIT
/*
 * Buffers of librocprofiler-sdk, their threads, and what is in the records.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "rocprofiler/service/buffer.h"
#include "rocprofiler/service/retirement.h"
#include "rocprofiler/service/thread.h"
#include "tests/rocprofiler/fakeops.h"
#include "tests/rocprofiler/thrower.h"

#define LOSSLESS ROCPROFILER_BUFFER_POLICY_LOSSLESS
#define DISCARD	 ROCPROFILER_BUFFER_POLICY_DISCARD
#define RECORD	 sizeof(rocprofiler_buffer_tracing_hip_api_record_t)
#define PAGE	 4096

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer, other_buffer;
static const rocprofiler_buffer_id_t no_buffer = {0};

/* ---- what was received ---- */

#define KEPT_MAX 64

static uint64_t n_records, n_batches, dropped;
static rocprofiler_buffer_tracing_hip_api_record_t kept[KEPT_MAX];
static rocprofiler_thread_id_t reader;

static void add(uint64_t *value, uint64_t n)
{
	__atomic_add_fetch(value, n, __ATOMIC_ACQ_REL);
}

static uint64_t get(const uint64_t *value)
{
	return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void keep(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		 rocprofiler_record_header_t **headers, size_t count, void *data,
		 uint64_t drop_count)
{
	CHECK_EQUAL(id.handle, context.handle);
	CHECK_EQUAL(from.handle, data ? other_buffer.handle : buffer.handle);
	CHECK(count);
	for (size_t i = 0; i < count; i++) {
		const rocprofiler_buffer_tracing_hip_api_record_t *record = headers[i]->payload;

		CHECK_EQUAL(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
		CHECK_EQUAL(headers[i]->hash, rocprofiler_record_header_compute_hash(
						      headers[i]->category, headers[i]->kind));
		CHECK_EQUAL(headers[i]->kind, HIP_BUFFER);
		CHECK_EQUAL(record->kind, HIP_BUFFER);
		CHECK_EQUAL(record->size, RECORD);
		CHECK(record->start_timestamp <= record->end_timestamp);
		kept[(n_records + i) % KEPT_MAX] = *record;
	}
	dropped = drop_count;
	reader = gettid();
	add(&n_batches, 1);
	add(&n_records, count);
}

static size_t size, watermark;
static rocprofiler_buffer_policy_t policy;

static int make_buffered(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, size, watermark, policy, keep, NULL);
	want_records(context, buffer);
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void start_with(size_t buffer_size, size_t buffer_watermark,
		       rocprofiler_buffer_policy_t buffer_policy)
{
	size = buffer_size;
	watermark = buffer_watermark;
	policy = buffer_policy;
	fake_start(make_buffered);
}

static void call(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fake_call(OP, NULL, NULL);
}

static void flush(void)
{
	CHECK_OK(rocprofiler_flush_buffer(buffer));
}

static void wait_for(const uint64_t *value, uint64_t least)
{
	while (get(value) < least) /* or until the child's time has passed */
		usleep(1000);
}

/* ---- codes ---- */

static rocprofiler_status_t create(rocprofiler_context_id_t id, int how, rocprofiler_buffer_id_t *b)
{
	return rocprofiler_create_buffer(id, PAGE, PAGE, how, keep, NULL, b);
}

static rocprofiler_status_t configure(rocprofiler_context_id_t id, int kind, const int32_t *ops,
				      size_t count, rocprofiler_buffer_id_t b)
{
	return rocprofiler_configure_buffer_tracing_service(id, kind, ops, count, b);
}

static int make_wrong(rocprofiler_client_finalize_t end, void *data)
{
	static const int32_t bad[] = {100000};
	const rocprofiler_context_id_t none = {0};
	rocprofiler_buffer_id_t b = {0};

	context = make_context();
	CHECK_ERROR(create(none, LOSSLESS, &b), CONTEXT_NOT_FOUND);
	CHECK_ERROR(create(context, ROCPROFILER_BUFFER_POLICY_NONE, &b), INVALID_ARGUMENT);
	CHECK_ERROR(create(context, ROCPROFILER_BUFFER_POLICY_LAST, &b), INVALID_ARGUMENT);
	CHECK_OK(create(context, LOSSLESS, &b));
	CHECK_ERROR(create(context, LOSSLESS, &b), SERVICE_ALREADY_CONFIGURED);
	CHECK_ERROR(configure(none, HIP_BUFFER, NULL, 0, b), CONTEXT_NOT_FOUND);
	CHECK_ERROR(configure(context, HIP_BUFFER, NULL, 0, no_buffer), BUFFER_NOT_FOUND);
	CHECK_ERROR(configure(context, 0, NULL, 0, b), KIND_NOT_FOUND);
	CHECK_ERROR(configure(context, ROCPROFILER_BUFFER_TRACING_LAST, NULL, 0, b),
		    KIND_NOT_FOUND);
	CHECK_ERROR(configure(context, HIP_BUFFER, bad, 1, b), OPERATION_NOT_FOUND);
	CHECK_ERROR(configure(context, ROCPROFILER_BUFFER_TRACING_KFD_QUEUE, NULL, 0, b),
		    NOT_IMPLEMENTED);
	CHECK_ERROR(configure(context, ROCPROFILER_BUFFER_TRACING_HIP_STREAM, NULL, 0, b),
		    NOT_IMPLEMENTED);
	CHECK_OK(configure(context, HIP_BUFFER, NULL, 0, b));
	CHECK_ERROR(configure(context, HIP_BUFFER, NULL, 0, b), SERVICE_ALREADY_CONFIGURED);
	buffer = b;
	return 0;
}

static void buffers_are_made_in_initialize_and_destroyed_at_any_time(void)
{
	rocprofiler_buffer_id_t b = {0};

	CHECK_ERROR(create(context, LOSSLESS, &b), CONFIGURATION_LOCKED);
	CHECK_ERROR(configure(context, HIP_BUFFER, NULL, 0, b), CONFIGURATION_LOCKED);
	CHECK_ERROR(rocprofiler_flush_buffer(b), BUFFER_NOT_FOUND);
	CHECK_ERROR(rocprofiler_destroy_buffer(b), BUFFER_NOT_FOUND);
	fake_start(make_wrong);
	CHECK_ERROR(create(context, LOSSLESS, &b), CONFIGURATION_LOCKED);
	CHECK_OK(rocprofiler_start_context(context));
	call(3);
	CHECK_OK(rocprofiler_destroy_buffer(buffer));
	CHECK_ERROR(rocprofiler_destroy_buffer(buffer), BUFFER_NOT_FOUND);
	CHECK_ERROR(rocprofiler_flush_buffer(buffer), BUFFER_NOT_FOUND);
	call(3);
	CHECK_EQUAL(n_records, 0);
	fake_end(fake_id);
	CHECK_ERROR(rocprofiler_flush_buffer(buffer), FINALIZED);
}

/* ---- records ---- */

static void call_inside(void *arg)
{
	call(1);
}

static void records_are_of_calls_in_the_order_of_their_ends(void)
{
	start_with(PAGE, PAGE, LOSSLESS);
	fake_call(OTHER_OP, call_inside, NULL);
	CHECK_EQUAL(n_records, 0);
	flush();
	CHECK_EQUAL(n_records, 2);
	CHECK_EQUAL(kept[0].operation, OP);
	CHECK_EQUAL(kept[0].correlation_id.internal, 2);
	CHECK_EQUAL(kept[0].correlation_id.ancestor, 1);
	CHECK_EQUAL(kept[0].thread_id, gettid());
	CHECK_EQUAL(kept[1].operation, OTHER_OP);
	CHECK_EQUAL(kept[1].correlation_id.internal, 1);
	CHECK(kept[1].start_timestamp <= kept[0].start_timestamp);
	CHECK(kept[1].end_timestamp >= kept[0].end_timestamp);
	CHECK(reader != (rocprofiler_thread_id_t)gettid());
	flush();
	CHECK_EQUAL(get(&n_batches), 1);
}

static uint64_t n_ext;

static void keep_ext(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		     rocprofiler_record_header_t **headers, size_t count, void *data,
		     uint64_t drop_count)
{
	for (size_t i = 0; i < count; i++) {
		const rocprofiler_buffer_tracing_hip_api_ext_record_t *record = headers[i]->payload;

		CHECK_EQUAL(headers[i]->kind, HIP_EXT);
		CHECK_EQUAL(record->kind, HIP_EXT);
		CHECK_EQUAL(record->size, sizeof(*record));
		CHECK_EQUAL(record->args.hipSetDevice.deviceId, 5);
		CHECK_EQUAL(record->retval.int_retval, 6);
		CHECK_EQUAL(record->correlation_id.internal, i + 1);
		n_ext++;
	}
}

static int make_ext(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, 4 * PAGE, PAGE, LOSSLESS, keep_ext, NULL);
	CHECK_OK(configure(context, HIP_EXT, NULL, 0, buffer));
	return 0;
}

static void records_with_arguments_have_them(void)
{
	fake_start(make_ext);
	call(1);
	CHECK_OK(rocprofiler_start_context(context));
	call(2);
	CHECK_OK(rocprofiler_stop_context(context));
	call(1);
	flush();
	CHECK_EQUAL(n_ext, 2);
}

/* ---- when a buffer is passed on ---- */

static void a_buffer_is_passed_on_at_its_watermark(void)
{
	start_with(PAGE, 10 * RECORD, LOSSLESS);
	call(9);
	usleep(20000);
	CHECK_EQUAL(get(&n_batches), 0);
	call(1);
	wait_for(&n_records, 10);
	wait_for(&n_batches, 1);
	call(9);
	usleep(20000);
	CHECK_EQUAL(get(&n_batches), 1);
	flush();
	CHECK_EQUAL(n_records, 19);
}

static void without_a_watermark_every_record_is_passed_on(void)
{
	start_with(PAGE, 0, LOSSLESS);
	call(1);
	wait_for(&n_records, 1);
	call(1);
	wait_for(&n_records, 2);
}

static void a_full_buffer_discards_and_counts(void)
{
	start_with(PAGE, 2 * PAGE, DISCARD);
	call(PAGE / RECORD + 5);
	CHECK_EQUAL(n_records, 0);
	flush();
	CHECK_EQUAL(n_records, PAGE / RECORD);
	CHECK_EQUAL(dropped, 5);
	call(1);
	flush();
	CHECK_EQUAL(n_records, PAGE / RECORD + 1);
	CHECK_EQUAL(dropped, 5);
}

static void a_full_buffer_that_must_not_lose_waits(void)
{
	start_with(PAGE, 2 * PAGE, LOSSLESS);
	call(3 * PAGE / RECORD);
	flush();
	CHECK_EQUAL(n_records, 3 * PAGE / RECORD);
	CHECK_EQUAL(dropped, 0);
}

/* ---- load ---- */

#define THREADS 4
#define CALLS	20000

static void *call_much(void *arg)
{
	call(CALLS);
	return NULL;
}

/* ---- the order of records ---- */

/* Records of the test's own, with their numbers. */
struct numbered {
	uint64_t size, number;
	char rest[64];
};

#define SMALL	40
#define IN_HALF ((uint64_t)PAGE / SMALL) /* and less than a large one is left of it */

static uint64_t read_so_far, may_go_on;

static void check_order(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			rocprofiler_record_header_t **headers, size_t count, void *data,
			uint64_t drop_count)
{
	for (size_t i = 0; i < count; i++) {
		const struct numbered *record = headers[i]->payload;

		CHECK_EQUAL(record->number, read_so_far + i);
	}
	add(&read_so_far, count);
	wait_for(&may_go_on, 1);
}

static int make_ordered(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, PAGE, PAGE / 2, LOSSLESS, check_order, NULL);
	return 0;
}

static void write_next(uint32_t bytes)
{
	static uint64_t written;
	struct numbered record = {bytes, written++, ""};

	buffer__write(buffer__find(buffer), HIP_BUFFER, &record, bytes);
}

static void write_small(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		write_next(SMALL);
}

static void *write_and_wait(void *arg)
{
	write_next(SMALL);
	return NULL;
}

/* The tool reads one half while the other is filled, and a thread that must not wait goes on. */
static void what_has_no_room_is_passed_on_in_order(void)
{
	pthread_t waits;

	fake_start(make_ordered);
	write_small(IN_HALF / 2 + 1);
	wait_for(&read_so_far, IN_HALF / 2 + 1);
	write_small(IN_HALF);
	thread__self()->passes_on = true;
	write_next(sizeof(struct numbered));
	write_small(2);
	thread__self()->passes_on = false;
	pthread_create(&waits, NULL, write_and_wait, NULL);
	add(&may_go_on, 1);
	pthread_join(waits, NULL);
	flush();
	CHECK_EQUAL(read_so_far, IN_HALF / 2 + 1 + IN_HALF + 1 + 2 + 1);
}

static int make_unhurried(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, PAGE, 2 * PAGE, LOSSLESS, check_order, NULL);
	return 0;
}

/* The last record waits for room; the tool, which reads the first half, waits for that. */
static void who_waits_for_room_goes_on_while_the_tool_reads(void)
{
	fake_start(make_unhurried);
	write_small(IN_HALF + 1);
	add(&may_go_on, 1);
	flush();
	CHECK_EQUAL(read_so_far, IN_HALF + 1);
}

/* ---- a record that is written slowly ---- */

static struct numbered *unreadable; /* alone on its page */
static uint64_t met, may_be_read;

static void make_readable(int number)
{
	add(&met, 1);
	wait_for(&may_be_read, 1);
	CHECK(!mprotect(unreadable, PAGE, PROT_READ));
}

static void *write_slowly(void *arg)
{
	buffer__write(buffer__find(buffer), HIP_BUFFER, unreadable, SMALL);
	return NULL;
}

static void *flush_it(void *arg)
{
	flush();
	return NULL;
}

static void a_record_is_passed_on_when_it_is_written(void)
{
	struct numbered second = {SMALL, 1, ""};
	pthread_t writes, flushes;

	fake_start(make_unhurried);
	add(&may_go_on, 1);
	unreadable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(unreadable != MAP_FAILED);
	*unreadable = (struct numbered){SMALL, 0, ""};
	CHECK(!mprotect(unreadable, PAGE, PROT_NONE));
	signal(SIGSEGV, make_readable);
	pthread_create(&writes, NULL, write_slowly, NULL);
	wait_for(&met, 1);
	buffer__write(buffer__find(buffer), HIP_BUFFER, &second, SMALL);
	pthread_create(&flushes, NULL, flush_it, NULL);
	usleep(20000);
	CHECK_EQUAL(get(&read_so_far), 0);
	add(&may_be_read, 1);
	pthread_join(writes, NULL);
	pthread_join(flushes, NULL);
	CHECK_EQUAL(read_so_far, 2);
}

static void call_much_on_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, call_much, NULL);
	for (int i = 0; i < 20; i++)
		flush();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	flush();
}

static void nothing_is_lost_under_load(void)
{
	start_with(2 * PAGE, PAGE, LOSSLESS);
	call_much_on_threads();
	CHECK_EQUAL(n_records, THREADS * CALLS);
	CHECK_EQUAL(dropped, 0);
}

static void what_is_lost_under_load_is_counted(void)
{
	start_with(2 * PAGE, PAGE, DISCARD);
	call_much_on_threads();
	call(1);
	flush();
	CHECK_EQUAL(n_records + dropped, THREADS * CALLS + 1);
}

/* ---- inside of a buffer's callback ---- */

static rocprofiler_status_t flush_status, other_status, destroy_status;
static uint64_t n_other;

static void count_other(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			rocprofiler_record_header_t **headers, size_t count, void *data,
			uint64_t drop_count)
{
	add(&n_other, count);
}

/* More calls than there is room for, on the thread that would make room. */
static void use_buffers(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			rocprofiler_record_header_t **headers, size_t count, void *data,
			uint64_t drop_count)
{
	if (!n_records)
		call(3 * PAGE / RECORD);
	n_records += count;
	dropped = drop_count;
	flush_status = rocprofiler_flush_buffer(from);
	other_status = rocprofiler_flush_buffer(other_buffer);
	destroy_status = rocprofiler_destroy_buffer(from);
	add(&n_batches, 1);
}

static int make_two(rocprofiler_client_finalize_t end, void *data)
{
	rocprofiler_context_id_t second;

	context = make_context();
	buffer = make_buffer(context, PAGE, PAGE, LOSSLESS, use_buffers, NULL);
	want_records(context, buffer);
	second = make_context();
	other_buffer = make_buffer(second, 64 * PAGE, 64 * PAGE, LOSSLESS, count_other, NULL);
	want_records(second, other_buffer);
	CHECK_OK(rocprofiler_start_context(context));
	CHECK_OK(rocprofiler_start_context(second));
	return 0;
}

static void a_buffers_callback_may_use_buffers(void)
{
	fake_start(make_two);
	call(1);
	flush();
	flush();
	flush();
	CHECK_EQUAL(n_records, 3 * PAGE / RECORD + 1);
	CHECK_EQUAL(dropped, 0);
	CHECK_ERROR(flush_status, BUFFER_BUSY);
	CHECK_ERROR(destroy_status, BUFFER_BUSY);
	CHECK_OK(other_status);
	wait_for(&n_other, 3 * PAGE / RECORD + 1);
}

static uint32_t n_thrown;

static void throw_once(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *data,
		       uint64_t drop_count)
{
	CHECK_EQUAL(uncaught(), 0);
	if (!n_thrown++)
		throw_something();
	keep(id, from, headers, count, data, drop_count);
}

static int make_throwing(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, PAGE, PAGE, LOSSLESS, throw_once, NULL);
	want_records(context, buffer);
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void a_buffers_callback_may_throw(void)
{
	fake_start(make_throwing);
	call(2);
	flush();
	call(3);
	flush();
	CHECK_EQUAL(n_thrown, 2);
	CHECK_EQUAL(n_records, 3);
}

static uint64_t n_ends;

static void end_inside(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
		       rocprofiler_record_header_t **headers, size_t count, void *data,
		       uint64_t drop_count)
{
	n_records += count;
	fake_end(fake_id);
	add(&n_ends, 1);
}

static int make_ending(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, PAGE, 2 * RECORD, LOSSLESS, end_inside, NULL);
	want_records(context, buffer);
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void a_tool_ends_in_its_buffers_callback(void)
{
	fake_start(make_ending);
	call(2);
	wait_for(&n_ends, 1);
	CHECK_EQUAL(n_records, 2);
	CHECK(!fake_call(OP, NULL, NULL));
	CHECK_ERROR(rocprofiler_flush_buffer(buffer), FINALIZED);
}

/* What is left is passed on where the tool asks for that in its finalize function. */
static void flush_at_end(void *data)
{
	flush();
	CHECK_EQUAL(n_records, 7);
}

static void a_tool_flushes_at_the_end(void)
{
	fake_finalize = flush_at_end;
	start_with(PAGE, PAGE, LOSSLESS);
	call(7);
	fake_end(fake_id);
	CHECK_EQUAL(n_records, 7);
}

/* ---- threads ---- */

static uint32_t n_before, n_after;
static rocprofiler_thread_id_t other_reader;

static void before_thread(rocprofiler_runtime_library_t library, void *data)
{
	CHECK_EQUAL(library, ROCPROFILER_LIBRARY);
	CHECK_EQUAL(n_before, n_after);
	n_before++;
}

static void after_thread(rocprofiler_runtime_library_t library, void *data)
{
	n_after++;
	CHECK_EQUAL(n_before, n_after);
}

static void keep_reader(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			rocprofiler_record_header_t **headers, size_t count, void *data,
			uint64_t drop_count)
{
	other_reader = gettid();
}

static int make_threads(rocprofiler_client_finalize_t end, void *data)
{
	const rocprofiler_callback_thread_t unknown = {1000};
	rocprofiler_callback_thread_t thread = {0};
	rocprofiler_context_id_t second;

	CHECK_OK(rocprofiler_at_internal_thread_create(before_thread, after_thread,
						       ROCPROFILER_LIBRARY, NULL));
	CHECK_OK(rocprofiler_at_internal_thread_create(NULL, NULL, 0, NULL));
	CHECK_OK(rocprofiler_create_callback_thread(&thread));
	CHECK(thread.handle);
	CHECK_EQUAL(n_after, 2);
	make_buffered(end, data);
	second = make_context();
	other_buffer = make_buffer(second, PAGE, PAGE, LOSSLESS, keep_reader, NULL);
	want_records(second, other_buffer);
	CHECK_OK(rocprofiler_start_context(second));
	CHECK_ERROR(rocprofiler_assign_callback_thread(other_buffer, unknown), THREAD_NOT_FOUND);
	CHECK_ERROR(rocprofiler_assign_callback_thread(no_buffer, thread), BUFFER_NOT_FOUND);
	CHECK_OK(rocprofiler_assign_callback_thread(other_buffer, thread));
	CHECK_EQUAL(n_after, 2);
	return 0;
}

static void buffers_have_threads_of_their_own_where_a_tool_likes(void)
{
	rocprofiler_callback_thread_t thread = {0};

	size = watermark = PAGE;
	policy = LOSSLESS;
	fake_start(make_threads);
	call(1);
	flush();
	CHECK_OK(rocprofiler_flush_buffer(other_buffer));
	CHECK(reader && other_reader);
	CHECK(reader != other_reader);
	CHECK_ERROR(rocprofiler_create_callback_thread(&thread), CONFIGURATION_LOCKED);
	CHECK_ERROR(rocprofiler_assign_callback_thread(buffer, thread), CONFIGURATION_LOCKED);
}

/* ---- fork ---- */

static void count_in_child(void)
{
	uint64_t before = n_records;

	call(5);
	flush();
	CHECK_EQUAL(n_records - before, 5);
	_exit(0);
}

static void a_forks_child_has_buffers_of_its_own(void)
{
	int status;
	pid_t pid;

	start_with(PAGE, PAGE, LOSSLESS);
	call(3);
	pid = fork();
	if (!pid)
		count_in_child();
	CHECK_EQUAL(waitpid(pid, &status, 0), pid);
	CHECK_EQUAL(status, 0);
	flush();
	CHECK_EQUAL(n_records, 3);
}

/* ---- ids that are used no more ---- */

static uint64_t retired[KEPT_MAX];
static uint32_t n_retired;

static void keep_retired(rocprofiler_context_id_t id, rocprofiler_buffer_id_t from,
			 rocprofiler_record_header_t **headers, size_t count, void *data,
			 uint64_t drop_count)
{
	for (size_t i = 0; i < count; i++) {
		const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *record =
			headers[i]->payload;

		if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT)
			retired[n_retired++ % KEPT_MAX] = record->internal_correlation_id;
	}
}

static int make_retiring(rocprofiler_client_finalize_t end, void *data)
{
	context = make_context();
	buffer = make_buffer(context, PAGE, PAGE, LOSSLESS, keep_retired, NULL);
	want_records(context, buffer);
	CHECK_OK(configure(context, ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, NULL, 0,
			   buffer));
	CHECK_OK(rocprofiler_start_context(context));
	return 0;
}

static void hold_current(void *arg)
{
	retirement__hold(operation__current());
}

static void ids_are_retired_when_nothing_is_done_for_them(void)
{
	fake_start(make_retiring);
	fake_call(OP, call_inside, NULL);
	fake_call(OP, hold_current, NULL);
	flush();
	CHECK_EQUAL(n_retired, 2);
	CHECK_EQUAL(retired[0], 2);
	CHECK_EQUAL(retired[1], 1);
	retirement__release(3);
	flush();
	CHECK_EQUAL(n_retired, 3);
	CHECK_EQUAL(retired[2], 3);
}

IN_CHILD(buffers_are_made_in_initialize_and_destroyed_at_any_time)
IN_CHILD(records_are_of_calls_in_the_order_of_their_ends)
IN_CHILD(records_with_arguments_have_them)
IN_CHILD(a_buffer_is_passed_on_at_its_watermark)
IN_CHILD(without_a_watermark_every_record_is_passed_on)
IN_CHILD(a_full_buffer_discards_and_counts)
IN_CHILD(a_full_buffer_that_must_not_lose_waits)
IN_CHILD(what_has_no_room_is_passed_on_in_order)
IN_CHILD(who_waits_for_room_goes_on_while_the_tool_reads)
IN_CHILD(a_record_is_passed_on_when_it_is_written)
IN_CHILD(nothing_is_lost_under_load)
IN_CHILD(what_is_lost_under_load_is_counted)
IN_CHILD(a_buffers_callback_may_use_buffers)
IN_CHILD(a_buffers_callback_may_throw)
IN_CHILD(a_tool_ends_in_its_buffers_callback)
IN_CHILD(a_tool_flushes_at_the_end)
IN_CHILD(buffers_have_threads_of_their_own_where_a_tool_likes)
IN_CHILD(a_forks_child_has_buffers_of_its_own)
IN_CHILD(ids_are_retired_when_nothing_is_done_for_them)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHILD_TEST(buffers_are_made_in_initialize_and_destroyed_at_any_time),
		CHILD_TEST(records_are_of_calls_in_the_order_of_their_ends),
		CHILD_TEST(records_with_arguments_have_them),
		CHILD_TEST(a_buffer_is_passed_on_at_its_watermark),
		CHILD_TEST(without_a_watermark_every_record_is_passed_on),
		CHILD_TEST(a_full_buffer_discards_and_counts),
		CHILD_TEST(a_full_buffer_that_must_not_lose_waits),
		CHILD_TEST(what_has_no_room_is_passed_on_in_order),
		CHILD_TEST(who_waits_for_room_goes_on_while_the_tool_reads),
		CHILD_TEST(a_record_is_passed_on_when_it_is_written),
		CHILD_TEST(nothing_is_lost_under_load),
		CHILD_TEST(what_is_lost_under_load_is_counted),
		CHILD_TEST(a_buffers_callback_may_use_buffers),
		CHILD_TEST(a_buffers_callback_may_throw),
		CHILD_TEST(a_tool_ends_in_its_buffers_callback),
		CHILD_TEST(a_tool_flushes_at_the_end),
		CHILD_TEST(buffers_have_threads_of_their_own_where_a_tool_likes),
		CHILD_TEST(a_forks_child_has_buffers_of_its_own),
		CHILD_TEST(ids_are_retired_when_nothing_is_done_for_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
