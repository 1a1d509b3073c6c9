#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Reports: against the JSON trace of the same run, counted again by report_check.py, the simulator's truth log
# and what workloads say that they did.

load ../common

CHECK=$E2E/report_check.py

# record NAME WORKLOAD [ARG...]: NAME.rtrace, and NAME.json and NAME.truth to hold the report against
record() {
	sim SIMKFD_GPUS="${GPUS:-1}" SIMKFD_TRUTH="$T/$1.truth" "$RTRACE" --all-functions -f rtrace -f json -o "$T/$1" -- \
		"$O/workloads/$2" "${@:3}" >"$T/$1.out" 2>"$T/$1.err"
	grep -q '^result PASSED$' "$T/$1.out"
}

# report NAME [OPTION...]: NAME.report, as JSON
report() {
	"$RTRACE" report --json "${@:2}" -o "$T/$1.report" "$T/$1.rtrace"
}

# What jq says of the report.
of() {
	jq -r "$2" "$T/$1.report"
}

# at_least A B: what takes longer on a busy machine has no bound above
at_least() {
	[ "$1" -ge "$2" ] || { echo "$1 is less than $2"; return 1; }
}

# kernels NAME: begin and end (ns) of each elementAdd, by the truth log
kernels() {
	tr = ' ' <"$T/$1.truth" | awk '$12 == "dispatch" && $14 ~ /elementAdd/ { print $(NF - 2), $NF }' | sort -n
}

# kernels_ran NAME: in how much time one of them ran
kernels_ran() {
	kernels "$1" | awk '$2 > end { sum += $2 - ($1 > end ? $1 : end); end = $2 } END { print sum }'
}

# true if A is from LOW to HIGH times B
about() {
	awk -v a="$1" -v b="$2" -v low="$3" -v high="$4" 'BEGIN {
		if (a >= low * b && a <= high * b) exit 0
		print a " is not " low " to " high " times " b; exit 1 }'
}

@test "all numbers are those of the trace, counted anew" {
	for workload in "job -n 30 -t 3 -d 300" "ranges -t 2" "copies -m 100000" graphs streams hsa_dispatch errors "resources -k 3"; do
		echo "$workload"
		# shellcheck disable=SC2086 # with its arguments
		record t $workload
		report t --group-by roctx
		"$CHECK" "$T/t.json" "$T/t.report"
		# Kernels and bytes as the workload counted them.
		sed -n 's/^kernels //p' "$T/t.out" | while read -r name count; do
			[ "$(of t "[.kernels[] | select(.name | startswith(\"$name\")) | .calls] | add")" = "$count" ]
		done
	done
	report t --group-by roctx
}

# bats test_tags=smoke
@test "kernels are named by the innermost range around their launch" {
	record t ranges -i 5
	report t --kernel-rename
	"$CHECK" "$T/t.json" "$T/t.report" --kernel-rename
	[ "$(of t '[.kernels[] | "\(.name) \(.calls)"] | sort | join(",")')" = "add 5,xor 5" ]
	"$RTRACE" report --group-by roctx "$T/t.rtrace" >"$T/text"
	grep -qE '^ +5 .* 5 .* add$' "$T/text"
}

@test "how long GPUs were busy, by the truth log" {
	GPUS=2 record two copies -m 100000
	report two
	[ "$(of two '[.gpus[] | .gpu] | join(" ")')" = "0 1" ]
	record t job -n 50 -t 2
	report t
	about "$(of t .gpus[0].kernels_ns)" "$(kernels_ran t)" 0.99 1.01
	copied=$(awk '/ kind=copy / { sub(/.* bytes=/, ""); sum += $1 } END { print sum }' "$T/t.truth")
	[ "$(of t '[.copies[].bytes] | add')" = "$copied" ]
}

@test "a program that sleeps between its launches: the GPU waits for no call" {
	record t job -n 25 -d 40000
	report t
	"$CHECK" "$T/t.json" "$T/t.report"
	# It sleeps 24 times between the launches of 25 rounds.
	at_least "$(of t .gpus[0].host_in_no_call_ns)" $((24 * 40000000))
}

@test "a program that waits for long kernels: the GPU is busy, and the wait is told" {
	SIMKFD_KERNEL_NS=20000000 record t job -n 25
	report t
	"$CHECK" "$T/t.json" "$T/t.report"
	# One kernel before the rounds, and one in each.
	at_least "$(kernels_ran t)" $((26 * 20000000))
	about "$(of t .gpus[0].kernels_ns)" "$(kernels_ran t)" 0.99 1.01
	[ "$(of t '.waits[] | select(.name == "hipStreamSynchronize") | .calls')" = 26 ]
	# Each lasts until its kernel has ended.
	calls "$T/t.json" | awk '$1 == "hipStreamSynchronize" { print $NF }' | sort -n | paste -d ' ' - <(kernels t) |
		awk 'NF != 3 || $1 < $3 { print "returned at " $1 ", the kernel ended at " $3; bad = 1 } END { exit bad || NR != 26 }'
	# What only enqueues is no wait.
	[ "$(of t '[.waits[] | select(.name | test("Async"))] | length')" = 0 ]
}

@test "the same launches, with the device synchronised behind each: that is what the GPU waits for" {
	record t ranges -i 50
	report t
	"$CHECK" "$T/t.json" "$T/t.report"
	[ "$(of t '.gpus[0].host_in_call | map(.name) | index("hipDeviceSynchronize") != null')" = true ]
}

@test "calls that failed, as the program says, with their arguments" {
	record t errors
	report t
	sed -n 's/^returns \([^ ]*\) .*/\1/p' "$T/t.out" | sort | uniq -c | awk '{ print $2, $1 }' >"$T/want"
	of t '[.failed_calls[] | select(.domain == "hip")] | group_by(.function)[] |
		"\(.[0].function) \([.[].calls] | add)"' | sort >"$T/got"
	diff "$T/want" "$T/got"
	"$RTRACE" report -n 0 "$T/t.rtrace" >"$T/text"
	grep -qE '^ +1  hipMalloc = hipErrorOutOfMemory$' "$T/text"
	grep -q 'hipMalloc(ptr=0x[0-9a-f]*, size=1152921504606846976) = hipErrorOutOfMemory' "$T/text"
	[ "$(of t '.failed_calls[] | select(.result == "hipErrorOutOfMemory") | .first[0].call | test("size=1152921504606846976")')" = true ]
}

@test "memory that was not freed, as the program says, and the call" {
	record t resources -k 4
	report t
	sed -n 's/^did keep //p' "$T/t.out" | sort >"$T/want"
	[ "$(wc -l <"$T/want")" = 4 ]
	# The rest is the runtime's own, and not of these sizes.
	of t '.not_freed[] | select(.call == "hipMalloc" and .gpu == 0 and .bytes < 4000) | "\(.address) \(.bytes)"' | sort >"$T/got"
	diff "$T/want" "$T/got"
	"$RTRACE" report "$T/t.rtrace" | grep -qE '^ *3300 +0x[0-9a-f]+ +gpu 0 .* hipMalloc$'
	"$CHECK" "$T/t.json" "$T/t.report"
}

@test "a recording and itself differ in nothing; two runs in what is known" {
	record a job -n 10
	record b job -n 30
	record c ranges
	"$RTRACE" report --diff --json "$T/a.rtrace" "$T/a.rtrace" >"$T/d"
	jq -e '[.. | objects | select(has("change")) | .change] | length > 20 and all(. == 0)' "$T/d"
	jq -e '[.kernels_and_copies[], .api_calls[] | .in] | all(. == "both")' "$T/d"
	"$RTRACE" report --diff --json "$T/a.rtrace" "$T/b.rtrace" >"$T/d"
	# Each takes 20 us; ticks of the GPU are whole ns to within one.
	jq -e '.kernels_and_copies[] | select(.name == "elementAdd") | .calls.change == 20 and .in == "both" and
		(.total_ns.a - 220000 | fabs) <= 11 and (.total_ns.b - 620000 | fabs) <= 31 and
		.total_ns.change == .total_ns.b - .total_ns.a' "$T/d"
	jq -e '[.kernels_and_copies[] | .total_ns.change | fabs] | . == (sort | reverse)' "$T/d"
	jq -r '.kernels_and_copies[] | select(.name == "elementAdd").total_ns |
		"\(.change) \\+181.8% +\(.a) +\(.b) +11 +31"' "$T/d" >"$T/line"
	"$RTRACE" report --diff -u nsec "$T/a.rtrace" "$T/b.rtrace" >"$T/d"
	grep -qE "^ *\+$(cat "$T/line") KERNEL_DISPATCH elementAdd$" "$T/d"
	"$RTRACE" report --diff -u nsec "$T/b.rtrace" "$T/a.rtrace" | grep -qE "^ *-$(cut -d ' ' -f 1 "$T/line") -64.5% "
	"$RTRACE" report --diff "$T/a.rtrace" "$T/c.rtrace" >"$T/d"
	grep -qE 'gone .*  *11  *0 .*HtoD$' "$T/d"
	grep -qE 'new .*  *0  *4 .*elementXor$' "$T/d"
	grep -q 'GPU 0' "$T/d"
}

@test "tables: rows, units, summaries" {
	record t ranges
	report t
	"$RTRACE" report -n 2 -u nsec "$T/t.rtrace" >"$T/text"
	# The first kernel of the table and of the JSON.
	line=$(grep -A1 'SHARE .*KERNEL$' "$T/text" | tail -n 1)
	[ "$(awk '{ print $2, $3, $NF }' <<<"$line")" = "$(of t '.kernels[0] | "\(.total_ns) \(.calls) \(.name)"')" ]
	grep -q 'SHARE TOTAL (nsec)' "$T/text"
	grep -q '^\.\.\. and [0-9]* more$' "$T/text"
	[ "$(grep -c 'HIP_API\|HSA_API\|KFD_API\|ROCTX_API' "$T/text")" = 2 ]
	for unit in "sec 1000000000 9" "msec 1000000 6" "usec 1000 3"; do
		read -r name scale digits <<<"$unit"
		want=$(awk -v n="$(of t '.kernels[0].total_ns')" -v s="$scale" -v d="$digits" 'BEGIN { printf "%.*f", d, n / s }')
		"$RTRACE" report -u "$name" "$T/t.rtrace" | grep -qE "^ *50.0% +$want +4 .* element"
	done
	"$RTRACE" report -D "$T/t.rtrace" >"$T/text"
	for domain in HIP_API HSA_API ROCTX_API KERNEL_DISPATCH MEMORY_COPY MEMORY_ALLOCATION MARKER_API; do
		grep -qx "$domain" "$T/text"
	done
	"$RTRACE" report --summary-groups 'KERNEL_DISPATCH|MEMORY_COPY' --summary-groups '.*_API' "$T/t.rtrace" >"$T/text"
	grep -qx 'KERNEL_DISPATCH + MEMORY_COPY' "$T/text"
	grep -qx 'HIP_API + HSA_API + KFD_API + ROCTX_API + ROCTRACER_API + MARKER_API' "$T/text"
	report t -D --summary-groups 'MEMORY_.*'
	of t '.summaries[] | select(.domains == "MEMORY_COPY + MEMORY_ALLOCATION") | [.rows[].domain] | unique | join(" ")' |
		grep -qx 'MEMORY_ALLOCATION MEMORY_COPY'
	jq -e '[.summaries[] | select(.domains == "HIP_API") | .rows[].total_ns] | add == '"$(of t '[.api_calls[] | select(.domain == "HIP_API") | .total_ns] | add')" \
		"$T/t.report"
}

@test "what was lost is said first" {
	overflow_a_ring -f rtrace -o "$T/t.rtrace"
	"$RTRACE" report "$T/t.rtrace" >"$T/text"
	sed -n 2p "$T/text" | grep -q "^Not in the recording: $lost calls (ring full)"
	report t
	[ "$(of t .lossy)" = true ]
	[ "$(of t .counts.lost_spans)" = "$lost" ]
	"$RTRACE" report --diff "$T/t.rtrace" "$T/t.rtrace" | grep -q '^A: .*with losses'
}

@test "kernels whose times nobody knows, and calls that were not recorded" {
	sim "$RTRACE" --dispatch-from-bpf -f rtrace -o "$T/t.rtrace" -- "$O/workloads/job" -n 20 >"$T/out" 2>"$T/err"
	"$RTRACE" report "$T/t.rtrace" >"$T/text"
	sed -n 2p "$T/text" | grep -q '^Not in the recording: 21 times of dispatches'
	grep -qE '^ *0.0% +0ns +21 +- +- +- +- +elementAdd$' "$T/text"
	grep -q '^GPU 0, .* without 21 operations whose times are not known$' "$T/text"
	sim "$RTRACE" -t kernel -f rtrace -o "$T/t.rtrace" -- "$O/workloads/job" -n 20 >"$T/out" 2>"$T/err"
	report t
	[ "$(of t '.gpus[0] | .host_in_no_call_ns + (.host_in_call | length)')" = 0 ]
	[ "$(of t '.gpus[0] | .host_not_known_ns == .queue_empty_ns and .queue_empty_ns > 0')" = true ]
}

@test "a recording that was cut off is reported up to there" {
	record t job -n 50
	size=$(stat -c %s "$T/t.rtrace")
	head -c $((size - 60)) "$T/t.rtrace" >"$T/cut.rtrace"
	"$RTRACE" report "$T/cut.rtrace" >"$T/text" 2>"$T/err"
	grep -q 'cut.rtrace: cut off; what was lost in the last second is not known' "$T/err"
	sed -n 2p "$T/text" | grep -q '^The recording was cut off'
	grep -q elementAdd "$T/text"
	report cut 2>/dev/null
	[ "$(of cut .cut)" = true ]
	report t
	[ "$(of t .cut)" = false ]
	# The header alone.
	head -c 64 "$T/t.rtrace" >"$T/none.rtrace"
	"$RTRACE" report "$T/none.rtrace" 2>/dev/null | grep -q ' 0 calls, 0 dispatches'
	"$RTRACE" report --json "$T/none.rtrace" 2>/dev/null | jq -e '.gpus == []'
}

# bats test_tags=slow
@test "a long recording in little memory: all numbers, whatever is told late" {
	rounds=300000
	"$O/tests/big_recording" "$T/t.rtrace" $rounds
	python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
		"$RTRACE" report --json --group-by roctx -o "$T/t.report" "$T/t.rtrace" >"$T/kib"
	cat "$T/kib"
	grep -q __asan_init "$RTRACE" || [ "$(cat "$T/kib")" -lt 131072 ]
	[ "$(of t '.gpus[0] | "\(.observed_ns) \(.kernels_ns) \(.only_copies_ns) \(.submitted_not_begun_ns) \(.host_in_no_call_ns)"')" = \
		"$((rounds * 10000 - 5500)) $((rounds * 3000)) $((rounds * 1000)) $((rounds * 500)) $(((rounds - 1) * 5000))" ]
	[ "$(of t '.gpus[0].host_in_call | map("\(.name) \(.ns)") | join(",")')" = "hipLaunchKernel $(((rounds - 1) * 500))" ]
	[ "$(of t '.gpus[0] | .operations_told_late + .host_not_known_ns')" = 0 ]
	[ "$(of t '.phases | length')" = 1000 ]
	[ "$(of t '[.phases[].kernels.calls] | unique | join(" ")')" = $((rounds / 1000)) ]
	[ "$(of t '.launch_latency[0] | "\(.p50_ns) \(.max_ns)"')" = "400 400" ]
	[ "$(of t '.waits[] | "\(.name) \(.calls) \(.total_ns)"')" = "hipStreamSynchronize $rounds $((rounds * 3500))" ]
}

@test "where a report goes" {
	record t ranges
	report t
	[ "$(stat -c %a "$T/t.report")" = 600 ]
	"$RTRACE" report --json -o - "$T/t.rtrace" | cmp - "$T/t.report"
	echo "something longer that was there before" >"$T/text"
	"$RTRACE" report -o "$T/text" "$T/t.rtrace"
	"$RTRACE" report "$T/t.rtrace" | cmp - "$T/text"
	ln -s "$T/text" "$T/link"
	fails 1 'output: .*link: Too many levels' "$RTRACE" report -o "$T/link" "$T/t.rtrace"
	fails 1 'output: /dev/full: No space left on device' "$RTRACE" report -o /dev/full "$T/t.rtrace"
	fails 1 'output: /nonexistent/x: No such file' "$RTRACE" report -o /nonexistent/x "$T/t.rtrace"
	fails 1 't.rtrace: this is the recording' "$RTRACE" report -o "$T/t.rtrace" "$T/t.rtrace"
	"$RTRACE" report "$T/t.rtrace" >/dev/null
	status=0
	"$RTRACE" report "$T/t.rtrace" >/dev/full 2>"$T/err" || status=$?
	[ "$status" = 1 ]
	grep -q 'output: standard output: No space left on device' "$T/err"
}

@test "what cannot be reported" {
	record t ranges
	fails 1 '/nonexistent: No such file' "$RTRACE" report /nonexistent
	fails 1 't.json: this is no recording of rtrace-bpf' "$RTRACE" report "$T/t.json"
	fails 1 ': Is a directory' "$RTRACE" report /
	fails 1 '/nonexistent: No such file' "$RTRACE" report --diff "$T/t.rtrace" /nonexistent
	fails 2 'which recording' "$RTRACE" report
	fails 1 'a: No such file' "$RTRACE" report a b
	fails 2 'which recordings' "$RTRACE" report --diff
	fails 2 'two recordings' "$RTRACE" report --diff a
	fails 2 'two recordings' "$RTRACE" report --diff a b c
	fails 2 'no summaries and no phases' "$RTRACE" report --diff -D a b
	fails 2 "unknown unit 'hours'" "$RTRACE" report -u hours a
	fails 2 "-n: '-1' is not a number" "$RTRACE" report -n -1 a
	fails 2 "-n: 'x' is not a number" "$RTRACE" report -n x a
	fails 2 "unknown 'stream'" "$RTRACE" report --group-by stream a
	fails 2 'is no regular expression' "$RTRACE" report --summary-groups '(' a
	fails 2 "'HIP' matches no domain" "$RTRACE" report --summary-groups HIP a
	fails 2 "unrecognized option '--nonsense'" "$RTRACE" report --nonsense a
	"$RTRACE" report --help >"$T/help"
	for word in --diff --json --group-by --kernel-rename --summary-groups --summary-per-domain --summary-units --rows \
		--output Examples: 'Exit status'; do
		grep -q -- "$word" "$T/help"
	done
	"$RTRACE" --help | grep -q 'rtrace-bpf report'
}

teardown() {
	end_jobs
}

@test "of GPUs that nobody watched: not zeros, and what the calls asked for" {
	sim "$RTRACE" --capture uprobe -f rtrace -o "$T/t.rtrace" -- env -u HSA_TOOLS_LIB "$O/workloads/job" -n 20 \
		>"$T/out" 2>"$T/err"
	"$RTRACE" report "$T/t.rtrace" >"$T/text"
	head -n 1 "$T/text" | grep -q ', - dispatches, - copies, '
	report t
	[ "$(of t .gpu_known)" = false ]
	launches=$(awk '$1 == "calls" && $2 ~ /Launch.*Kernel/ { n += $3 } END { print n }' "$T/out")
	copies=$(awk '$1 == "calls" && $2 ~ /^hipMemcpy/ { n += $3 } END { print n }' "$T/out")
	[ "$launches" -gt 0 ]
	[ "$(of t .launch_calls)" = "$launches" ]
	[ "$(of t .copy_calls)" = "$copies" ]
	grep -q "Calls launched $launches kernels and made $copies copies" "$T/text"
	# With the agent both are known.
	record t job -n 20
	report t
	[ "$(of t .gpu_known)" = true ]
}
