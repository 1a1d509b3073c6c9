#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One recording in every form: the same calls, kernels and copies, with the same times and bytes. That the JSON
# trace is true, with which all are compared, is for other suites to tell: they hold it against the truth log.

load common
load formats
load sums

teardown() {
	end_jobs
}

# all_forms WORKLOAD: of one recording
all_forms() {
	local form

	echo "$1"
	record_formats text "$1"
	# What was written at once and what the recording is exported to is one trace.
	sums_json "$(tmp t.json)" >"$(tmp sums)"
	[ -s "$(tmp sums)" ]
	for form in text stats summary json pftrace csv rocpd roctracer otf2 folded html; do
		"$RTRACE" export -f "$form" -o "$(tmp x.$form)" "$(tmp t.rtrace)" 2>"$(tmp export.err)"
	done
	sums_json "$(tmp x.json)" | diff "$(tmp sums)" -
	own_readers
	without_copy_bytes <"$(tmp sums)" >"$(tmp want)"
	sums_csv "$(tmp x.csv)" >"$(tmp got)"
	same_sums "$(tmp want)" "$(tmp got)"
	sums_rocpd "$(tmp x.rocpd)" >"$(tmp got)"
	same_sums "$(tmp sums)" "$(tmp got)"
	roctracer_wanted "$(tmp x.json)" >"$(tmp want)"
	sums_roctracer "$(tmp x.roctracer)" | LC_ALL=C sort >"$(tmp got)"
	same_sums "$(tmp want)" "$(tmp got)"
	otf2_wanted "$(tmp x.json)" >"$(tmp want)"
	sums_otf2 "$(tmp x.otf2)" "$(tmp x.json)" >"$(tmp got)"
	same_sums "$(tmp want)" "$(tmp got)"
	grep -v -e ^memory -e ^marker "$(tmp sums)" | awk -F '\t' -v OFS='\t' '{ $5 = 0 } { print }' >"$(tmp want)"
	sums_html "$(tmp x.html)" >"$(tmp got)"
	same_sums "$(tmp want)" "$(tmp got)"
	diff <(folded_json "$(tmp x.json)") <(LC_ALL=C sort "$(tmp x.folded)")
}

# Forms that sums.py reads.
own_readers() {
	local form

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

@test "graphs, copies of every kind, calls that fail, ranges, memory" {
	for workload in graphs copies errors ranges resources; do
		all_forms "$workload"
	done
}
