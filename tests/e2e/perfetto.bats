#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Perfetto trace against the JSON trace of the same recording; that this one is true is for the other
# suites to tell.

load common

teardown() {
	end_jobs
}

# both WORKLOAD [ARG...]
both() {
	sim "$RTRACE" -f pftrace -f json -o "$(tmp t)" -- "$O/workloads/$1" "${@:2}" >"$(tmp out)" 2>"$(tmp err)"
	grep -q '^result PASSED$' "$(tmp out)"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$(tmp t.pftrace)" >"$(tmp decoded)"
	! grep -qE '^ *[0-9]+[: {]' "$(tmp decoded)"
}

@test "arguments by name and value, render stages, curves" {
	for workload in "storm -g 2 -s 4 -t 2 -n 400" vectoradd copies; do
		# shellcheck disable=SC2086 # with its arguments
		both $workload
		/usr/bin/python3 tests/e2e/perfetto_check.py "$(tmp decoded)" "$(tmp t.json)"
	done
}
