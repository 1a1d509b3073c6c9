/* SPDX-License-Identifier: MIT */
/*
 * The agent's one thread: collects the times of what has ended, follows the tracer's wishes, and
 * publishes pairs of clocks.
 *
 * While dormant it looks at the control word every DORMANT_NS and does nothing else. A tracer is
 * taken for alive while its heartbeat changes; comparing it with a clock of ours would go wrong in
 * a container whose boot time is shifted. Its silence is measured in time that this thread has
 * spent looking: a process that was stopped, or a machine that slept, knows nothing of the tracer.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "hsa_agent/core.h"

#define DORMANT_NS   20000000
#define ACTIVE_NS    1000000
#define LOOK_MAX_NS  100000000ULL /* longer than that between two looks does not count */
#define CLOCK_EVERY  100000000ULL
#define STOP_WAIT_NS 500000000
#define STACK_SIZE   (256 * 1024)

static struct {
	pthread_t thread;
	bool running;
	sem_t wake;
	uint32_t stop;
	bool unattended; /* record until the first tracer comes */
	uint64_t heartbeat;
	uint64_t silence; /* ns since it changed, as far as we looked */
	uint64_t last_look;
	uint64_t next_clock;
} reaper;

static bool should_record(uint64_t now)
{
	const struct rt_agent_control *control = agent.shm.control;
	uint64_t heartbeat = __atomic_load_n(&control->heartbeat, __ATOMIC_ACQUIRE);
	uint64_t passed = now - reaper.last_look;

	if (agent.off)
		return false;
	reaper.last_look = now;
	reaper.silence += passed < LOOK_MAX_NS ? passed : LOOK_MAX_NS;
	if (heartbeat != reaper.heartbeat) {
		reaper.heartbeat = heartbeat;
		reaper.silence = 0;
		reaper.unattended = false;
	}
	if (reaper.unattended)
		return true;
	return __atomic_load_n(&control->active, __ATOMIC_ACQUIRE) && reaper.heartbeat &&
	       reaper.silence < RT_AGENT_HEARTBEAT_TIMEOUT_NS;
}

/* The runtime must be taking times before the first operation counts on them. */
static void switch_recording(bool on, uint64_t now)
{
	if (on) {
		clocks_announce();
		clocks_record();
		reaper.next_clock = now + CLOCK_EVERY;
		copies_profile(true);
	} else {
		clocks_record();
	}
	__atomic_store_n(&agent.active, on, __ATOMIC_RELEASE);
	__atomic_store_n(&agent.shm.state->active, on, __ATOMIC_RELEASE);
	if (!on)
		copies_profile(false);
	agent_say("%s", on ? "recording" : "dormant");
}

/* One round; returns how long to sleep. */
static long round_once(void)
{
	uint64_t now = shm_now();
	bool on = should_record(now);
	uint64_t in_flight;

	__atomic_store_n(&agent.wants, __atomic_load_n(&agent.shm.control->wants, __ATOMIC_RELAXED),
			 __ATOMIC_RELAXED);
	if (on != agent_active())
		switch_recording(on, now);
	in_flight = queues_reap();
	if (on && now >= reaper.next_clock) {
		clocks_record();
		reaper.next_clock = now + CLOCK_EVERY;
	}
	return on || in_flight ? ACTIVE_NS : DORMANT_NS;
}

static struct timespec from_now(clockid_t clock, long ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static void *reap(void *arg)
{
	while (!__atomic_load_n(&reaper.stop, __ATOMIC_ACQUIRE)) {
		struct timespec until = from_now(CLOCK_MONOTONIC, round_once());

		sem_clockwait(&reaper.wake, CLOCK_MONOTONIC, &until);
	}
	if (agent_active())
		switch_recording(false, 0);
	queues_reap();
	return NULL;
}

/* No signal of the application is ever handled on this thread. */
static int create_thread(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int err;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&reaper.thread, &attr, reap, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (!err)
		pthread_setname_np(reaper.thread, "rtrace-reaper");
	return -err;
}

int reaper_start(bool recording)
{
	int err;

	clocks_announce();
	memset(&reaper, 0, sizeof(reaper));
	sem_init(&reaper.wake, 0, 0);
	reaper.unattended = recording;
	if (recording)
		switch_recording(true, shm_now());
	err = create_thread();
	reaper.running = !err;
	return err;
}

void reaper_stop(void)
{
	struct timespec until;

	if (!reaper.running)
		return;
	reaper.running = false;
	__atomic_store_n(&reaper.stop, 1, __ATOMIC_RELEASE);
	sem_post(&reaper.wake);
	until = from_now(CLOCK_REALTIME, STOP_WAIT_NS);
	if (pthread_timedjoin_np(reaper.thread, NULL, &until))
		pthread_detach(reaper.thread);
}

void reaper_forked(void)
{
	reaper.running = false;
}
