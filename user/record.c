// SPDX-License-Identifier: MIT
/*
 * The recorder: sets the stages up, runs the loop, takes all down in the right order.
 *
 * The loop wakes up every millisecond, drains the kernel's rings and the agents' rings into the
 * reorder buffer, and releases what is old enough to the merge. A record may be released when every
 * source has been drained since its time: the bound is the start of the previous round in which
 * nothing was held up. A round is held up by a record that a thread has reserved and, preempted,
 * not finished; it is waited for, but not for ever.
 *
 * At the end the agents stop first and the probes go last, so that every GPU operation in the trace
 * was submitted under the eyes of the capture.
 */
#include "user/record.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/agents.h"
#include "user/attach.h"
#include "user/capture.h"
#include "user/guard.h"
#include "user/launch.h"
#include "user/log.h"
#include "user/merge.h"
#include "user/order.h"
#include "user/output.h"
#include "user/privileges.h"
#include "user/procfs.h"
#include "user/targets.h"

#define ROUND_NS       1000000ULL    /* 1 ms */
#define TICK_NS	       100000000ULL  /* 100 ms */
#define HELD_UP_NS     1000000000ULL /* do not wait longer than that for an unfinished record */
#define AGENT_START_MS 100
#define AGENT_STOP_MS  50
#define LAST_ENDS_MS   50 /* how long the GPU may take to finish what it runs when tracing stops */

struct recorder {
	const struct options *opt;
	struct functions *fns;
	struct strings *strings;
	struct tasks *tasks;
	struct output *out;
	struct order *order;
	struct merge *merge;
	struct capture *capture;
	struct attach *attach;
	struct targets *targets;
	struct agents *agents;
	struct launch launch;
	int child_status; /* of wait(), -1: still running */
	int guard;	  /* see guard.h */
	int epoll, timer, signals;
	size_t live_pids; /* traced by -p and still running */
	uint64_t started, last_round, last_tick;
	struct rescan *rescans;
	bool stop;
	bool stopping; /* the probes are being taken off: none may be added */
};

/* A process that opened a library while nobody held it back: it is looked at a few times more. */
struct rescan {
	pid_t pid;
	unsigned int step;
	uint64_t due;
	struct rescan *next;
};

static const uint64_t rescan_after_ns[] = {2000000, 10000000, 50000000, 250000000};
#define RESCAN_STEPS (sizeof(rescan_after_ns) / sizeof(rescan_after_ns[0]))

/* In the reorder buffer, records of agents travel behind the header of those of the kernel. */
#define RT_REC_FROM_AGENT 0x100
#define RT_REC_AGENT_GONE 0x101 /* without a record */

struct agent_item {
	struct rt_rec h;
	struct agent_view *view;
	struct rt_agent_rec rec;
};

/* ---- from the sources into the reorder buffer ---- */

static void plan_rescan(struct recorder *r, pid_t pid)
{
	struct rescan *scan = calloc(1, sizeof(*scan));

	if (!scan)
		return;
	scan->pid = pid;
	scan->due = clock__boot_ns() + rescan_after_ns[0];
	scan->next = r->rescans;
	r->rescans = scan;
}

static void run_rescans(struct recorder *r, uint64_t now)
{
	struct rescan **link = &r->rescans, *scan;

	while ((scan = *link)) {
		if (scan->due > now) {
			link = &scan->next;
			continue;
		}
		targets__rescan(r->targets, scan->pid);
		if (++scan->step < RESCAN_STEPS) {
			scan->due = now + rescan_after_ns[scan->step];
			link = &scan->next;
		} else {
			*link = scan->next;
			free(scan);
		}
	}
}

static void on_library(struct recorder *r, const struct rt_rec_open *rec)
{
	targets__opened(r->targets, rec->h.pid, rec->fd);
	if (!(rec->h.flags & RT_OPEN_STOPPED))
		plan_rescan(r, rec->h.pid);
}

/* A process has opened or mapped something that matters, and may be stopped until we know it. */
static void on_open(struct recorder *r, const struct rt_rec_open *rec)
{
	pid_t pid = rec->h.pid;

	tasks__process(r->tasks, pid); /* its name and arguments, while it is there */
	if (!r->stopping) {
		if (rec->h.kind == RT_REC_LIBRARY)
			on_library(r, rec);
		else if (rec->h.kind == RT_REC_MAPPED)
			targets__mapped(r->targets, pid);
		else
			agents__created(r->agents, pid, rec->fd);
	}
	if (rec->h.flags & RT_OPEN_STOPPED)
		kill(pid, SIGCONT);
}

/*
 * What must be asked of the process while it is there, before the record waits in the buffer: which
 * function an address is, and a string that was not resident when the kernel looked.
 */
static void complete_span(struct recorder *r, struct rt_rec_span_str *s)
{
	struct rt_rec_span *span = &s->span;
	const struct function *fn;
	ssize_t n;

	if (span->h.flags & RT_SPAN_BY_IP) {
		fn = targets__resolve(r->targets, span->h.pid, span->func);
		span->func = fn ? fn->id : UINT64_MAX;
		span->h.flags &= ~RT_SPAN_BY_IP;
	}
	if (span->h.kind == RT_REC_SPAN_STR && span->h.flags & RT_SPAN_STR_FAULT) {
		n = procfs__read_memory(span->h.pid, span->args[0], s->str, sizeof(s->str));
		span->str_len = n > 0 ? strnlen(s->str, n) : 0;
		if (span->str_len == sizeof(s->str))
			span->h.flags |= RT_SPAN_STR_CUT;
		if (n > 0)
			span->h.flags &= ~RT_SPAN_STR_FAULT;
	}
}

static void push(struct recorder *r, uint64_t ts, const void *rec, size_t size)
{
	if (order__push(r->order, ts, rec, size))
		merge__stats(r->merge)->lost_other++;
}

static void on_span_record(struct recorder *r, const void *data, size_t size)
{
	const uint32_t incomplete = RT_SPAN_BY_IP | RT_SPAN_STR_FAULT;
	const struct rt_rec *rec = data;
	struct rt_rec_span_str copy;

	if (!(rec->flags & incomplete) || size > sizeof(copy)) {
		push(r, rec->ts, data, size);
		return;
	}
	memcpy(&copy, data, size);
	complete_span(r, &copy);
	push(r, rec->ts, &copy, size);
}

/* What cannot wait is done at once; everything goes on to the merge in the order of time. */
static void on_kernel_record(const void *data, size_t size, void *arg)
{
	const struct rt_rec *rec = data;
	struct recorder *r = arg;

	switch (rec->kind) {
	case RT_REC_LIBRARY:
	case RT_REC_MAPPED:
	case RT_REC_AGENT:
		on_open(r, data);
		break;
	case RT_REC_FORK:
		targets__fork(r->targets, rec->pid, ((const struct rt_rec_fork *)data)->child);
		break;
	case RT_REC_EXEC:
		agents__exec(r->agents, rec->pid);
		targets__exec(r->targets, rec->pid);
		break;
	case RT_REC_SPAN:
	case RT_REC_SPAN_STR:
		on_span_record(r, data, size);
		break;
	default:
		push(r, rec->ts, data, size);
	}
}

static void on_agent_record(struct agent_view *v, const struct rt_agent_rec *rec, void *arg)
{
	struct agent_item item = {.h.kind = RT_REC_FROM_AGENT, .view = v, .rec = *rec};
	struct recorder *r = arg;
	uint64_t now = clock__boot_ns();

	/* A process may write any time it likes there: none may wait in the buffer for ever. */
	item.h.ts = rec->time < now ? rec->time : now;
	push(r, item.h.ts, &item, sizeof(item));
}

static void on_agent_gone(struct agent_view *v, void *arg)
{
	struct agent_item item = {.h.kind = RT_REC_AGENT_GONE, .view = v};

	item.h.ts = clock__boot_ns();
	push(arg, item.h.ts, &item, sizeof(item));
}

/* ---- from the reorder buffer into the merge ---- */

static void on_released(const void *data, size_t size, void *arg)
{
	const struct agent_item *item = data;
	const struct rt_rec *rec = data;
	struct recorder *r = arg;

	if (rec->kind == RT_REC_FROM_AGENT)
		merge__agent(r->merge, item->view, &item->rec);
	else if (rec->kind == RT_REC_AGENT_GONE)
		merge__agent_gone(r->merge, item->view);
	else
		merge__kernel(r->merge, rec);
}

static void run_round(struct recorder *r)
{
	uint64_t now = clock__boot_ns();
	bool complete;

	complete = capture__drain(r->capture, on_kernel_record, r);
	complete = agents__drain(r->agents) && complete;
	if (now - r->last_tick >= TICK_NS) {
		agents__reap(r->agents);
		agents__heartbeat(r->agents);
		r->last_tick = now;
	}
	run_rescans(r, now);
	if (!complete && now - r->last_round < HELD_UP_NS)
		return;
	order__release(r->order, r->last_round, on_released, r);
	r->last_round = now;
}

/* ---- the loop ---- */

static int watch(struct recorder *r, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return fd < 0 || epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int stop_wanted = -1; /* an eventfd */

static void on_stop_signal(int signo)
{
	int saved = errno;

	eventfd_write(stop_wanted, 1);
	errno = saved;
}

/*
 * The first such signal ends the trace, the second the tracer: output that nobody reads must not
 * keep it. What is ignored (nohup) stays so.
 */
static void stop_on(int signo)
{
	struct sigaction sa = {.sa_handler = on_stop_signal, .sa_flags = SA_RESTART | SA_RESETHAND};
	struct sigaction old;

	if (signo != SIGHUP || (!sigaction(signo, NULL, &old) && old.sa_handler != SIG_IGN))
		sigaction(signo, &sa, NULL);
}

static int open_loop(struct recorder *r)
{
	struct itimerspec every = {.it_interval.tv_nsec = ROUND_NS, .it_value.tv_nsec = ROUND_NS};
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* a reader that goes away is a write error of the sink */
	stop_wanted = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stop_on(SIGINT);
	stop_on(SIGTERM);
	stop_on(SIGHUP);
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	r->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->epoll < 0 || r->signals < 0 || r->timer < 0 ||
	    timerfd_settime(r->timer, 0, &every, NULL))
		return -errno;
	err = watch(r, r->signals);
	if (!err)
		err = watch(r, stop_wanted);
	return err ? err : watch(r, r->timer);
}

static void reap_child(struct recorder *r)
{
	int status;

	if (r->launch.pid > 0 && waitpid(r->launch.pid, &status, WNOHANG) == r->launch.pid) {
		r->child_status = status;
		r->stop = true;
	}
}

static void on_signal(struct recorder *r)
{
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		reap_child(r);
}

static void on_event(struct recorder *r, int fd)
{
	uint64_t ticks;

	if (fd == stop_wanted) {
		r->stop = true;
	} else if (fd == r->signals) {
		on_signal(r);
	} else if (fd == r->timer) {
		if (read(r->timer, &ticks, sizeof(ticks)) == sizeof(ticks))
			run_round(r);
	} else { /* pidfd of a traced process: it has ended */
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
		if (!--r->live_pids)
			r->stop = true;
	}
}

static void run_loop(struct recorder *r)
{
	struct epoll_event events[16];
	uint64_t limit = r->opt->duration * 1e9;
	int n;

	while (!r->stop) {
		n = epoll_wait(r->epoll, events, 16, -1); /* -1 on a signal: once more */
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

/* The file of one sink; NULL: stdout. Freed by the caller. */
static char *sink_path(const struct options *o, const struct sink_ops *ops)
{
	char *path = NULL;
	int n;

	if (o->output && o->format_count > 1 && strcmp(o->output, "-"))
		n = asprintf(&path, "%s.%s", o->output, ops->name);
	else if (o->output)
		n = asprintf(&path, "%s", o->output);
	else if (ops->live)
		return NULL;
	else
		n = asprintf(&path, "rtrace-%%pid%%.%s", ops->name);
	return n < 0 ? NULL : path;
}

static int open_output(struct recorder *r)
{
	const struct output_keys keys = {.pid = key_pid(r)};
	const struct options *o = r->opt;
	int err = 0;

	r->out = output__new(r->tasks);
	if (!r->out)
		return -ENOMEM;
	for (size_t i = 0; i < o->format_count && !err; i++) {
		char *path = sink_path(o, o->formats[i]);

		err = output__add(r->out, o->formats[i], path, &keys);
		free(path);
	}
	if (!err && o->summary) /* only tables: they may go to the file */
		err = output__add(r->out, &sink_summary, o->format_count ? NULL : o->output, &keys);
	return err;
}

static int open_capture(struct recorder *r)
{
	const struct options *o = r->opt;
	struct capture_config config = {
		.only_listed = !o->all,
		.follow_forks = o->command,
		.stop_on_open = o->command,
		.ring_bytes = o->ring_bytes,
	};
	enum capture_mode mode;

	mode = o->attach_mode >= 0 ? (enum capture_mode)o->attach_mode : capture__best_mode();
	log_info("functions are probed in mode %s", capture_mode_names[mode]);
	r->capture = capture__open(&config, mode);
	if (!r->capture)
		return -errno;
	r->attach = attach__new(r->capture, mode);
	if (!r->attach)
		return -errno;
	r->targets = targets__new(r->fns, r->attach, !o->pid_count, o->all_functions);
	return r->targets ? 0 : -ENOMEM;
}

static int open_merge(struct recorder *r)
{
	const struct agents_callbacks callbacks = {on_agent_record, on_agent_gone, r};

	r->order = order__new();
	r->merge = merge__new(r->fns, r->strings, r->tasks, r->out);
	r->agents = agents__new(r->strings, &callbacks);
	if (!r->order || !r->merge || !r->agents)
		return -ENOMEM;
	return 0;
}

/* ---- what to trace ---- */

/* Refuses what cannot be traced before anything is touched. */
static int check_pids(const struct options *o)
{
	char comm[32];
	int n;

	for (size_t i = 0; i < o->pid_count; i++) {
		pid_t pid = o->pids[i];

		n = targets__count_libraries(pid);
		if (n == -ENOENT || n == -ESRCH) {
			log_err("process %d: no such process", pid);
			return -ESRCH;
		}
		if (n < 0) {
			log_err("process %d: read its mappings: %s", pid, strerror(-n));
			return n;
		}
		procfs__comm(pid, comm, sizeof(comm));
		if (!n) {
			log_err("process %d (%s): no ROCm library mapped: nothing to trace", pid,
				comm);
			return -ENOENT;
		}
	}
	return 0;
}

static void say_process(pid_t pid, void *arg)
{
	struct recorder *r = arg;
	char comm[32];

	procfs__comm(pid, comm, sizeof(comm));
	if (agents__look(r->agents, pid))
		log_say("process %d (%s): API calls and GPU times", pid, comm);
	else
		log_say("process %d (%s): API calls; no GPU times: it was started without the "
			"agent "
			"(HSA_TOOLS_LIB=.../librtrace-agent.so)",
			pid, comm);
}

static int start_pids(struct recorder *r)
{
	const struct options *o = r->opt;
	int n, fd;

	for (size_t i = 0; i < o->pid_count; i++) {
		pid_t pid = o->pids[i];

		fd = syscall(SYS_pidfd_open, pid, 0);
		if (watch(r, fd) || capture__list_pid(r->capture, pid)) {
			log_err("process %d: %s", pid, strerror(errno));
			return -errno;
		}
		r->live_pids++;
		n = targets__add_process(r->targets, pid);
		if (n < 0)
			return n;
		agents__look(r->agents, pid);
	}
	return 0;
}

static int add_if_rocm(pid_t pid, void *arg)
{
	struct recorder *r = arg;

	if (pid == getpid() || targets__count_libraries(pid) <= 0)
		return 0;
	if (targets__add_process(r->targets, pid) > 0)
		agents__look(r->agents, pid);
	return 0;
}

static int prepare_command(struct recorder *r)
{
	char *agent;
	int err;

	if (!r->opt->command)
		return 0;
	agent = launch__find_agent();
	if (!agent)
		log_warn("librtrace-agent.so not found beside this program: no GPU times");
	err = launch__prepare(&r->launch, r->opt->command, agent);
	if (err)
		log_err("start %s: %s", r->opt->command[0], strerror(-err));
	free(agent);
	return err;
}

static int start_command(struct recorder *r)
{
	int err;

	err = capture__list_pid(r->capture, r->launch.pid);
	if (!err) {
		r->guard = guard__start(capture__pids_map(r->capture));
		err = r->guard < 0 ? r->guard : 0;
	}
	if (!err)
		err = launch__go(&r->launch);
	if (err)
		log_err("start %s: %s", r->opt->command[0], strerror(-err));
	return err;
}

static int start(struct recorder *r)
{
	int err;

	if (r->opt->pid_count)
		err = start_pids(r);
	else if (r->opt->all)
		err = procfs__processes(add_if_rocm, r);
	else
		err = start_command(r);
	agents__wait_recording(r->agents, AGENT_START_MS);
	r->started = clock__boot_ns();
	if (!err && !r->opt->command) {
		merge__set_window(r->merge, r->started, UINT64_MAX);
		targets__each_process(r->targets, say_process, r);
	}
	return err;
}

/* ---- the end ---- */

/* Until the GPU operations that were submitted have ended, and no record is held up. */
static void drain_for(struct recorder *r, int ms)
{
	for (int round = 0; round < ms; round++) {
		bool complete = capture__drain(r->capture, on_kernel_record, r);

		complete = agents__drain(r->agents) && complete;
		order__release(r->order, clock__boot_ns() - 2 * ROUND_NS, on_released, r);
		if (complete && round >= 3 && !merge__running(r->merge))
			break;
		poll(NULL, 0, 1);
	}
}

static void drain_last(struct recorder *r)
{
	int rounds = HELD_UP_NS / ROUND_NS;

	while (!capture__drain(r->capture, on_kernel_record, r) && rounds--)
		poll(NULL, 0, 1);
	agents__reap(r->agents);
	agents__drain(r->agents);
	order__release(r->order, UINT64_MAX, on_released, r);
}

static void count_agent(struct agent_view *v, void *arg)
{
	struct trace_stats *stats = arg;

	stats->lost_gpu += agent__lost(v);
	stats->lost_other += agent__bad(v);
	if (agent__unwatched_queues(v))
		log_warn("process %d: %" PRIu64
			 " queues could not be watched: what they ran is not in the trace",
			 agent__pid(v), agent__unwatched_queues(v));
	if (agent__failed(v))
		log_warn("process %d: its agent has switched itself off; see its stderr",
			 agent__pid(v));
}

static void fill_losses(struct recorder *r)
{
	struct trace_stats *s = merge__stats(r->merge);

	s->lost_spans = capture__count(r->capture, RT_COUNT_LOST_RING) +
			capture__count(r->capture, RT_COUNT_LOST_TASK);
	s->lost_depth = capture__count(r->capture, RT_COUNT_LOST_DEPTH);
	s->lost_other += capture__count(r->capture, RT_COUNT_LOST_NOTE);
	agents__each(r->agents, count_agent, s);
}

static void finish(struct recorder *r)
{
	uint64_t begun = clock__boot_ns(), detached;
	int err;

	merge__set_window(r->merge, r->opt->command ? 0 : r->started, begun);
	agents__stop(r->agents, AGENT_STOP_MS);
	drain_for(r, LAST_ENDS_MS);
	r->stopping = true;
	attach__free(r->attach);
	r->attach = NULL;
	detached = clock__boot_ns();
	err = capture__flush_open_calls(r->capture);
	if (err)
		log_warn("calls that are still open are not in the trace: %s", strerror(-err));
	capture__unwatch(r->capture);
	drain_last(r);
	merge__finish(r->merge, detached);
	fill_losses(r);
	log_info("stopped and detached in %.0f ms", (detached - begun) / 1e6);
}

static void say_result(const struct recorder *r)
{
	const struct trace_stats *s = merge__stats(r->merge);

	log_say("recorded %" PRIu64 " calls, %" PRIu64 " dispatches, %" PRIu64 " copies, %" PRIu64
		" ranges, %" PRIu64 " marks in %.1f s",
		s->spans, s->dispatches, s->copies, s->ranges, s->marks,
		(clock__boot_ns() - r->started) / 1e9);
	log_say("lost %" PRIu64 " calls (ring full), %" PRIu64 " (nested too deep), %" PRIu64
		" GPU records, %" PRIu64 " other; %" PRIu64 " GPU operations uncorrelated, %" PRIu64
		" without end; %" PRIu64 " calls unfinished",
		s->lost_spans, s->lost_depth, s->lost_gpu, s->lost_other, s->uncorrelated,
		s->no_times, s->unfinished);
	if (r->opt->command && !s->spans)
		log_warn("the command made no call of a traced function");
}

static int exit_status(const struct recorder *r, int err)
{
	if (err)
		return EXIT_FAILURE;
	if (r->child_status < 0)
		return EXIT_SUCCESS;
	if (WIFSIGNALED(r->child_status))
		return 128 + WTERMSIG(r->child_status);
	return WEXITSTATUS(r->child_status);
}

static void close_all(struct recorder *r)
{
	struct rescan *scan;

	launch__cancel(&r->launch);
	guard__dismiss(r->guard);
	while ((scan = r->rescans)) {
		r->rescans = scan->next;
		free(scan);
	}
	agents__free(r->agents);
	attach__free(r->attach);
	targets__free(r->targets);
	capture__close(r->capture);
	merge__free(r->merge);
	order__free(r->order);
	tasks__free(r->tasks);
	strings__free(r->strings);
	functions__free(r->fns);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->timer >= 0)
		close(r->timer);
	if (r->signals >= 0)
		close(r->signals);
}

static int open_all(struct recorder *r)
{
	int err;

	r->fns = functions__new();
	r->strings = strings__new();
	r->tasks = tasks__new();
	if (!r->fns || !r->strings || !r->tasks)
		return -ENOMEM;
	err = privileges__check();
	if (!err)
		err = check_pids(r->opt);
	if (!err) {
		err = open_loop(r);
		if (err)
			log_err("start: %s", strerror(-err));
	}
	if (!err)
		err = prepare_command(r);
	if (!err)
		err = open_output(r);
	if (!err)
		err = open_capture(r);
	return err ? err : open_merge(r);
}

int record__run(const struct options *o)
{
	struct recorder r = {.opt = o, .child_status = -1, .epoll = -1, .timer = -1, .signals = -1};
	int err;

	r.launch.go = -1;
	r.guard = -1;
	err = open_all(&r);
	if (!err)
		err = start(&r);
	if (err) {
		output__discard(r.out);
	} else {
		run_loop(&r);
		finish(&r);
		err = output__close(r.out, merge__stats(r.merge));
		say_result(&r);
	}
	close_all(&r);
	return exit_status(&r, err);
}
