// SPDX-License-Identifier: MIT
/*
 * Probes a 5-byte nop of our own, forks, and looks how the child ends.
 */
#include "user/probe/nop5_test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "user/base/procfs.h"
#include "user/probe/kernel_support.h"
#include "user/elf/instruction.h"

#define PATIENCE_MS                                                                  \
	10000 /* another tracer that detaches can hold the kernel's lock for seconds \
	       */
#define CALL 0xe8

/* On a line of its own: the kernel rewrites no nop that crosses the end of a page. */
__asm__(".text\n"
	".p2align 6\n"
	".type nop5_probed, @function\n"
	"nop5_probed:\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	ret\n"
	".size nop5_probed, . - nop5_probed\n");

void nop5_probed(void);

struct place_of {
	uint64_t address, offset;
};

static int find_offset(const struct mapping *m, void *arg)
{
	struct place_of *p = arg;

	if (p->address < m->start || p->address >= m->end)
		return 0;
	p->offset = p->address - m->start + m->offset;
	return 1;
}

static const char exe[] = "/proc/self/exe";

static bool open_event(uint64_t offset)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .exclude_kernel = 1};
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	bool known = f && fscanf(f, "%u", &attr.type) == 1;

	if (f)
		fclose(f);
	attr.config1 = (uintptr_t)exe;
	attr.config2 = offset;
	return known && syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) >= 0;
}

/*
 * A probe on our nop, in this process alone. An event is for kernels without links: while it goes,
 * the kernel's lock of trace events is taken, for long maybe (user/record/event_lock.h).
 */
static bool probe(void)
{
	struct place_of place = {.address = (uintptr_t)nop5_probed};

	return procfs__mappings(getpid(), find_offset, &place) == 1 &&
	       (kernel_support__probe(exe, place.offset) >= 0 || open_event(place.offset));
}

static void die(int sig)
{
	_exit(1);
}

/* Makes the call in a forked child. A signal that it dies of is caught: no core, no log line. */
static bool child_survives(void)
{
	pid_t pid = fork();
	int status = 1;

	if (!pid) {
		signal(SIGSEGV, die);
		signal(SIGBUS, die);
		signal(SIGILL, die);
		signal(SIGTRAP, die);
		nop5_probed();
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static enum nop5 find_out(void)
{
	const volatile uint8_t *code = (const uint8_t *)nop5_probed;

	if (!probe())
		return NOP5_UNKNOWN;
	for (int i = 0; i < 3; i++) /* it is rewritten after the first */
		nop5_probed();
	if (*code != CALL)
		return NOP5_TRAPS;
	return child_survives() ? NOP5_CALLS : NOP5_KILLS;
}

/*
 * In a grandchild, which nobody waits for: the end of its probe takes the kernel ten times as long
 * as the test. It keeps none of our files open meanwhile.
 */
static void run_test(int out)
{
	uint8_t answer;

	signal(SIGCHLD, SIG_DFL);
	if (fork())
		_exit(0);
	if (dup2(out, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, ~0u, 0))
		_exit(1);
	answer = find_out();
	_exit(write(STDIN_FILENO, &answer, sizeof(answer)) != sizeof(answer));
}

static enum nop5 test(void)
{
	struct pollfd wait = {.events = POLLIN};
	uint8_t answer = NOP5_UNKNOWN;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return NOP5_UNKNOWN;
	pid = fork();
	if (!pid)
		run_test(ends[1]);
	close(ends[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	wait.fd = ends[0];
	if (poll(&wait, 1, PATIENCE_MS) != 1 || read(ends[0], &answer, sizeof(answer)) < 0)
		answer = NOP5_UNKNOWN;
	close(ends[0]);
	return answer < NOP5_ANSWERS ? (enum nop5)answer : NOP5_UNKNOWN;
}

enum nop5 nop5_test__test(void)
{
	static enum nop5 answer;
	static bool tested;

	if (!tested)
		answer = test();
	tested = true;
	return answer;
}

unsigned int nop5_test__running_kernel(void)
{
	static const unsigned int bits[NOP5_ANSWERS] = {
		[NOP5_UNKNOWN] = KERNEL_NOP5_KILLS,
		[NOP5_TRAPS] = KERNEL_NOP5_TRAPS,
		[NOP5_KILLS] = KERNEL_NOP5_KILLS,
	};
	unsigned int major = 0, minor = 0;
	struct utsname uts;

	if (uname(&uts) || sscanf(uts.release, "%u.%u", &major, &minor) != 2)
		major = minor = 0;
	return KERNEL(major, minor) | bits[nop5_test__test()];
}
