#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Commands that end and leave processes, as servers and launchers do: these are traced to their end.

load ../common
load ../gpu

teardown() {
	end_jobs
}

# start_command OPTION...: traces a command that starts two workers, prints the number of one and ends with status 3. What
# they print is in out, and in the file that vectoradd writes when it has ended.
start_command() {
	rm -f "$T/truth" "$T/go"
	fresh out err added worker
	# shellcheck disable=SC2016 # the command's own variables
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json -o "$T/t.json" "$@" -- sh -c '
		{ until [ -e "$1/go" ]; do sleep 0.01; done; exec "$0/job" -n 10 -t 2 >"$1/out" 2>"$1/job.err"; } &
		echo $! >"$1/worker"
		"$0/vectoradd" >"$1/added" 2>&1 &
		exit 3' "$O/workloads" "$T" >"$T/command.out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q . "$T/worker"
	worker=$(cat "$T/worker")
	JOBS_STARTED+=("$worker")
}

# ends_with STATUS: the tracer
ends_with() {
	local status=0

	wait "$tracer" || status=$?
	cat "$T/err"
	[ "$status" = "$1" ]
	grep -q 'wrote ' "$T/err"
}

@test "a command that leaves workers: all that they do is in the trace, and its status is the command's" {
	start_command
	# The command has ended long before.
	wait_for grep -q 'sh (process [0-9]*) has ended and left [12] process' "$T/err"
	touch "$T/go"
	ends_with 3
	grep -q '^result PASSED$' "$T/out"
	grep -q '^result PASSED$' "$T/added"
	[ "$(grep -c 'has ended and left' "$T/err")" = 1 ]
	cat "$T/added" >>"$T/out"
	awk '$1 == "calls" { n[$2] += $3; next } { print } END { for (f in n) print "calls", f, n[f] }' "$T/out" >"$T/both"
	json_trace "$T/t.json" nesting balance "counts=$T/both"
	check_truth "$T/truth" "$T/t.json"
	nothing_lost "$T/err"
}

@test "--stop-with-command: what it leaves goes on, untraced" {
	start_command --stop-with-command
	ends_with 3
	not grep -q 'has ended and left' "$T/err"
	kill -0 "$worker"
	touch "$T/go"
	wait_for grep -q '^result PASSED$' "$T/out"
	[ "$(json_trace "$T/t.json" calls | awk -F '\t' -v pid="$worker" '$1 == "hipLaunchKernel" && $5 == pid' | wc -l)" = 0 ]
}

@test "a tracer that waits for what the command has left is stopped: the workers go on" {
	start_command
	wait_for grep -q 'has ended and left' "$T/err"
	kill -INT "$tracer"
	ends_with 3
	kill -0 "$worker"
	touch "$T/go"
	wait_for grep -q '^result PASSED$' "$T/out"
}

@test "a process that ends soon after the command is waited for without a word" {
	# shellcheck disable=SC2016 # the command's own variables
	sim SIMKFD_GPUS=1 "$RTRACE" -f json -o "$T/t.json" -- sh -c '{ sleep 0.2; echo late >>"$1/late"; } & "$0/workloads/vectoradd"' \
		"$O" "$T" >"$T/out" 2>"$T/err"
	grep -q '^late$' "$T/late"
	grep -q '^result PASSED$' "$T/out"
	not grep -q 'has ended and left' "$T/err"
}
