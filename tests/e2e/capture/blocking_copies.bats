#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Copies and fills that return when they are done, and copies whose caller names a GPU as both agents: against the truth
# log, and against what the program says of each ("did copy|fill DIRECTION BYTES CALL").

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so
CAUSES='^hsa_(memory_copy|amd_memory_fill|amd_memory_async_copy)$'

teardown() {
	end_jobs
}

# In the order of their calls: what the program prints after "did".
done_by_gpus() {
	jq -r '(.traceEvents | map(select(.cat == "hsa" and .ph == "X") | {(.args.corr | tostring): .name}) | add) as $calls |
		[.traceEvents[] | select(.cat == "gpu" and .ph == "X" and .args.bytes)] | sort_by(.args.submit) | .[] |
		[if .name == "fill" then "fill -" else "copy " + .name end, .args.bytes, $calls[.args.corr | tostring]] |
		join(" ")' "$1"
}

# The times of each are its call's own if the call returns when it is done, and this is said, else the GPU's.
times_are_said() {
	jq -e '(.traceEvents | map(select(.cat == "hsa" and .ph == "X") | {(.args.corr | tostring): .}) | add) as $calls |
		[.traceEvents[] | select(.cat == "gpu" and .ph == "X" and .args.bytes) | . as $op |
			$calls[.args.corr | tostring] | (.name | test("async") | not) as $blocking |
			select($blocking != ($op.args.flags == "call-times") or
				$blocking and ($op.ts < .ts or $op.ts + $op.dur > .ts + .dur)) | $op] == []' "$1"
}

all_is_told() { # TRACE
	grep -q '^result PASSED$' "$T/out"
	check_truth "$T/truth" "$1"
	diff <(sed -n 's/^did //p' "$T/out") <(done_by_gpus "$1")
	times_are_said "$1"
	json_trace --causes "$CAUSES" "$1" nesting balance causes "counts=$T/out"
	nothing_lost "$T/err"
	is_complete "$T/err" 'GPU operations'
}

trace() { # GPUS OPTION...
	rm -f "$T/truth"
	sim SIMKFD_GPUS="$1" SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 "$RTRACE" -f json -o "$T/t.json" "${@:2}" -- \
		"$O/workloads/hsa_copies" >"$T/out" 2>"$T/err"
	[ "$(grep -c ^did "$T/out")" -ge 17 ]
	all_is_told "$T/t.json"
}

@test "blocking copies and fills: each is in the trace, with the time of its call and what its memory is of" {
	trace 1
	trace 1 --capture uprobe
	# A copy between two GPUs goes through the host's memory, and is two.
	trace 2
	[ "$(jq '[.traceEvents[] | select(.cat == "gpu" and .ph == "X") | .args.device] | unique' -c "$T/t.json")" = '[0,1]' ]
}

@test "blocking copies and fills of a program that runs already" {
	sim_exec SIMKFD_GPUS=2 SIMKFD_TRUTH="$T/truth" HSA_TOOLS_LIB="$AGENT" "$O/workloads/hsa_copies" "$T/go" \
		>"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready$' "$T/out"
	start_tracing "$RTRACE" -t gpu -f json -o "$T/t.json" -p "$job"
	touch "$T/go"
	wait "$job"
	wait "$tracer"
	grep -q '^result PASSED$' "$T/out"
	check_truth "$T/truth" "$T/t.json"
	nothing_lost "$T/err"
}

@test "blocking copies and fills in text: their own line, marked as timed by the call" {
	sim SIMKFD_GPUS=1 "$RTRACE" -t gpu -f text -o "$T/t" -- "$O/workloads/hsa_copies" >"$T/out" 2>"$T/err"
	grep -Eq ' gpu 0 fill 1\.000MiB .* \(call-times\)' "$T/t"
	grep -Eq ' gpu 0 copy HtoD 1\.000MiB .* \(call-times\)' "$T/t"
	[ "$(grep -c '(call-times)' "$T/t")" = "$(grep '^did' "$T/out" | grep -vc async)" ]
}
