// SPDX-License-Identifier: MIT
/*
 * Checks capabilities before anything is tried, so that the message names what is missing.
 */
#include "user/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/log.h"

#define INITIAL_PID_NAMESPACE 0xEFFFFFFC /* PROC_PID_INIT_INO of the kernel */

static const struct {
	int cap;
	const char *name;
} needed[] = {
	{CAP_BPF, "CAP_BPF"},				    /* maps and programs */
	{CAP_PERFMON, "CAP_PERFMON"},			    /* tracing programs, uprobes */
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},		    /* /proc of other users' processes */
	{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE"}, /* /proc/PID/map_files */
};

static bool has(const struct __user_cap_data_struct data[2], int cap)
{
	return data[cap / 32].effective & (1u << (cap % 32));
}

/*
 * BPF tells the process ids of the initial pid namespace, /proc those of the one that it is mounted
 * for: together they would name the wrong processes.
 */
static bool in_initial_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PID_NAMESPACE;
}

int privileges__check(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {};
	char missing[256] = "";

	if (!in_initial_pid_namespace()) {
		log_err("not possible in a pid namespace of its own: run on the host, or in a "
			"container "
			"that shares the host's (--pid=host)");
		return -EPERM;
	}
	if (syscall(SYS_capget, &header, data))
		return 0; /* then the attempt will tell */
	if (has(data, CAP_SYS_ADMIN))
		return 0;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (has(data, needed[i].cap))
			continue;
		if (missing[0])
			strcat(missing, ", ");
		strcat(missing, needed[i].name);
	}
	if (!missing[0])
		return 0;
	log_err("not permitted: run as root (sudo), or with the missing capabilities: %s", missing);
	return -EPERM;
}
