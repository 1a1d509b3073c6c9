#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node,plain
# Hostile processes beside an honest one: what they map or write costs the tracer little, and the honest job's calls are
# all in the trace.

load ../common
load ../gpu

teardown() {
	end_jobs
}

# most_memory PID: MiB that it has had in memory at most
most_memory() {
	awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/$1/status"
}

@test "libraries that no linker made, mapped again and again, beside an honest job" {
	local kind

	for kind in names symbols functions code; do
		mkdir -p "$T/$kind"
		python3 tests/e2e/hostile_elf.py make "$kind" "$T/$kind/libamdhip64.so.5"
	done
	for i in $(seq 20); do
		for kind in unknown spellings; do
			mkdir -p "$T/$kind$i"
			python3 tests/e2e/hostile_elf.py make "$kind" "$T/$kind$i/libhsa-runtime64.so.1"
		done
	done
	start_job "$O/workloads/job" -d 1000
	start_tracing "$RTRACE" -a -f json -o "$T/t.json"
	python3 tests/e2e/hostile_elf.py map 60 "$T"/*/lib* >"$T/mapped" &
	JOBS_STARTED+=($!)
	wait_for grep -q mapped "$T/mapped"
	sim "$O/workloads/vectoradd" >"$T/out"
	[[ "$RTRACE" = *san/* ]] || [ "$(most_memory "$tracer")" -lt 256 ]
	kill -INT "$tracer"
	wait "$tracer"
	[ "$(count "$T/t.json" hipLaunchKernel)" -ge 1 ]
	[ "$(count "$T/t.json" hipMalloc)" -ge 3 ]
	# Each file that is refused is refused once, in one line.
	[ "$(grep -c 'read .*libamdhip64.so.5: File too large' "$T/err")" -ge 2 ]
	[ -z "$(grep 'read .*: ' "$T/err" | sed 's/process [0-9]*//' | sort | uniq -d)" ]
}
