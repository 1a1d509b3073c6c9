#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The Perfetto trace against the JSON trace of the same recording; that this one is true is for the other
# suites to tell.

load common

teardown() {
	end_jobs
}

# both WORKLOAD [ARG...]
both() {
	sim "$RTRACE" -f pftrace -f json -o "$(tmp t)" -- "$O/workloads/$1" "${@:2}" >"$(tmp out)" 2>"$(tmp err)"
	grep -q '^result PASSED$' "$(tmp out)"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$(tmp t.pftrace)" >"$(tmp decoded)"
	! grep -qE '^ *[0-9]+[: {]' "$(tmp decoded)"
}

@test "what was lost, and when, also in an export" {
	"$O/capture/edges" go 30000 >"$(tmp out)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$(tmp out)"
	"$RTRACE" --buffer 1 -p "$job" -f pftrace -f rtrace -o "$(tmp t)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q "API calls" "$(tmp err)"
	# Stopped, the tracer drains nothing.
	kill -STOP "$tracer"
	stopped=$(awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime)
	kill -USR1 "$job"
	wait "$job"
	kill -CONT "$tracer"
	wait "$tracer"
	lost=$(sed -n 's/.*lost \([0-9]*\) calls.*/\1/p' "$(tmp err)")
	[ "$lost" -gt 0 ]
	# Of which the curve tells, too: of a process that ends while the ring is full, its end.
	lost=$((lost + $(sed -n 's/.* \([0-9]*\) other;.*/\1/p' "$(tmp err)")))
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$(tmp t.pftrace)" >"$(tmp decoded)"
	# Time and value of the points of that counter alone: none of a GPU is there.
	awk '$1 == "timestamp:" { time = $2 } $1 == "counter_value:" { print time, $2 }' "$(tmp decoded)" >"$(tmp points)"
	grep -q 'name: "events lost"' "$(tmp decoded)"
	echo "lost $lost, stopped at $stopped, points:" && cat "$(tmp points)"
	awk -v lost="$lost" -v stopped="$stopped" '
		NR == 1 && $2 != 0 || $2 < before || NR > 1 && $1 < stopped { bad = 1 }
		{ before = $2 }
		END { exit bad || before != lost || NR < 2 }' "$(tmp points)"
	"$RTRACE" export -o "$(tmp e.pftrace)" "$(tmp t.rtrace)"
	cmp "$(tmp t.pftrace)" "$(tmp e.pftrace)"
}

@test "arguments by name and value, render stages, curves" {
	for workload in "storm -g 2 -s 4 -t 2 -n 400" vectoradd copies; do
		# shellcheck disable=SC2086 # with its arguments
		both $workload
		/usr/bin/python3 tests/e2e/perfetto_check.py "$(tmp decoded)" "$(tmp t.json)"
	done
}
