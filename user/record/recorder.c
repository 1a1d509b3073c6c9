// SPDX-License-Identifier: MIT
/*
 * The recorder: sets the stages up, runs the loop, takes all down in the right order.
 *
 * The loop wakes up every millisecond for a round of the intake (intake.c).
 *
 * At the end the agents stop first and the probes go last, so that every GPU operation in the trace
 * was submitted under the eyes of the capture.
 */
#include "user/record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "user/agent/agent_set.h"
#include "user/api/kfd_ioctls.h"
#include "user/base/log.h"
#include "user/base/same_file.h"
#include "user/merge/merge.h"
#include "user/merge/task_names.h"
#include "user/probe/capture.h"
#include "user/probe/nop5_test.h"
#include "user/probe/targets.h"
#include "user/probe/tracefs.h"
#include "user/record/closing_message.h"
#include "user/record/event_lock.h"
#include "user/record/open_outputs.h"
#include "user/record/privileges.h"
#include "user/record/record_plan.h"
#include "user/record/recorder_internal.h"
#include "user/record/release_on_death.h"
#include "user/record/seccomp_filter.h"
#include "user/record/signal_handlers.h"
#include "user/record/traced_processes.h"

#define AGENT_START_MS 500
#define AGENT_STOP_MS  50
#define LAST_ENDS_MS   50 /* how long the GPU may take to finish what it runs when tracing stops */

/* ---- losses ---- */

static void count_agent(struct agent_view *v, void *arg)
{
	closing_message__add_agent(arg, v);
}

static void add_losses(struct recorder *r, struct trace_stats *s)
{
	s->lost_spans = capture__count(r->in.capture, RT_COUNT_LOST_RING);
	s->lost_tasks = capture__count(r->in.capture, RT_COUNT_LOST_TASK);
	s->lost_depth = capture__count(r->in.capture, RT_COUNT_LOST_DEPTH);
	s->lost_other +=
		capture__count(r->in.capture, RT_COUNT_LOST_NOTE) + agent_set__missed(r->in.agents);
	s->lost_ends += capture__count(r->in.capture, RT_COUNT_LOST_END);
	s->lost_gpu += capture__count(r->in.capture, RT_COUNT_LOST_END);
	s->unseen += capture__count(r->in.capture, RT_COUNT_LOST_DISPATCH);
	agent_set__each(r->in.agents, count_agent, s);
}

/* ---- the loop ---- */

int recorder__watch(struct recorder *r, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return fd < 0 || epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int open_loop(struct recorder *r)
{
	sigset_t set;
	int err;

	signal(SIGCHLD, SIG_DFL); /* ignored, there would be no status of the command */
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->stop_wanted = signal_handlers__open();
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->epoll < 0 || r->signals < 0)
		return -errno;
	err = recorder__watch(r, r->signals);
	return err ? err : recorder__watch(r, r->stop_wanted);
}

#define LOOK_NS 50000000

/* Has the command ended, and all that it has started? */
static void look_at_command(struct recorder *r)
{
	uint64_t now = clock__boot_ns();

	if (!r->command_ended || now < r->next_look)
		return;
	r->next_look = now + LOOK_NS;
	if (r->opt->stop_with_command || !traced_processes__are_left(r))
		r->stop = true;
}

static void reap_child(struct recorder *r)
{
	if (r->command_ended || !launch_command__has_ended(&r->launch))
		return;
	r->command_ended = clock__boot_ns();
	look_at_command(r);
}

static void on_signal(struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		reap_child(r);
}

#define SECONDS	       "%" PRIu64 ".%09" PRIu64
#define IN_SECONDS(ns) (ns) / 1000000000, (ns) % 1000000000

/* Tracing is on in the collection periods, unless SIGUSR1 has switched it off. */
static void switch_on_off(struct recorder *r)
{
	uint64_t now = clock__boot_ns(), known;
	bool off = signal_handlers__off() ||
		   !collection_periods__on(&r->opt->periods, now - r->started);

	if (off == r->off)
		return;
	r->off = off;
	/* The times must not end before the kernel knows, nor begin after it knows. */
	if (off)
		off_times__set(&r->trace.off, RT_OFF_STOPPED, true, now);
	capture__set_off(r->in.capture, off);
	known = clock__boot_ns();
	if (!off)
		off_times__set(&r->trace.off, RT_OFF_STOPPED, false, known);
	log_info("tracing is switched %s between " SECONDS " and " SECONDS " s after boot",
		 off ? "off" : "on", IN_SECONDS(now), IN_SECONDS(known));
}

/* Where neither the trace nor the command writes to the same terminal. */
static void say_progress(const struct recorder *r, const struct trace_stats *s)
{
	if (r->opt->command || (r->to_stdout && isatty(STDOUT_FILENO)) || !log_progress_is_due())
		return;
	log_progress("%.0f s: %" PRIu64 " calls, %" PRIu64 " dispatches, %" PRIu64
		     " copies; %" PRIu64 " lost",
		     (double)(clock__boot_ns() - r->started) / 1e9, s->spans, s->dispatches,
		     s->copies, trace_stats__lost(s));
}

/* About once a second. */
static void flush_sinks(struct recorder *r, uint64_t now)
{
	struct trace_stats stats = r->trace.stats;

	add_losses(r, &stats);
	losses_by_process__tell(r->lost_by, r->in.capture, r->in.agents, r->trace.out);
	task_names__give_new(r->trace.out, r->trace.tasks);
	trace_clocks__now(&stats.ended);
	output_set__flush(r->trace.out, now, &stats);
	say_progress(r, &stats);
}

static void tell_sinks(struct recorder *r)
{
	uint64_t now = clock__boot_ns();

	if (signal_handlers__dump_wanted()) {
		if (!r->opt->settings.limits.keep_ns)
			log_warn("SIGUSR2: ignored, as there is no flight recorder (--keep)");
		output_set__dump(r->trace.out, "SIGUSR2");
	}
	if (output_set__is_due(r->trace.out, now))
		flush_sinks(r, now);
	output_set__tick(r->trace.out);
	if (output_set__is_full(r->trace.out))
		r->stop = true;
}

static void on_event(struct recorder *r, int fd)
{
	if (fd == r->stop_wanted) {
		r->stop = true;
	} else if (fd == r->signals) {
		on_signal(r);
	} else { /* pidfd of a traced process: it has ended */
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
		if (!--r->live_pids)
			r->stop = true;
	}
}

/* One that was late is followed at once by the next. */
static void round_if_due(struct recorder *r, uint64_t *due)
{
	uint64_t now = clock__boot_ns();

	if (now < *due)
		return;
	switch_on_off(r);
	look_at_command(r);
	intake__round(&r->in);
	tell_sinks(r);
	*due += INTAKE_ROUND_NS;
	if (*due < now)
		*due = now;
}

/* A timer's descriptor would cost each round a system call more. */
static int wait_for_events(const struct recorder *r, struct epoll_event *events, int max,
			   uint64_t due)
{
	uint64_t now = clock__boot_ns();
	struct timespec left = {.tv_nsec = now < due ? due - now : 0};

	return epoll_pwait2(r->epoll, events, max, &left, NULL);
}

static void run_loop(struct recorder *r)
{
	uint64_t limit = r->opt->duration * 1e9, due = clock__boot_ns();
	struct epoll_event events[16];
	int n;

	while (!r->stop) {
		round_if_due(r, &due);
		n = wait_for_events(r, events, 16, due); /* -1 on a signal: once more */
		for (int i = 0; i < n; i++)
			on_event(r, events[i].data.fd);
		if (limit && clock__boot_ns() - r->started >= limit)
			r->stop = true;
	}
}

/* ---- setting up ---- */

static uint32_t key_pid(const struct recorder *r)
{
	if (r->launch.pid > 0)
		return r->launch.pid;
	return r->opt->pid_count == 1 ? r->opt->pids[0] : getpid();
}

static int open_output(struct recorder *r)
{
	const struct output_keys keys = {
		.pid = key_pid(r),
		.command = (const char *const *)r->opt->command,
	};

	r->names = task_names__of(r->trace.tasks);
	r->trace.out = output_set__new(&r->names, NULL);
	return r->trace.out ? open_outputs__all(r->trace.out, r->opt, &keys, &r->to_stdout)
			    : -ENOMEM;
}

static int add_request(void *capture, uint8_t number, const struct function *fn)
{
	int err = capture__add_function(capture, fn);

	return err ? err : capture__add_request(capture, number, fn);
}

static int open_capture(struct recorder *r)
{
	const struct options *o = r->opt;
	const enum targets_reach reach = record_plan__reach(o);
	const enum capture_mode mode = record_plan__mode(o, reach);
	const struct capture_config config = record_plan__capture(o, reach);
	const struct targets_callbacks callbacks = intake__targets_callbacks(&r->in);

	log_info("functions are probed in mode %s", capture_mode_names[mode]);
	r->in.capture = capture__open(&config, mode);
	if (!r->in.capture)
		return -errno;
	if (config.kfd) {
		int err = kfd_ioctls__each(r->trace.fns, add_request, r->in.capture);

		if (err)
			return err;
	}
	r->attach = attach_links__new(r->in.capture, mode);
	if (!r->attach)
		return -errno;
	if (record_plan__agents_capture(o))
		attach_links__leave_to_agents(r->attach, o->capture_by == CAPTURE_BY_AGENT);
	capture__holds(r->in.capture, &r->in.holds);
	r->in.targets = targets__new(r->trace.fns, r->attach, reach, record_plan__kept_off(o),
				     &r->in.holds, &callbacks);
	if (!r->in.targets)
		return -ENOMEM;
	r->in_tree = reach == REACH_TREE;
	return r->in_tree ? attach_links__prepare_tree(r->attach) : 0;
}

static bool unloads_of(pid_t pid, struct code_unloads *unloads, void *arg)
{
	const struct recorder *r = arg;

	return capture__unloads(r->in.capture, pid, &unloads->began, &unloads->may_go_on);
}

static int open_merge(struct recorder *r)
{
	const struct agents_callbacks callbacks = intake__callbacks(&r->in);

	r->in.order = reorder_buffer__new();
	r->in.operations = gpu_operations__new(&r->trace);
	r->in.merge = merge__new(&r->trace, r->in.operations);
	r->in.agents =
		agent_set__new(r->trace.strings, &callbacks, record_plan__wants_agents(r->opt));
	r->lost_by = losses_by_process__new();
	if (!r->in.order || !r->in.operations || !r->in.merge || !r->in.agents || !r->lost_by)
		return -ENOMEM;
	if (record_plan__agents_capture(r->opt))
		agent_set__capture_calls(r->in.agents);
	agent_set__set_rank(r->in.agents, r->opt->all ? CLAIM_OF_NODE : CLAIM_OF_PROCESS);
	agent_set__want(r->in.agents, record_plan__agent_wants(r->opt));
	if (r->opt->selection.doorbells) {
		r->in.dispatches =
			doorbell_dispatches__new(&r->trace, r->in.operations, unloads_of, r);
		return r->in.dispatches ? 0 : -ENOMEM;
	}
	return 0;
}

static int start_guard(struct recorder *r)
{
	struct event_lock lock = {
		.file = event_lock__open(),
		.calls = capture__long_calls(r->in.capture),
	};

	if (lock.file < 0 || lock.calls < 0)
		log_info("the kernel's lock of trace events is not watched: %s",
			 strerror(lock.file < 0 ? -lock.file : -lock.calls));
	r->guard = release_on_death__start(&r->in.holds, &lock);
	if (lock.file >= 0)
		close(lock.file);
	if (lock.calls >= 0)
		close(lock.calls);
	return r->guard < 0 ? r->guard : 0;
}

static int start(struct recorder *r)
{
	int err;

	/* A delay holds from the first call on, so before the first probe. */
	r->started = clock__boot_ns();
	switch_on_off(r);
	err = start_guard(r);
	if (err)
		log_err("start the guard process, which releases the job if the tracer dies: %s",
			strerror(-err));
	else
		err = traced_processes__start(r);
	agent_set__begin(r->in.agents, AGENT_START_MS);
	r->started = clock__boot_ns();
	log_info("tracing starts at " SECONDS " s after boot", IN_SECONDS(r->started));
	if (!err && !r->opt->command) {
		r->trace.begin = r->started;
		traced_processes__say(r);
	}
	return err;
}

/* ---- the end ---- */

static void finish(struct recorder *r)
{
	uint64_t begun = clock__boot_ns(), detached;
	int err;

	r->trace.begin = r->opt->command ? 0 : r->started;
	r->trace.end = begun;
	agent_set__stop(r->in.agents, AGENT_STOP_MS);
	intake__drain_for(&r->in, LAST_ENDS_MS);
	r->in.stopping = true;
	attach_links__free(r->attach);
	r->attach = NULL;
	detached = clock__boot_ns();
	err = capture__flush_open_calls(r->in.capture);
	if (err)
		log_warn("calls that are still open are not in the trace: %s", strerror(-err));
	r->missed_requests = capture__missed_requests(r->in.capture);
	capture__unwatch(r->in.capture);
	intake__drain_last(&r->in);
	if (r->in.absent)
		agentless__finish(r->in.absent, r->trace.end);
	merge__finish(r->in.merge, detached);
	task_names__give_new(r->trace.out, r->trace.tasks);
	add_losses(r, &r->trace.stats);
	trace_clocks__now(&r->trace.stats.ended);
	log_info("stopped and detached in %.0f ms", (detached - begun) / 1e6);
}

static void say_result(const struct recorder *r)
{
	closing_message__say(&r->trace.stats, (clock__boot_ns() - r->started) / 1e9);
	if (r->in.agent_calls)
		log_info("%" PRIu64 " calls were captured by agents", r->in.agent_calls);
	if (r->in.dispatches)
		closing_message__say_doorbells(
			&r->trace.stats, capture__count(r->in.capture, RT_COUNT_OLD_DISPATCH));
	if (r->missed_requests)
		log_warn("the kernel left out %" PRIu64
			 " programs of the tracer: up to as many calls of the GPU driver are "
			 "missing",
			 r->missed_requests);
	if (r->opt->command && !r->trace.stats.spans && !r->trace.stats.runtimes)
		log_warn("the command made no call of a traced function");
}

static int exit_status(const struct recorder *r, int err)
{
	if (err)
		return EXIT_FAILURE;
	return launch_command__exit_status(&r->launch);
}

static void close_all(struct recorder *r)
{
	launch_command__cancel(&r->launch);
	release_on_death__dismiss(r->guard);
	agent_set__free(r->in.agents);
	agentless__free(r->in.absent);
	losses_by_process__free(r->lost_by);
	attach_links__free(r->attach);
	targets__free(r->in.targets);
	capture__close(r->in.capture);
	merge__free(r->in.merge);
	doorbell_dispatches__free(r->in.dispatches);
	gpu_operations__free(r->in.operations);
	intake__free(&r->in);
	trace_state__close(&r->trace);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->signals >= 0)
		close(r->signals);
}

static int open_trace(struct recorder *r)
{
	struct trace *t = &r->trace;
	int err = trace_state__open(t, &r->opt->selection);

	if (err)
		return err;
	t->calls_filtered = record_plan__filters_calls(r->opt);
	string_pool__set_kernel_names(t->strings, r->opt->kernel_names);
	processes__set_initially_off(t->tasks,
				     (r->opt->start_off ? RT_OFF_STOPPED : 0) |
					     (r->opt->selected_regions ? RT_OFF_PAUSED : 0));
	r->in.trace = t;
	r->in.filter = &r->opt->filter;
	r->in.filtered = record_plan__filters_processes(r->opt);
	return 0;
}

/*
 * Runs after the fork of the command, which keeps the user's capabilities. Runs before any thread
 * is started, as the kernel keeps capabilities by thread, and before the first file of other users
 * is read.
 */
static int reduce_privileges(struct recorder *r)
{
	const struct options *o = r->opt;
	int err;

	if (!tracefs__root()) /* it may have to be mounted */
		return -ENOENT;
	same_file__prepare();
	err = privileges__reduce(o->settings.metrics);
	if (err)
		log_err("give up capabilities: %s", strerror(-err));
	else
		seccomp_filter__install(o->settings.metrics);
	return err;
}

static int open_all(struct recorder *r)
{
	int err;

	err = open_trace(r);
	if (!err)
		err = privileges__check();
	if (!err && nop5_test__test() == NOP5_UNKNOWN)
		log_info("5-byte nops: not known what the kernel makes of probes there: none is "
			 "probed");
	if (!err) {
		err = open_loop(r);
		if (err)
			log_err("start: %s", strerror(-err));
	}
	if (!err)
		err = traced_processes__prepare_command(r);
	if (!err)
		err = reduce_privileges(r);
	if (!err)
		err = traced_processes__check(r);
	if (!err)
		err = open_output(r);
	if (!err)
		err = open_capture(r);
	return err ? err : open_merge(r);
}

int recorder__run(const struct options *o)
{
	struct recorder r = {.opt = o, .epoll = -1, .signals = -1};
	int err;

	r.launch.go = -1;
	r.guard = -1;
	if (o->command)
		inherited_state__save(&r.launch.inherited);
	err = open_all(&r);
	if (!err)
		err = start(&r);
	if (err) {
		output_set__discard(r.trace.out);
	} else {
		run_loop(&r);
		finish(&r);
		err = output_set__close(r.trace.out, &r.trace.stats);
		say_result(&r);
		launch_command__see_off(&r.launch, o->command);
	}
	close_all(&r);
	return exit_status(&r, err);
}
