#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tracing switched on and off while it runs: by the program (roctracer, roctx), by periods, by SIGUSR1.
# The judge is tests/capture/windows.c, which says with each call whether it is to be in the trace,
# and how many these are.

load common
load gpu

WINDOWS=$O/capture/windows

# traced MODE START SCENARIO [OPTION...]: launches the scenario; START is how tracing begins
traced() {
	local mode=$1 start=$2 scenario=$3

	shift 3
	rm -f "$(tmp t.json)"
	"$RTRACE" --attach "$mode" -f json -o "$(tmp t.json)" "$@" -- "$WINDOWS" "$scenario" "$start" 20 \
		>"$(tmp out)" 2>"$(tmp err)"
	grep -q '^result PASSED$' "$(tmp out)"
}

# Exactly the calls that were made while tracing was on are in the trace, each once.
same_calls() {
	local inside

	inside=$(awk '$1 == "inside" {n += $2} END {print n}' "$(tmp out)")
	[ "$inside" -gt 0 ]
	grep -q 'lost 0 calls' "$(tmp err)"
	jq -e --argjson inside "$inside" '[.traceEvents[] | select(.name == "hipTestPlain") | .args.args] |
		length == $inside and (map(.[0]) | unique | length) == $inside and
		all(.[1] == "0x1")' "$(tmp t.json)"
}

best_mode() {
	attach_modes | head -n 1
}

in_every_mode() {
	local mode

	for mode in $(attach_modes); do
		echo "mode $mode"
		"$@" "$mode"
	done
}

start_stop() {
	traced "$1" on start_stop
	same_calls
	traced "$1" off start_stop --trace-start off
	same_calls
}

@test "roctracer_start and stop give exactly the calls between them" {
	in_every_mode start_stop
	# That a switch was thrown is itself a call, of its own domain.
	[ "$(jq '[.traceEvents[] | select(.name == "roctracer_start" and .cat == "roctracer")] | length' \
		"$(tmp t.json)")" -gt 0 ]
}

pause_resume() {
	traced "$1" on pause_resume
	same_calls
	traced "$1" off pause_resume --selected-regions
	same_calls
}

@test "roctxProfilerPause and Resume of a process; --selected-regions" {
	in_every_mode pause_resume
}

@test "--trace-start on is the default; off without any roctracer_start gives nothing" {
	traced "$(best_mode)" on plain --trace-start on
	same_calls
	traced "$(best_mode)" off plain --trace-start off
	[ "$(count "$(tmp t.json)" hipTestPlain)" = 0 ]
	traced "$(best_mode)" off plain --selected-regions
	[ "$(count "$(tmp t.json)" hipTestPlain)" = 0 ]
}

@test "stopped and paused: tracing is on where neither holds" {
	for options in "" "--trace-start off" --selected-regions "--trace-start off --selected-regions"; do
		# shellcheck disable=SC2086
		traced "$(best_mode)" on both $options
		same_calls
	done
}

@test "switched inside of a call: what counts is how it was entered" {
	traced "$(best_mode)" on nested
	same_calls
	# The call that was entered while tracing was on holds those that were made before the stop.
	[ "$(count "$(tmp t.json)" hipTestCallback)" = 1 ]
	check_nesting "$(tmp t.json)"
}

threads() {
	traced "$1" on threads
	same_calls
}

@test "one thread stops and starts all of its process" {
	in_every_mode threads
}

pause_threads() {
	traced "$1" on pause_threads
	same_calls
	traced "$1" on pause_threads --selected-regions
	same_calls
}

@test "single threads are paused and resumed, by themselves and by others, the others go on" {
	in_every_mode pause_threads
}

forks() {
	traced "$1" on forks
	same_calls
	[ "$(calls "$(tmp t.json)" | awk '$1 == "hipTestPlain" {print $5}' | sort -u | wc -l)" = 3 ]
}

@test "a child begins as its parent is, then has its own switch" {
	in_every_mode forks
}

@test "a new program begins as every program does" {
	traced "$(best_mode)" on execs
	same_calls
	traced "$(best_mode)" off execs --trace-start off
	same_calls
}

# The tracer attaches to a program that waits, with the options given; then that may go on.
attached() {
	local scenario=$1

	shift
	"$WINDOWS" "$scenario" "${START:-on}" 20 >"$(tmp out)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q "^ready $job" "$(tmp out)"
	"$RTRACE" "$@" -f json -o "$(tmp t.json)" -v 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$(tmp err)"
}

@test "-p does not follow a child, whether or not its parent uses the switch" {
	attached stray -p $!
	skip
}

teardown() {
	end_jobs
}
