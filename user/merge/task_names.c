// SPDX-License-Identifier: MIT
/*
 * Looks tasks up when an output asks, and reports each once, and again when its name changes.
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
	p->renamed = false;
	output_set__process(o, &info);
}

static void tell_thread(struct output *o, struct thread *th)
{
	struct thread_info info = {.pid = th->pid, .tid = th->tid, .comm = th->comm};

	th->told = true;
	th->renamed = false;
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

/* Not at once: some programs rename themselves for each of their tasks. */
void task_names__rename_process(struct process *p, const char comm[RT_COMM_LEN])
{
	snprintf(p->comm, sizeof(p->comm), "%.*s", RT_COMM_LEN - 1, comm);
	p->renamed = p->told;
}

void task_names__rename_thread(struct thread *th, const char comm[RT_COMM_LEN])
{
	if (th->named)
		return;
	snprintf(th->comm, sizeof(th->comm), "%.*s", RT_COMM_LEN - 1, comm);
	th->renamed = th->told;
}

void task_names__give_new_of_process(struct output *o, struct process *p)
{
	if (p->renamed)
		tell_process(o, p);
}

void task_names__give_new_of_thread(struct output *o, struct thread *th)
{
	if (th->renamed)
		tell_thread(o, th);
}

static void give_new_of_process(struct process *p, void *o)
{
	task_names__give_new_of_process(o, p);
}

static void give_new_of_thread(struct thread *th, void *o)
{
	task_names__give_new_of_thread(o, th);
}

void task_names__give_new(struct output *o, struct tasks *tasks)
{
	processes__each_process(tasks, give_new_of_process, o);
	processes__each_thread(tasks, give_new_of_thread, o);
}

struct output_names task_names__of(struct tasks *tasks)
{
	return (struct output_names){.name = name, .arg = tasks};
}
