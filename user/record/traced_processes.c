// SPDX-License-Identifier: MIT
#include "user/record/traced_processes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/agent/agent_reason.h"
#include "user/agent/agent_set.h"
#include "user/base/descendants.h"
#include "user/clock/clock_map.h"
#include "user/base/log.h"
#include "user/base/procfs.h"
#include "user/probe/capture.h"
#include "user/probe/installed_libraries.h"
#include "user/probe/targets.h"
#include "user/record/agentless_processes.h"
#include "user/record/record_plan.h"

#define SAY_LEFT_NS 1000000000

static bool uses_rocm(pid_t pid, void *fns)
{
	return targets__count(fns, pid) > 0;
}

static void say_nothing_to_trace(const struct recorder *r, pid_t pid)
{
	char comm[32], below[128] = "";

	procfs__comm(pid, comm, sizeof(comm));
	descendants__name(pid, "; processes below it have:", uses_rocm, r->trace.fns, below,
			  sizeof(below));
	log_err("process %d (%s): no ROCm library mapped: nothing to trace%s", pid, comm, below);
}

int traced_processes__check(struct recorder *r)
{
	const struct options *o = r->opt;
	char exe[64];
	int n;

	for (size_t i = 0; i < o->pid_count; i++) {
		pid_t pid = o->pids[i];

		if (kept_off__has(record_plan__kept_off(o), pid, exe, sizeof(exe))) {
			log_err("process %d: probes keep off %s, as it would die of them: nothing "
				"to trace",
				pid, exe);
			return -EPERM;
		}
		n = targets__count(r->trace.fns, pid);
		if (n == -ENOENT || n == -ESRCH) {
			log_err("process %d: no such process", pid);
			return -ESRCH;
		}
		if (n < 0) {
			log_err("process %d: read its mappings: %s", pid, strerror(-n));
			return n;
		}
		if (!n) {
			say_nothing_to_trace(r, pid);
			return -ENOENT;
		}
	}
	return 0;
}

static void say_calls_alone(struct recorder *r, pid_t pid, const char *comm)
{
	log_say("process %d (%s): API calls", pid, comm);
	if (record_plan__wants_gpu(r->opt))
		agent_set__say_unread(r->in.agents, pid, EXDEV);
}

static void say_process(pid_t pid, void *arg)
{
	struct recorder *r = arg;
	char comm[32], reason[AGENT_REASON_MAX];

	procfs__comm(pid, comm, sizeof(comm));
	if (r->opt->capture_by == CAPTURE_BY_AGENT && !agent_set__look(r->in.agents, pid))
		log_warn("process %d (%s): not traced, as agents alone capture: %s", pid, comm,
			 agent_reason__text(pid, errno, reason));
	else if (!record_plan__wants_gpu(r->opt) || procfs__has_own_clock(pid))
		say_calls_alone(r, pid, comm);
	else if (r->in.filtered)
		log_say("process %d (%s): API calls that pass the filters, and GPU times if there "
			"are any",
			pid, comm);
	else if (agent_set__look(r->in.agents, pid))
		log_say("process %d (%s): API calls and GPU times", pid, comm);
	else if (r->in.dispatches)
		log_say("process %d (%s): API calls, and dispatches at their doorbells", pid, comm);
	else
		log_say("process %d (%s): API calls; no GPU times: %s", pid, comm,
			agent_reason__text(pid, errno, reason));
}

static int start_pids(struct recorder *r)
{
	const struct options *o = r->opt;
	int n, fd;

	for (size_t i = 0; i < o->pid_count; i++) {
		pid_t pid = o->pids[i];

		fd = syscall(SYS_pidfd_open, pid, 0);
		if (recorder__watch(r, fd) || capture__list_pid(r->in.capture, pid)) {
			log_err("process %d: %s", pid, strerror(errno));
			return -errno;
		}
		r->live_pids++;
		n = targets__add_process(r->in.targets, pid);
		if (n < 0)
			return n;
		if (!r->in.filtered)
			agent_set__look(r->in.agents, pid);
	}
	return 0;
}

static int add_if_rocm(pid_t pid, void *arg)
{
	struct recorder *r = arg;

	if (pid == getpid())
		return 0;
	if (targets__add_process(r->in.targets, pid) > 0 && !r->in.filtered)
		agent_set__look(r->in.agents, pid);
	return 0;
}

int traced_processes__prepare_command(struct recorder *r)
{
	struct launch_agent agent = {
		.ring_bytes = r->opt->agent_ring_bytes,
		.wants = record_plan__agent_wants(r->opt),
	};
	int err;

	if (!r->opt->command)
		return 0;
	agent.path = record_plan__starts_agent(r->opt) ? launch_command__find_agent() : NULL;
	if (!agent.path && record_plan__starts_agent(r->opt))
		log_warn("librtrace-agent.so not found beside this program: no GPU times");
	if (agent.path)
		r->in.absent = agentless__new(agent.path, intake__gap, &r->in);
	err = launch_command__prepare(&r->launch, r->opt->command, &agent);
	if (err)
		log_err("start %s: %s", r->opt->command[0], strerror(-err));
	free(agent.path);
	return err;
}

/*
 * What the command is likely to use is probed before it starts: the libraries of the machine, and
 * the command itself, which may have them linked in. Others are found when they are mapped.
 */
static void attach_ahead(struct recorder *r)
{
	const char *command = r->opt->command[0];
	struct installed in = {};
	char *path;
	int fd;

	installed_libraries__add_all(&in);
	for (size_t i = 0; i < in.count; i++) {
		targets__add_file(r->in.targets, in.files[i].fd, in.files[i].path, false);
		in.files[i].fd = -1;
	}
	installed_libraries__free(&in);
	path = launch_command__find_program(command);
	fd = path ? procfs__open_regular(path) : -1;
	if (fd >= 0)
		targets__add_file(r->in.targets, fd, path, true);
	free(path);
}

static int start_command(struct recorder *r)
{
	int err;

	attach_ahead(r);
	err = r->in_tree ? attach_links__start_tree(r->attach, r->launch.pid) : 0;
	if (!err)
		err = capture__list_pid(r->in.capture, r->launch.pid);
	if (!err)
		err = launch_command__go(&r->launch);
	if (err)
		log_err("start %s: %s", r->opt->command[0], strerror(-err));
	return err;
}

int traced_processes__start(struct recorder *r)
{
	if (r->opt->pid_count)
		return start_pids(r);
	return r->opt->all ? procfs__processes(add_if_rocm, r) : start_command(r);
}

bool traced_processes__are_left(struct recorder *r)
{
	size_t left = capture__living(r->in.capture);

	if (left && !r->said_left && clock__boot_ns() > r->command_ended + SAY_LEFT_NS) {
		log_say("%s (process %d) has ended and left %zu process%s, traced until %s or "
			"Ctrl-C",
			r->opt->command[0], r->launch.pid, left, left == 1 ? "" : "es",
			left == 1 ? "it ends" : "they end");
		r->said_left = true;
	}
	return left;
}

void traced_processes__say(struct recorder *r)
{
	targets__each_process(r->in.targets, say_process, r);
}
