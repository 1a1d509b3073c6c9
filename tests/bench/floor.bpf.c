// SPDX-License-Identifier: MIT
/*
 * The least that a probe can do: nothing. What remains is what the kernel takes to get here.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* 0 at the entry asks for the return, too. */
SEC("uprobe")
int floor_session(struct pt_regs *ctx)
{
	return 0;
}

SEC("uprobe")
int floor_entry(struct pt_regs *ctx)
{
	return 0;
}

SEC("uretprobe")
int floor_return(struct pt_regs *ctx)
{
	return 0;
}
