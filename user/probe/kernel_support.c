// SPDX-License-Identifier: MIT
/*
 * Asks the kernel by trying: distributions take over features without changing the release number.
 */
#include "user/probe/kernel_support.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "user/probe/capture.h"
#include "user/probe/uprobe_multi.h"

/* A program of that kind, if the kernel has it; a descriptor or -errno. */
static int load_empty(enum bpf_prog_type type, int attach_type, int function)
{
	static const struct bpf_insn ret0[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type,
		    .attach_btf_id = function);

	return bpf_prog_load(type, NULL, "GPL", ret0, 2, &opts);
}

/* A link of an empty program to a place in a file, for a process or for all; or -errno. */
static int link_place(int prog, int attach_type, const char *path, __u64 offset, pid_t pid)
{
	struct link_create_uprobe_multi attr = {
		.prog_fd = prog,
		.attach_type = attach_type,
		.path = (unsigned long)path,
		.offsets = (unsigned long)&offset,
		.cnt = 1,
		.pid = pid,
	};
	int link = syscall(SYS_bpf, BPF_LINK_CREATE, &attr, sizeof(attr));

	return link < 0 ? -errno : link;
}

static int try_link(int prog, int attach_type, pid_t pid)
{
	int link = link_place(prog, attach_type, "/", 0, pid);

	if (link >= 0)
		close(link);
	return link < 0 ? link : 0;
}

int kernel_support__probe(const char *path, uint64_t offset)
{
	int prog = load_empty(BPF_PROG_TYPE_KPROBE, ATTACH_UPROBE_MULTI, 0), link;

	if (prog < 0)
		return prog;
	link = link_place(prog, ATTACH_UPROBE_MULTI, path, offset, getpid());
	close(prog);
	return link;
}

/*
 * Does the kernel have links of that type? Old ones load a program for any. A link to a directory
 * is refused for that where such links are known. Before Linux 6.10 (and its stable releases) a
 * link for a process was one for its first thread: those do not refuse a negative process id.
 */
bool kernel_support__has_links(int attach_type)
{
	int prog = load_empty(BPF_PROG_TYPE_KPROBE, attach_type, 0);
	bool has;

	if (prog < 0)
		return false;
	has = try_link(prog, attach_type, 0) == -EBADF &&
	      try_link(prog, attach_type, -1) == -EINVAL;
	close(prog);
	return has;
}

/* Tries a function that is one of those in question (bpf/library_mappings.h). */
bool kernel_support__has_fexit(void)
{
	int id = libbpf_find_vmlinux_btf_id("vm_mmap_pgoff", BPF_TRACE_FEXIT), prog, link;

	if (id <= 0)
		return false;
	prog = load_empty(BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, id);
	if (prog < 0)
		return false;
	link = bpf_raw_tracepoint_open(NULL, prog);
	close(prog);
	if (link >= 0)
		close(link);
	return link >= 0;
}

bool kernel_support__keeps_events(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = KERNEL_SUPPORT_KEEPS_EVENTS,
		.disabled = 1,
		.inherit = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
