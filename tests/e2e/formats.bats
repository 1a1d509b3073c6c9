#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One recording in every form: the same calls, kernels and copies, with the same times and bytes. That the JSON
# trace is true, with which all are compared, is for other suites to tell: they hold it against the truth log.

load common
load formats

teardown() {
	end_jobs
}

# all_forms WORKLOAD: of one recording
all_forms() {
	local form

	record_formats text "$1"
	# What was written at once and what the recording is exported to is one trace.
	sums_json "$(tmp t.json)" >"$(tmp sums)"
	[ -s "$(tmp sums)" ]
	for form in text stats summary json pftrace; do
		"$RTRACE" export -f "$form" -o "$(tmp x.$form)" "$(tmp t.rtrace)" 2>"$(tmp export.err)"
	done
	sums_json "$(tmp x.json)" | diff "$(tmp sums)" -
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$(tmp x.pftrace)" >"$(tmp x.decoded)"
	mv "$(tmp x.decoded)" "$(tmp x.pftrace)"
	"$RTRACE" report --json "$(tmp t.rtrace)" >"$(tmp x.report)" 2>"$(tmp report.err)"
	for form in text stats summary pftrace report; do
		/usr/bin/python3 tests/e2e/sums.py "$(tmp sums)" "$form" "$(tmp x.$form)"
	done
}

@test "a storm on two GPUs" {
	all_forms "storm -g 2 -s 4 -t 2 -n 400"
}

@test "graphs, copies of every kind, calls that fail" {
	for workload in graphs copies errors; do
		all_forms "$workload"
	done
}
