#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Tracing switched on and off while it runs: by the program (roctracer, roctx), by periods, by SIGUSR1.
# The judge is tests/capture/windows.c, which says with each call whether it is to be in the trace,
# and how many these are.

load ../common
load ../gpu

WINDOWS=$O/capture/windows

# traced MODE START SCENARIO [OPTION...]: launches the scenario; START is how tracing begins
traced() {
	local mode=$1 start=$2 scenario=$3

	shift 3
	rm -f "$T/t.json"
	"$RTRACE" --attach "$mode" -f json -o "$T/t.json" "$@" -- \
		"$WINDOWS" "$scenario" "$start" "${CALLS:-20}" \
		>"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
}

# Exactly the calls that were made while tracing was on are in the trace, each once.
same_calls() {
	local inside

	inside=$(awk '$1 == "inside" {n += $2} END {print n}' "$T/out")
	[ "$inside" -gt 0 ]
	nothing_lost "$T/err"
	jq -e --argjson inside "$inside" '[.traceEvents[] | select(.name == "hipTestPlain") | .args.args] |
		length == $inside and (map(.[0]) | unique | length) == $inside and
		all(.[1] == "0x1")' "$T/t.json"
}

best_mode() {
	attach_modes | head -n 1
}

start_stop() {
	traced "$1" on start_stop
	same_calls
}

@test "roctracer_start and stop give exactly the calls between them" {
	in_every_mode start_stop
	traced "$(best_mode)" off start_stop --trace-start off
	same_calls
	# That a switch was thrown is itself a call, of its own domain.
	[ "$(jq '[.traceEvents[] | select(.name == "roctracer_start" and .cat == "roctracer")] | length' \
		"$T/t.json")" -gt 0 ]
}

pause_resume() {
	traced "$1" off pause_resume --selected-regions
	same_calls
}

@test "roctxProfilerPause and Resume of a process; --selected-regions" {
	in_every_mode pause_resume
	traced "$(best_mode)" on pause_resume
	same_calls
}

@test "--trace-start on is the default; off without any roctracer_start gives nothing" {
	traced "$(best_mode)" on plain --trace-start on
	same_calls
	traced "$(best_mode)" off plain --trace-start off
	[ "$(count "$T/t.json" hipTestPlain)" = 0 ]
	traced "$(best_mode)" off plain --selected-regions
	[ "$(count "$T/t.json" hipTestPlain)" = 0 ]
}

@test "stopped and paused: tracing is on where neither holds" {
	for options in "" "--trace-start off --selected-regions"; do
		# shellcheck disable=SC2086
		traced "$(best_mode)" on both $options
		same_calls
	done
}

@test "switched inside of a call: what counts is how it was entered" {
	traced "$(best_mode)" on nested
	same_calls
	# The call that was entered while tracing was on holds those that were made before the stop.
	[ "$(count "$T/t.json" hipTestCallback)" = 1 ]
	json_trace "$T/t.json" nesting
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
}

@test "single threads are paused and resumed, by themselves and by others, the others go on" {
	in_every_mode pause_threads
	traced "$(best_mode)" on pause_threads --selected-regions
	same_calls
}

forks() {
	traced "$1" on forks
	same_calls
	[ "$(calls "$T/t.json" | awk '$1 == "hipTestPlain" {print $5}' | sort -u | wc -l)" = 3 ]
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

# attach SCENARIO [OPTION...]: a program that waits for SIGUSR2, and a tracer of it alone. UNTIL: the program's FILE
attach() {
	local scenario=$1

	shift
	fresh out err
	"$WINDOWS" "$scenario" "${START:-on}" "${CALLS:-20}" ${UNTIL:+"$UNTIL"} >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q "^ready $job" "$T/out"
	"$RTRACE" -p "$job" "$@" -f json -o "$T/t.json" -v 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
}

@test "-p follows no child, though its parent uses the switch" {
	attach stray
	kill -USR2 "$job"
	wait "$job"
	wait "$tracer"
	same_calls
}

# batch N [LINE TIMES]: the next batch of calls, once the tracer has logged LINE TIMES times
batch() {
	wait_for eval "[ \"\$(grep -c '^ready' '$T/out')\" = $1 ]"
	kill -USR2 "$job"
	wait_for grep -q "^batch $1\$" "$T/out"
}

# The tracer has logged LINE that many times.
said() {
	[ "$(grep -c "$1" "$T/err")" = "$2" ]
}

toggle() {
	kill -USR1 "$tracer"
	wait_for said "tracing is switched $1" "$2"
}

lone() {
	: >"$T/kfd"
	KFD=$T/kfd attach alone --attach "$1" -t hip,roctx,kfd
	kill -USR2 "$job"
	wait "$job"
	wait "$tracer"
	same_calls
	[ "$(calls "$T/t.json" | awk -v job="$job" '$1 == "AMDKFD_IOC_GET_VERSION" { print $5 == job ? "own" : "other" }')" = own ]
}

@test "-p: a process that switches tracing off and on has no more of its children traced than others" {
	in_every_mode lone
}

@test "SIGUSR1 switches tracing off, and on again" {
	attach batches
	batch 1
	toggle off 1
	batch 2
	toggle on 1
	batch 3
	toggle off 2
	batch 4
	wait "$job"
	wait "$tracer"
	same_calls
}

# When the tracer switched, in ns: STATE BEFORE AFTER. It did so at a moment between these two.
switches() {
	sed -nE 's/.*tracing is switched (on|off) between ([0-9]+)\.([0-9]+) and ([0-9]+)\.([0-9]+) s after boot$/\1 \2\3 \4\5/p' "$T/err"
}

# Of the calls of `stamps` exactly those are traced that were made while tracing was on, as the tracer says. One that
# was made while it switched may be. Prints how many there were between two switches: STATE CALLS, a line each.
as_switched() {
	jq -r '.traceEvents[] | select(.name == "hipTestPlain") | .args.args[0]' "$T/t.json" |
		while read -r n; do echo "traced $((n))"; done >"$T/traced"
	switches | awk '
		$1 == "traced" { traced[$2] = 1; next }
		$1 == "on" || $1 == "off" { state[++n] = $1; before[n] = $2; after[n] = $3; before[n + 1] = 2 ^ 53; next }
		$1 != "call" { next }
		{
			while (k < n && after[k + 1] <= $3)
				k++
			if (k && $4 <= before[k + 1]) {
				calls[k]++
				if ((state[k] == "on") != ($2 in traced)) {
					print "call " $2 " was made while tracing was " state[k]
					bad = 1
				}
			}
		}
		END { for (k = 1; k <= n; k++) print state[k], calls[k] + 0; exit bad }' - "$T/traced" "$T/out"
}

# -P 1:1:2, in all that the tracer switches: off from the start on, and each time as is due so long after the start.
one_second_twice() {
	local start

	start=$(sed -nE 's/.*tracing starts at ([0-9]+)\.([0-9]+) s after boot$/\1\2/p' "$T/err")
	switches | awk -v start="$start" -v sec=1000000000 '
		{ since = $2 - start; due = since >= sec && since < 4 * sec && int(since / sec) % 2 ? "on" : "off"; said = said $1 " " }
		$1 != due || (NR == 1 && $3 > start) { print $1 " " since " ns after the start"; bad = 1 }
		END { exit bad || said != "off on off on off " }'
}

@test "collection periods: off for the delay, on for the length, so often" {
	# Calls for more than another delay follow the last period.
	CALLS=1500 UNTIL=$T/periods attach stamps_when_told -P 1000:1000:2 --collection-period-unit msec
	kill -USR2 "$job"
	wait_for said "tracing is switched off" 3
	touch "$T/periods"
	wait "$job"
	wait "$tracer"
	cat "$T/err"
	nothing_lost "$T/err"
	one_second_twice
	as_switched >"$T/between" || { cat "$T/between"; return 1; }
	[ "$(awk '$2 > 0 { print $1 }' "$T/between" | xargs)" = "off on off on off" ]
	[ "$(tail -n 1 "$T/between" | cut -d ' ' -f 2)" -ge 1500 ]
}

# refused PATTERN OPTION...: a command line that is refused, in one line, before anything is done
refused() {
	local pattern=$1 status=0

	shift
	"$RTRACE" "$@" -o "$T/x" -- touch "$T/touched" 2>"$T/err" || status=$?
	cat "$T/err"
	[ "$status" = 2 ]
	[ "$(grep -cv '^Try ' "$T/err")" = 1 ]
	grep -qE -e "$pattern" "$T/err"
	[ ! -e "$T/x" ] && [ ! -e "$T/touched" ]
}

@test "bad values are refused" {
	for period in "" x 1 1: :1 1:0 1:1: 1:1:x 1:1:1:1 -1:1 1:-1 1:1:-1 1e99:1 nan:1 0x10:1 " 1:1" "1 :1"; do
		refused "-P: '$period' is not DELAY:LENGTH:REPEAT" -P "$period"
	done
	refused "--collection-period-unit: unknown 'days'" --collection-period-unit days
	refused "--trace-start: 'maybe' is neither on nor off" --trace-start maybe
}

# ---- with a GPU ----

# gpu_traced MODE [OPTION...]: tests/workloads/windows.hip
gpu_traced() {
	local mode=$1

	shift
	rm -f "$T/truth"
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json -o "$T/t.json" "$@" -- \
		"$O/workloads/windows" -m "$mode" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
}

# The calls, all of them, by function, are those that the program says.
inside() {
	calls "$T/t.json" | awk '{print $1}' | sort | uniq -c | awk '{print $2, $1}' >"$T/traced"
	awk '$1 == "inside" {print $2, $3}' "$T/out" | sort >"$T/said"
	[ -s "$T/said" ]
	diff "$T/said" "$T/traced"
}

# The GPU's operations are those that the program says, each under its launch.
ran() {
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X") | .name' "$T/t.json" | sort |
		uniq -c | awk '{print $2, $1}' >"$T/traced"
	awk '$1 == "ran" {print $2, $3}' "$T/out" >"$T/said"
	sed -i 's/(.*) / /' "$T/traced"
	cat "$T/err"
	is_complete "$T/err" 'GPU operations'
	diff "$T/said" "$T/traced"
	json_trace "$T/t.json" causes
}

@test "a launch between roctracer_start and stop is all there is, with -t hip" {
	gpu_traced launch --trace-start off -t hip
	inside
	[ "$(cut -d ' ' -f 1 "$T/traced" | tr '\n' ' ')" = \
		"__hipPopCallConfiguration __hipPushCallConfiguration hipLaunchKernel " ]
	[ "$(jq '[.traceEvents[] | select(.cat == "gpu")] | length' "$T/t.json")" = 0 ]
}

@test "GPU operations of the time in which tracing is off are not in the trace" {
	gpu_traced launch --trace-start off -t hip,hsa,gpu
	ran
	[ "$(true_ops "$T/truth" | wc -l)" -gt "$(awk '{print $2}' "$T/said")" ]
	gpu_traced launch --trace-start off -t hip,gpu
	inside
	ran
}

@test "ranges that tracing was on for at one end are shown, and hold what was launched in them" {
	gpu_traced ranges --trace-start off -t hip,roctx,gpu
	ran
	jq -r '.traceEvents[] | select(.cat == "roctx" and .args.args == null and (.ph | IN("X", "i"))) | .name' \
		"$T/t.json" | sort | uniq -c | awk '{print $NF, $1}' >"$T/shown"
	diff <(awk '$1 == "shown" {print $2, $3}' "$T/out" | sort) <(sort "$T/shown")
	jq -e '([.traceEvents[] | select(.cat == "roctx" and .name == "inside") | .args.range]) as $r |
		[.traceEvents[] | select(.cat == "gpu") | .args.range] | length > 0 and all(IN($r[]))' \
		"$T/t.json"
}

teardown() {
	end_jobs
}
