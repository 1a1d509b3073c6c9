// SPDX-License-Identifier: MIT
/*
 * Probes processes with empty programs: the floor that the tracer's cost is compared with.
 *
 *   floor MODE PID...		MODE as rtrace-bpf --attach
 *
 * Functions are found and links are made by the tracer's own code (user/probe/targets.c,
 * user/probe/attach_links.c); only the programs are others: this file replaces
 * user/probe/capture.c. Prints `attached MILLISECONDS FUNCTIONS`, waits for the end of stdin,
 * prints `detached MILLISECONDS`.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/floor.skel.h"
#include "user/probe/attach_links.h"
#include "user/probe/targets.h"

#define ATTACH_UPROBE_MULTI   48 /* Linux 6.6 */
#define ATTACH_UPROBE_SESSION 57 /* Linux 6.13 */

const char *const capture_mode_names[CAPTURE_MODES] = {"session", "multi", "tracefs"};

struct capture {
	struct floor_bpf *skel;
};

struct bpf_program *capture__prog(struct capture *c, enum capture_prog prog)
{
	switch (prog) {
	case CAPTURE_PROG_SESSION:
		return c->skel->progs.floor_session;
	case CAPTURE_PROG_ENTRY:
		return c->skel->progs.floor_entry;
	case CAPTURE_PROG_RETURN:
		return c->skel->progs.floor_return;
	default: /* programs that report dispatches are not wanted */
		return NULL;
	}
}

static int load(struct capture *c, enum capture_mode mode)
{
	bool session = mode == CAPTURE_SESSION;

	c->skel = floor_bpf__open();
	if (!c->skel)
		return -errno;
	bpf_program__set_autoload(c->skel->progs.floor_session, session);
	bpf_program__set_autoload(c->skel->progs.floor_entry, !session);
	bpf_program__set_autoload(c->skel->progs.floor_return, !session);
	bpf_program__set_expected_attach_type(c->skel->progs.floor_session, ATTACH_UPROBE_SESSION);
	if (mode == CAPTURE_MULTI) {
		bpf_program__set_expected_attach_type(c->skel->progs.floor_entry,
						      ATTACH_UPROBE_MULTI);
		bpf_program__set_expected_attach_type(c->skel->progs.floor_return,
						      ATTACH_UPROBE_MULTI);
	}
	return floor_bpf__load(c->skel);
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

/* The empty programs need no data of a function. */
int capture__add_function(struct capture *c, const struct function *fn)
{
	return 0;
}

int capture__add_probe(struct capture *c, const struct rt_probe *probe, uint64_t cookie)
{
	return 0;
}

int capture__add_request(struct capture *c, uint8_t nr, const struct function *fn)
{
	return 0;
}

int capture__add_known(struct capture *c, const struct library *lib, uint32_t group)
{
	return 0;
}

bool capture__covers(struct capture *c, pid_t pid, uint32_t group)
{
	return false;
}

int capture__cover(struct capture *c, pid_t pid, uint32_t group)
{
	return 0;
}

uint32_t capture__add_behind(struct capture *c, uint64_t before, uint64_t after)
{
	return 0;
}

uint32_t capture__add_spills(struct capture *c, const struct rt_spills *spills)
{
	return 0;
}

static void on_use(pid_t pid, const struct library *lib, void *arg)
{
}

static void on_gap(pid_t pid, const char *what, uint64_t begin, uint64_t end, void *arg)
{
}

static bool takes(pid_t pid, void *arg)
{
	return false;
}

/* How many libraries of the last were probed, or an error. */
static int add_processes(struct targets *targets, char **pids)
{
	int n = -EINVAL;

	for (; *pids; pids++) {
		n = targets__add_process(targets, atoi(*pids));
		if (n <= 0)
			break;
	}
	return n;
}

static int attach_and_wait(struct capture *c, enum capture_mode mode, char **pids)
{
	static const struct targets_callbacks nothing = {on_use, on_gap, takes, NULL};
	static const struct kept_off none;
	struct selection selection;
	struct attach *attach = attach_links__new(c, mode);
	struct functions *fns;
	struct targets *targets;
	struct holds holds = {.held = -1,
			      .letting_go = -1}; /* in one process alone nothing is held */
	double begin = now_ms();
	char buf[64];
	int n;

	selection__all(&selection);
	fns = functions__new(&selection);
	targets = fns && attach
			  ? targets__new(fns, attach, REACH_PROCESSES, &none, &holds, &nothing)
			  : NULL;
	n = targets ? add_processes(targets, pids) : -ENOMEM;
	if (n > 0) {
		printf("attached %.2f %zu\n", now_ms() - begin, targets__function_count(targets));
		fflush(stdout);
		while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
			;
		begin = now_ms();
	}
	attach_links__free(attach);
	if (n > 0)
		printf("detached %.2f\n", now_ms() - begin);
	targets__free(targets);
	functions__free(fns);
	return n > 0 ? 0 : -EINVAL;
}

int main(int argc, char **argv)
{
	struct capture c = {};
	int mode, err;

	for (mode = 0; argc >= 3 && mode < CAPTURE_MODES; mode++)
		if (!strcmp(argv[1], capture_mode_names[mode]))
			break;
	if (argc < 3 || mode == CAPTURE_MODES) {
		fprintf(stderr, "usage: floor session|multi|tracefs PID...\n");
		return 2;
	}
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	err = load(&c, mode);
	if (!err)
		err = attach_and_wait(&c, mode, argv + 2);
	if (err)
		fprintf(stderr, "floor: %s\n", strerror(-err));
	floor_bpf__destroy(c.skel);
	return err ? 1 : 0;
}
