#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings of several nodes as one. The nodes are this one: their tracers take it for others (elsewhere.c).

load common
load gpu

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

	on "$node" "$2" "$RTRACE" -f rtrace -o "$(tmp "$node.rtrace")" -- env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_GPUS=2 SIMKFD_TRUTH="$(tmp "$node.truth")" \
		"${@:3}" >"$(tmp "$node.out")" 2>"$(tmp "$node.err")"
	grep -q '^result PASSED$' "$(tmp "$node.out")"
}

# on_both AHEAD_NS: one program's calls as two nodes see them, a.rtrace and b.rtrace, the second one's wall
# clock ahead.
on_both() {
	local node tracers=()

	fresh out go a.rtrace b.rtrace
	sim_exec "$O/workloads/ranges" -i 20 -g "$(tmp go)" >"$(tmp out)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$(tmp out)"
	for node in a b; do
		fresh $node.err
		on $node $([ $node = a ] && echo 0 || echo "$1") "$RTRACE" -p "$job" -t hip,roctx -f rtrace \
			-o "$(tmp $node.rtrace)" 2>"$(tmp $node.err)" &
		tracers+=($!)
		JOBS_STARTED+=($!)
	done
	for node in a b; do
		wait_for grep -q 'API calls' "$(tmp $node.err)"
	done
	touch "$(tmp go)"
	wait "${tracers[@]}"
}

# merged [OPTION...] NODE...: their recordings, as m.rtrace and m.json
merged() {
	"$RTRACE" merge -o "$(tmp m.rtrace)" "$@" 2>"$(tmp err)"
	"$RTRACE" export -f json -o "$(tmp m.json)" "$(tmp m.rtrace)"
}

# times TRACE NODE: of the calls that the node's process made itself, in their order: NAME BEGIN (ns)
times() {
	jq -r --arg node "$2" '(.traceEvents[] | select(.name == "process_name" and (.args.name | startswith($node))) | .pid) as $pid |
		.traceEvents[] | select(.ph == "X" and .pid == $pid and .args.parent == 0 and (.cat | IN("hip", "roctx"))) |
		[.name, (.ts * 1000 | round)] | @tsv' "$1" | sort -k2,2n
}

# apart NS: how far what both saw is apart in the merged trace, to 0.2 ms
apart() {
	times "$(tmp m.json)" a/ >"$(tmp a.times)"
	times "$(tmp m.json)" b/ >"$(tmp b.times)"
	[ "$(wc -l <"$(tmp a.times)")" -gt 200 ]
	paste "$(tmp a.times)" "$(tmp b.times)" | awk -F '\t' -v want="$1" '
		$1 != $3 { print "not the same call: " $0; exit bad = 1 }
		{ d = $4 - $2 - want; if (d < -200000 || d > 200000) { bad = 1; print "apart " $4 - $2 ": " $0; exit } }
		END { exit bad }'
}

@test "two nodes by their wall clocks: the times of one are moved by what its clock is ahead" {
	on_both 7250000000
	merged "$(tmp a.rtrace)" "$(tmp b.rtrace)"
	apart 7250000000
	check_nesting "$(tmp m.json)"
	grep -q '^rtrace-bpf: b: its clock +7\.2[45][0-9]* s; nobody kept its wall clock (no NTP)$' "$(tmp err)"
	# In any order, and the other way round: then it is the first one's that are moved.
	merged "$(tmp b.rtrace)" "$(tmp a.rtrace)"
	apart 7250000000
	ELSEWHERE_ERROR_US=2500 on_both -3000000000
	merged "$(tmp b.rtrace)" "$(tmp a.rtrace)"
	apart -3000000000
	grep -q '^rtrace-bpf: a: its clock +[23]\.[09][0-9]* s, right to 2\.500 ms by NTP.s account$' "$(tmp err)"
}

@test "two nodes by a mark that both made, whatever their clocks say" {
	on_both 86400000000000
	merged --align 'between the kernels' "$(tmp a.rtrace)" "$(tmp b.rtrace)"
	apart 0
	check_nesting "$(tmp m.json)"
	[ "$(jq '[.traceEvents[] | select(.name == "between the kernels" and .ph == "i")] | length' "$(tmp m.json)")" = 40 ]
	fails 1 "merge: [ab] made no mark 'nothing'" "$RTRACE" merge --align nothing -o "$(tmp n.rtrace)" \
		"$(tmp a.rtrace)" "$(tmp b.rtrace)"
	[ ! -e "$(tmp n.rtrace)" ]
}

@test "GPUs, processes and what belongs together stay apart by node, as each recorded them" {
	record a 0 "$O/workloads/storm" -g 2 -s 2 -t 2 -n 300
	record b 1000000000 "$O/workloads/storm" -g 2 -s 3 -t 1 -n 200
	record c 0 "$O/workloads/copies"
	merged "$(tmp a.rtrace)" "$(tmp b.rtrace)" "$(tmp c.rtrace)"
	check_nesting "$(tmp m.json)"
	check_causes "$(tmp m.json)"
	number=0
	for node in a b c; do
		# Correlation IDs tell recordings apart.
		jq --argjson n $number '{traceEvents: [.traceEvents[] | select(.cat == "gpu" and .ph == "X" and (.args.corr / 4398046511104 | floor) == $n)]}' \
			"$(tmp m.json)" >"$(tmp part.json)"
		number=$((number + 1))
		shift=$(sed -n "s/^rtrace-bpf: $node: its clock +\([0-9.]*\) s.*/\1/p" "$(tmp err)")
		true_ops "$(tmp $node.truth)" | awk -F '\t' -v OFS='\t' -v shift="$shift" '
			{ $5 = sprintf("%.0f", $5 + shift * 1e9); $6 = sprintf("%.0f", $6 + shift * 1e9); print }' >"$(tmp true)"
		traced_ops "$(tmp part.json)" >"$(tmp traced)"
		[ -s "$(tmp true)" ]
		paste "$(tmp true)" "$(tmp traced)" | awk -F '\t' '
			{ d = $5 - $11; if ($1 $2 $3 $4 != $7 $8 $9 $10 || d < -2000 || d > 2000) { print; exit bad = 1 } }
			END { exit bad }'
	done
	# No GPU of one node is that of another, and the closing lines count all.
	"$RTRACE" report --json -o "$(tmp m.report)" "$(tmp m.rtrace)"
	sum=$(for n in a b c; do "$RTRACE" report --json "$(tmp $n.rtrace)" | jq '.gpus | length'; done | paste -sd+ | bc)
	[ "$(jq '.gpus | length' "$(tmp m.report)")" = "$sum" ]
	for figure in spans dispatches copies allocations; do
		sum=$(for n in a b c; do "$RTRACE" export -f json -o - "$(tmp $n.rtrace)" | jq .otherData.$figure; done | paste -sd+ | bc)
		[ "$(jq .otherData.$figure "$(tmp m.json)")" = "$sum" ]
	done
}

@test "tracers of one node: nothing is moved or renamed, files of one recording in any order" {
	record a 0 "$O/workloads/vectoradd"
	on a 5000000000 "$RTRACE" -f rtrace --rotate 64K -o "$(tmp two.rtrace)" -- env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$O/workloads/storm" -g 1 -s 2 -t 2 -n 20000 >"$(tmp out)" 2>"$(tmp err)"
	[ "$(find "$(tmp)" -name 'two.*rtrace' | wc -l)" -ge 2 ]
	merged "$(tmp)"/two*.rtrace "$(tmp a.rtrace)"
	[ "$(wc -l <"$(tmp err)")" = 1 ]
	"$RTRACE" export -f json -o "$(tmp a.json)" "$(tmp a.rtrace)"
	"$RTRACE" export -f json -o "$(tmp two.json)" "$(tmp)"/two*.rtrace
	for trace in a two m; do
		jq -r '.traceEvents[] | select(.ph == "X") | [.name, if .cat == "gpu" then .args.device, .args.queue else .pid, .tid end, .ts, .dur] | @tsv' "$(tmp $trace.json)" >"$(tmp $trace.list)"
	done
	sort "$(tmp a.list)" "$(tmp two.list)" | diff - <(sort "$(tmp m.list)")
	jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$(tmp m.json)" | sort | diff - <(
		jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$(tmp a.json)" "$(tmp two.json)" | sort)
}

@test "what cannot be merged is said, and nothing is left" {
	record a 0 "$O/workloads/vectoradd"
	echo nothing >"$(tmp text)"
	fails 2 'which recordings' "$RTRACE" merge
	fails 2 'a recording is a file' "$RTRACE" merge -o - "$(tmp a.rtrace)"
	fails 1 'text: this is no recording of rtrace-bpf' "$RTRACE" merge -o "$(tmp m.rtrace)" "$(tmp a.rtrace)" "$(tmp text)"
	fails 1 'none: No such file' "$RTRACE" merge -o "$(tmp m.rtrace)" "$(tmp none)"
	fails 1 'this is one of the recordings' "$RTRACE" merge -o "$(tmp a.rtrace)" "$(tmp a.rtrace)"
	[ ! -e "$(tmp m.rtrace)" ]
	merged "$(tmp a.rtrace)"
	fails 1 'm.rtrace: was merged: merge what it was made of' "$RTRACE" merge -o "$(tmp n.rtrace)" "$(tmp m.rtrace)" "$(tmp a.rtrace)"
	# One that was cut off is merged up to there.
	head -c $(($(stat -c %s "$(tmp a.rtrace)") - 10)) "$(tmp a.rtrace)" >"$(tmp cut.rtrace)"
	merged "$(tmp cut.rtrace)"
	grep -q 'cut.rtrace: cut off' "$(tmp err)"
	jq -e '[.traceEvents[] | select(.name == "hipLaunchKernel")] | length > 0' "$(tmp m.json)"
}
