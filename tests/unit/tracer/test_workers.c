// SPDX-License-Identifier: MIT
/*
 * Tests how operations that threads of the runtime submit find their launches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "user/merge/runtime_threads.h"

#define WORKER 77
#define SECOND 1000000000ULL

static const char vadd[] = "vadd", scale[] = "scale", fill[] = "__amd_rocclr_fillBufferAligned";

static void settled(struct gpu_op *op, void *arg)
{
}

/* An outermost call that begins at `corr` and takes 2. */
static void call_by(struct process *p, uint32_t tid, struct stream *s, enum launch_kind kind,
		    uint64_t corr, const char *kernel, uint64_t bytes)
{
	struct event ev = {.kind = EV_SPAN,
			   .tid = tid,
			   .begin = corr,
			   .end = corr + 2,
			   .corr = corr,
			   .root = corr,
			   .kernel = kernel};
	struct worked w = {.ev = &ev, .stream = s, .kind = kind, .bytes = bytes, .aligned = true};

	runtime_threads__call(p, &w, settled, NULL);
}

static void call(struct process *p, struct stream *s, enum launch_kind kind, uint64_t corr,
		 const char *kernel)
{
	call_by(p, 1, s, kind, corr, kernel, 0);
}

static struct gpu_op op_at(uint64_t at, const char *kernel)
{
	return (struct gpu_op){.ev = {.kind = EV_DISPATCH,
				      .tid = WORKER,
				      .name = kernel,
				      .gpu = {.submit = at, .stream = STREAM_NONE}}};
}

static struct gpu_op copy_at(uint64_t at, uint64_t bytes)
{
	return (struct gpu_op){
		.ev = {.kind = EV_COPY,
		       .tid = WORKER,
		       .name = "HtoD",
		       .gpu = {.submit = at, .stream = STREAM_NONE, .bytes = bytes}}};
}

static void submit(struct process *p, struct gpu_op *op)
{
	runtime_threads__submit(p, op, settled, NULL);
}

/* A stream that the trace has seen being made, with its thread. */
static struct stream *own_stream(struct process *p, uint64_t handle)
{
	struct stream *s = hip_streams__created(&p->streams, handle);

	runtime_threads__born(p, WORKER, 5);
	call(p, s, LAUNCH_NONE, 5, NULL);
	return s;
}

static void end(struct process *p)
{
	runtime_threads__give_up(p, settled, NULL);
	runtime_threads__forget(p);
}

static void the_nth_operation_is_of_the_nth_launch(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op first = op_at(15, vadd), second = op_at(45, vadd);

	call(&p, s, LAUNCH_KERNEL, 10, vadd);
	call(&p, s, LAUNCH_KERNEL, 20, vadd);
	submit(&p, &first);
	submit(&p, &second);
	assert_int_equal(first.ev.root, 10);
	assert_int_equal(second.ev.root, 20);
	assert_int_equal(second.ev.gpu.stream, s->number);
	assert_false(second.ev.flags & EV_F_UNCORRELATED);
	end(&p);
}

static void an_operation_waits_for_a_launch_that_has_not_returned(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op op = op_at(11, vadd);

	submit(&p, &op);
	assert_false(op.settled);
	call(&p, s, LAUNCH_KERNEL, 10, vadd);
	assert_true(op.settled);
	assert_int_equal(op.ev.corr, 10);
	end(&p);
}

static void a_launch_cannot_cause_what_was_submitted_before(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op op = op_at(9, vadd);

	submit(&p, &op);
	call(&p, s, LAUNCH_KERNEL, 10, vadd);
	assert_false(op.settled);
	call(&p, s, LAUNCH_NONE, SECOND + 10, NULL);
	assert_true(op.settled);
	assert_int_equal(op.ev.corr, 0);
	assert_true(op.ev.flags & EV_F_UNCORRELATED);
	end(&p);
}

static void a_launch_without_its_operation_is_passed_over(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op op = op_at(45, scale);

	call(&p, s, LAUNCH_KERNEL, 10, vadd);
	call(&p, s, LAUNCH_KERNEL, 20, scale);
	submit(&p, &op);
	assert_int_equal(op.ev.root, 20);
	assert_null(s->launches);
	end(&p);
}

static void streams_of_unknown_threads_are_not_guessed(void **state)
{
	struct process p = {0};
	struct stream *a = hip_streams__created(&p.streams, 0x1000);
	struct stream *b = hip_streams__created(&p.streams, 0x2000);
	struct gpu_op op = op_at(45, vadd), later = op_at(65, scale);

	call(&p, a, LAUNCH_KERNEL, 10, vadd);
	call(&p, b, LAUNCH_KERNEL, 20, vadd);
	submit(&p, &op);
	submit(&p, &later);
	end(&p);
	assert_int_equal(op.ev.corr, 0);
	assert_true(op.ev.flags & EV_F_UNCORRELATED);
	assert_true(later.ev.flags & EV_F_UNCORRELATED);
}

static void the_only_stream_serves_an_unknown_thread_once_it_was_seen_empty(void **state)
{
	struct process p = {0};
	struct stream *s = hip_streams__get(&p.streams, 0x1000, 0, 1);
	struct gpu_op before = op_at(15, vadd), after = op_at(45, vadd);

	call(&p, s, LAUNCH_KERNEL, 10, vadd);
	submit(&p, &before); /* maybe of a launch before the trace */
	assert_false(before.settled);
	call(&p, s, LAUNCH_SYNC, SECOND * 2, NULL);
	assert_int_equal(before.ev.corr, 0);
	call(&p, s, LAUNCH_KERNEL, SECOND * 2 + 10, vadd);
	after.ev.gpu.submit = SECOND * 2 + 20;
	submit(&p, &after);
	assert_int_equal(after.ev.corr, SECOND * 2 + 10);
	end(&p);
}

static void launches_at_the_same_time_are_not_guessed(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op op = op_at(45, vadd);

	call_by(&p, 1, s, LAUNCH_KERNEL, 10, vadd, 0);
	call_by(&p, 2, s, LAUNCH_KERNEL, 11, vadd, 0);
	submit(&p, &op);
	assert_true(op.settled);
	assert_int_equal(op.ev.corr, 0);
	end(&p);
}

static void a_graph_takes_what_no_launch_behind_it_can_have_caused(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op one = op_at(41, scale), two = op_at(42, scale), unclear = op_at(43, vadd);

	call(&p, s, LAUNCH_GRAPH, 10, NULL);
	call(&p, s, LAUNCH_KERNEL, 20, vadd);
	submit(&p, &one);
	submit(&p, &two);
	submit(&p, &unclear);
	assert_int_equal(one.ev.root, 10);
	assert_int_equal(two.ev.root, 10);
	assert_int_equal(two.ev.gpu.ordinal, 1);
	assert_int_equal(unclear.ev.root, 0);
	end(&p);
}

static void copies_are_counted_off_by_their_bytes(void **state)
{
	struct process p = {0};
	struct stream *s = own_stream(&p, 0x1000);
	struct gpu_op part = copy_at(41, 60), rest = copy_at(42, 40), next = copy_at(43, 100);
	struct gpu_op too_big = copy_at(44, 200), filled = op_at(45, fill);

	call_by(&p, 1, s, LAUNCH_COPY, 10, NULL, 100);
	call_by(&p, 1, s, LAUNCH_COPY, 20, NULL, 100);
	call_by(&p, 1, s, LAUNCH_COPY, 23, NULL, 100);
	call_by(&p, 1, s, LAUNCH_FILL, 30, NULL, 64);
	submit(&p, &part);
	submit(&p, &rest);
	submit(&p, &next);
	assert_int_equal(part.ev.root, 10);
	assert_int_equal(rest.ev.root, 10);
	assert_int_equal(next.ev.root, 20);
	submit(&p, &too_big);
	assert_false(too_big.settled);
	submit(&p, &filled);
	end(&p);
	assert_int_equal(too_big.ev.root, 0);
	assert_int_equal(filled.ev.root, 30);
}

static void a_cause_that_was_known_holds_where_no_launch_is_found(void **state)
{
	struct process p = {0};
	struct gpu_op op = op_at(45, vadd);

	op.ev.corr = op.ev.root = 44; /* a call into HSA on the thread itself */
	submit(&p, &op);
	end(&p);
	assert_true(op.settled);
	assert_int_equal(op.ev.root, 44);
	assert_false(op.ev.flags & EV_F_UNCORRELATED);
}

static void handles_that_come_again_are_new_streams(void **state)
{
	struct process p = {0};
	struct stream *old = hip_streams__created(&p.streams, 0x1000);
	struct stream *new = hip_streams__created(&p.streams, 0x1000);

	assert_int_not_equal(old->number, new->number);
	assert_ptr_equal(hip_streams__get(&p.streams, 0x1000, 0, 1), new);
	/* Each device has a default stream, all of one number; each thread has one of its own. */
	assert_ptr_not_equal(hip_streams__get(&p.streams, 0, 0, 1),
			     hip_streams__get(&p.streams, 0, 1, 1));
	assert_int_equal(hip_streams__get(&p.streams, 0, 1, 1)->number, 0);
	assert_ptr_equal(hip_streams__get(&p.streams, 1, 1, 1),
			 hip_streams__get(&p.streams, 0, 1, 2));
	assert_ptr_not_equal(hip_streams__get(&p.streams, 2, 0, 1),
			     hip_streams__get(&p.streams, 2, 0, 2));
	end(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nth_operation_is_of_the_nth_launch),
		cmocka_unit_test(an_operation_waits_for_a_launch_that_has_not_returned),
		cmocka_unit_test(a_launch_cannot_cause_what_was_submitted_before),
		cmocka_unit_test(a_launch_without_its_operation_is_passed_over),
		cmocka_unit_test(streams_of_unknown_threads_are_not_guessed),
		cmocka_unit_test(the_only_stream_serves_an_unknown_thread_once_it_was_seen_empty),
		cmocka_unit_test(launches_at_the_same_time_are_not_guessed),
		cmocka_unit_test(a_graph_takes_what_no_launch_behind_it_can_have_caused),
		cmocka_unit_test(copies_are_counted_off_by_their_bytes),
		cmocka_unit_test(a_cause_that_was_known_holds_where_no_launch_is_found),
		cmocka_unit_test(handles_that_come_again_are_new_streams),
	};

	return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
