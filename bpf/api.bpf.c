// SPDX-License-Identifier: MIT
/*
 * The capture: turns API function entries and returns into span records.
 *
 * A function's entry pushes a frame on the call stack of its thread (task storage); its return pops
 * the frame and sends one record with both times, six argument registers, the return value, the
 * correlation ID and that of the enclosing call. Nothing is sent at entry, so a call costs one
 * record.
 *
 * Frames are matched by stack pointer, not by count. At a function's first instruction the stack
 * pointer is the address of its return address, S; when its return is probed, the pointer is S + 8.
 * So a return finds its own frame even if calls below it never returned (longjmp, exceptions,
 * pthread_exit): whatever lies above the frame found was left behind, and is sent as
 * RT_SPAN_UNWOUND. An entry clears the way in the same manner: the stack grows down, so frames
 * below the new stack pointer cannot be callers any more, nor can those whose return address has
 * been overwritten (see may_be_live). Two cases need care:
 *
 *  - A tail call (`jmp` to another traced function) enters with the very stack pointer of its
 * caller, which has not returned: its return address still is the trampoline.
 *  - A signal handler may run on an alternate stack, whose addresses compare with nothing. Frames
 *    there count as below all frames of the thread's own stack.
 *
 * Loss is counted, never silent: see enum rt_count.
 */
#include "maps.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* ---- spans ---- */

struct span_end {
	__u64 ts;
	__u64 ret;
	__u32 flags;
	__u32 pid, tid;
};

static __always_inline void fill_span(struct rt_rec_span *s, __u16 kind, __u16 size,
				      const struct task_state *t, __u32 depth,
				      const struct frame *f, const struct span_end *e)
{
	fill_header(&s->h, kind, size, e->ts, e->pid, e->tid);
	s->h.flags = e->flags | (f->by_ip ? RT_SPAN_BY_IP : 0);
	s->begin = f->begin;
	s->corr = f->corr;
	s->parent = depth ? t->frames[(depth - 1) & (RT_DEPTH - 1)].corr : 0;
	s->root = t->frames[0].corr;
	s->func = f->func;
	s->ret = e->ret;
	for (int i = 0; i < RT_ARGS; i++)
		s->args[i] = f->args[i];
	s->depth = depth;
	s->str_len = 0;
}

/*
 * The string is read when the call returns: the callee may have touched its page, and the caller
 * still owns it. A page that is not resident cannot be faulted in here; user space reads it then.
 * `current` must be the span's own task.
 */
static __always_inline void send_span_str(const struct task_state *t, __u32 depth,
					  const struct frame *f, const struct span_end *e)
{
	struct rt_rec_span_str *s = reserve(sizeof(*s));
	long n;

	if (!s) {
		count(RT_COUNT_LOST_RING);
		return;
	}
	fill_span(&s->span, RT_REC_SPAN_STR, sizeof(*s), t, depth, f, e);
	n = bpf_probe_read_user_str(s->str, sizeof(s->str), (const void *)f->args[0]);
	if (n < 0) {
		s->span.h.flags |= RT_SPAN_STR_FAULT;
		s->str[0] = 0;
	} else if (n > 0) {
		s->span.str_len = n - 1;
		if (n == RT_STR_MAX)
			s->span.h.flags |= RT_SPAN_STR_CUT;
	}
	submit(s);
	count(RT_COUNT_SPANS);
}

static __always_inline void send_span(const struct task_state *t, __u32 depth,
				      const struct span_end *e, bool current)
{
	const struct frame *f = &t->frames[depth & (RT_DEPTH - 1)];
	struct rt_rec_span *s;

	if (f->has_str && current) {
		send_span_str(t, depth, f, e);
		return;
	}
	s = reserve(sizeof(*s));
	if (!s) {
		count(RT_COUNT_LOST_RING);
		return;
	}
	fill_span(s, RT_REC_SPAN, sizeof(*s), t, depth, f, e);
	submit(s);
	count(RT_COUNT_SPANS);
}

/*
 * Sends the frames from the top down to `keep` as cut off, and drops them.
 *
 * This and the other functions with a loop over the frames are global, so that the verifier looks
 * at each by itself and once: inlined, the loops multiply and it gives up.
 */
__noinline int cut_frames(struct task_state *t, __u32 keep, struct span_end *e)
{
	if (!t || !e)
		return 0;
	e->ret = 0;
	for (int i = 0; i < RT_DEPTH; i++) {
		if (t->depth <= keep || t->depth > RT_DEPTH)
			break;
		t->depth--;
		send_span(t, t->depth, e, false);
	}
	return 0;
}

/* ---- entry ---- */

struct stack {
	__u64 sp;	/* at the entry of the new call */
	__u64 alt_base; /* the alternate signal stack */
	__u64 alt_size;
};

static __always_inline bool on_altstack(const struct stack *stack, __u64 sp)
{
	return stack->alt_size && sp > stack->alt_base && sp - stack->alt_base <= stack->alt_size;
}

/*
 * While a call is in progress its return address is the kernel's uretprobe trampoline, the first
 * byte of a page, where no ordinary call returns to. Once it was left, something else comes to lie
 * there.
 */
static __always_inline bool may_be_live(const struct frame *f)
{
	__u64 ret_addr;

	if (bpf_probe_read_user(&ret_addr, sizeof(ret_addr), (const void *)f->sp))
		return true; /* not resident: cannot tell */
	return !(ret_addr & 0xfff);
}

/* Is the call that has just been entered inside the frame, or has the frame been left? */
static __always_inline bool frame_encloses(const struct frame *f, const struct stack *stack)
{
	bool new_alt = on_altstack(stack, stack->sp), old_alt = on_altstack(stack, f->sp);

	if (!may_be_live(f))
		return false;
	return new_alt != old_alt ? new_alt : f->sp >= stack->sp;
}

/* How many frames, from the outermost, enclose the call that has just been entered. */
__noinline int enclosing_frames(struct task_state *t, struct stack *stack)
{
	__u32 keep;

	if (!t || !stack)
		return 0;
	keep = t->depth;
	for (int i = 0; i < RT_DEPTH; i++) {
		if (!keep || keep > RT_DEPTH)
			return 0;
		if (frame_encloses(&t->frames[(keep - 1) & (RT_DEPTH - 1)], stack))
			break;
		keep--;
	}
	return keep;
}

static __always_inline void drop_left_frames(struct task_struct *task, struct task_state *t,
					     __u64 sp, __u64 pid_tgid)
{
	struct stack stack = {sp, task->sas_ss_sp, task->sas_ss_size};
	struct span_end e = {};
	__u32 keep;

	keep = enclosing_frames(t, &stack);
	if (keep >= t->depth)
		return;
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNWOUND;
	e.pid = pid_tgid >> 32;
	e.tid = pid_tgid;
	cut_frames(t, keep, &e);
}

#define NAME8(a, b, c, d, e, f, g, h)                                                            \
	((__u64)(a) | (__u64)(b) << 8 | (__u64)(c) << 16 | (__u64)(d) << 24 | (__u64)(e) << 32 | \
	 (__u64)(f) << 40 | (__u64)(g) << 48 | (__u64)(h) << 56)

/* What the agent's reaper asks of the runtime is not the application's doing. */
static __always_inline bool is_reaper(const char *comm)
{
	__u64 name[2];

	__builtin_memcpy(name, comm, sizeof(name));
	return name[0] == NAME8('r', 't', 'r', 'a', 'c', 'e', '-', 'r') &&
	       name[1] == NAME8('e', 'a', 'p', 'e', 'r', 0, 0, 0);
}

static __always_inline void first_call(struct task_state *t, __u64 pid_tgid)
{
	char comm[RT_COMM_LEN] __attribute__((aligned(8))) = {};
	struct rt_rec_task *r;

	bpf_get_current_comm(comm, sizeof(comm));
	t->ignored = is_reaper(comm);
	if (t->ignored) {
		t->named = 1;
		return;
	}
	r = reserve(sizeof(*r));
	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return;
	}
	fill_header(&r->h, RT_REC_TASK, sizeof(*r), bpf_ktime_get_boot_ns(), pid_tgid >> 32,
		    pid_tgid);
	__builtin_memcpy(r->comm, comm, sizeof(r->comm));
	submit(r);
	t->named = 1;
}

/* Returns 1 if the return is of no interest (a session then skips its probe). */
static __always_inline int enter(struct pt_regs *ctx, __u64 cookie)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid(), sp = PT_REGS_SP(ctx);
	struct task_struct *task;
	struct task_state *t;
	struct frame *f;

	if (only_listed && !listed(pid_tgid >> 32))
		return 1;
	task = bpf_get_current_task_btf();
	t = bpf_task_storage_get(&tasks, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		count(RT_COUNT_LOST_TASK);
		return 1;
	}
	if (!t->named)
		first_call(t, pid_tgid);
	if (t->ignored)
		return 1;
	if (t->depth)
		drop_left_frames(task, t, sp, pid_tgid);
	if (t->depth >= RT_DEPTH) {
		count(RT_COUNT_LOST_DEPTH);
		return 1;
	}
	f = &t->frames[t->depth & (RT_DEPTH - 1)];
	f->sp = sp;
	f->corr = new_corr();
	f->by_ip = !RT_COOKIE_ID1(cookie);
	f->func = f->by_ip ? PT_REGS_IP(ctx) : RT_COOKIE_ID1(cookie) - 1;
	f->has_str = !!(cookie & RT_COOKIE_STR);
	f->args[0] = PT_REGS_PARM1(ctx);
	f->args[1] = PT_REGS_PARM2(ctx);
	f->args[2] = PT_REGS_PARM3(ctx);
	f->args[3] = PT_REGS_PARM4(ctx);
	f->args[4] = PT_REGS_PARM5(ctx);
	f->args[5] = ctx->r9;
	t->depth++;
	f->begin = bpf_ktime_get_boot_ns();
	return 0;
}

/* ---- return ---- */

/* The innermost frame with that stack pointer; RT_DEPTH: none. */
__noinline int find_frame(struct task_state *t, __u64 sp)
{
	__u32 depth;

	if (!t)
		return RT_DEPTH;
	depth = t->depth;
	for (int i = 0; i < RT_DEPTH; i++) {
		if (!depth || depth > RT_DEPTH)
			break;
		depth--;
		if (t->frames[depth & (RT_DEPTH - 1)].sp == sp)
			return depth;
	}
	return RT_DEPTH;
}

static __always_inline int leave(struct pt_regs *ctx)
{
	struct span_end e = {.ts = bpf_ktime_get_boot_ns()};
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct task_state *t;
	__u32 found;

	t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);
	if (!t)
		return 0;
	found = find_frame(t, PT_REGS_SP(ctx) - 8);
	if (found >= RT_DEPTH)
		return 0; /* entered before the attach, or lost at entry: counted there */
	e.pid = pid_tgid >> 32;
	e.tid = pid_tgid;
	if (t->depth != found + 1) {
		e.flags = RT_SPAN_UNWOUND;
		cut_frames(t, found + 1, &e);
	}
	e.flags = 0;
	e.ret = PT_REGS_RC(ctx);
	send_span(t, found, &e, true);
	t->depth = found;
	return 0;
}

/* Linux 6.13+: one link for entry and return (the loader sets the attach type). */
SEC("uprobe")
int api_session(struct pt_regs *ctx)
{
	if (bpf_session_is_return())
		return leave(ctx);
	return enter(ctx, bpf_get_attach_cookie(ctx));
}

/* Linux 6.6+: one link for entries, one for returns; older kernels: one tracefs event for each. */
SEC("uprobe")
int api_entry(struct pt_regs *ctx)
{
	enter(ctx, bpf_get_attach_cookie(ctx));
	return 0;
}

SEC("uretprobe")
int api_return(struct pt_regs *ctx)
{
	return leave(ctx);
}

/* ---- calls that will not return ---- */

SEC("tp_btf/sched_process_exit")
int BPF_PROG(task_exit, struct task_struct *task)
{
	struct task_state *t = bpf_task_storage_get(&tasks, task, NULL, 0);
	bool last = !BPF_CORE_READ(task, signal, live.counter);
	struct span_end e = {};
	__u32 pid = task->tgid;

	if (last) /* the number may be another process's soon */
		bpf_map_delete_elem(&pids, &pid);
	if (!t)
		return 0;
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNFINISHED;
	e.pid = pid;
	e.tid = task->pid;
	cut_frames(t, 0, &e);
	send_note(RT_REC_EXIT, last ? RT_EXIT_LAST : 0, e.pid, e.tid);
	return 0;
}

/* Run once after the probes are gone: calls that were still open when the trace ended. */
SEC("iter/task")
int flush_open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct span_end e = {};
	struct task_state *t;

	if (!task)
		return 0;
	t = bpf_task_storage_get(&tasks, task, NULL, 0);
	if (!t)
		return 0;
	e.ts = bpf_ktime_get_boot_ns();
	e.flags = RT_SPAN_UNFINISHED;
	e.pid = task->tgid;
	e.tid = task->pid;
	cut_frames(t, 0, &e);
	return 0;
}

/* ---- processes that come, and what they load ---- */

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 child_pid = child->tgid;
	struct rt_rec_fork *r;
	__u8 one = 1;

	if (!follow_forks || child_pid == parent->tgid || !listed(parent->tgid))
		return 0;
	if (bpf_map_update_elem(&pids, &child_pid, &one, BPF_ANY))
		count(RT_COUNT_LOST_NOTE);
	r = reserve(sizeof(*r));
	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return 0;
	}
	fill_header(&r->h, RT_REC_FORK, sizeof(*r), bpf_ktime_get_boot_ns(), parent->tgid,
		    parent->pid);
	r->child = child_pid;
	r->_pad = 0;
	submit(r);
	return 0;
}

/* A new program has a new stack: what the old one had open is cut off. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(task_exec, struct task_struct *task)
{
	struct task_state *t = bpf_task_storage_get(&tasks, task, NULL, 0);
	struct span_end e = {};

	if (t) {
		e.ts = bpf_ktime_get_boot_ns();
		e.flags = RT_SPAN_UNFINISHED;
		e.pid = task->tgid;
		e.tid = task->pid;
		cut_frames(t, 0, &e);
		t->named = 0;
	}
	if (t || listed(task->tgid))
		send_note(RT_REC_EXEC, 0, task->tgid, task->pid);
	return 0;
}

static __always_inline bool capturing_current(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	return pid != tracer_pid && (!only_listed || listed(pid));
}

static __always_inline void note_opening(__u32 kind)
{
	struct task_state *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL,
						    BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (t)
		t->opening = kind;
	else
		count(RT_COUNT_LOST_NOTE);
}

/*
 * The system call that opens or maps a library or creates an agent's memory has succeeded: tell
 * user space. With stop_on_open the process is stopped before it is back in user mode, so that the
 * probes are in place before the library is even mapped; user space lets it go on with SIGCONT.
 */
static __always_inline int opened(long ret)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct task_state *t;
	struct rt_rec_open *r;
	__u32 kind;

	t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);
	if (!t || !t->opening)
		return 0;
	kind = t->opening;
	t->opening = 0;
	if (ret < 0 && ret > -4096)
		return 0;
	t->lib_fd1 = kind == RT_REC_LIBRARY ? ret + 1 : 0;
	r = reserve(sizeof(*r));
	if (!r) {
		count(RT_COUNT_LOST_NOTE);
		return 0;
	}
	fill_header(&r->h, kind, sizeof(*r), bpf_ktime_get_boot_ns(), pid_tgid >> 32, pid_tgid);
	r->fd = ret;
	r->_pad = 0;
	if (stop_on_open && !bpf_send_signal(19 /* SIGSTOP */))
		r->h.flags = RT_OPEN_STOPPED;
	submit(r);
	return 0;
}

/* The first eight bytes tell these names apart from all others that matter. */
static __always_inline bool is_library_name(__u64 name)
{
	return name == NAME8('l', 'i', 'b', 'a', 'm', 'd', 'h', 'i') || /* libamdhip64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', '-', 'r') || /* libhsa-runtime64 */
	       name == NAME8('l', 'i', 'b', 'h', 's', 'a', 'k', 'm') || /* libhsakmt */
	       name == NAME8('l', 'i', 'b', 'r', 'o', 'c', 't', 'x');	/* libroctx64 */
}

#define PATH_SEEN 256

SEC("tracepoint/syscalls/sys_enter_openat")
int open_enter(struct trace_event_raw_sys_enter *ctx)
{
	char path[PATH_SEEN] = {};
	__u64 name = 0; /* first bytes of the last component */
	__u32 len = 0;
	long n;

	if (!capturing_current())
		return 0;
	n = bpf_probe_read_user_str(path, sizeof(path), (const void *)ctx->args[1]);
	if (n < 0)
		return 0;
	if (n == sizeof(path)) { /* longer than we look: user space sees the whole name */
		note_opening(RT_REC_LIBRARY);
		return 0;
	}
	for (int i = 0; i < PATH_SEEN; i++) {
		if (!path[i])
			break;
		if (path[i] == '/') {
			name = 0;
			len = 0;
		} else if (len < sizeof(name)) {
			name |= (__u64)(__u8)path[i] << 8 * len;
			len++;
		}
	}
	if (is_library_name(name))
		note_opening(RT_REC_LIBRARY);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_openat")
int open_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}

SEC("tracepoint/syscalls/sys_enter_memfd_create")
int memfd_enter(struct trace_event_raw_sys_enter *ctx)
{
	static const char want[] = "rtrace-agent";
	char name[16] = {};

	if (!capturing_current())
		return 0;
	if (bpf_probe_read_user_str(name, sizeof(name), (const void *)ctx->args[0]) < 0)
		return 0;
	for (unsigned int i = 0; i < sizeof(want); i++)
		if (name[i] != want[i])
			return 0;
	note_opening(RT_REC_AGENT);
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_memfd_create")
int memfd_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}

/*
 * Where functions are told by their addresses, user space must know where a library is mapped
 * before the process can be gone. These two run in that mode alone.
 */
SEC("tracepoint/syscalls/sys_enter_mmap")
int mmap_enter(struct trace_event_raw_sys_enter *ctx)
{
	struct task_state *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), NULL, 0);

	if (t && t->lib_fd1 && t->lib_fd1 == (__u32)ctx->args[4] + 1 &&
	    ctx->args[2] & 4 /* PROT_EXEC */)
		t->opening = RT_REC_MAPPED;
	return 0;
}

SEC("tracepoint/syscalls/sys_exit_mmap")
int mmap_exit(struct trace_event_raw_sys_exit *ctx)
{
	return opened(ctx->ret);
}
