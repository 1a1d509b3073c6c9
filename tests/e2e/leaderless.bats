#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes whose first thread has ended while others work: all that is asked of them must be asked of a thread
# that lives. And processes that execute another program, by their first thread or by another. Judged by the
# program's own count, the simulator's truth log, and /proc.

load common
load gpu

AGENT="$O/librtrace-agent.so"

teardown() {
	touch "$(tmp stop)"
	end_jobs
}

# start_leaderless LATE [NAME=VALUE...]: as $job, its working thread as $worker. MARK: when it sets marks.
start_leaderless() {
	local late=$1

	shift
	fresh out go stop truth
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$@" "$O/workloads/leaderless" "$(tmp go)" "$(tmp stop)" "$late" \
		${MARK:+"$O/libroctx64.so.4" "$MARK"} >"$(tmp out)" 2>"$(tmp job.err)" &
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
	has_each "$job" "$(tmp out)" hipMemcpy hsa_iterate_agents
	check_nesting "$(tmp t.json)"
}

# has_each PID OUT FUNCTION...: the trace has each call of the process that its output tells of, once. Those in a gap that
# the trace tells of may be missing: a tracer of another test has left just when the first thread ended.
has_each() {
	grep -q 'result PASSED' "$2"
	python3 tests/e2e/each_call.py "$(tmp t.json)" "$@"
}

# start_other: a process of the same libraries that keeps its first thread, as $other
start_other() {
	fresh other other.go
	sim_exec SIMKFD_GPUS=1 "$O/workloads/leaderless" "$(tmp other.go)" "$(tmp stop)" 2 \
		${MARK:+"$O/libroctx64.so.4" "$MARK"} >"$(tmp other)" 2>&1 &
	other=$!
	JOBS_STARTED+=("$other")
	wait_for grep -q '^ready' "$(tmp other)"
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

# The kernel takes out the breakpoints of a process that nobody asks for any more when another tracer goes.
end_leader_beside_another() {
	local first

	start_leaderless 1
	start_other
	start_tracing "$RTRACE" -v --capture uprobe --attach "$1" -p "$job" -f json -o "$(tmp t.json)"
	touch "$(tmp go)"
	wait_for leader_has_ended
	[ "$1" = tracefs ] || wait_for grep -q "process $job: its first thread has ended: .* is probed in all processes" "$(tmp err)"
	cp "$(tmp err)" "$(tmp err.first)"
	first=$tracer
	start_tracing "$RTRACE" --capture uprobe --attach "$1" -p "$other" -f json -o "$(tmp other.json)"
	kill -INT "$tracer"
	wait "$tracer"
	tracer=$first
	traced_whole
}

@test "-p: the first thread has ended, and another tracer comes and goes → nothing is missing, in each mode" {
	in_every_mode end_leader_beside_another
}

@test "-p of several processes, one without a first thread: each call once" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	start_other
	start_tracing "$RTRACE" -p "$other" -p "$job" -f json -o "$(tmp t.json)"
	touch "$(tmp go)" "$(tmp other.go)"
	sleep "$(seconds 0.5)"
	touch "$(tmp stop)"
	wait "$tracer"
	has_each "$job" "$(tmp out)" hipMemcpy
	has_each "$other" "$(tmp other)" hipMemcpy
	check_nesting "$(tmp t.json)"
}

dispatch_without_leader() {
	start_leaderless 1
	start_tracing "$RTRACE" -v --dispatch-from-bpf --attach "$1" -p "$job" -f json -o "$(tmp t.json)"
	touch "$(tmp go)"
	wait_for leader_has_ended
	traced_whole
	grep -c kind=dispatch "$(tmp truth)" >"$(tmp true)"
	jq '[.traceEvents[] | select(.cat == "gpu" and (.args.flags // "" | contains("doorbell")))] | length' "$(tmp t.json)" |
		diff "$(tmp true)" -
}

@test "--dispatch-from-bpf: the first thread ends → each dispatch once, in each mode" {
	in_every_mode dispatch_without_leader
}

# open_late LATE MODE: the library is probed in one process, then in all
open_late() {
	local MARK

	MARK=$(tmp mark)
	fresh mark
	start_leaderless "$1"
	start_other
	start_tracing "$RTRACE" -v --capture uprobe --attach "$2" -t hip,roctx -p "$other" -p "$job" -f json -o "$(tmp t.json)"
	touch "$(tmp other.go)"
	wait_for grep -q 'functions of .*libroctx64' "$(tmp err)"
	touch "$(tmp go)"
	wait_for grep -q 'functions of .*libroctx64.*, all processes' "$(tmp err)"
	touch "$MARK"
	sleep "$(seconds 0.5)"
	touch "$(tmp stop)"
	wait "$tracer"
	has_each "$job" "$(tmp out)" hipMemcpy roctxMarkA
	has_each "$other" "$(tmp other)" hipMemcpy roctxMarkA
	check_nesting "$(tmp t.json)"
}

@test "-p of several: a library that is opened when the first thread has ended → each call once, in each mode" {
	in_every_mode open_late 1
	in_every_mode open_late 0
}

# execute MODE: a process executes a program by another thread than its first, and that another one by its first
execute() {
	fresh out go again
	sim_exec SIMKFD_GPUS=1 "$O/workloads/executes" other "$(tmp go)" "$O/workloads/executes" first "$(tmp again)" \
		"$O/workloads/job" -t 2 -n 20 >"$(tmp out)" 2>"$(tmp job.err)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^executes' "$(tmp out)"
	start_tracing "$RTRACE" -v --capture uprobe --attach "$1" -p "$job" -t hip -f json -o "$(tmp t.json)"
	touch "$(tmp go)"
	wait_for grep -q 'functions of .*libamdhip64.*, all processes' "$(tmp err)"
	touch "$(tmp again)"
	wait "$job"
	wait "$tracer"
	grep -q 'result PASSED' "$(tmp out)"
	for function in hipMemcpyAsync hipLaunchKernel hipStreamSynchronize; do
		[ "$(count "$(tmp t.json)" "$function")" = "$(awk -v f="$function" '/^calls/ && $2 == f { print $3 }' "$(tmp out)")" ]
	done
	check_nesting "$(tmp t.json)"
	grep -q ' 0 calls unfinished' "$(tmp err)"
}

@test "-p: a process executes programs, by its first thread and by another → each call once, in each mode" {
	in_every_mode execute
}

@test "-p TID: the process is traced, which is said; together with its process it is traced once" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	start_tracing "$RTRACE" -p "$worker" -p "$job" -f json -o "$(tmp t.json)"
	[ "$(grep -c "^rtrace-bpf: $worker is a thread of process $job: all threads of the process are traced" "$(tmp err)")" = 1 ]
	[ "$(grep -c "process $job (leaderless): API calls" "$(tmp err)")" = 1 ]
	traced_whole
}

# bats test_tags=node
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
	has_each "$job" "$(tmp out)" hipMemcpy
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
