// SPDX-License-Identifier: MIT
/*
 * Calls the functions of sites.S and checks that nothing is lost on the way: results, stack, and
 * the registers that a function has to keep.
 *
 *   sites call [N]   calls each N times; prints "called NAME" for each, and at the end the
 * arguments sites wait [N]   the same, after SIGUSR1 sites kernel     probes each place by a perf
 * event and prints "NAME HOW PLACE": what the kernel did, and how many bytes from its entry
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/capture/sites.h"

struct registers {
	uint64_t args[8]; /* rdi rsi rdx rcx r8 r9, and two on the stack */
	uint64_t kept[6]; /* rbx rbp r12 r13 r14 r15 */
	uint64_t result, stack;
	uint64_t vectors[4]; /* xmm0 xmm1 */
};

_Static_assert(sizeof(struct registers) == 160, "callsite.S has its offsets");

void call_site(const void *fn, const struct registers *in, struct registers *out);

static uint64_t readable[16];

static struct registers pattern(void)
{
	struct registers r = {
		.args = {0x1111, 0x22222222, 0x3333333333333333, 8, 0x5555555555555555,
			 (uintptr_t)readable, 0x7777777777777777, 0x8888},
		.kept = {0xb0b0b0b0b0b0b0b0, 0xb1b1b1b1b1b1b1b1, 0xc2c2c2c2c2c2c2c2,
			 0xd3d3d3d3d3d3d3d3, 0xe4e4e4e4e4e4e4e4, 0xf5f5f5f5f5f5f5f5},
		.vectors = {1, 2, 3, 4},
	};

	return r;
}

static bool check_call(const struct site *site)
{
	const struct registers in = pattern();
	uint64_t expected = in.args[0] + 2 * in.args[1] + in.args[6];
	struct registers out = {};

	call_site(site->entry, &in, &out);
	if (out.result != expected)
		printf("FAILED %s: result %#" PRIx64 "\n", site->name, out.result);
	else if (out.stack || out.args[6] != in.args[6])
		printf("FAILED %s: the stack\n", site->name);
	else if (memcmp(out.kept, in.kept, sizeof(in.kept)))
		printf("FAILED %s: a register that it keeps\n", site->name);
	else if (memcmp(out.vectors, in.vectors, sizeof(in.vectors)))
		printf("FAILED %s: a vector register\n", site->name);
	else
		return true;
	return false;
}

static int call_all(long n)
{
	const struct registers r = pattern();
	bool good = true;

	for (const struct site *site = sites; site < sites_end; site++) {
		if (!(site->flags & SITE_CALLABLE))
			continue;
		for (long i = 0; i < n; i++)
			good &= check_call(site);
		if (site->kind != SITE_SKIPPED)
			printf("called %s %ld\n", site->name, n);
	}
	printf("arguments");
	for (int i = 0; i < 6; i++)
		printf(" 0x%" PRIx64, r.args[i]);
	printf("\n");
	printf("result %s\n", good ? "PASSED" : "FAILED");
	return !good;
}

static void wait_for_signal(void)
{
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&set, &signo);
}

/* The file of the library, and the file offset of an address. */
struct find {
	uintptr_t address;
	uint64_t offset;
	char path[4096];
};

static int find_file(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct find *f = arg;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || f->address < start ||
		    f->address - start >= ph->p_filesz)
			continue;
		f->offset = f->address - start + ph->p_offset;
		snprintf(f->path, sizeof(f->path), "%s", info->dlpi_name);
		return 1;
	}
	return 0;
}

static int probe(const void *address)
{
	static struct find f;
	struct perf_event_attr attr = {.size = sizeof(attr), .exclude_kernel = 1};
	FILE *type = fopen("/sys/bus/event_source/devices/uprobe/type", "re");

	if (!type || fscanf(type, "%u", &attr.type) != 1)
		return -ENOENT;
	fclose(type);
	f.address = (uintptr_t)address;
	if (!dl_iterate_phdr(find_file, &f))
		return -ENOENT;
	attr.config1 = (uintptr_t)f.path;
	attr.config2 = f.offset;
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC) < 0 ? -errno
											: 0;
}

static bool maps_have(const char *name)
{
	FILE *f = fopen("/proc/self/maps", "re");
	bool found = false;
	char line[512];

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, name);
	if (f)
		fclose(f);
	return found;
}

/*
 * A probe without a return probe needs the page for out-of-line execution only if it is
 * single-stepped, and no trap any more if the kernel has made a call of the instruction.
 */
static const char *what_the_kernel_does(const struct site *site)
{
	const uint8_t *at = site->place ? site->place : site->entry;
	int err;

	if (!at)
		return "unknown";
	err = probe(at);
	if (err)
		return err == -ENOENT ? "unknown" : "refused";
	if (!(site->flags & SITE_CALLABLE))
		return "accepted";
	for (int i = 0; i < 3; i++) /* the kernel rewrites the nop after the first */
		if (!check_call(site))
			return "broken";
	if (*at == 0xe8 && maps_have("[uprobes-trampoline]"))
		return "nop5";
	return maps_have("[uprobes]") ? "single-stepped" : "emulated";
}

/* Bytes from its entry. */
static ptrdiff_t place_in(const struct site *site)
{
	return site->place ? (const char *)site->place - (const char *)site->entry : 0;
}

/* Each in a process of its own, all at once: the end of a probe takes the kernel long. */
static int ask_kernel(void)
{
	int status, failed = 0;

	for (const struct site *site = sites; site < sites_end; site++) {
		pid_t pid = fork();

		if (pid)
			continue;
		printf("%s %s %td\n", site->name, what_the_kernel_does(site), place_in(site));
		fflush(stdout);
		_exit(0);
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1;

	if (argc > 1 && !strcmp(argv[1], "kernel"))
		return ask_kernel();
	if (argc > 1 && !strcmp(argv[1], "wait"))
		wait_for_signal();
	else if (argc < 2 || strcmp(argv[1], "call"))
		return fprintf(stderr, "usage: sites call|wait|kernel [N]\n"), 2;
	return call_all(n);
}
