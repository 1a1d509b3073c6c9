#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes that go on when their first thread has ended, while others work: all that is asked of them must be asked of a thread
# that lives. And processes that execute another program, by their first thread or by another. Judged by the
# program's own count, the simulator's truth log, and /proc.

load ../common
load ../gpu

AGENT="$O/librtrace-agent.so"

teardown() {
	touch "$T/stop"
	end_jobs
}

# start_leaderless LATE [NAME=VALUE...]: as $job, its working thread as $worker. MARK: when it sets marks.
start_leaderless() {
	local late=$1

	shift
	fresh out go stop truth
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$@" "$O/workloads/leaderless" "$T/go" "$T/stop" "$late" \
		${MARK:+"$O/libroctx64.so.4" "$MARK"} >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	worker=$(awk '/^ready/ { print $3 }' "$T/out")
	[ "$late" = 1 ] || leader_has_ended
}

leader_has_ended() {
	[ "$(awk '/^State/ { print $2 }' "/proc/$job/status")" = Z ]
}

# traced_whole: the job works while it is traced, and its trace has each copy that it counted
traced_whole() {
	touch "$T/go"
	touch "$T/stop"
	wait "$tracer"
	wait "$job"
	has_each "$job" "$T/out" hipMemcpy hsa_iterate_agents
	json_trace "$T/t.json" nesting
}

# has_each PID OUT FUNCTION...: the trace has each call of the process that its output lists, once. Those in a gap that
# the trace shows may be missing: a tracer of another test has left just when the first thread ended.
has_each() {
	grep -q 'result PASSED' "$2"
	python3 tests/e2e/each_call.py "$T/t.json" "$@"
}

# start_other: a process of the same libraries that keeps its first thread, as $other
start_other() {
	fresh other other.go
	sim_exec SIMKFD_GPUS=1 "$O/workloads/leaderless" "$T/other.go" "$T/stop" 2 \
		${MARK:+"$O/libroctx64.so.4" "$MARK"} >"$T/other" 2>&1 &
	other=$!
	JOBS_STARTED+=("$other")
	wait_for grep -q '^ready' "$T/other"
}

# of FILTER: of the job in `ps`
of() {
	"$RTRACE" ps --json | jq -r --argjson pid "$job" ".[] | select(.pid == \$pid) | $1"
}

attach_and_trace() {
	for capture in auto uprobe; do
		start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
		start_tracing "$RTRACE" --capture "$capture" --attach "$1" -p "$job" -f json -o "$T/t.json"
		traced_whole
		grep -q 'API calls and GPU times' "$T/err"
		check_truth_between "$T/truth" "$T/t.json"
		jq -r '.traceEvents[] | select(.name == "process_name") | .args.name' "$T/t.json" | grep -q leaderless
	done
}

@test "-p: the first thread has ended → calls and GPU times, in each mode, by the agent and by uprobes" {
	in_every_mode attach_and_trace
}

trace_and_end_leader() {
	for capture in auto uprobe; do
		start_leaderless 1 HSA_TOOLS_LIB="$AGENT"
		start_tracing "$RTRACE" --capture "$capture" --attach "$1" -p "$job" -f json -o "$T/t.json"
		touch "$T/go"
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
	start_tracing "$RTRACE" -v --capture uprobe --attach "$1" -p "$job" -f json -o "$T/t.json"
	touch "$T/go"
	wait_for leader_has_ended
	[ "$1" = tracefs ] || wait_for grep -q "process $job: its first thread has ended: .* is probed in all processes" "$T/err"
	cp "$T/err" "$T/err.first"
	first=$tracer
	start_tracing "$RTRACE" --capture uprobe --attach "$1" -p "$other" -f json -o "$T/other.json"
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
	start_tracing "$RTRACE" -p "$other" -p "$job" -f json -o "$T/t.json"
	touch "$T/go" "$T/other.go"
	touch "$T/stop"
	wait "$tracer"
	has_each "$job" "$T/out" hipMemcpy
	has_each "$other" "$T/other" hipMemcpy
	json_trace "$T/t.json" nesting
}

dispatch_without_leader() {
	start_leaderless 1
	start_tracing "$RTRACE" -v --dispatch-from-bpf --attach "$1" -p "$job" -f json -o "$T/t.json"
	touch "$T/go"
	wait_for leader_has_ended
	traced_whole
	grep -c kind=dispatch "$T/truth" >"$T/true"
	jq '[.traceEvents[] | select(.cat == "gpu" and (.args.flags // "" | contains("doorbell")))] | length' "$T/t.json" |
		diff "$T/true" -
}

@test "--dispatch-from-bpf: the first thread ends → each dispatch once, in each mode" {
	in_every_mode dispatch_without_leader
}

# open_late LATE MODE: the library is probed in one process, then in all
open_late() {
	local MARK

	MARK=$T/mark
	fresh mark
	start_leaderless "$1"
	start_other
	start_tracing "$RTRACE" -v --capture uprobe --attach "$2" -t hip,roctx -p "$other" -p "$job" -f json -o "$T/t.json"
	touch "$T/other.go"
	wait_for grep -q 'functions of .*libroctx64' "$T/err"
	touch "$T/go"
	wait_for grep -q 'functions of .*libroctx64.*, all processes' "$T/err"
	touch "$MARK"
	touch "$T/stop"
	wait "$tracer"
	has_each "$job" "$T/out" hipMemcpy roctxMarkA
	has_each "$other" "$T/other" hipMemcpy roctxMarkA
	json_trace "$T/t.json" nesting
}

@test "-p of several: a library that is opened when the first thread has ended → each call once, in each mode" {
	in_every_mode open_late 1
	in_every_mode open_late 0
}

# execute MODE: a process executes a program by another thread than its first, and that another one by its first
execute() {
	fresh out go again
	sim_exec SIMKFD_GPUS=1 "$O/workloads/executes" other "$T/go" "$O/workloads/executes" first "$T/again" \
		"$O/workloads/job" -t 2 -n 20 >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^executes' "$T/out"
	start_tracing "$RTRACE" -v --capture uprobe --attach "$1" -p "$job" -t hip -f json -o "$T/t.json"
	touch "$T/go"
	wait_for grep -q 'functions of .*libamdhip64.*, all processes' "$T/err"
	touch "$T/again"
	wait "$job"
	wait "$tracer"
	grep -q 'result PASSED' "$T/out"
	for function in hipMemcpyAsync hipLaunchKernel hipStreamSynchronize; do
		[ "$(count "$T/t.json" "$function")" = "$(awk -v f="$function" '/^calls/ && $2 == f { print $3 }' "$T/out")" ]
	done
	json_trace "$T/t.json" nesting
	is_complete "$T/err" 'calls unfinished'
}

@test "-p: a process executes programs, by its first thread and by another → each call once, in each mode" {
	in_every_mode execute
}

@test "-p TID: the process is traced, which is said; together with its process it is traced once" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	start_tracing "$RTRACE" -p "$worker" -p "$job" -f json -o "$T/t.json"
	[ "$(grep -c "^rtrace-bpf: $worker is a thread of process $job: all threads of the process are traced" "$T/err")" = 1 ]
	[ "$(grep -c "process $job (leaderless): API calls" "$T/err")" = 1 ]
	traced_whole
}

# bats test_tags=node
@test "-a: a process without a first thread is traced like others" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT"
	"$RTRACE" -a -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q "process $job (leaderless): API calls and GPU times" "$T/err"
	touch "$T/go"
	touch "$T/stop"
	wait "$job"
	kill -INT "$tracer"
	wait "$tracer"
	has_each "$job" "$T/out" hipMemcpy
}

@test "ps, and the names of files, say of such a process what they say of others" {
	start_leaderless 0 HSA_TOOLS_LIB="$AGENT" FLAVOUR=vanilla
	grep -o '/.*/lib\(amdhip64\|hsa-runtime64\|hsakmt\).*' "/proc/$worker/maps" | sort -u >"$T/mapped"
	[ -s "$T/mapped" ]
	of '.libraries[]' | sort | diff "$T/mapped" -
	[ "$(of .agent)" = dormant ]
	[ "$(of .comm)" = leaderless ]
	[ "$(of .cmdline)" = "$O/workloads/leaderless $T/go $T/stop 0" ]
	start_tracing "$RTRACE" -p "$job" -f json -o "$T/%tag%-%env{FLAVOUR}%.json"
	mv "$T/leaderless-vanilla.json" "$T/t.json" || ls "$T"
	touch "$T/go" "$T/stop"
	wait "$tracer"
}
