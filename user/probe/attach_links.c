// SPDX-License-Identifier: MIT
/*
 * Attaches by uprobe links: session (Linux 6.13) or uprobe_multi (Linux 6.6).
 *
 * The library is named to the kernel by our own descriptor of it, /proc/self/fd/N: it is the same
 * inode for every mount namespace, and stays within reach when the process has ended.
 */
#include "user/probe/attach_links.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/probe/attach_tracefs.h"
#include "user/probe/process_probes.h"
#include "user/base/log.h"
#include "user/base/parallel.h"
#include "user/probe/uprobe_multi.h"

struct attach {
	struct capture *capture;
	enum capture_mode mode;
	bool agents_capture, agents_alone;
	bool in_tree;
	struct tracefs_probes *tracefs;
	int *links;
	size_t link_count;
};

struct attach *attach_links__new(struct capture *capture, enum capture_mode mode)
{
	struct attach *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->capture = capture;
	a->mode = mode;
	if (mode == CAPTURE_TRACEFS) {
		a->tracefs = attach_tracefs__new(capture);
		if (!a->tracefs) {
			free(a);
			return NULL;
		}
	}
	return a;
}

int attach_links__prepare_tree(struct attach *a)
{
	a->in_tree = true;
	return attach_tracefs__prepare_tree(a->tracefs);
}

int attach_links__start_tree(struct attach *a, pid_t pid)
{
	int err = attach_tracefs__start_tree(a->tracefs, pid);

	if (err)
		log_err("attach: process %d: %s", pid, strerror(-err));
	return err;
}

void attach_links__leave_to_agents(struct attach *a, bool alone)
{
	a->agents_capture = true;
	a->agents_alone = alone;
}

static int keep_link(struct attach *a, int fd)
{
	int *grown = realloc(a->links, (a->link_count + 1) * sizeof(*grown));

	if (!grown) {
		close(fd);
		return -ENOMEM;
	}
	a->links = grown;
	a->links[a->link_count++] = fd;
	return 0;
}

struct link_request {
	enum capture_prog prog;
	__u32 attach_type;
	__u32 flags;
	const struct library *lib;
	pid_t pid;
};

static __u64 cookie_of(struct attach *a, const struct link_request *req, const struct probe *p)
{
	__u64 cookie = RT_COOKIE(p->fn->id) | (req->pid ? 0 : RT_COOKIE_EVERYWHERE);

	/* Without room for it, calls of the library itself would be taken for the application's. */
	if (p->after)
		cookie |= RT_COOKIE_BEHIND(capture__add_behind(a->capture, p->before, p->after));
	return cookie;
}

static int link_places(struct attach *a, const struct link_request *req, const __u64 *offsets,
		       const __u64 *cookies, size_t n)
{
	struct link_create_uprobe_multi attr = {};
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", req->lib->fd);
	attr.prog_fd = bpf_program__fd(capture__prog(a->capture, req->prog));
	attr.attach_type = req->attach_type;
	attr.path = (unsigned long)path;
	attr.offsets = (unsigned long)offsets;
	attr.cookies = (unsigned long)cookies;
	attr.cnt = n;
	attr.flags = req->flags;
	attr.pid = req->pid;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));
	return fd < 0 ? -errno : keep_link(a, fd);
}

static int create_link(struct attach *a, const struct link_request *req, const struct probe *probes,
		       size_t n)
{
	__u64 *offsets = calloc(n, 2 * sizeof(*offsets)), *cookies;
	size_t count = 0;
	int err = 0;

	if (!offsets)
		return -ENOMEM;
	cookies = offsets + n;
	for (size_t i = 0; i < n; i++) {
		if (req->flags & UPROBE_MULTI_RETURN && probes[i].fn->plan.flags & RT_PLAN_ENTRY)
			continue;
		offsets[count] = probes[i].offset;
		cookies[count++] = cookie_of(a, req, &probes[i]);
	}
	if (count)
		err = link_places(a, req, offsets, cookies, count);
	free(offsets);
	return err;
}

/* The kernel refuses a link as a whole when it cannot probe one function: halve until that is
 * found. */
static int attach_range(struct attach *a, const struct link_request *req,
			const struct probe *probes, size_t n)
{
	int err, rest;

	if (!n)
		return 0;
	err = create_link(a, req, probes, n);
	if (!err || err == -ESRCH || err == -EPERM || err == -ENOMEM)
		return err;
	if (n == 1) {
		log_warn("%s: cannot probe %s: %s", req->lib->name, probes[0].fn->name,
			 strerror(-err));
		return 0;
	}
	err = attach_range(a, req, probes, n / 2);
	rest = attach_range(a, req, probes + n / 2, n - n / 2);
	return err ? err : rest;
}

static int add_functions(struct attach *a, const struct library *lib)
{
	int err = 0;

	for (size_t i = 0; i < lib->probe_count && !err; i++)
		err = capture__add_function(a->capture, lib->probes[i].fn);
	return err;
}

/* Floating-point arguments are worth less than the calls: what is refused is left out. */
static void attach_spills(struct attach *a, const struct library *lib, pid_t pid)
{
	const struct link_request req = {
		a->mode == CAPTURE_SESSION ? CAPTURE_PROG_SESSION : CAPTURE_PROG_ENTRY,
		a->mode == CAPTURE_SESSION ? ATTACH_UPROBE_SESSION : ATTACH_UPROBE_MULTI, 0, lib,
		pid};

	for (size_t i = 0; i < lib->spill_count; i++) {
		const struct spill_probe *s = &lib->spills[i];
		uint32_t number = capture__add_spills(a->capture, &s->slots);
		const __u64 offset = s->offset;
		const __u64 cookie = RT_COOKIE(s->fn->id) | RT_COOKIE_SPILLS_NUM(number);
		int err = number ? link_places(a, &req, &offset, &cookie, 1) : -ENOSPC;

		if (err)
			log_info("%s: no floating-point arguments of %s: %s", lib->name,
				 s->fn->name, strerror(-err));
	}
}

/*
 * Returns are attached before entries: a call that is entered in between is then not captured at
 * all, while the other way round it would be entered and never left.
 */
static int attach_links(struct attach *a, const struct library *lib, const struct probe *probes,
			pid_t pid)
{
	const struct link_request session = {CAPTURE_PROG_SESSION, ATTACH_UPROBE_SESSION, 0, lib,
					     pid};
	const struct link_request ret = {CAPTURE_PROG_RETURN, ATTACH_UPROBE_MULTI,
					 UPROBE_MULTI_RETURN, lib, pid};
	const struct link_request entry = {CAPTURE_PROG_ENTRY, ATTACH_UPROBE_MULTI, 0, lib, pid};
	size_t links = a->link_count;
	int err;

	if (!lib->probe_count)
		return 0;
	if (a->mode == CAPTURE_SESSION) {
		err = attach_range(a, &session, probes, lib->probe_count);
	} else {
		err = attach_range(a, &ret, probes, lib->probe_count);
		if (!err)
			err = attach_range(a, &entry, probes, lib->probe_count);
	}
	if (!err && a->link_count == links)
		err = -EOPNOTSUPP; /* each function was refused, and that was said */
	if (!err)
		attach_spills(a, lib, pid);
	return err;
}

enum capture_prog attach_links__door_program(enum door door)
{
	static const enum capture_prog programs[DOORS] = {
		[DOOR_BELL] = CAPTURE_PROG_DOORBELL,
		[DOOR_SIGNAL_END] = CAPTURE_PROG_SIGNAL_END,
		[DOOR_COPY] = CAPTURE_PROG_COPY,
		[DOOR_COPY_RECT] = CAPTURE_PROG_COPY_RECT,
		[DOOR_CODE_UNLOAD] = CAPTURE_PROG_CODE_UNLOAD,
	};

	return programs[door];
}

/*
 * The functions that show dispatches. In one process they are probed in the targets of the
 * trampolines, like the rest: every launch stores to a doorbell. They are attached before the API:
 * where both are on one function, the program attached last runs first, so that a dispatch is
 * inside the call.
 */
static int attach_doors(struct attach *a, const struct library *lib, pid_t pid)
{
	struct library doors = *lib;
	struct probe *moved = NULL;
	int err = 0;

	doors.probes = lib->doors;
	doors.probe_count = lib->door_count;
	if (pid && lib->door_count)
		err = process_probes__probes(&doors, pid, a->agents_capture, &moved);
	for (size_t i = 0; i < lib->door_count && err >= 0; i++) {
		const struct probe *p = moved ? &moved[i] : &lib->doors[i];
		const struct link_request req = {
			attach_links__door_program(doorbell_functions__door(p->symbol)),
			ATTACH_UPROBE_MULTI, 0, lib, pid};

		err = create_link(a, &req, p, 1);
		if (err)
			log_err("%s: cannot probe %s: %s", lib->name, p->symbol, strerror(-err));
	}
	free(moved);
	return err < 0 ? err : 0;
}

/* In one process, a trampoline may be known to lead to a place that is cheaper to probe. */
static int attach_process(struct attach *a, const struct library *lib, pid_t pid)
{
	struct probe *probes;
	int err, moved = process_probes__probes(lib, pid, a->agents_capture, &probes);

	if (moved < 0)
		return moved;
	if (moved)
		log_info("attach: process %d: %s: %d functions behind their trampolines", pid,
			 lib->name, moved);
	err = attach_links(a, lib, probes, pid);
	free(probes);
	return err;
}

/* As attach_links__library returns it. */
static int attach_by_links(struct attach *a, const struct library *lib, pid_t pid)
{
	int err = attach_doors(a, lib, pid);

	if (!err)
		err = pid ? attach_process(a, lib, pid) : attach_links(a, lib, lib->probes, 0);
	return err ? err : 1;
}

int attach_links__library(struct attach *a, const struct library *lib, pid_t pid)
{
	int n;

	if (a->agents_alone)
		return 1;
	n = add_functions(a, lib);
	if (!n)
		n = a->tracefs ? attach_tracefs__library(a->tracefs, lib, pid)
			       : attach_by_links(a, lib, pid);
	if (n < 0)
		log_err("attach: %s: %s", lib->name, strerror(-n));
	else if (n)
		log_info("attach: %zu functions of %s%s", lib->probe_count, lib->name,
			 pid	      ? ""
			 : a->in_tree ? ", the command"
				      : ", all processes");
	return n;
}

bool attach_links__need_first_thread(const struct attach *a)
{
	return a->mode != CAPTURE_TRACEFS; /* events are opened for other threads, too */
}

size_t attach_links__missing(const struct attach *a, const struct library *lib, pid_t pid)
{
	return a->agents_alone ? 0 : process_probes__missing(lib, pid, a->agents_capture);
}

void attach_links__known(struct attach *a, const struct library *lib)
{
	capture__add_known(a->capture, lib, 0); /* without it they are held, no more */
}

static void close_link(size_t i, void *arg)
{
	struct attach *a = arg;

	close(a->links[i]);
}

void attach_links__free(struct attach *a)
{
	if (!a)
		return;
	parallel__run(a->link_count, close_link, a);
	attach_tracefs__free(a->tracefs);
	free(a->links);
	free(a);
}
