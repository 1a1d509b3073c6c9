// SPDX-License-Identifier: MIT
/*
 * A second observer of a command's calls, which shares no code with the tracer but the layout of a
 * system call.
 *
 *   observer PLACES CALLS COMMAND [ARG...]
 *
 * PLACES says where to look: lines `LIBRARY OFFSET FUNCTION`, sorted by library, of which
 * tests/e2e/call_places.py finds some that each call comes by, be it captured by a probe of the
 * tracer's or by a stub of the agent's. When the command has ended, CALLS has a line for each call
 * of its own or of a process below it: `TID NS FUNCTION ARG1 ... ARG6`, where NS is of
 * CLOCK_BOOTTIME and the arguments are the registers at that place. The status is the command's,
 * 125 if the observer has failed or missed a call.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/observer.skel.h"
#include "tests/capture/observer.h"
#include "user/probe/uprobe_multi.h"

#define ATTACH_UPROBE_MULTI 48 /* Linux 6.6 */
#define PLACES_MAX	    4096
#define FAILED		    125

#define CHECK(cond, what)                                                             \
	do {                                                                          \
		if (!(cond)) {                                                        \
			fprintf(stderr, "observer: %s: %s\n", what, strerror(errno)); \
			exit(FAILED);                                                 \
		}                                                                     \
	} while (0)

static struct place {
	char library[256], function[128];
	unsigned long offset;
} places[PLACES_MAX];

static size_t place_count;

static void read_places(const char *path)
{
	FILE *file = fopen(path, "r");
	struct place *p = places;

	CHECK(file, path);
	while (p < places + PLACES_MAX &&
	       fscanf(file, "%255s %lx %127s", p->library, &p->offset, p->function) == 3)
		p++;
	CHECK(feof(file), path);
	place_count = p - places;
	fclose(file);
}

/* Probes these places of one library: 0 or the number of what the kernel says. */
static int link_places(int prog, const struct place *first, size_t n)
{
	static __u64 offsets[PLACES_MAX], cookies[PLACES_MAX];
	struct link_create_uprobe_multi attr = {
		.prog_fd = prog,
		.attach_type = ATTACH_UPROBE_MULTI,
		.path = (unsigned long)first->library,
		.offsets = (unsigned long)offsets,
		.cookies = (unsigned long)cookies,
		.cnt = n,
	};

	for (size_t i = 0; i < n; i++) {
		offsets[i] = first[i].offset;
		cookies[i] = &first[i] - places;
	}
	/* The link stays as long as this process. */
	return syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr)) < 0 ? errno : 0;
}

static void link_all(int prog)
{
	struct place *end = places + place_count, *next;

	for (struct place *p = places; p < end; p = next) {
		for (next = p; next < end && !strcmp(next->library, p->library); next++)
			;
		errno = link_places(prog, p, next - p);
		CHECK(!errno, p->library);
	}
}

static int write_call(void *arg, void *data, size_t size)
{
	const struct observed *call = data;
	FILE *out = arg;

	fprintf(out, "%u %llu %s", call->tid, call->at, places[call->place].function);
	for (int i = 0; i < OBSERVED_ARGS; i++)
		fprintf(out, " 0x%llx", call->args[i]);
	fputc('\n', out);
	return 0;
}

/* Returns the process, which executes the command when `*go` is closed. */
static pid_t start(char *const argv[], int *go)
{
	int gate[2];
	char byte;
	pid_t pid;

	CHECK(!pipe2(gate, O_CLOEXEC), "pipe");
	pid = fork();
	CHECK(pid >= 0, "fork");
	if (!pid) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) == 0)
			execvp(argv[0], argv);
		CHECK(false, argv[0]);
	}
	close(gate[0]);
	*go = gate[1];
	return pid;
}

int main(int argc, char **argv)
{
	struct observer_bpf *skel = observer_bpf__open();
	struct ring_buffer *ring;
	int status, go;
	FILE *out;
	pid_t pid;

	if (argc < 4) {
		fprintf(stderr, "usage: observer PLACES CALLS COMMAND [ARG...]\n");
		return FAILED;
	}
	CHECK(skel, "open");
	read_places(argv[1]);
	out = fopen(argv[2], "w");
	CHECK(out, argv[2]);
	bpf_program__set_expected_attach_type(skel->progs.observe, ATTACH_UPROBE_MULTI);
	CHECK(!observer_bpf__load(skel), "load");
	ring = ring_buffer__new(bpf_map__fd(skel->maps.calls), write_call, out, NULL);
	CHECK(ring, "ring");
	pid = start(argv + 3, &go);
	skel->bss->command = pid;
	link_all(bpf_program__fd(skel->progs.observe));
	close(go);
	while (waitpid(pid, &status, WNOHANG) == 0)
		CHECK(ring_buffer__poll(ring, 10) >= 0, "poll");
	CHECK(ring_buffer__consume(ring) >= 0, "consume");
	CHECK(!fclose(out), argv[2]);
	if (skel->bss->not_sent) {
		fprintf(stderr, "observer: %llu calls missed\n", skel->bss->not_sent);
		return FAILED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
