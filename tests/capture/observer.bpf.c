// SPDX-License-Identifier: MIT
/*
 * Sends the registers of each call that the command or a process below it makes: see observer.c.
 */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "tests/capture/observer.h"

#define GENERATIONS 16

char LICENSE[] SEC("license") = "Dual MIT/GPL";

struct task_struct___tree {
	int tgid;
	struct task_struct___tree *real_parent;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 << 20);
} calls SEC(".maps");

int command;	/* its process */
__u64 not_sent; /* calls that the ring had no room for */

static __always_inline bool is_below_command(void)
{
	struct task_struct___tree *task = (void *)bpf_get_current_task();

	for (int i = 0; i < GENERATIONS; i++) {
		if (BPF_CORE_READ(task, tgid) == command)
			return true;
		task = BPF_CORE_READ(task, real_parent);
	}
	return false;
}

SEC("uprobe")
int observe(struct pt_regs *ctx)
{
	struct observed *call;

	if (!is_below_command())
		return 0;
	call = bpf_ringbuf_reserve(&calls, sizeof(*call), 0);
	if (!call) {
		__sync_fetch_and_add(&not_sent, 1);
		return 0;
	}
	call->at = bpf_ktime_get_boot_ns();
	call->tid = bpf_get_current_pid_tgid();
	call->place = bpf_get_attach_cookie(ctx);
	call->args[0] = PT_REGS_PARM1(ctx);
	call->args[1] = PT_REGS_PARM2(ctx);
	call->args[2] = PT_REGS_PARM3(ctx);
	call->args[3] = PT_REGS_PARM4(ctx);
	call->args[4] = PT_REGS_PARM5(ctx);
	call->args[5] = ctx->r9;
	bpf_ringbuf_submit(call, 0);
	return 0;
}
