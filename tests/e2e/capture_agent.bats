#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node,plain
# Calls that the agent captures in the process: the same workload, captured by it and by uprobes, makes the
# same trace, event by event; and nothing is told twice or lost where both work.

load common

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

# trace BY FILE COMMAND...: what was captured by whom is in FILE.json, what the tracer said in FILE.err.
# DOMAINS: what is traced.
trace() {
	local by=$1 file

	file=$(tmp "$2")
	shift 2
	# What is kept by address has the same order then.
	sim "$RTRACE" -v --capture "$by" -t "${DOMAINS:-hip,hsa,roctx,gpu}" -f json -o "$file.json" -- setarch -R "$@" \
		>"$file.out" 2>"$file.err"
	lost_nothing "$file.err"
}

lost_nothing() {
	grep ': lost ' "$1"
	grep -q '^rtrace-bpf: lost 0 calls (ring full), 0 (nested too deep), 0 GPU records, 0 other' "$1"
}

captured_by_agents() {
	sed -nE 's/^rtrace-bpf: ([0-9]+) calls were captured by agents$/\1/p' "$1"
}

# same LEAST COMMAND...: the agent has captured LEAST calls. It takes over from the probes a moment after HSA has
# started, later on a loaded machine.
same() {
	local least=$1

	shift
	trace auto agent "$@"
	trace uprobe uprobe "$@"
	[ -z "$(captured_by_agents "$(tmp uprobe.err)")" ]
	[ "$(captured_by_agents "$(tmp agent.err)")" -ge "$least" ]
	check_nesting "$(tmp agent.json)"
	python3 tests/e2e/same_calls.py "$(tmp uprobe.json)" "$(tmp agent.json)"
}

@test "copies and a kernel" {
	same 100 "$O/workloads/vectoradd" 3
}

@test "ranges and marks, on several threads" {
	same 100 "$O/workloads/ranges"
}

@test "graphs" {
	same 200 "$O/workloads/graphs"
}

@test "modules" {
	same 100 "$O/workloads/module"
}

@test "allocations" {
	same 100 "$O/workloads/resources"
}

@test "calls that fail" {
	same 150 "$O/workloads/errors" -n 4
	grep -q hipErrorInvalid "$(tmp agent.json)"
}

@test "calls that are left by longjmp" {
	same 200 "$O/workloads/longjmp"
}

@test "processes that are forked" {
	same 500 "$O/workloads/forker"
}

@test "requests to the driver: calls of the kernel's inside of the agent's" {
	DOMAINS=hip,hsa,kfd,gpu same 100 "$O/workloads/resources"
	# One that is linked into the runtime asks the simulated driver, of which the kernel sees nothing.
	if ldconfig -p | grep -q 'libhsakmt\.so'; then
		grep -q hsaKmt "$(tmp agent.json)"
	fi
}

# What ctypes calls is found by dlsym().
@test "a program in Python: calls of the agent's inside of the kernel's" {
	cat >"$(tmp p.py)" <<-'END'
		import ctypes
		import ctypes.util
		hip = ctypes.CDLL(ctypes.util.find_library("amdhip64"))
		p = ctypes.c_void_p()
		for i in range(20):
		    assert hip.hipMalloc(ctypes.byref(p), ctypes.c_size_t(1 << 20)) == 0
		    assert hip.hipMemset(p, 1, ctypes.c_size_t(1 << 20)) == 0
		    assert hip.hipDeviceSynchronize() == 0
		    assert hip.hipFree(p) == 0
	END
	same 100 python3 "$(tmp p.py)"
	[ "$(count "$(tmp agent.json)" hipMalloc)" = 20 ]
}

# start_job NAME=VALUE...: storm, for as long as the test takes
start_job() {
	sim_exec SIMKFD_GPUS=1 "$@" "$O/workloads/storm" -t 2 -s 2 -b 8 -n 1000000 >/dev/null 2>"$(tmp job.err)" &
	job=$!
	JOBS_STARTED+=("$job")
}

# launches FILE PID: how often the threads of a process have launched
launches() {
	calls "$1" | awk -v pid="$2" '$1 == "hipLaunchKernel" && $5 == pid' | wc -l
}

# Two jobs: `with` the agent, and `without`.
start_both() {
	start_job HSA_TOOLS_LIB="$AGENT"
	with=$job
	start_job NONE=
	without=$job
	wait_for grep -q librtrace-agent "/proc/$with/maps"
	wait_for grep -q libhsa "/proc/$without/maps"
}

@test "on a node: a process with the agent, and one without" {
	needs_to_be_alone
	start_both
	"$RTRACE" -v -a -t hip,gpu --duration 1 -f json -o "$(tmp t.json)" 2>"$(tmp err)"
	lost_nothing "$(tmp err)"
	CUT=1 check_nesting "$(tmp t.json)"
	[ "$(launches "$(tmp t.json)" "$without")" -gt 100 ]
	[ "$(launches "$(tmp t.json)" "$with")" -gt 100 ]
	# All of the one, but for the calls that began before it heard of us, and none of the other.
	by_agents=$(captured_by_agents "$(tmp err)")
	all=$(calls "$(tmp t.json)" | awk -v pid="$with" '$5 == pid' | wc -l)
	[ "$by_agents" -gt $((all * 9 / 10)) ]
}

# bats test_tags=slow
@test "one tracer after the other, the first is killed: none has calls of another's" {
	start_job HSA_TOOLS_LIB="$AGENT"
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	"$RTRACE" -p "$job" -t hip,gpu -o "$(tmp first)" &
	first=$!
	JOBS_STARTED+=("$first")
	wait_for test -s "$(tmp first)"
	kill -KILL "$first"
	wait "$first" || :
	for i in 1 2; do
		"$RTRACE" -v -p "$job" -t hip,gpu --duration 0.5 -f json -o "$(tmp t.json)" 2>"$(tmp err)"
		lost_nothing "$(tmp err)"
		CUT=1 check_nesting "$(tmp t.json)"
		[ "$(captured_by_agents "$(tmp err)")" -gt 100 ]
		begin=$(jq '.otherData.begin // 0' "$(tmp t.json)")
		[ "$(calls "$(tmp t.json)" | awk -v begin="$begin" '$8 < begin' | wc -l)" = 0 ]
	done
}

# launches_in FILE: between `begin` and `end`
launches_in() {
	calls "$1" | awk -v begin="$begin" -v end="$end" '$1 == "hipLaunchKernel" && $7 >= begin && $7 < end' | wc -l
}

# Who uses the probes alone would not see what the agent captures for another.
@test "two tracers at once, one of which leaves the agent alone: both see all calls" {
	start_job HSA_TOOLS_LIB="$AGENT"
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	for first in uprobe auto; do
		second=$([ "$first" = uprobe ] && echo auto || echo uprobe)
		fresh 1.err
		"$RTRACE" -v -p "$job" --capture "$first" -t hip -f json -o "$(tmp 1.json)" 2>"$(tmp 1.err)" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q 'API calls' "$(tmp 1.err)"
		"$RTRACE" -v -p "$job" --capture "$second" -t hip --duration 0.5 -f json -o "$(tmp 2.json)" 2>"$(tmp 2.err)"
		kill -INT "$tracer"
		wait "$tracer"
		lost_nothing "$(tmp 1.err)"
		lost_nothing "$(tmp 2.err)"
		read -r begin end < <(calls "$(tmp 2.json)" | awk '
			$1 != "hipLaunchKernel" { next }
			!begin || $7 < begin { begin = $7 }
			$8 > end { end = $8 }
			END { printf "%.0f %.0f\n", begin + 1e8, end - 1e8 }')
		one=$(launches_in "$(tmp 1.json)") two=$(launches_in "$(tmp 2.json)")
		echo "$one launches, and $two"
		[ "$two" -gt 100 ]
		[ $((one - two)) -ge -4 ] && [ $((one - two)) -le 4 ] # where the window begins and ends
	done
}

# bats test_tags=slow
@test "two tracers of a node: what starts then is whole in both, but for the moment until the agent knows" {
	needs_to_be_alone
	for i in 1 2; do
		fresh $i.err
		"$RTRACE" -v -a -t hip,gpu -f json -o "$(tmp $i.json)" 2>"$(tmp $i.err)" &
		eval "tracer$i=$!"
		JOBS_STARTED+=("$!")
		wait_for grep -q 'rings: ' "$(tmp $i.err)"
	done
	sleep 2
	sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" "$O/workloads/ranges" >"$(tmp out)"
	sleep 0.5
	kill -INT "$tracer1" "$tracer2"
	wait "$tracer1" "$tracer2"
	made=$(awk '$1 == "calls" && $2 == "hipLaunchKernel" { print $3 }' "$(tmp out)")
	for i in 1 2; do
		lost_nothing "$(tmp $i.err)"
		told=$(count "$(tmp $i.json)" hipLaunchKernel)
		echo "$told of $made launches"
		[ "$told" = "$made" ] || grep -q 'another tracer had calls captured by the agent' "$(tmp $i.json)"
	done
	[ "$(count "$(tmp 1.json)" hipLaunchKernel)" = "$made" ] || [ "$(count "$(tmp 2.json)" hipLaunchKernel)" = "$made" ]
}

@test "only long calls, only those that fail" {
	DOMAINS=hip,gpu trace auto all "$O/workloads/errors"
	sim "$RTRACE" -v -t hip,gpu --errors-only -f json -o "$(tmp e.json)" -- "$O/workloads/errors" >"$(tmp out)" 2>"$(tmp err)" || :
	[ "$(captured_by_agents "$(tmp err)")" -gt 0 ]
	diff <(calls "$(tmp e.json)" | cut -f 1) \
		<(jq -r '.traceEvents[] | select(.ph == "X" and .cat == "hip" and (.args.return // "" | . != "hipSuccess" and startswith("hip"))) | .name' "$(tmp all.json)")
	sim "$RTRACE" -v -t hip,gpu --min-duration 20us -f json -o "$(tmp l.json)" -- "$O/workloads/vectoradd" 3 >"$(tmp out)" 2>"$(tmp err)"
	# What registers kernels is told whatever it takes.
	calls "$(tmp l.json)" | grep -v ^__hip | awk '$8 - $7 < 20000 { bad = 1 } END { exit bad || !NR }'
}

@test "calls of HIP alone: the agent captures them, and records no operation" {
	start_job HSA_TOOLS_LIB="$AGENT" RTRACE_AGENT_LOG=1
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	"$RTRACE" -v -p "$job" -t hip --duration 0.5 -f json -o "$(tmp t.json)" 2>"$(tmp err)"
	lost_nothing "$(tmp err)"
	CUT=1 check_nesting "$(tmp t.json)"
	[ "$(launches "$(tmp t.json)" "$job")" -gt 100 ]
	[ "$(captured_by_agents "$(tmp err)")" -ge $(($(calls "$(tmp t.json)" | wc -l) * 9 / 10)) ]
	grep -q 'rtrace-agent: loaded' "$(tmp job.err)"
	not grep -q 'rtrace-agent: recording' "$(tmp job.err)"
	# Who wants both has both.
	"$RTRACE" -v -p "$job" -t hip,gpu --duration 0.5 -f json -o "$(tmp g.json)" 2>"$(tmp err)"
	lost_nothing "$(tmp err)"
	[ "$(jq '[.traceEvents[] | select(.cat == "gpu")] | length' "$(tmp g.json)")" -gt 100 ]
	grep -q 'rtrace-agent: recording' "$(tmp job.err)"
}

@test "by agents alone: nothing is probed" {
	needs_to_be_alone
	start_both
	"$RTRACE" -v -a --capture agent -t hip --duration 1 -f json -o "$(tmp t.json)" 2>"$(tmp err)"
	lost_nothing "$(tmp err)"
	not grep -q 'attach: [0-9]* functions' "$(tmp err)"
	grep -q "warning: process $without (storm): nothing: it was started without the agent" "$(tmp err)"
	CUT=1 check_nesting "$(tmp t.json)"
	[ "$(launches "$(tmp t.json)" "$with")" -gt 100 ]
	[ "$(launches "$(tmp t.json)" "$without")" = 0 ]
	[ "$(jq '[.traceEvents[] | select(.cat == "gpu")] | length' "$(tmp t.json)")" = 0 ]
	[ "$(captured_by_agents "$(tmp err)")" -ge "$(calls "$(tmp t.json)" | wc -l)" ]
}

# figure WORD FILE: the number before it in the closing lines
figure() {
	sed -nE "s/.*[ ,]([0-9]+) $1.*/\1/p" "$2" | head -n 1
}

# The numbers in the file of tests/workloads/rate.c, added up.
sum_of() {
	od -An -v -t u8 -w64 "$1" | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

# bats test_tags=slow
@test "as many calls as two threads can make: each is recorded or counted as lost" {
	sim SIMKFD_GPUS=1 "$RTRACE" -v -t hip,gpu -e hipGetDevice -S -o "$(tmp t.txt)" -- \
		"$O/workloads/rate" 2 "${RT_RATE_SECONDS:-2}" 0 "$(tmp counts)" >"$(tmp out)" 2>"$(tmp err)"
	cat "$(tmp err)"
	made=$(sum_of "$(tmp counts)")
	echo "$made calls"
	[ "$made" = "$(awk '$1 == "calls" { print $3 }' "$(tmp out)")" ]
	[ "$made" -gt 1000000 ]
	[ $(($(figure calls "$(tmp err)") + $(sed -n 's/.*: lost \([0-9]*\) calls.*/\1/p' "$(tmp err)"))) = "$made" ]
}

# The process that the tracer has started.
child() {
	tr -d ' ' <"/proc/$tracer/task/$tracer/children"
}

made_at_least() {
	[ "$(sum_of "$(tmp counts)")" -ge "$1" ]
}

# bats test_tags=slow
@test "killed at any moment: no more is missing than the call that a thread was writing" {
	RANDOM=${RT_SEED:-1}
	for ((kill = 0; kill < ${RT_KILLS:-8}; kill++)); do
		fresh counts
		sim_exec SIMKFD_GPUS=1 "$RTRACE" -v -t hip,gpu -e hipGetDevice -S -o "$(tmp t.txt)" -- \
			"$O/workloads/rate" 2 60 500000 "$(tmp counts)" >"$(tmp out)" 2>"$(tmp err)" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for made_at_least 1000
		sleep "$(printf 0.%03d $((RANDOM % 1000)))"
		kill -KILL "$(child)"
		wait "$tracer" || :
		made=$(sum_of "$(tmp counts)")
		seen=$(($(figure calls "$(tmp err)") + $(sed -n 's/.*: lost \([0-9]*\) calls.*/\1/p' "$(tmp err)")))
		echo "$made calls, $seen of them seen"
		[ "$made" -ge 1000 ]
		[ "$seen" -ge "$made" ] && [ "$seen" -le $((made + 2)) ] # each may be in one more
	done
}

@test "a word that is none" {
	fails 2 "^rtrace-bpf: --capture: unknown word 'both' \(auto, uprobe, agent\)$" "$RTRACE" --capture both -a
	fails 2 '^rtrace-bpf: --capture agent: not with --uid, --comm or --cgroup$' "$RTRACE" --capture agent --uid root -a
	fails 2 '^rtrace-bpf: --capture agent and --dispatch-from-bpf exclude' "$RTRACE" --capture agent --dispatch-from-bpf -a
}
