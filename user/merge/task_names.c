// SPDX-License-Identifier: MIT
/*
 * Looks tasks up when an output asks, and reports each once.
 */
#include "user/merge/task_names.h"

#include "user/base/procfs.h"

static void tell_process(struct output *o, struct process *p)
{
	struct process_info info = {
		.pid = p->pid,
		.comm = p->comm,
		.cmdline = p->cmdline,
		.cgroup = p->cgroup,
		.ns_pid = p->ns_pid,
		.libraries = p->libraries,
	};

	p->told = true;
	output_set__process(o, &info);
}

static void tell_thread(struct output *o, struct thread *th)
{
	struct thread_info info = {.pid = th->pid, .tid = th->tid, .comm = th->comm};

	th->told = true;
	if (!th->comm[0])
		procfs__thread_comm(th->pid, th->tid, th->comm, sizeof(th->comm));
	output_set__thread(o, &info);
}

/* What ends on the GPU after its process was named before, or has no name any more. */
static void tell_task(struct output *o, struct tasks *tasks, uint32_t pid, uint32_t tid)
{
	struct process *p = processes__find_process(tasks, pid);
	struct thread *th = processes__find_thread(tasks, pid, tid);

	if (p && !p->told)
		tell_process(o, p);
	if (th && !th->told)
		tell_thread(o, th);
}

static void tell_running(struct output *o, struct process *p)
{
	if (p && !p->told)
		tell_process(o, p);
}

static void name(void *arg, struct output *o, uint32_t pid, uint32_t tid, enum output_naming which)
{
	struct tasks *tasks = arg;

	if (which == NAME_TASK)
		tell_task(o, tasks, pid, tid);
	else if (which == NAME_RUNNING)
		tell_running(o, processes__find_running(tasks, pid));
	else
		tell_running(o, processes__process(tasks, pid));
}

struct output_names task_names__of(struct tasks *tasks)
{
	return (struct output_names){.name = name, .arg = tasks};
}
