// SPDX-License-Identifier: MIT
/*
 * Tests which tracers may write into an agent's memory: one at a time, and none of another build. A
 * tracer that has died does not keep others out.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/agent_layout.h"
#include "hsa_agent/ring/shared_memory.h"
#include "user/agent/agent_memory.h"
#include "user/agent/agent_reason.h"
#include "user/agent/agent_set.h"
#include "user/clock/clock_map.h"

#define SLOTS 64

struct fixture {
	struct shm shm; /* as an agent in this process makes it */
	struct strings *strings;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (shared_memory__create(&f->shm, SLOTS, 1, 0))
		return -1;
	shared_memory__announce(&f->shm);
	f->strings = string_pool__new();
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	shared_memory__destroy(&f->shm);
	string_pool__free(f->strings);
	free(f);
	return 0;
}

static void needs_root(void)
{
	if (geteuid()) {
		print_message("needs root, for /proc/PID/map_files\n");
		skip();
	}
}

/* Each is a description of its own, as that of another tracer. */
static struct agent_view *view_of(struct fixture *f, pid_t pid)
{
	struct agent_view *v = agent_memory__find(pid, f->strings);

	assert_non_null(v);
	return v;
}

static struct agent_view *view(struct fixture *f)
{
	return view_of(f, getpid());
}

static void one_tracer_at_a_time(void **state)
{
	struct fixture *f = *state;
	struct agent_view *a, *b;

	needs_root();
	a = view(f);
	b = view(f);
	assert_int_equal(agent_memory__claim(a, CLAIM_OF_PROCESS), 0);
	assert_int_equal(agent_memory__claim(b, CLAIM_OF_PROCESS), -EBUSY);
	assert_int_equal(agent_memory__claim(b, CLAIM_OF_NODE), -EBUSY);
	assert_true(agent_memory__is_claimed(a));
	assert_false(agent_memory__is_claimed(b));
	assert_int_equal(f->shm.control->tracer, getpid());
	agent_memory__free(a);
	assert_int_equal(agent_memory__claim(b, CLAIM_OF_NODE), 0);
	agent_memory__free(b);
}

static void the_node_s_recorder_gives_way(void **state)
{
	struct fixture *f = *state;
	struct agent_view *node, *user, *other;

	needs_root();
	node = view(f);
	user = view(f);
	other = view(f);
	assert_int_equal(agent_memory__claim(node, CLAIM_OF_NODE), 0);
	assert_false(agent_memory__is_asked_for(node));
	assert_int_equal(agent_memory__claim(user, CLAIM_OF_PROCESS), -EAGAIN);
	assert_true(agent_memory__is_asked_for(node));
	assert_int_equal(agent_memory__claim(user, CLAIM_OF_PROCESS), -EAGAIN);
	assert_int_equal(agent_memory__claim(other, CLAIM_OF_PROCESS), -EBUSY);
	agent_memory__free(node);
	node = view(f); /* it cannot claim again before `user` has released */
	assert_int_equal(agent_memory__claim(node, CLAIM_OF_NODE), -EBUSY);
	assert_int_equal(agent_memory__claim(user, CLAIM_OF_PROCESS), 0);
	assert_int_equal(agent_memory__claim(node, CLAIM_OF_NODE), -EBUSY);
	assert_false(agent_memory__is_free(node, CLAIM_OF_NODE));
	agent_memory__free(user);
	assert_true(agent_memory__is_free(node, CLAIM_OF_NODE));
	assert_int_equal(agent_memory__claim(node, CLAIM_OF_NODE), 0);
	agent_memory__free(node);
	agent_memory__free(other);
}

/*
 * Runs in a child: claims the memory of its parent, reports that through `said`, and waits to be
 * killed.
 */
static void claim_and_wait(struct fixture *f, int said)
{
	struct agent_view *v = agent_memory__find(getppid(), f->strings);

	if (!v || agent_memory__claim(v, CLAIM_OF_PROCESS) || write(said, "c", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void a_tracer_that_is_killed_has_no_claim(void **state)
{
	struct fixture *f = *state;
	char reason[AGENT_REASON_MAX], expected[AGENT_REASON_MAX], byte;
	struct agent_view *v;
	int said[2];
	pid_t child;

	needs_root();
	assert_int_equal(pipe(said), 0);
	child = fork();
	if (!child)
		claim_and_wait(f, said[1]);
	assert_int_equal(read(said[0], &byte, 1), 1);
	v = view(f);
	kill(child, SIGSTOP); /* one that is only stopped keeps it */
	assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), -EBUSY);
	snprintf(expected, sizeof(expected), "its agent serves another tracer, process %d", child);
	assert_string_equal(agent_reason__text(getpid(), EBUSY, reason), expected);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), 0);
	assert_int_equal(f->shm.control->tracer, getpid());
	agent_memory__free(v);
	close(said[0]);
	close(said[1]);
}

/* As the guard of release_on_death.c: it closes what it has inherited. */
static void a_child_of_the_tracer_does_not_keep_the_claim(void **state)
{
	struct fixture *f = *state;
	struct agent_view *v;
	char byte;
	int said[2];
	pid_t child;

	needs_root();
	assert_int_equal(pipe(said), 0);
	v = view(f);
	assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), 0);
	child = fork();
	if (!child) {
		dup2(said[1], 3);
		syscall(SYS_close_range, 4, ~0U, 0);
		if (write(3, "c", 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(said[0], &byte, 1), 1);
	agent_memory__free(v);
	v = view(f);
	assert_int_equal(agent_memory__claim(v, CLAIM_OF_PROCESS), 0);
	agent_memory__free(v);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(said[0]);
	close(said[1]);
}

/* Before it is claimed the memory can only be read: a write would end this child. */
static void unclaimed_memory_cannot_be_written_to(void **state)
{
	struct fixture *f = *state;
	int status;
	pid_t child;

	needs_root();
	child = fork();
	if (!child) {
		struct agent_view *v = agent_memory__find(getppid(), f->strings);

		signal(SIGSEGV, SIG_DFL);
		if (v)
			agent_memory__activate(v);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) || WEXITSTATUS(status)); /* a sanitizer has a status */
	assert_int_equal(f->shm.control->active, 0);
}

/* ---- tracers with all their agents ---- */

static void nothing(struct agent_view *v, void *arg)
{
}

static void see(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
}

static void placed(pid_t pid, uint64_t address, void *arg)
{
}

static void taken(pid_t pid, uint64_t at, void *arg)
{
	++*(int *)arg;
}

static struct agents *tracer(struct fixture *f, enum claim_rank rank, int *times_taken)
{
	const struct agents_callbacks callbacks = {.record = see,
						   .gone = nothing,
						   .placed = placed,
						   .taken = taken,
						   .arg = times_taken};
	struct agents *a = agent_set__new(f->strings, &callbacks, true);

	agent_set__set_rank(a, rank);
	return a;
}

static void memory_of_another_build_is_left_alone(void **state)
{
	struct fixture *f = *state;
	size_t head = RT_AGENT_META;
	char *before = malloc(head), reason[AGENT_REASON_MAX];
	int times = 0;
	struct agents *a;

	needs_root();
	a = tracer(f, CLAIM_OF_PROCESS, &times);
	f->shm.header->layout ^= 1;
	memcpy(before, f->shm.base, head);
	errno = 0;
	assert_false(agent_set__look(a, getpid()));
	assert_int_equal(errno, EPROTO);
	agent_set__begin(a, 5);
	agent_set__drain(a);
	agent_set__heartbeat(a);
	agent_set__reap(a);
	agent_set__stop(a, 5);
	assert_memory_equal(before, f->shm.base, head);
	assert_non_null(strstr(agent_reason__text(getpid(), EPROTO, reason), "of another build"));
	agent_set__free(a);
	free(before);
}

/* What the agent's thread does: it copies the setting that the tracer stored. */
static void follow(struct fixture *f)
{
	f->shm.state->active = f->shm.control->active;
}

static void a_handover_there_and_back(void **state)
{
	struct fixture *f = *state;
	int taken_from_node = 0, taken_from_user = 0;
	struct agents *node, *user;
	char reason[AGENT_REASON_MAX];

	needs_root();
	node = tracer(f, CLAIM_OF_NODE, &taken_from_node);
	user = tracer(f, CLAIM_OF_PROCESS, &taken_from_user);
	assert_true(agent_set__look(node, getpid()));
	follow(f);
	agent_set__begin(node, 1);
	assert_true(agent_set__reads(node, getpid()));

	agent_set__look(user, getpid());
	assert_false(agent_set__reads(user, getpid()));
	agent_set__heartbeat(node);
	assert_int_equal(f->shm.control->active, 0);
	assert_true(agent_set__reads(node, getpid())); /* until the agent has stopped */
	follow(f);
	agent_set__drain(node);
	assert_false(agent_set__reads(node, getpid()));
	assert_int_equal(taken_from_node, 1);
	agent_set__drain(node);
	agent_set__free(node); /* in a tracer agent_set__release ends the claim */
	node = tracer(f, CLAIM_OF_NODE, &taken_from_node);
	assert_false(agent_set__look(node, getpid()));
	assert_int_equal(errno, EBUSY);
	agent_set__begin(node, 1);

	agent_set__drain(user);
	assert_true(agent_set__reads(user, getpid()));
	assert_int_equal(f->shm.control->active, 1);
	assert_int_equal(taken_from_user, 0);
	agent_set__reap(node);
	assert_false(agent_set__reads(node, getpid()));
	assert_non_null(agent_reason__text(getpid(), EBUSY, reason));
	agent_set__free(user);
	agent_set__reap(node); /* it takes it back */
	assert_true(agent_set__reads(node, getpid()));
	assert_int_equal(f->shm.control->active, 1);
	agent_set__free(node);
}

/* An agent that was started for another tracer is left to that for a moment. */
static void the_tracer_that_has_started_the_process_comes_first(void **state)
{
	struct fixture *f = *state;
	int times = 0;
	struct agents *node;

	needs_root();
	f->shm.header->awaited = getppid();
	node = tracer(f, CLAIM_OF_NODE, &times);
	agent_set__begin(node, 1);
	agent_set__created(node, getpid(), -1, clock__boot_ns());
	for (int i = 0; i < 10; i++)
		agent_set__drain(node);
	assert_false(agent_set__reads(node, getpid()));
	for (int i = 0; i < 5000 && !agent_set__reads(node, getpid()); i++) {
		agent_set__drain(node);
		usleep(1000);
	}
	assert_true(agent_set__reads(node, getpid())); /* that one does not come */
	agent_set__free(node);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(one_tracer_at_a_time),
		T(the_node_s_recorder_gives_way),
		T(a_tracer_that_is_killed_has_no_claim),
		T(a_child_of_the_tracer_does_not_keep_the_claim),
		T(unclaimed_memory_cannot_be_written_to),
		T(memory_of_another_build_is_left_alone),
		T(a_handover_there_and_back),
		T(the_tracer_that_has_started_the_process_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
