#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Recordings of limited size or time: files that follow each other, and the flight recorder.

load ../common

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

# start_job [DISPATCHES]: a job that is busy for a while
start_job() {
	sim_exec SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" "$O/workloads/storm" -t 2 -s 2 -b 8 -n "${1:-1000000}" >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q librtrace-agent "/proc/$job/maps"
}

# start_tracer OPTION...: a recording of the job
start_tracer() {
	"$RTRACE" -p "$job" -f rtrace -o "$T/t.rtrace" "$@" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
}

# numbers FILE...: exported as one: calls and operations, with an end or without, each by its own number, one a line
numbers() {
	"$RTRACE" export -f json -o "$T/e.json" "$@" 2>"$T/export.err"
	jq -r '.traceEvents[] | select(.ph == "X" or (.args.flags? // "" | contains("no-times"))) |
		[.cat, .args.corr, .args.op] | @tsv' "$T/e.json" | sort
}

# recorded: calls, dispatches and copies, as the closing lines have them
recorded() {
	sed -n 's/.*recorded \([0-9]*\) calls, \([0-9]*\) dispatches, \([0-9]*\) copies.*/\1 \2 \3/p' "$T/err" |
		awk '{ print $1 + $2 + $3 }'
}

size_of() {
	stat -c %s "$@" | awk '{ n += $1 } END { print n }'
}

@test "a file for every so many bytes: together they are the recording" {
	sim "$RTRACE" --rotate 64K -f rtrace -o "$T/t.rtrace" -- "$O/workloads/storm" -t 2 -s 4 -n 20000 \
		>"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ -e "$T/t.2.rtrace" ]
	for file in "$T/t".*rtrace; do
		[ "$(stat -c %s "$file")" -lt 70000 ]
		[ "$(stat -c %a "$file")" = 600 ]
	done
	# In any order.
	numbers "$T/t.rtrace" $(ls -r "$T/t".[0-9]*.rtrace) >"$T/all"
	[ ! -s <(grep warning "$T/export.err") ]
	[ "$(wc -l <"$T/all")" = "$(recorded)" ]
	[ "$(uniq -d "$T/all" | wc -l)" = 0 ]
	[ "$("$RTRACE" report --json "$T/t".*rtrace | jq '.counts.dispatches + .counts.copies')" = "$(grep -c ^gpu "$T/all")" ]
	# Each alone, and what it says of itself.
	for file in "$T/t".*rtrace; do
		numbers "$file" >"$T/one"
		grep -qE 'the recording goes on in another file|files? of the recording come' "$T/export.err"
		[ "$(jq '.otherData | .spans + .dispatches + .copies' "$T/e.json")" = "$(wc -l <"$T/one")" ]
		cat "$T/one"
	done | sort | cmp - "$T/all"
	# One is missing.
	numbers "$T/t.0.rtrace" "$T/t.2.rtrace" >"$T/one"
	grep -q 'chunks are missing' "$T/export.err"
}

# bats test_tags=slow
@test "a file for every second" {
	start_job
	start_tracer --rotate 1s
	wait_for test -e "$T/t.1.rtrace"
	kill -INT "$tracer"
	wait "$tracer"
	numbers "$T/t".*rtrace >"$T/all"
	[ "$(wc -l <"$T/all")" = "$(recorded)" ]
}

@test "no more than so many bytes: the oldest files go" {
	start_job
	start_tracer --rotate 64K --max-size 256K
	wait_for test -e "$T/t.5.rtrace"
	wait_for test ! -e "$T/t.0.rtrace"
	kill -INT "$tracer"
	wait "$tracer"
	[ "$(size_of "$T/t".*rtrace)" -le $((256 * 1024)) ]
	numbers "$T/t".*rtrace >"$T/all"
	grep -q 'files of the recording come before it' "$T/export.err"
	[ "$(wc -l <"$T/all")" -lt "$(recorded)" ]
	[ "$(jq '.otherData | .spans + .dispatches + .copies' "$T/e.json")" = "$(wc -l <"$T/all")" ]
}

@test "no more than so many bytes: tracing ends" {
	start_job
	start_tracer --max-size 100K
	wait "$tracer"
	grep -q 'the recording has reached --max-size' "$T/err"
	kill -0 "$job"
	[ "$(size_of "$T/t.rtrace")" -ge 102400 ]
	numbers "$T/t.rtrace" >"$T/all"
	[ "$(wc -l <"$T/all")" = "$(recorded)" ]
}

# bats test_tags=slow
@test "flight recorder: the newest on SIGUSR2, and at the end what came after it" {
	start_job
	start_tracer --keep 2s
	wait_for grep -q 'process .* API calls' "$T/err"
	sleep "$(seconds 5)"
	[ "$(stat -c %s "$T/t.rtrace")" = 64 ] # nothing but its header
	kill -USR2 "$tracer"
	wait_for grep -q 'SIGUSR2: [0-9]* events of the last' "$T/err"
	cp "$T/t.rtrace" "$T/first"
	numbers "$T/first" >"$T/one"
	[ "$(wc -l <"$T/one")" -gt 100 ]
	[ "$(wc -l <"$T/one")" -le "$(sed -n 's/.*SIGUSR2: \([0-9]*\) events.*/\1/p' "$T/err")" ]
	[ "$(jq '.otherData | .spans + .dispatches + .copies' "$T/e.json")" = "$(wc -l <"$T/one")" ]
	# Chunks are of a second, and the events that SIGUSR2 announced are there. Events are in the order of their ends.
	jq --argjson told "$(sed -n 's/.*SIGUSR2: .* events of the last \([0-9.]*\) s .*/\1/p' "$T/err")" -e '
		[.traceEvents[] | select(.ph == "X") | .ts + .dur] | (max - min) / 1e6 | $told >= 2 and . > 0.9 and . < $told + 0.1' "$T/e.json"
	sleep 1
	kill -INT "$tracer"
	wait "$tracer"
	cmp "$T/first" "$T/t.0.rtrace"
	numbers "$T/t.0.rtrace" "$T/t.rtrace" >"$T/all"
	[ ! -s <(grep warning "$T/export.err") ]
	[ "$(wc -l <"$T/all")" -gt "$(wc -l <"$T/one")" ]
	[ "$(uniq -d "$T/all" | wc -l)" = 0 ]
	[ "$(comm -23 "$T/one" "$T/all" | wc -l)" = 0 ]
}

@test "flight recorder: a call that fails, once in that time" {
	sim "$RTRACE" --keep 60s --dump-on-error -f rtrace -o "$T/t.rtrace" -- \
		sh -c "for i in 1 2 3; do '$O/workloads/errors'; sleep 1.5; done" >"$T/out" 2>"$T/err"
	[ "$(grep -c '[a-z]* failed in process [0-9]*: [0-9]* events of the last' "$T/err")" = 1 ]
	numbers "$T/t.0.rtrace" >/dev/null
	what=$(sed -n 's/.* \(hip[a-zA-Z]*\) failed in process.*/\1/p' "$T/err")
	jq -e --arg what "$what" '[.traceEvents[] | select(.name == $what and .args.parent == 0) | .args.return |
		select(test("^hipError(?!NotReady)"))] | length > 0' "$T/e.json"
	numbers "$T/t.0.rtrace" "$T/t.rtrace" >"$T/all"
	[ "$(wc -l <"$T/all")" = "$(recorded)" ]
}

# bats test_tags=slow
@test "flight recorder: a process that is killed" {
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" --keep 60s -f rtrace -o "$T/t.rtrace" -- sh -c "
		'$O/workloads/storm' -n 1000000 >/dev/null & p=\$!
		for i in \$(seq 600); do grep -q kind=dispatch '$T/truth' && break; sleep 0.1; done
		sleep 1; kill -9 \$p; sleep 1; true" >"$T/out" 2>"$T/err"
	[ "$(grep -c 'process [0-9]* was killed: [0-9]* events of the last' "$T/err")" = 1 ]
	numbers "$T/t".*rtrace >"$T/all"
	grep -q gpu "$T/all"
}

@test "flight recorder: nothing happened" {
	sim "$RTRACE" --keep 60s -f rtrace -o "$T/t.rtrace" -- "$O/workloads/vectoradd" >/dev/null 2>"$T/err"
	numbers "$T/t.rtrace" >"$T/all"
	[ ! -s <(grep warning "$T/export.err") ]
	[ "$(wc -l <"$T/all")" = "$(recorded)" ]
	sim "$RTRACE" --keep 60s -f rtrace -o "$T/t.rtrace" -- true >/dev/null 2>"$T/err"
	[ "$(numbers "$T/t.rtrace" | wc -l)" = 0 ]
	[ ! -s <(grep warning "$T/export.err") ]
}

@test "what makes no sense is refused" {
	fails 2 'for recordings: -f rtrace' "$RTRACE" --keep 3s -- true
	fails 2 'for recordings: -f rtrace' "$RTRACE" --rotate 1M -f json -- true
	fails 2 'for recordings: -f rtrace' "$RTRACE" --max-size 1M -- true
	fails 2 'exclude each other' "$RTRACE" --keep 3s --rotate 1M -f rtrace -- true
	fails 2 'only with --keep' "$RTRACE" --dump-on-error -f rtrace -- true
	fails 2 'not to stdout' "$RTRACE" --rotate 1M -f rtrace -o - -- true
	fails 2 "'1' is not a size like" "$RTRACE" --rotate 1 -f rtrace -- true
	fails 2 "'10X' is not a size like" "$RTRACE" --max-size 10X -f rtrace -- true
	fails 2 "'10ms' is less than a second" "$RTRACE" --rotate 10ms -f rtrace -- true
	fails 2 "'soon' is not a time like" "$RTRACE" --keep soon -f rtrace -- true
	sim "$RTRACE" -f rtrace -o "$T/a.rtrace" -- "$O/workloads/vectoradd" >/dev/null 2>&1
	sim "$RTRACE" -f rtrace -o "$T/b.rtrace" -- "$O/workloads/vectoradd" >/dev/null 2>&1
	fails 1 'not a further file of the recording' "$RTRACE" export "$T/a.rtrace" "$T/b.rtrace"
	fails 1 'not a further file of the recording' "$RTRACE" export "$T/a.rtrace" "$T/a.rtrace"
}
