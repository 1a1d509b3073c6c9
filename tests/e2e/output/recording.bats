#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings: what is exported from one is what would have been written at once, and what is wrong with a
# recording is said. That what is written at once is true is for the other suites to judge.

load ../common

# record_all WORKLOAD [ARG...]: as t.rtrace, and in all other forms as t.FORMAT
FORMATS=(json text stats pftrace)
record_all() {
	local formats=()

	for f in rtrace "${FORMATS[@]}"; do
		formats+=(-f "$f")
	done
	sim SIMKFD_SYSCALLS=1 "$RTRACE" --all-functions --barriers --stacks='hipMemcpy*' "${formats[@]}" -o "$T/t" -- \
		"$O/workloads/$1" "${@:2}" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
}

@test "exported is what was written at once, byte by byte" {
	for workload in "storm -g 2 -s 4 -t 2 -n 500" ranges graphs hsa_dispatch copies errors resources vectoradd; do
		echo "$workload"
		rm -f "$T/t".* "$T/e".*
		# shellcheck disable=SC2086 # with its arguments
		record_all $workload
		"$RTRACE" export -f json -f text -f stats -f pftrace -o "$T/e" "$T/t.rtrace" 2>"$T/err"
		for f in "${FORMATS[@]}"; do
			cmp "$T/t.$f" "$T/e.$f" || { diff -a "$T/t.$f" "$T/e.$f" | head -n 10; false; }
			grep -q "wrote $T/e.$f ($f)" "$T/err"
		done
		[ "$(wc -l <"$T/err")" = 4 ]
	done
}

@test "bytes an event, with all its arguments and what they pointed to" {
	record_all storm -g 2 -s 4 -t 2 -n 1000
	[ "$(stat -c %s "$T/t.rtrace")" -lt $((40 * $(wc -l <"$T/t.text"))) ]
}

@test "where an export goes" {
	record_all vectoradd
	RTRACE=$(realpath "$RTRACE")
	cd "$T"
	rm t.pftrace t.json t.text
	"$RTRACE" export t.rtrace 2>err
	protoc --decode_raw <t.pftrace >decoded
	[ -s decoded ]
	"$RTRACE" export -f json -f text t.rtrace 2>err
	jq -e '.traceEvents | length > 10' t.json
	grep -q hipLaunchKernel t.text
	"$RTRACE" export -f text -o - t.rtrace 2>err >stdout
	cmp stdout t.text
	[ ! -s err ]
	"$RTRACE" export -f text -o named t.rtrace 2>err
	cmp named t.text
	"$RTRACE" export -f summary -o - t.rtrace 2>err | grep -q hipLaunchKernel
	[ "$(stat -c %a t.rtrace t.json | sort -u)" = 600 ]
	cp t.rtrace other
	"$RTRACE" export -f text other 2>err
	cmp other.text t.text
}

# has_grown BYTES: is the recording larger?
has_grown() {
	[ "$(stat -c %s "$T/t.rtrace")" -gt "$1" ]
}

@test "a tracer that is killed leaves a recording of what was before" {
	sim_exec "$O/workloads/job" -d 1000 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	"$RTRACE" -p "$job" -f rtrace -o "$T/t.rtrace" 2>/dev/null &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for has_grown 100000
	wait_for has_grown "$(stat -c %s "$T/t.rtrace")" # by another second
	kill -KILL "$tracer"
	wait "$tracer" || true
	"$RTRACE" export -f json -o "$T/t.json" "$T/t.rtrace" 2>"$T/err"
	grep -q 't.rtrace: cut off; what was lost in the last second is not known' "$T/err"
	# A second at most is missing; the job makes calls all the time.
	jq -e '[.traceEvents[] | select(.ph == "X") | .ts] | max - min > 1e6' "$T/t.json"
	json_trace --cut "$T/t.json" nesting
	jq -e '.otherData.spans == ([.traceEvents[] | select(.ph == "X" and .args.args)] | length)' "$T/t.json"
}

@test "what cannot be exported" {
	record_all vectoradd
	fails 1 '/nonexistent: No such file' "$RTRACE" export /nonexistent
	fails 1 't.json: this is no recording of rtrace-bpf' "$RTRACE" export "$T/t.json"
	fails 1 '/dev/null: this is no recording of rtrace-bpf' "$RTRACE" export /dev/null
	fails 1 ': Is a directory' "$RTRACE" export /
	fails 2 'which recording' "$RTRACE" export
	fails 2 "unknown format 'xml'" "$RTRACE" export -f xml "$T/t.rtrace"
	fails 2 "unknown format 'rtrace'" "$RTRACE" export -f rtrace "$T/t.rtrace"
	fails 1 'output: /nonexistent/x: No such file' "$RTRACE" export -f text -o /nonexistent/x "$T/t.rtrace"
	fails 1 'output: write /dev/full: No space left on device' \
		"$RTRACE" export -f text -o /dev/full "$T/t.rtrace"
	sed 's/RTRACE/RTRAXE/' "$T/t.rtrace" >"$T/other"
	fails 1 'this is no recording' "$RTRACE" export "$T/other"
	[ ! -e "$T/other.pftrace" ]
}

@test "a recording that is broken in the middle: all but that, and a warning" {
	sim_exec "$O/workloads/job" -d 2000 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	"$RTRACE" -p "$job" --duration 5 -f rtrace -f text -o "$T/t" 2>/dev/null
	size=$(stat -c %s "$T/t.rtrace")
	printf '\xff\x00\xff' | dd of="$T/t.rtrace" bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null
	"$RTRACE" export -f text -o "$T/e.text" "$T/t.rtrace" 2>"$T/err"
	grep -q 't.rtrace: broken in places, which are left out' "$T/err"
	all=$(wc -l <"$T/t.text") some=$(wc -l <"$T/e.text")
	[ "$some" -gt $((all / 4)) ]
	[ "$some" -lt "$all" ]
	# What is there is as it was.
	[ "$(grep -vxF -f "$T/t.text" "$T/e.text" | wc -l)" = 0 ]
}

teardown() {
	end_jobs
}
