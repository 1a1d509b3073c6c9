#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# What else may be in the application's process: it works as it does without us, and what is traced is true.

load common
load gpu

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

launched() {
	fresh truth
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" "$@" -f json -o "$T/t.json" -- "${PROGRAM[@]}" >"$T/out" 2>"$T/err"
}

attached() {
	fresh go truth
	start_job HSA_TOOLS_LIB="$AGENT" "${PROGRAM[@]}"
	start_tracing "$RTRACE" "$@" -p "$job" -f json -o "$T/t.json"
	go
	wait "$job"
	wait "$tracer"
}

# each_way COMMAND...: that, after the program was traced in each way
each_way() {
	local how

	for how in "launched" "launched --capture uprobe" "attached" "attached --capture uprobe"; do
		echo "$how"
		# shellcheck disable=SC2086 # words
		$how
		cat "$T/err"
		grep -q '^result PASSED$' "$T/out"
		"$@"
	done
}

wrapped_is_true() {
	nothing_lost "$T/err"
	check_counts "$T/out" "$T/t.json" '^hipGetDevice$'
}

@test "a tool that has made imports writable and writes to them: it goes on so, and each call is traced" {
	PROGRAM=("$O/workloads/wrapped")
	sim "${PROGRAM[@]}" | grep -q '^result PASSED$'
	each_way wrapped_is_true
}

# By a library that says another time than the kernel.
moved_is_true() {
	nothing_lost "$T/err" '; 0 GPU operations uncorrelated, 0 without end'
	check_truth "$T/truth" "$T/t.json"
	json_trace "$T/t.json" nesting causes
	# Each call takes time, and all of them less than a minute.
	jq -e '[.traceEvents[] | select(.ph == "X" and .cat == "hip")] |
		(map(select(.name == "hipStreamSynchronize" and .dur <= 0)) | length == 0) and
		(map(.ts + .dur) | max) - (map(.ts) | min) < 60e6' "$T/t.json"
}

@test "a library that moves all clocks: times are the kernel's, and each operation has its own" {
	local hour=3600000000000

	for by in $hour -$hour; do
		PROGRAM=(env LD_PRELOAD="$O/tests/elsewhere.so $O/libsimkfd.so" ELSEWHERE_ALL_CLOCKS=1 ELSEWHERE_AHEAD_NS="$by"
			"$O/workloads/job" -n 50 -t 2)
		launched
		cat "$T/err"
		moved_is_true
		grep -q '^result PASSED$' "$T/out"
	done
}
