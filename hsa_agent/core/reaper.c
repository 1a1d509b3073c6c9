/* SPDX-License-Identifier: MIT */
/*
 * The agent's one thread: collects the times of what has ended, follows the tracer's wishes, and
 * publishes pairs of clocks.
 *
 * While dormant it sleeps until a tracer wakes it up. A tracer is taken for alive while its
 * heartbeat changes; comparing it with a clock of ours would go wrong in a container with a shifted
 * boot time. Its silence is measured in time that this thread has spent looking: a process that was
 * stopped, or a machine that slept, knows nothing of the tracer.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "hsa_agent/calls/bind_stubs.h"
#include "hsa_agent/gpu/signal_relay.h"
#include "hsa_agent/calls/call_stubs.h"
#include "inprocess/kernel_clock.h"
#include "inprocess/raw_syscall.h"
#include "inprocess/start_thread.h"

#define ACTIVE_NS    1000000
#define RELAYS_NS    20000000 /* while dormant: the runtime ends what is still in flight */
#define UNTIL_NEWS   0
#define LOOK_MAX_NS  100000000ULL /* longer than that between two looks does not count */
#define CLOCK_FIRST  4000000ULL	  /* the second time; then half as often each time, ... */
#define CLOCK_EVERY  100000000ULL /* ... but never less often than that */
#define STOP_WAIT_NS 500000000

static struct {
	pthread_t thread;
	bool running;
	uint32_t stop;
	bool unattended; /* record until the first tracer comes */
	uint64_t heartbeat;
	uint64_t silence; /* ns since it changed, as far as we looked */
	uint64_t last_look;
	uint64_t probing;	  /* control's ... */
	uint64_t probing_silence; /* ... and ns since it changed */
	uint64_t next_clock, clock_every;
	uint64_t numbered; /* flight__round's */
	uint64_t places;   /* say_places' */
	uint32_t told;	   /* as `agent.told`, but for what the client has changed since */
	uint32_t ask;	   /* it has done so, and maybe back again */
} reaper;

/* Held by threads that change what is recorded or reported: the reaper, and those of a client. */
static pthread_mutex_t switching = PTHREAD_MUTEX_INITIALIZER;

/* Is there another tracer that captures calls by probes? */
static void look_for_others(uint64_t passed)
{
	uint64_t probing = __atomic_load_n(&agent.shm.control->probing, __ATOMIC_ACQUIRE);

	reaper.probing_silence += passed;
	if (probing != reaper.probing) {
		reaper.probing = probing;
		reaper.probing_silence = 0;
	}
}

static bool others_probe(void)
{
	return reaper.probing && reaper.probing_silence < RT_AGENT_HEARTBEAT_TIMEOUT_NS;
}

/* Is there a tracer to record for? */
static bool is_attended(uint64_t now)
{
	struct rt_agent_control *control = agent.shm.control;
	uint64_t heartbeat = __atomic_load_n(&control->heartbeat, __ATOMIC_ACQUIRE);
	uint64_t passed = now - reaper.last_look;

	if (agent.off)
		return false;
	reaper.last_look = now;
	if (passed > LOOK_MAX_NS)
		passed = LOOK_MAX_NS;
	look_for_others(passed);
	reaper.silence += passed;
	if (heartbeat != reaper.heartbeat) {
		reaper.heartbeat = heartbeat;
		reaper.silence = 0;
		reaper.unattended = false;
	}
	if (reaper.unattended)
		return true;
	if (reaper.silence >= RT_AGENT_ABANDONED_NS) { /* once: the next tracer may be coming */
		__atomic_store_n(&control->active, 0, __ATOMIC_RELEASE);
		reaper.silence = 0;
	}
	return __atomic_load_n(&control->active, __ATOMIC_ACQUIRE) && reaper.heartbeat &&
	       reaper.silence < RT_AGENT_HEARTBEAT_TIMEOUT_NS;
}

/* See dispatch__follow. */
static void watch(bool on)
{
	if (on == agent_watching())
		return;
	__atomic_store_n(&agent.watching, on, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	queues__follow(on);
}

/* The length of a tick takes two pairs to compute, and a process may not live for long. */
static void record_clocks(uint64_t every)
{
	clocks__record();
	reaper.clock_every = every < CLOCK_EVERY ? every : CLOCK_EVERY;
	/* From now on: the round may have begun long ago, and pairs that are near are of no use. */
	reaper.next_clock = kernel_clock__boot_ns() + reaper.clock_every;
}

/* The runtime must be taking times before the first operation counts on them. */
static void switch_recording(bool on)
{
	if (on) {
		clocks__announce();
		record_clocks(CLOCK_FIRST);
		copies__profile(true);
		shared_memory__prepare(&agent.shm);
	} else {
		clocks__record();
	}
	__atomic_store_n(&agent.active, on, __ATOMIC_RELEASE);
	if (on)
		watch(true);
	agent__say("%s", on ? "recording" : "dormant");
}

static void answer_tracer(bool on)
{
	__atomic_store_n(&agent.shm.state->active, on, __ATOMIC_RELEASE);
}

/*
 * The queues are followed before anything is reported. Else the client would receive a packet that
 * a thread submits in between, but not when it ran.
 */
static void switch_telling(uint32_t wants)
{
	bool changed = __atomic_exchange_n(&reaper.ask, 0, __ATOMIC_ACQ_REL);

	if (wants == reaper.told && wants == agent_told() && !changed)
		return;
	reaper.told = wants;
	if (wants) {
		copies__profile(true);
		watch(true);
	}
	__atomic_store_n(&agent.told, wants, __ATOMIC_RELEASE);
}

/* A client may have changed its wishes from inside of a report. */
static void follow_wishes(bool record)
{
	pthread_mutex_lock(&switching);
	if (record != agent_active())
		switch_recording(record);
	if (agent_told() != reaper.told || __atomic_load_n(&reaper.ask, __ATOMIC_ACQUIRE))
		switch_telling(client__wishes());
	pthread_mutex_unlock(&switching);
}

/*
 * Packets are looked at for as long as a kernel's times will be in a signal of the application, and
 * the runtime takes the times of copies for as long as one of our relays is in flight.
 */
static void end_watching(bool relays)
{
	pthread_mutex_lock(&switching);
	if (!agent_follows() && agent_watching() && !shadow__has_kernels())
		watch(false);
	if (!agent_follows() && !relays)
		copies__profile(false);
	pthread_mutex_unlock(&switching);
}

/* `places`: that lead to the stubs, 0: nothing is captured. */
static void say_places(uint64_t places)
{
	if (places && places != reaper.places)
		agent__say("captures calls that are made from %" PRIu64 " places", places);
	reaper.places = places;
}

/* Calls are captured in the process while a tracer wants them. */
static void follow_calls(bool on)
{
	bool changed = call_stubs__follow(on && !others_probe());

	if (!call_stubs__capture()) {
		say_places(0);
		return;
	}
	call_spans__prepare();
	bind_stubs__look(changed, call_stubs__places());
	say_places(__atomic_load_n(call_stubs__places(), __ATOMIC_RELAXED));
}

/* One round; returns how long to sleep, ns. */
static long round_once(void)
{
	uint64_t now = kernel_clock__boot_ns();
	bool on = is_attended(now), record;
	uint32_t wants = __atomic_load_n(&agent.shm.control->wants, __ATOMIC_RELAXED);
	bool in_flight, relays;

	__atomic_store_n(&agent.wants, wants, __ATOMIC_RELAXED);
	record = on && !(wants & RT_AGENT_WANT_CALLS_ONLY);
	follow_wishes(record);
	answer_tracer(on);
	follow_calls(on);
	in_flight = queues__reap();
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* as in copy_hooks.c: not wanted, or a relay */
	relays = signal_relay__reap();
	end_watching(relays);
	reaper.numbered = flight__round(reaper.numbered);
	if (record)
		shared_memory__prepare(&agent.shm);
	if (record && now >= reaper.next_clock)
		record_clocks(2 * reaper.clock_every);
	if (on || agent_told() || in_flight)
		return ACTIVE_NS;
	if (relays)
		return RELAYS_NS;
	return agent_asked() ? LOOK_MAX_NS : UNTIL_NEWS;
}

static uint32_t *news(void)
{
	return &agent.shm.control->news;
}

/* If there are no other news than those that were seen. */
static void wait_for_news(uint32_t seen, long ns)
{
	const struct timespec time = {ns / 1000000000, ns % 1000000000};

	raw_syscall(SYS_futex, (long)news(), FUTEX_WAIT, seen, ns == UNTIL_NEWS ? 0 : (long)&time,
		    0, 0);
}

/* Not by reaper__stop's thread, which may hold locks of the runtime. */
static void end_all(void)
{
	pthread_mutex_lock(&switching);
	if (agent_active())
		switch_recording(false);
	if (agent_told())
		switch_telling(0);
	copies__profile(false);
	pthread_mutex_unlock(&switching);
	answer_tracer(false);
	call_stubs__follow(false);
}

static void *reap(void *arg)
{
	uint32_t seen = __atomic_load_n(news(), __ATOMIC_ACQUIRE);

	pthread_setname_np(pthread_self(), "rtrace-reaper"); /* by which others know its calls */
	while (!__atomic_load_n(&reaper.stop, __ATOMIC_ACQUIRE)) {
		wait_for_news(seen, round_once());
		seen = __atomic_load_n(news(), __ATOMIC_ACQUIRE);
	}
	end_all();
	queues__reap();
	watch(false);
	return NULL;
}

int reaper__start(bool recording)
{
	int err;

	clocks__announce();
	memset(&reaper, 0, sizeof(reaper));
	reaper.unattended = recording;
	if (recording)
		switch_recording(true);
	answer_tracer(recording);
	err = start_thread__start(&reaper.thread, reap);
	__atomic_store_n(&reaper.running, !err, __ATOMIC_RELEASE);
	reaper__ask_client();
	return err;
}

static void wake_up(void)
{
	__atomic_fetch_add(news(), 1, __ATOMIC_RELEASE);
	raw_syscall(SYS_futex, (long)news(), FUTEX_WAKE, 1, 0, 0, 0);
}

void reaper__ask_client_later(void)
{
	__atomic_store_n(&reaper.ask, 1, __ATOMIC_RELEASE);
	wake_up();
}

bool reaper__ask_client(void)
{
	bool running;

	pthread_mutex_lock(&switching);
	running = __atomic_load_n(&reaper.running, __ATOMIC_ACQUIRE) && !agent.off;
	if (running)
		switch_telling(client__wishes());
	pthread_mutex_unlock(&switching);
	if (running)
		wake_up();
	return running;
}

void reaper__stop(void)
{
	struct timespec until = kernel_clock__in(STOP_WAIT_NS);

	if (!__atomic_exchange_n(&reaper.running, false, __ATOMIC_ACQ_REL))
		return;
	__atomic_store_n(&reaper.stop, 1, __ATOMIC_RELEASE);
	wake_up();
	if (pthread_timedjoin_np(reaper.thread, NULL, &until))
		pthread_detach(reaper.thread);
}

void reaper__forked(void)
{
	pthread_mutex_init(&switching, NULL);
	reaper.running = false;
}
