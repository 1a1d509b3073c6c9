#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node
# Processes whose first thread has ended while others work: all that is asked of them must be asked of a thread
# that lives. Judged by the program's own count, the simulator's truth log, and /proc.

load common
load gpu

AGENT="$O/librtrace-agent.so"

teardown() {
	touch "$(tmp stop)"
	end_jobs
}

# start_leaderless LATE [NAME=VALUE...]: as $job, its working thread as $worker
start_leaderless() {
	local late=$1

	shift
	fresh out go stop truth
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$@" "$O/workloads/leaderless" "$(tmp go)" "$(tmp stop)" "$late" \
		>"$(tmp out)" 2>"$(tmp job.err)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$(tmp out)"
	worker=$(awk '/^ready/ { print $3 }' "$(tmp out)")
	[ "$late" = 1 ] || leader_has_ended
}

leader_has_ended() {
	[ "$(awk '/^State/ { print $2 }' "/proc/$job/status")" = Z ]
}

# traced_whole: the job works while it is traced, and its trace has each copy that it counted
traced_whole() {
	touch "$(tmp go)"
	sleep "$(seconds 0.5)"
	touch "$(tmp stop)"
	wait "$tracer"
	wait "$job"
	grep -q 'result PASSED' "$(tmp out)"
	[ "$(count "$(tmp t.json)" hipMemcpy)" = "$(awk '/^calls hipMemcpy/ { print $3 }' "$(tmp out)")" ]
	check_nesting "$(tmp t.json)"
}

# of FILTER: of the job in `ps`
of() {
	"$RTRACE" ps --json | jq -r --argjson pid "$job" ".[] | select(.pid == \$pid) | $1"
}

attach_and_trace() {
	for capture in auto uprobe; do
		start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
		start_tracing "$RTRACE" --capture "$capture" --attach "$1" -p "$job" -f json -o "$(tmp t.json)"
		traced_whole
		grep -q 'API calls and GPU times' "$(tmp err)"
		check_truth_between "$(tmp truth)" "$(tmp t.json)"
		jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$(tmp t.json)" | grep -q leaderless
	done
}

@test "-p: the first thread has ended → calls and GPU times, in each mode, by the agent and by uprobes" {
	in_every_mode attach_and_trace
}

trace_and_end_leader() {
	for capture in auto uprobe; do
		start_leaderless 1 HSA_TOOLS_LIB="$AGENT"
		start_tracing "$RTRACE" --capture "$capture" --attach "$1" -p "$job" -f json -o "$(tmp t.json)"
		touch "$(tmp go)"
		wait_for leader_has_ended
		traced_whole
	done
}

@test "-p: the first thread ends while the process is traced → nothing is missing, in each mode" {
	in_every_mode trace_and_end_leader
}

@test "-p of several processes, one without a first thread: each call once" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	sim_exec SIMKFD_GPUS=1 "$O/workloads/leaderless" "$(tmp go)" "$(tmp stop)" 1 >"$(tmp other)" 2>&1 &
	other=$!
	JOBS_STARTED+=("$other")
	wait_for grep -q '^ready' "$(tmp other)"
	start_tracing "$RTRACE" -p "$other" -p "$job" -f json -o "$(tmp t.json)"
	touch "$(tmp go)"
	sleep "$(seconds 0.5)"
	touch "$(tmp stop)"
	wait "$tracer"
	for process in "$job out" "$other other"; do
		read -r pid file <<<"$process"
		jq -c --argjson pid "$pid" '.traceEvents |= map(select(.pid == $pid))' "$(tmp t.json)" >"$(tmp one.json)"
		[ "$(count "$(tmp one.json)" hipMemcpy)" = "$(awk '/^calls hipMemcpy/ { print $3 }' "$(tmp "$file")")" ]
	done
}

@test "-p TID: the process is traced, which is said; together with its process it is traced once" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	start_tracing "$RTRACE" -p "$worker" -p "$job" -f json -o "$(tmp t.json)"
	[ "$(grep -c "^rtrace-bpf: $worker is a thread of process $job: all threads of the process are traced" "$(tmp err)")" = 1 ]
	[ "$(grep -c "process $job (leaderless): API calls" "$(tmp err)")" = 1 ]
	traced_whole
}

@test "-a: a process without a first thread is traced like others" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	"$RTRACE" -a -f json -o "$(tmp t.json)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q "process $job (leaderless): API calls and GPU times" "$(tmp err)"
	touch "$(tmp go)"
	sleep "$(seconds 0.5)"
	touch "$(tmp stop)"
	wait "$job"
	sleep "$(seconds 0.2)"
	kill -INT "$tracer"
	wait "$tracer"
	jq -c --argjson pid "$job" '.traceEvents |= map(select(.pid == $pid))' "$(tmp t.json)" >"$(tmp one.json)"
	[ "$(count "$(tmp one.json)" hipMemcpy)" = "$(awk '/^calls hipMemcpy/ { print $3 }' "$(tmp out)")" ]
}

@test "ps, and the names of files, say of such a process what they say of others" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT" FLAVOUR=vanilla
	grep -o '/.*/lib\(amdhip64\|hsa-runtime64\|hsakmt\).*' "/proc/$worker/maps" | sort -u >"$(tmp mapped)"
	[ -s "$(tmp mapped)" ]
	of '.libraries[]' | sort | diff "$(tmp mapped)" -
	[ "$(of .agent)" = dormant ]
	[ "$(of .comm)" = leaderless ]
	[ "$(of .cmdline)" = "$O/workloads/leaderless $(tmp go) $(tmp stop) 0" ]
	start_tracing "$RTRACE" -p "$job" -f json -o "$(tmp '%tag%-%env{FLAVOUR}%.json')"
	mv "$(tmp leaderless-vanilla.json)" "$(tmp t.json)" || ls "$BATS_TEST_TMPDIR"
	touch "$(tmp go)" "$(tmp stop)"
	wait "$tracer"
}
