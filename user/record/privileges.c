// SPDX-License-Identifier: MIT
/*
 * Checks capabilities before anything is tried, so that the message names what is missing, and
 * gives up those that are not needed.
 */
#include "user/record/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "user/base/log.h"
#include "user/base/output_file.h"
#include "user/base/procfs.h"

#define BIT(cap)	      (1ULL << (cap))
#define INITIAL_PID_NAMESPACE 0xEFFFFFFC /* PROC_PID_INIT_INO of the kernel */

static const struct {
	int cap;
	const char *name;
} needed[] = {
	{CAP_BPF, "CAP_BPF"},				    /* maps and programs */
	{CAP_PERFMON, "CAP_PERFMON"},			    /* tracing programs, uprobes */
	{CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},		    /* /proc of other users' processes */
	{CAP_CHECKPOINT_RESTORE, "CAP_CHECKPOINT_RESTORE"}, /* /proc/PID/map_files */
	{CAP_KILL, "CAP_KILL"},				    /* what was held continues */
};

struct capabilities {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[2];
};

static int get(struct capabilities *c)
{
	*c = (struct capabilities){.header.version = _LINUX_CAPABILITY_VERSION_3};
	return syscall(SYS_capget, &c->header, c->data) ? -errno : 0;
}

static int put(struct capabilities *c)
{
	return syscall(SYS_capset, &c->header, c->data) ? -errno : 0;
}

static bool has(const struct capabilities *c, int cap)
{
	return c->data[cap / 32].effective & (1u << (cap % 32));
}

/*
 * BPF programs get the process ids of the initial pid namespace, /proc shows those of the namespace
 * that it is mounted for. Together they would name the wrong processes.
 */
static bool in_initial_pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PID_NAMESPACE;
}

int privileges__check(void)
{
	struct capabilities c;
	char missing[256] = "";

	if (!in_initial_pid_namespace()) {
		log_err("not possible in a pid namespace of its own: run on the host, or in a "
			"container "
			"that shares the host's (--pid=host)");
		return -EPERM;
	}
	if (procfs__has_own_clock(getpid())) {
		log_err("not possible in a time namespace of its own: its clock is not that of the "
			"kernel, which tells when things happen");
		return -EPERM;
	}
	if (get(&c))
		return 0; /* then the attempt will succeed or fail */
	if (has(&c, CAP_SYS_ADMIN))
		return 0;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (has(&c, needed[i].cap))
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

/* Kernels of Ubuntu and others want CAP_SYS_ADMIN where Linux wants CAP_PERFMON. */
static bool events_take_admin(const struct capabilities *own)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
	};
	struct capabilities without = *own, again = *own;
	int fd, err;

	without.data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	if (put(&without))
		return false;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	err = errno;
	if (fd >= 0)
		close(fd);
	put(&again);
	return fd < 0 && err == EACCES;
}

/*
 * The tracer probes further libraries and processes while it traces, and writes further files. That
 * takes the capabilities that privileges__check() asks for, or CAP_SYS_ADMIN in place of any that
 * the tracer lacks, and
 *   CAP_DAC_OVERRIDE         agents' memory and libraries that are their users' alone; output into
 *                            folders of others
 *   CAP_NET_BIND_SERVICE     metrics at a port below 1024
 *   CAP_CHOWN, CAP_FOWNER    files written under sudo become the user's, and their mode is set
 */
static uint64_t kept(const struct capabilities *c, bool metrics)
{
	uint64_t caps = BIT(CAP_DAC_OVERRIDE);
	unsigned int caller;

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		caps |= has(c, needed[i].cap) ? BIT(needed[i].cap) : BIT(CAP_SYS_ADMIN);
	if (events_take_admin(c))
		caps |= BIT(CAP_SYS_ADMIN);
	if (metrics)
		caps |= BIT(CAP_NET_BIND_SERVICE);
	if (output_file__caller(&caller))
		caps |= BIT(CAP_CHOWN) | BIT(CAP_FOWNER);
	return caps;
}

/* Takes CAP_SETPCAP. Without it, that there are no new privileges has to be enough. */
static void bound(uint64_t caps)
{
	for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
		if (!(caps & BIT(cap)))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
}

int privileges__reduce(bool metrics)
{
	struct capabilities c;
	int err = get(&c);
	uint64_t caps;

	if (err)
		return err;
	caps = kept(&c, metrics);
	bound(caps);
	for (int i = 0; i < 2; i++) {
		c.data[i].effective &= caps >> 32 * i;
		c.data[i].permitted &= caps >> 32 * i;
		c.data[i].inheritable = 0;
	}
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? -errno : put(&c);
}
