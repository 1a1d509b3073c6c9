// SPDX-License-Identifier: MIT
/*
 * Tests that the kernel's verifier accepts every BPF program, whatever the settings, and soon: each
 * start of a tracer waits for it, and it refuses a program for which it has to look at a million
 * instructions. A loop multiplies if its body has branches or is called from many places (see
 * bpf/call_stack.h).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <cmocka.h>

#include "abi/executable_name.h"
#include "bpf/api.skel.h"
#include "user/probe/capture.h"
#include "user/probe/kernel_support.h"

/* Some 20 ms. */
#define MOST 30000

static struct api_bpf *opened(enum capture_mode mode)
{
	struct api_bpf *skel = api_bpf__open();
	bool session = mode == CAPTURE_SESSION;

	assert_non_null(skel);
	bpf_program__set_autoload(skel->progs.api_session, session);
	bpf_program__set_autoload(skel->progs.api_entry, !session);
	bpf_program__set_autoload(skel->progs.api_return, !session);
	bpf_program__set_expected_attach_type(skel->progs.api_session, ATTACH_UPROBE_SESSION);
	bpf_program__set_autoload(skel->progs.mapped, kernel_support__has_fexit());
	bpf_program__set_autoload(skel->progs.memfd_created, kernel_support__has_fexit());
	bpf_program__set_autoload(skel->progs.ioctl_entered, kernel_support__has_fexit());
	bpf_program__set_autoload(skel->progs.ioctl_left, kernel_support__has_fexit());
	skel->rodata->use_probes = mode == CAPTURE_TRACEFS;
	return skel;
}

static uint32_t verified(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len), 0);
	assert_true(info.verified_insns >= info.xlated_prog_len / 16);
	return info.verified_insns;
}

/* Loads all, and looks how much the verifier had to do. */
static void load(struct api_bpf *skel)
{
	struct bpf_program *prog;
	uint32_t insns;

	assert_int_equal(api_bpf__load(skel), 0);
	bpf_object__for_each_program(prog, skel->obj)
	{
		if (!bpf_program__autoload(prog))
			continue;
		insns = verified(prog);
		print_message("# %s: %u instructions\n", bpf_program__name(prog), insns);
		assert_true(insns <= MOST);
	}
	api_bpf__destroy(skel);
}

static void everything_is_traced(void **state)
{
	for (int mode = capture__best_mode(); mode < CAPTURE_MODES; mode++)
		load(opened(mode));
}

static void filters_of_all_kinds(void **state)
{
	for (int mode = capture__best_mode(); mode < CAPTURE_MODES; mode++) {
		struct api_bpf *skel = opened(mode);

		skel->rodata->only_listed = true;
		skel->rodata->follow_forks = true;
		skel->rodata->hold_unknown = true;
		skel->rodata->by_process = true;
		skel->rodata->tell_exec = true;
		skel->rodata->uid_count = RT_FILTERS;
		skel->rodata->comm_count = RT_FILTERS;
		skel->rodata->cgroup_count = RT_FILTERS;
		skel->rodata->min_duration = 1000;
		skel->rodata->errors_only = true;
		load(skel);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_traced),
		cmocka_unit_test(filters_of_all_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
