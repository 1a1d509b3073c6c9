// SPDX-License-Identifier: MIT
/*
 * Tables of processes and threads.
 */
#include "user/merge/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "user/clock/clock_map.h"
#include "user/base/procfs.h"

#define UNKNOWN_THREADS_MAX 256 /* of a process that may have ended meanwhile */

/* How often one is looked for that names more than these, as it may have many to look through. */
#define LOOK_AGAIN_NS 100000000ULL

struct tasks {
	struct process *processes; /* running, as far as we know */
	struct process *ended;	   /* not removed yet, the first to end first */
	struct thread *threads;
	struct thread *by_ns_tid;
	/* Found last: most records are of the same as the one before. */
	struct process *last_process;
	struct thread *last_thread;
	uint32_t initially_off;
};

struct tasks *processes__new(void)
{
	return calloc(1, sizeof(struct tasks));
}

/* If the process has ended, its known names are kept. */
static void read_names(struct process *p)
{
	char cmdline[sizeof(p->cmdline)];

	procfs__cmdline(p->pid, cmdline, sizeof(cmdline));
	if (!*cmdline && *p->cmdline)
		return;
	memcpy(p->cmdline, cmdline, sizeof(cmdline));
	procfs__comm(p->pid, p->comm, sizeof(p->comm));
}

struct process *processes__find_running(struct tasks *t, uint32_t pid)
{
	struct process *p = t->last_process;

	if (p && p->pid == pid)
		return p;
	HASH_FIND(hh, t->processes, &pid, sizeof(pid), p);
	t->last_process = p;
	return p;
}

static void delete_running(struct tasks *t, struct process *p)
{
	HASH_DEL(t->processes, p);
	t->last_process = NULL;
}

static struct process *find_ended(const struct tasks *t, uint32_t pid)
{
	struct process *p;

	DL_FOREACH (t->ended, p) {
		if (p->pid == pid)
			return p;
	}
	return NULL;
}

struct process *processes__find_process(struct tasks *t, uint32_t pid)
{
	struct process *p = find_ended(t, pid);

	return p ? p : processes__find_running(t, pid);
}

struct process *processes__process_at(struct tasks *t, uint32_t pid, uint64_t ts)
{
	struct process *p;

	DL_FOREACH (t->ended, p) {
		if (p->pid == pid && ts <= p->ended)
			return p;
	}
	return processes__running_process(t, pid);
}

struct process *processes__process(struct tasks *t, uint32_t pid)
{
	struct process *p = find_ended(t, pid);

	return p ? p : processes__running_process(t, pid);
}

struct process *processes__running_process(struct tasks *t, uint32_t pid)
{
	struct process *p = processes__find_running(t, pid);

	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->pid = pid;
	off_times__set(&p->off, t->initially_off, true, 0);
	read_names(p);
	procfs__cgroup(pid, p->cgroup, sizeof(p->cgroup));
	p->ns_pid = procfs__ns_pid(pid);
	HASH_ADD(hh, t->processes, pid, sizeof(p->pid), p);
	return p;
}

void process__named(struct process *p, const char *comm, const char *args, size_t size)
{
	if (p->told || !size || size >= sizeof(p->cmdline))
		return;
	memcpy(p->cmdline, args, size);
	if (size == RT_CMDLINE_MAX)
		procfs__mark_cut(p->cmdline, size);
	procfs__join_arguments(p->cmdline, size);
	snprintf(p->comm, sizeof(p->comm), "%.*s", (int)sizeof(p->comm) - 1, comm);
}

/* For a child that ended before its names could be read: it runs its parent's program. */
static void inherit_names(struct process *p, const struct process *parent)
{
	if (*p->cmdline)
		return;
	memcpy(p->cmdline, parent->cmdline, sizeof(p->cmdline));
	memcpy(p->comm, parent->comm, sizeof(p->comm));
	if (!*p->cgroup)
		memcpy(p->cgroup, parent->cgroup, sizeof(p->cgroup));
}

/* Ends an unknown process, too: later records of it must not go to its successor. */
void processes__end_process(struct tasks *t, uint32_t pid, uint64_t ts)
{
	struct process *p = processes__running_process(t, pid);

	if (!p)
		return;
	p->ended = ts;
	delete_running(t, p);
	DL_APPEND(t->ended, p);
}

static void free_process(struct process *p)
{
	started_ranges__free(&p->started);
	free(p);
}

void processes__remove_process(struct tasks *t, uint32_t pid)
{
	struct process *p = find_ended(t, pid);

	if (p) {
		DL_DELETE(t->ended, p);
	} else {
		p = processes__find_running(t, pid);
		if (!p)
			return;
		delete_running(t, p);
	}
	free_process(p);
}

struct thread *processes__find_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	uint64_t key = (uint64_t)pid << 32 | tid;
	struct thread *th = t->last_thread;

	if (th && th->key == key)
		return th;
	HASH_FIND(hh, t->threads, &key, sizeof(key), th);
	t->last_thread = th;
	return th;
}

struct thread *processes__thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct thread *th = processes__find_thread(t, pid, tid);

	if (th)
		return th;
	th = calloc(1, sizeof(*th));
	if (!th)
		return NULL;
	th->key = (uint64_t)pid << 32 | tid;
	th->pid = pid;
	th->tid = tid;
	HASH_ADD(hh, t->threads, key, sizeof(th->key), th);
	return th;
}

/*
 * The thread of that number, as the process reports it. A thread that has ended, or never existed,
 * is made up, but at most UNKNOWN_THREADS_MAX at a time.
 */
static struct thread *named_thread(struct tasks *t, uint32_t pid, uint32_t tid)
{
	struct process *p = processes__find_process(t, pid);
	struct thread *th;
	char path[64];
	bool there;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32, pid, tid);
	there = !access(path, F_OK) || !p;
	if (!there && p->unknown_threads >= UNKNOWN_THREADS_MAX)
		return NULL;
	th = processes__thread(t, pid, tid);
	if (th && !there) {
		th->unknown = true;
		p->unknown_threads++;
	}
	return th;
}

static bool may_look(struct process *p)
{
	uint64_t now;

	if (!p || p->unknown_threads < UNKNOWN_THREADS_MAX)
		return true;
	now = clock__boot_ns();
	if (now - p->looked < LOOK_AGAIN_NS)
		return false;
	p->looked = now;
	return true;
}

struct thread *processes__thread_by_ns_tid(struct tasks *t, uint32_t pid, uint32_t ns_tid)
{
	uint64_t key = (uint64_t)pid << 32 | ns_tid;
	struct process *p;
	struct thread *th;
	uint32_t tid;

	HASH_FIND(hh_ns, t->by_ns_tid, &key, sizeof(key), th);
	if (th)
		return th;
	p = processes__find_process(t, pid);
	if (p && !p->ns_pid) { /* it is in our namespace */
		th = processes__find_thread(t, pid, ns_tid);
		if (th)
			return th;
	}
	if (!may_look(p))
		return NULL;
	tid = p && p->ns_pid ? procfs__tid_by_ns_tid(pid, ns_tid) : 0;
	th = processes__find_thread(t, pid, tid ? tid : ns_tid);
	if (!th)
		th = named_thread(t, pid, tid ? tid : ns_tid);
	if (th && tid)
		processes__set_ns_tid(t, th, ns_tid);
	return th;
}

void processes__set_ns_tid(struct tasks *t, struct thread *th, uint32_t ns_tid)
{
	struct thread *other;

	if (th->ns_key)
		HASH_DELETE(hh_ns, t->by_ns_tid, th);
	th->ns_key = (uint64_t)th->pid << 32 | ns_tid;
	HASH_FIND(hh_ns, t->by_ns_tid, &th->ns_key, sizeof(th->ns_key), other);
	if (other) { /* of a thread that has ended */
		HASH_DELETE(hh_ns, t->by_ns_tid, other);
		other->ns_key = 0;
	}
	HASH_ADD(hh_ns, t->by_ns_tid, ns_key, sizeof(th->ns_key), th);
}

void processes__set_initially_off(struct tasks *t, uint32_t off)
{
	t->initially_off = off;
}

void processes__fork(struct tasks *t, uint32_t pid, uint32_t tid, uint32_t child)
{
	const struct process *parent = processes__find_process(t, pid);
	const struct thread *forker = processes__find_thread(t, pid, tid);
	struct process *p = parent ? processes__process(t, child) : NULL;
	struct thread *th =
		forker && forker->external.count ? processes__thread(t, child, child) : NULL;

	if (p) {
		p->off = parent->off;
		inherit_names(p, parent);
	}
	if (th)
		external_ids__copy(&th->external, &forker->external);
}

void processes__exec(struct tasks *t, uint32_t pid, uint32_t tid, uint64_t now)
{
	struct process *p = processes__find_process(t, pid);
	struct thread *th = processes__find_thread(t, pid, tid);

	if (p) {
		off_times__set(&p->off, UINT32_MAX, false, now);
		off_times__set(&p->off, t->initially_off, true, now);
		read_names(p);
	}
	if (th) {
		off_times__set(&th->off, UINT32_MAX, false, now);
		external_ids__clear(&th->external);
		th->makes_calls = th->calls_hip = false;
		th->device = 0;
	}
}

void processes__each_process(struct tasks *t, void (*fn)(struct process *, void *arg), void *arg)
{
	struct process *p, *next;

	HASH_ITER (hh, t->processes, p, next) {
		fn(p, arg);
	}
	DL_FOREACH_SAFE (t->ended, p, next) {
		fn(p, arg);
	}
}

void processes__each_thread(struct tasks *t, void (*fn)(struct thread *, void *arg), void *arg)
{
	struct thread *th, *next;

	HASH_ITER (hh, t->threads, th, next) {
		fn(th, arg);
	}
}

static void forget_unknown(struct tasks *t, const struct thread *th)
{
	struct process *p = th->unknown ? processes__find_process(t, th->pid) : NULL;

	if (p && p->unknown_threads)
		p->unknown_threads--;
}

void processes__remove_thread(struct tasks *t, struct thread *th)
{
	HASH_DEL(t->threads, th);
	t->last_thread = NULL;
	if (th->ns_key)
		HASH_DELETE(hh_ns, t->by_ns_tid, th);
	forget_unknown(t, th);
	external_ids__clear(&th->external);
	range_stack__free(&th->ranges);
	free(th->more_recent);
	free(th->nesting);
	free(th);
}

void processes__free(struct tasks *t)
{
	struct process *p, *next_p;
	struct thread *th, *next;

	if (!t)
		return;
	HASH_ITER (hh, t->threads, th, next) {
		processes__remove_thread(t, th);
	}
	HASH_ITER (hh, t->processes, p, next_p) {
		delete_running(t, p);
		free_process(p);
	}
	DL_FOREACH_SAFE (t->ended, p, next_p) {
		free_process(p);
	}
	free(t);
}
