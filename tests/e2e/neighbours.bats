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
	fresh ready go truth
	touch "$T/go"
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" "$@" -f json -o "$T/t.json" -- "${PROGRAM[@]}" >"$T/out" 2>"$T/err"
}

attached() {
	fresh ready go truth
	sim_exec SIMKFD_TRUTH="$T/truth" HSA_TOOLS_LIB="$AGENT" "${PROGRAM[@]}" >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for test -e "$T/ready"
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
	PROGRAM=("$O/workloads/wrapped" "$T/ready" "$T/go")
	sim "$O/workloads/wrapped" "$T/ready" "$T/ready" | grep -q '^result PASSED$'
	each_way wrapped_is_true
}
