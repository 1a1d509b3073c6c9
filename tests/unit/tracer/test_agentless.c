// SPDX-License-Identifier: MIT
/*
 * Which process is said to have run without the agent, whatever the order in which the records of
 * several CPUs come.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka's header wants those above. */
#include <cmocka.h>

#include "user/base/log.h"
#include "user/record/agentless_processes.h"

#define PID INT32_MAX /* no process has that number: none can be looked at any more */
#define S   1000000000ULL

static struct absent *absent;
static unsigned int gaps;
static uint64_t begins, ends;

static void on_gap(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg)
{
	assert_int_equal(pid, PID);
	gaps++;
	begins = begin;
	ends = end;
}

/* hsa_init has returned. */
static void call(uint64_t at)
{
	const struct function init = {.name = (char *)"hsa_init", .domain = DOMAIN_HSA};
	const struct rt_rec_span span = {.h = {.kind = RT_REC_SPAN, .pid = PID, .ts = at}};

	agentless__call(absent, PID, &init, &span);
}

static void has_agent(uint64_t at)
{
	agentless__has_agent(absent, PID, at);
}

static void ended(uint64_t at)
{
	agentless__ended(absent, PID, at);
}

static void is_gap(uint64_t begin, uint64_t end)
{
	assert_int_equal(gaps, 1);
	assert_int_equal(begins, begin);
	assert_int_equal(ends, end);
	gaps = 0;
}

static void none_is_told(uint64_t end)
{
	agentless__finish(absent, end);
	assert_int_equal(gaps, 0);
}

static void without_agent(void **state)
{
	call(20);
	ended(30);
	agentless__finish(absent, 40);
	is_gap(20, 30);
}

static void without_agent_to_the_end(void **state)
{
	call(20);
	agentless__finish(absent, 40);
	is_gap(20, 40);
}

static void with_agent(void **state)
{
	has_agent(10);
	call(20);
	ended(30);
	none_is_told(40);
}

static void records_of_an_agent_that_come_late(void **state)
{
	call(20);
	has_agent(10);
	ended(30);
	none_is_told(40);
}

static void records_that_come_after_the_end(void **state)
{
	has_agent(10);
	ended(30);
	call(20);
	none_is_told(40);
	call(20);
	ended(30);
	has_agent(10);
	none_is_told(40);
	ended(30);
	has_agent(10);
	call(20);
	none_is_told(40);
}

static void records_of_the_end_that_come_late(void **state)
{
	has_agent(10);
	call(20); /* of the next program, which has it, too */
	has_agent(18);
	ended(15);
	none_is_told(40);
}

static void the_next_program_of_a_process(void **state)
{
	has_agent(10);
	call(20);
	ended(30);
	call(40);
	agentless__finish(absent, 50);
	is_gap(40, 50);
	call(20);
	ended(30);
	has_agent(35);
	is_gap(20, 30);
	call(40);
	ended(50);
	none_is_told(60);
}

static void who_has_ended_is_told_soon(void **state)
{
	call(1 * S);
	ended(1 * S + 30);
	agentless__tick(absent, 1 * S + 40);
	assert_int_equal(gaps, 0);
	agentless__tick(absent, 10 * S);
	is_gap(1 * S, 1 * S + 30);
	none_is_told(20 * S);
}

static int set_up(void **state)
{
	gaps = 0;
	absent = agentless__new("/librtrace-agent.so", on_gap, NULL);
	return absent ? 0 : -1;
}

static int tear_down(void **state)
{
	agentless__free(absent);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_agent),
		TEST(without_agent_to_the_end),
		TEST(with_agent),
		TEST(records_of_an_agent_that_come_late),
		TEST(records_that_come_after_the_end),
		TEST(records_of_the_end_that_come_late),
		TEST(the_next_program_of_a_process),
		TEST(who_has_ended_is_told_soon),
	};

	log_level = -1;
	return cmocka_run_group_tests_name("agentless", tests, NULL, NULL);
}
