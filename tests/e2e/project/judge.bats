#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The judges of traces (tests/judge.py, json_trace.py): what they let pass, and that they see each way in which a trace can
# be wrong.

load ../common
load ../gpu

# mutated FILTER: the trace with that change, as wrong.json; there is something to change.
mutated() {
	jq -c "$1" "$T/t.json" >"$T/wrong.json"
	not cmp -s "$T/same.json" "$T/wrong.json"
}

# is_false COMPLAINT FILTER: so changed, the trace is called false, for this reason.
is_false() {
	mutated "$2"
	not judge "$T/truth" "$T/wrong.json" >"$T/verdict"
	cat "$T/verdict"
	grep -q "^judge: $1" "$T/verdict"
	grep -q '^judge: false: traced ' "$T/verdict"
	[ "$(grep -c '^judge: \(true\|false\)' "$T/verdict")" = 1 ]
}

is_true() {
	mutated "$1"
	judge "$T/truth" "$T/wrong.json"
}

KERNEL='[.traceEvents[] | .name == "elementAdd" and .cat == "gpu"] | index(true)'
COPY='[.traceEvents[] | .name == "HtoD" and .cat == "gpu"] | index(true)'
BARRIER='[.traceEvents[] | .name == "barrier" and .cat == "gpu"] | index(true)'

@test "judge: a true trace passes, and each mutation of it is found" {
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" --barriers -f json -o "$T/t.json" -- \
		"$O/workloads/job" -n 3 -t 2 >"$T/out" 2>"$T/err"
	jq -c . "$T/t.json" >"$T/same.json"
	judge --barriers "$T/truth" "$T/t.json"
	# An operation is missing, counted as lost or not.
	is_false '1 of kind kernel are missing, 0 are counted' "del(.traceEvents[$KERNEL])"
	is_false 'missing: kernel elementAdd' "del(.traceEvents[$KERNEL])"
	is_false '1 of kind copy are missing, 0 are counted' "del(.traceEvents[$COPY])"
	is_false '1 of kind barrier are missing, 0 are counted' "del(.traceEvents[$BARRIER])"
	is_true "del(.traceEvents[$KERNEL]) | .otherData.lost_dispatches = 1"
	is_true "del(.traceEvents[$COPY]) | .otherData.lost_copies = 1"
	is_false '1 of kind copy are missing' "del(.traceEvents[$COPY]) | .otherData.lost_dispatches = 1"
	is_false '[0-9]* of kind kernel are missing' 'del(.traceEvents[] | select(.cat == "gpu"))'
	# The trace has more than was done, or something else.
	is_false 'did not run: kernel elementAdd' ".traceEvents += [.traceEvents[$KERNEL]]"
	is_false 'did not run: kernel other' ".traceEvents[$KERNEL].name = \"other\""
	is_false 'did not run: kernel' ".traceEvents[$KERNEL].args.grid[0] += 1"
	is_false 'did not run: copy' ".traceEvents[$COPY].args.bytes += 1"
	is_false 'did not run: copy' ".traceEvents[$COPY].args.device = 1"
	is_false 'did not run: kernel' ".traceEvents[$KERNEL].ts += 1.5"
	is_false 'did not run: kernel' ".traceEvents[$KERNEL].dur += 1.5"
	is_true ".traceEvents[$KERNEL].ts += 0.3"
	is_false 'on two queues: kernel' ".traceEvents[$KERNEL].args.queue += 77"
	# No times, which nothing says.
	is_false '1 operations have no times' ".traceEvents[$KERNEL] |= (.ph = \"i\" | .args.flags = \"no-times\")"
	is_true ".traceEvents[$KERNEL] |= (.ph = \"i\" | .args.flags = \"no-times\") | .otherData.no_times = 1"
	# The end of a line, of a process that was killed while it wrote it.
	cp "$T/truth" "$T/cut"
	head -n 1 "$T/truth" | head -c 60 >>"$T/cut"
	judge --barriers "$T/cut" "$T/t.json"
	# A test that bears no loss.
	judge --barriers --whole "$T/truth" "$T/t.json"
	JUDGE=--whole is_false 'missing: kernel elementAdd' "del(.traceEvents[$KERNEL]) | .otherData.lost_dispatches = 1"
	JUDGE=--whole is_false 'without times: kernel elementAdd' \
		".traceEvents[$KERNEL] |= (.ph = \"i\" | .args.flags = \"no-times\") | .otherData.no_times = 1"
}

FIRST='[.traceEvents[] | .args.flags // "" | contains("call-times")] | index(true)'

@test "judge: an operation with the times of its call ran during the call" {
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" -t gpu -f json -o "$T/t.json" -- "$O/workloads/hsa_copies" >"$T/out" 2>"$T/err"
	jq -c . "$T/t.json" >"$T/same.json"
	judge --whole "$T/truth" "$T/t.json"
	is_false 'did not run: copy' "del(.traceEvents[$FIRST].args.flags)"
	is_false 'did not run: copy' ".traceEvents[$FIRST].ts -= 1000000"
	is_false 'did not run: copy' ".traceEvents[$FIRST].dur = 0.5"
	is_false 'did not run: copy' ".traceEvents += [.traceEvents[$FIRST]]"
	is_false '1 of kind copy are missing, 0 are counted' "del(.traceEvents[$FIRST])"
}

# contradicts COMPLAINT FILTER WHAT...: so changed, the trace contradicts itself, or the count of its calls.
contradicts() {
	local complaint=$1

	mutated "$2"
	shift 2
	not json_trace "$T/wrong.json" "$@" >"$T/verdict"
	cat "$T/verdict"
	grep -q "^${1%%=*}: $complaint" "$T/verdict"
}

# A call that launches, and one that the runtime makes in it; the operation below them.
LAUNCH='[.traceEvents[] | .name == "hipLaunchKernel" and .ph == "X"] | index(true)'
INNER='([.traceEvents[] | select(.name == "hipLaunchKernel" and .ph == "X") | .args.corr] | first) as $of |
	[.traceEvents[] | .ph == "X" and .args.parent == $of] | index(true)'
STREAM='[.traceEvents[] | .cat == "gpu" and .ph == "X" and .args.stream == 2] | index(true)'

@test "json_trace: a trace that is right passes, and each mutation of it is found" {
	sim SIMKFD_GPUS=2 "$RTRACE" -f json -o "$T/t.json" -- "$O/workloads/streams" -g 2 -t 1 -s 2 -n 8 >"$T/out" 2>"$T/err"
	jq -c . "$T/t.json" >"$T/same.json"
	json_trace "$T/t.json" balance nesting causes sizes streams "counts=$T/out"
	contradicts '[0-9]* events s, [0-9]* events f' 'del(.traceEvents[[.traceEvents[].ph] | index("f")])' balance
	contradicts 'two flows have one number' '(.traceEvents[] | select(.ph == "s" or .ph == "f")).id = 1' balance
	contradicts '.* twice' ".traceEvents += [.traceEvents[$LAUNCH]]" nesting
	contradicts '.* no parent' "del(.traceEvents[$LAUNCH])" nesting
	contradicts '.* not on the thread of its parent' ".traceEvents[$INNER].tid += 1" nesting
	contradicts '.* not inside its parent' ".traceEvents[$INNER].ts -= 1000000" nesting
	contradicts '.* not inside its parent' ".traceEvents[$INNER].dur += 1000000" nesting
	contradicts '.* ends before it begins' ".traceEvents[$LAUNCH].dur = -1" nesting
	contradicts 'no operation' 'del(.traceEvents[] | select(.cat == "gpu"))' causes
	contradicts 'no such call' ".traceEvents[$KERNEL].args.root = 99999999" causes
	contradicts 'no such call' ".traceEvents[$KERNEL].args.corr = 99999999" causes
	contradicts 'not caused by a launch or copy, but hipFree' ".traceEvents[$LAUNCH].name = \"hipFree\"" causes
	contradicts 'not submitted inside' ".traceEvents[$KERNEL].args.submit += 1000000" causes
	contradicts 'not below its outermost call' ".traceEvents[$KERNEL].args.root = ([.traceEvents[] |
		select(.name == \"hipLaunchKernel\") | .args.corr] | last)" causes
	contradicts 'launched by hipLaunchKernel' ".traceEvents[$KERNEL].args.grid[1] += 1" sizes
	contradicts 'launched as elementAdd' ".traceEvents[$KERNEL].name = \"other\"" streams
	contradicts 'launched with' ".traceEvents[$KERNEL].args.grid[0] += 1" streams
	contradicts 'stream 0x.* is number 2, and another' ".traceEvents[$STREAM].args.stream = 1" streams
	contradicts '.* ordinals \[1\]' ".traceEvents[$KERNEL].args.ordinal += 1" streams
	contradicts 'made [0-9]* calls of hipLaunchKernel, traced' "del(.traceEvents[$LAUNCH])" "counts=$T/out"
	contradicts 'made [0-9]* calls of hipLaunchKernel, traced' ".traceEvents += [.traceEvents[$LAUNCH]]" "counts=$T/out"
	: >"$T/none"
	contradicts '.* counts no call' "del(.traceEvents[$LAUNCH])" "counts=$T/none"
}

# A trace that ends before its calls do has no parents for the last of them, but for earlier ones.
@test "json_trace: of a trace that is cut off the last parents may be missing" {
	jq -n '{traceEvents: [[1, 0, 10, 90], [2, 1, 20, 30], [4, 3, 60, 10]] | map(
		{ph: "X", cat: "hip", name: "f", pid: 7, tid: 7, ts: .[2], dur: .[3], args: {corr: .[0], parent: .[1]}})}' >"$T/t.json"
	not json_trace "$T/t.json" nesting
	json_trace --cut "$T/t.json" nesting
	jq '.traceEvents |= .[1:]' "$T/t.json" >"$T/headless.json"
	jq '.traceEvents += [{ph: "X", cat: "hip", name: "f", pid: 7, tid: 7, ts: 99, dur: 1, args: {corr: 9, parent: 0}}]' \
		"$T/headless.json" >"$T/wrong.json"
	json_trace --cut "$T/headless.json" nesting
	not json_trace --cut "$T/wrong.json" nesting
}

@test "judge: no truth is no proof" {
	echo '{"traceEvents":[],"otherData":{}}' >"$T/t.json"
	: >"$T/truth"
	not judge "$T/truth" "$T/t.json" >"$T/verdict"
	grep -q '^judge: the truth log has no operation' "$T/verdict"
}

# Barriers have no names and take no time: of those that several queues ran at once each is on either queue.
@test "judge: what ran at one time on two queues is of either, what ran by itself is not" {
	local barrier='kind=barrier pid=1 gpu=0 queue=%s begin=%s end=%s n=0\n'

	# shellcheck disable=SC2059 # the format is ours
	printf "$barrier" 4 10000 10000 6 20000 20000 4 30000 30000 6 30000 30000 >"$T/truth"
	# told QUEUE...: what the trace has of the four, on these queues
	told() {
		jq -n '{otherData: {}, traceEvents: [$ARGS.positional, [10, 20, 30, 30]] | transpose | map(
			{cat: "gpu", ph: "X", pid: 7, name: "barrier", ts: .[1], dur: 0, args: {device: 0, queue: .[0] | tonumber}})}' \
			--args "$@" >"$T/t.json"
	}
	told 1 2 1 2
	judge --barriers --one-process "$T/truth" "$T/t.json"
	told 1 2 2 1
	judge --barriers --one-process "$T/truth" "$T/t.json"
	for wrong in '1 1 1 2' '1 2 1 1' '1 2 3 2'; do
		# shellcheck disable=SC2086 # four words
		told $wrong
		not judge --barriers --one-process "$T/truth" "$T/t.json" >"$T/verdict"
		grep -q '^judge: on two queues: barrier' "$T/verdict"
	done
}
