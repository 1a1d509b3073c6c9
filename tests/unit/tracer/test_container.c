// SPDX-License-Identifier: MIT
/*
 * Which control group a process is known by, of lines as kernels, Docker, Kubernetes, systemd and
 * Slurm make them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "user/base/control_group.h"

#define SESSION                               \
	"4:memory:/user.slice/user-0.slice\n" \
	"3:pids:/user.slice/user-0.slice\n"   \
	"2:cpuset:/\n"                        \
	"1:name=systemd:/user.slice/user-0.slice\n"

struct sample {
	const char *groups, *own, *path;
};

static const struct sample samples[] = {
	/* Version 2 alone. */
	{"0::/system.slice/docker-c0ffee.scope\n", "0::/user.slice\n",
	 "/system.slice/docker-c0ffee.scope"},
	{"0::/\n", "0::/\n", "/"},
	{"0::/../job:7\n", "0::/\n", "/../job:7"},
	/* Docker with version 1, where version 2 has the group of the daemon. */
	{"5:rdma:/\n4:memory:/docker/c0ffee\n2:cpu,cpuacct:/docker/c0ffee\n"
	 "1:name=systemd:/docker/c0ffee\n0::/system.slice/containerd.service\n",
	 SESSION "0::/user.slice/user-0.slice\n", "/docker/c0ffee"},
	/* A group of one controller alone. */
	{"8:pids:/box/one\n4:memory:/sandbox/all\n0::/\n",
	 "8:pids:/\n4:memory:/sandbox/all\n0::/\n", "/box/one"},
	{"8:pids:/\n4:memory:/sandbox/all\n0::/one\n", "8:pids:/\n4:memory:/sandbox/all\n0::/\n",
	 "/one"},
	/* Slurm: the daemon's service in the hierarchies that it does not use. */
	{"4:memory:/slurm/uid_7/job_8/step_0/task_0\n3:pids:/system.slice/slurmd.service\n"
	 "2:cpuset:/slurm/uid_7/job_8/step_0\n1:name=systemd:/system.slice/slurmd.service\n",
	 SESSION, "/slurm/uid_7/job_8/step_0/task_0"},
	{"9:perf_event:/kubepods/burstable/pod1/c0ffee\n1:name=systemd:/kubepods/burstable/pod1/"
	 "c0ffee\n",
	 SESSION, "/kubepods/burstable/pod1/c0ffee"},
	/* In the tracer's own: by what there is. */
	{SESSION "0::/\n", SESSION "0::/\n", "/user.slice/user-0.slice"},
	{"8:pids:/\n0::/\n", "", "/"},
	/* Nothing that says anything. */
	{"", SESSION, ""},
	{"nonsense\n:\n::\n1:cpu:relative\n", SESSION, ""},
	{"::/", "", "/"},
};

static void test_samples(void **state)
{
	char path[64];

	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		control_group__choose(samples[i].groups, samples[i].own, path, sizeof(path));
		assert_string_equal(path, samples[i].path);
	}
}

static void test_long(void **state)
{
	char path[8];

	control_group__choose("0::/abcdefghij\n", "", path, sizeof(path));
	assert_string_equal(path, "/abcdef");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
