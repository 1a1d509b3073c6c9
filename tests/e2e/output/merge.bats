#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings of several nodes as one. The nodes are this one: their tracers take it for others (elsewhere.c).

load ../common
load ../gpu

teardown() {
	end_jobs
}

# on NODE AHEAD_NS COMMAND...: the command, a tracer, on that node, whose wall clock is ahead.
on() {
	local node=$1 ahead=$2

	shift 2
	env LD_PRELOAD="$O/tests/elsewhere.so" ELSEWHERE_NAME="$node" ELSEWHERE_AHEAD_NS="$ahead" "$@"
}

# record NODE AHEAD_NS WORKLOAD...: as NODE.rtrace, with NODE.truth, its output in NODE.out
record() {
	local node=$1

	on "$node" "$2" "$RTRACE" -f rtrace -o "$T/$node.rtrace" -- env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_GPUS=2 SIMKFD_TRUTH="$T/$node.truth" \
		"${@:3}" >"$T/$node.out" 2>"$T/$node.err"
	grep -q '^result PASSED$' "$T/$node.out"
}

# on_both AHEAD_NS: one program's calls as two nodes see them, a.rtrace and b.rtrace, the second one's wall
# clock ahead.
on_both() {
	local node tracers=()

	fresh out go a.rtrace b.rtrace
	sim_exec "$O/workloads/ranges" -i 20 -g "$T/go" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	for node in a b; do
		fresh $node.err
		on $node $([ $node = a ] && echo 0 || echo "$1") "$RTRACE" -p "$job" -t hip,roctx -f rtrace \
			-o "$T/$node.rtrace" 2>"$T/$node.err" &
		tracers+=($!)
		JOBS_STARTED+=($!)
	done
	for node in a b; do
		wait_for grep -q 'API calls' "$T/$node.err"
	done
	touch "$T/go"
	wait "${tracers[@]}"
}

# merged [OPTION...] NODE...: their recordings, as m.rtrace and m.json
merged() {
	"$RTRACE" merge -o "$T/m.rtrace" "$@" 2>"$T/err"
	"$RTRACE" export -f json -o "$T/m.json" "$T/m.rtrace"
}

# times TRACE NODE: of the calls that the node's process made itself, in their order: NAME BEGIN (ns)
times() {
	jq -r --arg node "$2" '(.traceEvents[] | select(.name == "process_name" and (.args.name | startswith($node))) | .pid) as $pid |
		.traceEvents[] | select(.ph == "X" and .pid == $pid and .args.parent == 0 and (.cat | IN("hip", "roctx"))) |
		[.name, (.ts * 1000 | round)] | @tsv' "$1" | sort -k2,2n
}

# apart NS: how far what both saw is apart in the merged trace, to 0.2 ms
apart() {
	times "$T/m.json" a/ >"$T/a.times"
	times "$T/m.json" b/ >"$T/b.times"
	[ "$(wc -l <"$T/a.times")" -gt 200 ]
	paste "$T/a.times" "$T/b.times" | awk -F '\t' -v want="$1" '
		$1 != $3 { print "not the same call: " $0; exit bad = 1 }
		{ d = $4 - $2 - want; if (d < -200000 || d > 200000) { bad = 1; print "apart " $4 - $2 ": " $0; exit } }
		END { exit bad }'
}

@test "two nodes by their wall clocks: the times of one are moved by what its clock is ahead" {
	on_both 7250000000
	merged "$T/a.rtrace" "$T/b.rtrace"
	apart 7250000000
	json_trace "$T/m.json" nesting
	grep -q '^rtrace-bpf: b: its clock +7\.2[45][0-9]* s; nobody kept its wall clock (no NTP)$' "$T/err"
	# In any order, and the other way round: then it is the first one's that are moved.
	merged "$T/b.rtrace" "$T/a.rtrace"
	apart 7250000000
	ELSEWHERE_ERROR_US=2500 on_both -3000000000
	merged "$T/b.rtrace" "$T/a.rtrace"
	apart -3000000000
	grep -q '^rtrace-bpf: a: its clock +[23]\.[09][0-9]* s, right to 2\.500 ms by NTP.s account$' "$T/err"
}

@test "two nodes by a mark that both made, whatever their clocks say" {
	on_both 86400000000000
	merged --align 'between the kernels' "$T/a.rtrace" "$T/b.rtrace"
	apart 0
	json_trace "$T/m.json" nesting
	[ "$(jq '[.traceEvents[] | select(.name == "between the kernels" and .ph == "i")] | length' "$T/m.json")" = 40 ]
	fails 1 "merge: [ab] made no mark 'nothing'" "$RTRACE" merge --align nothing -o "$T/n.rtrace" \
		"$T/a.rtrace" "$T/b.rtrace"
	[ ! -e "$T/n.rtrace" ]
}

@test "GPUs, processes and what belongs together stay apart by node, as each recorded them" {
	record a 0 "$O/workloads/storm" -g 2 -s 2 -t 2 -n 300
	record b 1000000000 "$O/workloads/storm" -g 2 -s 3 -t 1 -n 200
	record c 0 "$O/workloads/copies"
	merged "$T/a.rtrace" "$T/b.rtrace" "$T/c.rtrace"
	json_trace "$T/m.json" nesting causes
	number=0
	for node in a b c; do
		# Correlation IDs distinguish recordings.
		jq --argjson n $number '{traceEvents: [.traceEvents[] | select(.cat == "gpu" and .ph == "X" and (.args.corr / 4398046511104 | floor) == $n)]}' \
			"$T/m.json" >"$T/part.json"
		number=$((number + 1))
		shift=$(sed -n "s/^rtrace-bpf: $node: its clock +\([0-9.]*\) s.*/\1/p" "$T/err")
		true_ops "$T/$node.truth" | awk -F '\t' -v OFS='\t' -v shift="$shift" '
			{ $5 = sprintf("%.0f", $5 + shift * 1e9); $6 = sprintf("%.0f", $6 + shift * 1e9); print }' >"$T/true"
		traced_ops "$T/part.json" >"$T/traced"
		[ -s "$T/true" ]
		paste "$T/true" "$T/traced" | awk -F '\t' '
			{ d = $5 - $11; if ($1 $2 $3 $4 != $7 $8 $9 $10 || d < -2000 || d > 2000) { print; exit bad = 1 } }
			END { exit bad }'
	done
	# No GPU of one node is that of another, and the closing lines count all.
	"$RTRACE" report --json -o "$T/m.report" "$T/m.rtrace"
	sum=$(for n in a b c; do "$RTRACE" report --json "$T/$n.rtrace" | jq '.gpus | length'; done | paste -sd+ | bc)
	[ "$(jq '.gpus | length' "$T/m.report")" = "$sum" ]
	for figure in spans dispatches copies allocations; do
		sum=$(for n in a b c; do "$RTRACE" export -f json -o - "$T/$n.rtrace" | jq .otherData.$figure; done | paste -sd+ | bc)
		[ "$(jq .otherData.$figure "$T/m.json")" = "$sum" ]
	done
}

@test "tracers of one node: nothing is moved or renamed, files of one recording in any order" {
	record a 0 "$O/workloads/vectoradd"
	on a 5000000000 "$RTRACE" -f rtrace --rotate 64K -o "$T/two.rtrace" -- env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$O/workloads/storm" -g 1 -s 2 -t 2 -n 20000 >"$T/out" 2>"$T/err"
	[ "$(find "$T" -name 'two.*rtrace' | wc -l)" -ge 2 ]
	merged "$T"/two*.rtrace "$T/a.rtrace"
	[ "$(wc -l <"$T/err")" = 1 ]
	"$RTRACE" export -f json -o "$T/a.json" "$T/a.rtrace"
	"$RTRACE" export -f json -o "$T/two.json" "$T"/two*.rtrace
	for trace in a two m; do
		jq -r '.traceEvents[] | select(.ph == "X") | [.name, if .cat == "gpu" then .args.device, .args.queue else .pid, .tid end, .ts, .dur] | @tsv' "$T/$trace.json" >"$T/$trace.list"
	done
	sort "$T/a.list" "$T/two.list" | diff - <(sort "$T/m.list")
	jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$T/m.json" | sort | diff - <(
		jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$T/a.json" "$T/two.json" | sort)
}

@test "what cannot be merged is said, and nothing is left" {
	record a 0 "$O/workloads/vectoradd"
	echo nothing >"$T/text"
	fails 2 'which recordings' "$RTRACE" merge
	fails 2 'a recording is a file' "$RTRACE" merge -o - "$T/a.rtrace"
	fails 1 'text: this is no recording of rtrace-bpf' "$RTRACE" merge -o "$T/m.rtrace" "$T/a.rtrace" "$T/text"
	fails 1 'none: No such file' "$RTRACE" merge -o "$T/m.rtrace" "$T/none"
	fails 1 'this is one of the recordings' "$RTRACE" merge -o "$T/a.rtrace" "$T/a.rtrace"
	[ ! -e "$T/m.rtrace" ]
	merged "$T/a.rtrace"
	fails 1 'm.rtrace: is merged already: give the recordings' "$RTRACE" merge -o "$T/n.rtrace" "$T/m.rtrace" "$T/a.rtrace"
	# One that was cut off is merged up to there.
	head -c $(($(stat -c %s "$T/a.rtrace") - 10)) "$T/a.rtrace" >"$T/cut.rtrace"
	merged "$T/cut.rtrace"
	grep -q 'cut.rtrace: cut off' "$T/err"
	jq -e '[.traceEvents[] | select(.name == "hipLaunchKernel")] | length > 0' "$T/m.json"
}
