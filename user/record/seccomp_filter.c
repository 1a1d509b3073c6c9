// SPDX-License-Identifier: MIT
/*
 * A seccomp filter, against a tracer that what hostile processes write has taken over. What it has
 * no capability for any more (mounts, modules, other users) the kernel refuses without that.
 */
#include "user/record/seccomp_filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/base/log.h"

#define X32_BIT 0x40000000 /* in numbers of the other ABI of the same processor */
#define NONE	0xffffffff /* no call has that number */

#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(nr)   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), RETURN(SECCOMP_RET_ERRNO | EPERM)

/* The search for leaks takes ptrace(). */
#ifdef __SANITIZE_ADDRESS__
#define PTRACE NONE
#else
#define PTRACE SYS_ptrace
#endif

void seccomp_filter__install(bool sockets)
{
	struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, X32_BIT, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		REFUSE(SYS_execve),
		REFUSE(SYS_execveat),
		REFUSE(PTRACE),
		REFUSE(SYS_process_vm_writev),
		REFUSE(SYS_pidfd_getfd),
		REFUSE(sockets ? NONE : SYS_socket),
		REFUSE(SYS_unshare),
		REFUSE(SYS_setns),
		REFUSE(SYS_keyctl),
		REFUSE(SYS_io_uring_setup), /* its operations pass by filters */
		RETURN(SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

	/* Without the flag Linux 5.15 makes the processor slower for us. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter))
		log_info("seccomp: %s: no system call is refused", strerror(errno));
}
