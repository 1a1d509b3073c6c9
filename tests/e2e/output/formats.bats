#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# One recording in every form: the same calls, kernels and copies, with the same times and bytes. That the JSON
# trace is true, with which all are compared, is judged by other suites: they hold it against the truth log.

load ../common
load ../formats
load ../sums

teardown() {
	end_jobs
}

# all_forms WORKLOAD: of one recording
all_forms() {
	local form

	echo "$1"
	record_formats text "$1"
	# What was written at once and what the recording is exported to is one trace.
	sums_json "$T/t.json" >"$T/sums"
	[ -s "$T/sums" ]
	for form in text stats summary json pftrace csv rocpd roctracer otf2 folded html; do
		"$RTRACE" export -f "$form" -o "$T/x.$form" "$T/t.rtrace" 2>"$T/export.err"
	done
	sums_json "$T/x.json" | diff "$T/sums" -
	own_readers
	without_copy_bytes <"$T/sums" >"$T/want"
	sums_csv "$T/x.csv" >"$T/got"
	same_sums "$T/want" "$T/got"
	sums_rocpd "$T/x.rocpd" >"$T/got"
	same_sums "$T/sums" "$T/got"
	roctracer_wanted "$T/x.json" >"$T/want"
	sums_roctracer "$T/x.roctracer" | LC_ALL=C sort >"$T/got"
	same_sums "$T/want" "$T/got"
	otf2_wanted "$T/x.json" >"$T/want"
	sums_otf2 "$T/x.otf2" "$T/x.json" >"$T/got"
	same_sums "$T/want" "$T/got"
	grep -v -e ^memory -e ^marker "$T/sums" | awk -F '\t' -v OFS='\t' '{ $5 = 0 } { print }' >"$T/want"
	sums_html "$T/x.html" >"$T/got"
	same_sums "$T/want" "$T/got"
	diff <(folded_json "$T/x.json") <(LC_ALL=C sort "$T/x.folded")
}

# Forms that sums.py reads.
own_readers() {
	local form

	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/x.pftrace" >"$T/x.decoded"
	mv "$T/x.decoded" "$T/x.pftrace"
	"$RTRACE" report --json "$T/t.rtrace" >"$T/x.report" 2>"$T/report.err"
	for form in text stats summary pftrace report; do
		/usr/bin/python3 tests/e2e/sums.py "$T/sums" "$form" "$T/x.$form"
	done
}

@test "a storm on two GPUs" {
	all_forms "storm -g 2 -s 4 -t 2 -n 400"
}

@test "graphs, copies of every kind, fills, calls that fail, ranges, memory" {
	for workload in graphs copies hsa_copies errors ranges resources; do
		all_forms "$workload"
	done
}
