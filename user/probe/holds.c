// SPDX-License-Identifier: MIT
/*
 * Stops processes, and lets them go. Only BPF programs enter processes into `held`, only the tracer
 * into `letting_go`: so no entry of one is lost by the other.
 */
#include "user/probe/holds.h"

#include <bpf/bpf.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "user/base/procfs.h"

#define STOP_MS 100 /* how long a process may take to stop */

bool holds__has_kept_off(struct holds *h)
{
	uint32_t count = *h->count;
	bool more = count != h->seen;

	h->seen = count;
	return more;
}

/* `fn` may change the map: it is called when all have been found. */
void holds__each_kept_off(struct holds *h, void (*fn)(pid_t pid, void *arg), void *arg)
{
	pid_t *pids = NULL, *grown;
	__u32 pid, *last = NULL;
	bool kept_off;
	size_t n = 0;

	while (!bpf_map_get_next_key(h->held, last, &pid)) {
		last = &pid;
		if (bpf_map_lookup_elem(h->held, &pid, &kept_off) || !kept_off)
			continue;
		grown = realloc(pids, (n + 1) * sizeof(*pids));
		if (!grown) {
			h->seen--; /* the rest next time */
			break;
		}
		pids = grown;
		pids[n++] = pid;
	}
	for (size_t i = 0; i < n; i++)
		fn(pids[i], arg);
	free(pids);
}

void holds__wait(pid_t pid)
{
	for (int ms = 0; ms < STOP_MS && !procfs__is_stopped(pid); ms++)
		poll(NULL, 0, 1);
}

static bool stop(struct holds *h, pid_t pid, bool kept_off)
{
	if (procfs__is_suspended(pid) ||
	    bpf_map_update_elem(h->letting_go, &(__u32){pid}, &kept_off, BPF_ANY))
		return false;
	kill(pid, SIGSTOP);
	return true;
}

bool holds__begin_stop(struct holds *h, pid_t pid)
{
	return stop(h, pid, false);
}

bool holds__stop(struct holds *h, pid_t pid)
{
	if (!stop(h, pid, true))
		return false;
	holds__wait(pid);
	return true;
}

void holds__begin_release(struct holds *h, pid_t pid, bool kept_off)
{
	bpf_map_update_elem(h->letting_go, &(__u32){pid}, &kept_off, BPF_ANY);
	bpf_map_delete_elem(h->held, &(__u32){pid});
}

bool holds__end_release(struct holds *h, pid_t pid)
{
	bool kept_off;

	if (!bpf_map_lookup_elem(h->held, &(__u32){pid}, &kept_off))
		return false;
	kill(pid, SIGCONT);
	bpf_map_delete_elem(h->letting_go, &(__u32){pid});
	return true;
}
