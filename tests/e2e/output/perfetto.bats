#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Perfetto trace against the JSON trace of the same recording; that this one is true is for the other
# suites to judge.

load ../common

teardown() {
	end_jobs
}

# both WORKLOAD [ARG...]
both() {
	sim "$RTRACE" -f pftrace -f json -o "$T/t" -- "$O/workloads/$1" "${@:2}" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	! grep -qE '^ *[0-9]+[: {]' "$T/decoded"
}

@test "what was lost, and when, also in an export" {
	overflow_a_ring -f pftrace -f rtrace -o "$T/t"
	# The curve shows that, too: of a process that ends while the ring is full, its end.
	lost=$((lost + $(lost_of 'other records' "$T/err")))
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	# Time and value of the points of that counter alone: none of a GPU is there.
	awk '$1 == "timestamp:" { time = $2 } $1 == "counter_value:" { print time, $2 }' "$T/decoded" >"$T/points"
	grep -q 'name: "events lost"' "$T/decoded"
	echo "lost $lost, stopped at $stopped, points:" && cat "$T/points"
	awk -v lost="$lost" -v stopped="$stopped" '
		NR == 1 && $2 != 0 || $2 < before || NR > 1 && $1 < stopped { bad = 1 }
		{ before = $2 }
		END { exit bad || before != lost || NR < 2 }' "$T/points"
	"$RTRACE" export -o "$T/e.pftrace" "$T/t.rtrace"
	cmp "$T/t.pftrace" "$T/e.pftrace"
}

@test "arguments by name and value, render stages, curves" {
	for workload in "storm -g 2 -s 4 -t 2 -n 400" vectoradd copies; do
		# shellcheck disable=SC2086 # with its arguments
		both $workload
		/usr/bin/python3 tests/e2e/perfetto_check.py "$T/decoded" "$T/t.json"
	done
}
