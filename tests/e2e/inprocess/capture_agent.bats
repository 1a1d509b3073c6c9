#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain,tracer
# Calls that the agent captures in the process. The judges are an observer that sees the same run by means of the
# kernel's, the simulator's truth log, and a run that uprobes capture.

load ../common

AGENT=$O/librtrace-agent.so

setup_file() {
	local libraries

	libraries=$(ldd "$O/workloads/job" "$O/libroctx64.so.4" | awk '/lib(amdhip64|hsa-runtime64)/ { print $3 }' | sort -u)
	# shellcheck disable=SC2086 # several
	python3 tests/e2e/call_places.py $libraries "$O/libroctx64.so.4" -- $libraries "$O/workloads/longjmp" \
		>"$BATS_FILE_TMPDIR/places"
}

teardown() {
	end_jobs
}

captured_by_agents() {
	sed -nE 's/^rtrace-bpf: ([0-9]+) calls were captured by agents$/\1/p' "$1"
}

# trace NAME OPTION... -- COMMAND...: the trace is in NAME.json, what the tracer said in NAME.err, the truth in NAME.truth,
# the observer's calls in NAME.calls. Unless NAME is uprobe, the command gets no queue of the GPU before the agent captures
# its calls. DOMAINS: what is traced.
trace() {
	local name=$1 file

	file=$T/$1
	shift
	SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_TRUTH="$file.truth" SIMKFD_QUEUE_GATE="$file.gate" \
		RTRACE_AGENT_LOG=1 "$O/capture/observer" "$BATS_FILE_TMPDIR/places" "$file.calls" \
		env LD_PRELOAD="$O/libsimkfd.so" "$RTRACE" -v -t "${DOMAINS:-hip,hsa,roctx,gpu}" --all-functions \
		-f json -o "$file.json" "$@" >"$file.out" 2>"$file.err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	[ "$name" = uprobe ] || wait_for grep -q 'rtrace-agent: captures calls' "$file.err"
	touch "$file.gate"
	wait "$tracer"
	nothing_lost "$file.err"
}

# What the application itself calls, with arguments and what came back, but for addresses, times that it asked for, and
# properties of a device that is not there.
application_calls() {
	json_trace "$1" application |
		sed -E 's/0x[0-9a-f]{5,}/ADDRESS/g; s/"\*ms":"[^"]*"/TIME/g; s/"\*prop":.*"deviceId":"999"/NONE/' | sort
}

# same LEAST COMMAND...: from its first queue on it makes LEAST calls, all of which the agent captures.
same() {
	local least=$1

	shift
	trace auto -- "$@"
	echo "$(captured_by_agents "$T/auto.err") calls by agents"
	[ "$(captured_by_agents "$T/auto.err")" -ge "$least" ]
	json_trace "$T/auto.json" nesting
	python3 tests/e2e/same_calls.py "$T/auto.calls" "$T/auto.json"
	not grep -qE 'kind=(dispatch|copy)' "$T/auto.truth" || judge "$T/auto.truth" "$T/auto.json"
	trace uprobe --capture uprobe -- "$@"
	[ -z "$(captured_by_agents "$T/uprobe.err")" ]
	python3 tests/e2e/same_calls.py "$T/uprobe.calls" "$T/uprobe.json"
	diff <(application_calls "$T/uprobe.json") <(application_calls "$T/auto.json")
}

@test "copies and a kernel" {
	same 80 "$O/workloads/vectoradd" 3
}

@test "ranges and marks, on several threads" {
	same 120 "$O/workloads/ranges"
}

@test "graphs" {
	same 500 "$O/workloads/graphs"
}

@test "modules" {
	same 120 "$O/workloads/module"
}

@test "allocations" {
	same 60 "$O/workloads/resources"
}

@test "calls that fail" {
	same 150 "$O/workloads/errors" -n 4
	grep -q hipErrorInvalid "$T/auto.json"
}

@test "calls that are left by longjmp" {
	SIMKFD_KERNELS=slowStore=1000000000 same 150 "$O/workloads/longjmp"
}

@test "processes that are forked" {
	same 100 "$O/workloads/forker"
}

@test "requests to the driver: calls of the kernel's inside of the agent's" {
	DOMAINS=hip,hsa,kfd,gpu same 60 "$O/workloads/resources"
	# One that is linked into the runtime asks the simulated driver, of which the kernel sees nothing.
	if ldconfig -p | grep -q 'libhsakmt\.so'; then
		grep -q hsaKmt "$T/auto.json"
	fi
}

# What ctypes calls is found by dlsym().
@test "a program in Python: calls of the agent's inside of the kernel's" {
	cat >"$T/p.py" <<-'END'
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
	same 150 python3 "$T/p.py"
	[ "$(count "$T/auto.json" hipMalloc)" = 20 ]
}

# start_job NAME=VALUE...: storm, for as long as the test takes; what its agent says is in job.err
start_job() {
	fresh job.err
	sim_exec SIMKFD_GPUS=1 RTRACE_AGENT_LOG=1 "$@" "$O/workloads/storm" -t 2 -s 2 -b 8 -n 1000000 \
		>/dev/null 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
}

# launches FILE PID: how often the threads of a process have launched
launches() {
	calls "$1" | awk -v pid="$2" '$1 == "hipLaunchKernel" && $5 == pid' | wc -l
}

# Two jobs: `with` the agent, and `without`.
start_both() {
	start_job NONE=
	without=$job
	start_job HSA_TOOLS_LIB="$AGENT"
	with=$job
}

# start_tracer NAME OPTION...: its JSON will be in NAME.json, its text is in NAME.text as it goes on, what it says in NAME.err
start_tracer() {
	local name=$1

	shift
	fresh "$name.err" "$name.text"
	"$RTRACE" -v --buffer 64 "$@" -f json -f text -o "$T/$name" 2>"$T/$name.err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
}

# stop_tracer NAME PID
stop_tracer() {
	kill -INT "$2"
	wait "$2"
	nothing_lost "$T/$1.err"
	json_trace --cut "$T/$1.json" nesting
}

# launched NAME PID: how many launches of the process are in the text
launched() {
	awk -v pid="$2" '$2 ~ "^" pid "(/|$)" && /hipLaunchKernel/ { n++ } END { print n + 0 }' "$T/$1.text"
}

at_least() {
	[ "$("${@:2}")" -ge "$1" ]
}

# more_launches N NAME PID: waits for N more in the text
more_launches() {
	wait_for test -s "$T/$2.text"
	wait_for at_least $(($(launched "$2" "$3") + $1)) launched "$2" "$3"
}

# The agent of the job has begun to capture, and captures all calls that begin from $since on (boot ns).
agent_captures() {
	wait_for grep -q 'rtrace-agent: captures calls' "$T/job.err"
	since=$(awk '{ printf "%.0f", ($1 + 0.01) * 1e9 }' /proc/uptime)
}

# check_captured PID: agents have captured all calls of the process from $since on, but for those that have not returned.
# (They also capture some that are not shown.)
check_captured() {
	local by_agents later

	by_agents=$(captured_by_agents "$T/t.err")
	later=$(calls "$T/t.json" | awk -v pid="$1" -v since="$since" \
		'$5 == pid && $7 >= since && $4 !~ /unfinished/' | wc -l)
	echo "$by_agents calls by agents, $later came when all were"
	[ "$by_agents" -ge "$later" ] && [ "$later" -gt 0 ]
}

gpu_operations() {
	jq '[.traceEvents[] | select(.cat == "gpu")] | length' "$T/t.json"
}

# bats test_tags=node
@test "on a node: a process with the agent, and one without" {
	needs_to_be_alone
	start_both
	start_tracer t -a -t hip,gpu
	agent_captures
	more_launches 200 t "$with"
	more_launches 200 t "$without"
	stop_tracer t "$tracer"
	[ "$(launches "$T/t.json" "$without")" -ge 200 ]
	check_captured "$with"
}

@test "one tracer after the other, the first is killed: none has calls of another's" {
	start_job HSA_TOOLS_LIB="$AGENT"
	start_tracer first -p "$job" -t hip,gpu
	agent_captures
	more_launches 1 first "$job"
	kill -KILL "$tracer"
	wait "$tracer" || :
	captured=
	for ((launches = 200; !captured; launches *= 2)); do # its agent sees the next one some time later
		start_tracer t -p "$job" -t hip,gpu
		more_launches "$launches" t "$job"
		stop_tracer t "$tracer"
		captured=$(captured_by_agents "$T/t.err")
		begin=$(jq '.otherData.begin // 0' "$T/t.json")
		[ "$(calls "$T/t.json" | awk -v begin="$begin" '$8 < begin' | wc -l)" = 0 ]
	done
}

# A tracer that uses the probes alone would not see what the agent captures for another.
@test "two tracers at once, one of which leaves the agent alone: both see all calls" {
	start_job HSA_TOOLS_LIB="$AGENT"
	for first in auto uprobe; do
		second=$([ "$first" = uprobe ] && echo auto || echo uprobe)
		start_tracer first -p "$job" --capture "$first" -t hip
		first_tracer=$tracer
		[ "$first" = uprobe ] || agent_captures
		more_launches 1 first "$job"
		start_tracer second -p "$job" --capture "$second" -t hip
		more_launches 400 second "$job"
		stop_tracer second "$tracer"
		stop_tracer first "$first_tracer"
		python3 tests/e2e/same_launches.py "$T/first.json" "$T/second.json"
	done
}

# bats test_tags=node
@test "two tracers of a node: what starts then is whole in both, but for the moment until the agent knows" {
	needs_to_be_alone
	start_job NONE= # by which both know the files
	for i in 1 2; do
		start_tracer $i -a -t hip,gpu
		eval "tracer$i=$tracer"
		wait_for grep -q 'attach: .*libamdhip64' "$T/$i.err"
		more_launches 1 $i "$job"
	done
	sim_exec SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" "$O/workloads/ranges" >"$T/out" &
	ranges=$!
	wait "$ranges"
	stop_tracer 1 "$tracer1"
	stop_tracer 2 "$tracer2"
	made=$(awk '$1 == "calls" && $2 == "hipLaunchKernel" { print $3 }' "$T/out")
	for i in 1 2; do
		counted[i]=$(launches "$T/$i.json" "$ranges")
		echo "${counted[i]} of $made launches"
		[ "${counted[i]}" = "$made" ] || grep -q 'another tracer had calls captured by the agent' "$T/$i.json"
	done
	[ "${counted[1]}" = "$made" ] || [ "${counted[2]}" = "$made" ]
}

@test "only long calls, only those that fail" {
	export DOMAINS=hip,gpu
	trace auto -- "$O/workloads/errors"
	trace failed --errors-only -- "$O/workloads/errors"
	[ "$(captured_by_agents "$T/failed.err")" -gt 0 ]
	diff <(calls "$T/failed.json" | cut -f 1) \
		<(jq -r '.traceEvents[] | select(.ph == "X" and .cat == "hip" and (.args.return // "" | . != "hipSuccess" and startswith("hip"))) | .name' "$T/auto.json")
	trace long --min-duration 20us -- "$O/workloads/vectoradd" 3
	# What registers kernels is recorded however long it takes.
	calls "$T/long.json" | grep -v ^__hip | awk '$8 - $7 < 20000 { bad = 1 } END { exit bad || !NR }'
}

@test "calls of HIP alone: the agent captures them, and records no operation" {
	start_job HSA_TOOLS_LIB="$AGENT"
	wait_for grep -q 'rtrace-agent: queue' "$T/job.err"
	start_tracer t -p "$job" -t hip
	agent_captures
	more_launches 200 t "$job"
	stop_tracer t "$tracer"
	check_captured "$job"
	grep -q 'rtrace-agent: loaded' "$T/job.err"
	not grep -q 'rtrace-agent: recording' "$T/job.err"
	# A tracer that wants both has both.
	start_tracer t -p "$job" -t hip,gpu
	wait_for grep -q 'rtrace-agent: recording' "$T/job.err"
	wait_for at_least 200 grep -c ' gpu 0 ' "$T/t.text"
	stop_tracer t "$tracer"
	[ "$(gpu_operations)" -ge 200 ]
}

# bats test_tags=node
@test "by agents alone: nothing is probed" {
	needs_to_be_alone
	start_both
	start_tracer t -a --capture agent -t hip
	more_launches 200 t "$with"
	wait_for grep -q "warning: process $without (storm): not traced, as agents alone capture: it was started without the agent" "$T/t.err"
	stop_tracer t "$tracer"
	not grep -q 'attach: [0-9]* functions' "$T/t.err"
	[ "$(launches "$T/t.json" "$without")" = 0 ]
	[ "$(gpu_operations)" = 0 ]
	[ "$(captured_by_agents "$T/t.err")" -ge "$(calls "$T/t.json" | wc -l)" ]
}

# figure WORD FILE: the number before it in the closing lines
figure() {
	sed -nE "s/.*[ ,]([0-9]+) $1.*/\1/p" "$2" | head -n 1
}

# The numbers in the file of tests/workloads/rate.c, added up.
sum_of() {
	od -An -v -t u8 -w64 "$1" | awk '{ sum += $1 } END { printf "%d\n", sum }'
}

@test "as many calls as two threads can make: each is recorded or counted as lost" {
	sim SIMKFD_GPUS=1 "$RTRACE" -v -t hip,gpu -e hipGetDevice -S -o "$T/t.txt" -- \
		"$O/workloads/rate" 2 "${RT_RATE_SECONDS:-2}" 0 "$T/counts" >"$T/out" 2>"$T/err"
	cat "$T/err"
	made=$(sum_of "$T/counts")
	echo "$made calls"
	[ "$made" = "$(awk '$1 == "calls" { print $3 }' "$T/out")" ]
	[ $(($(figure calls "$T/err") + $(lost_of 'calls (ring full)' "$T/err"))) = "$made" ]
}

made_at_least() {
	[ "$(sum_of "$T/counts")" -ge "$1" ]
}

# bats test_tags=slow
@test "killed at any moment: no more is missing than the call that a thread was writing" {
	RANDOM=${RT_SEED:-1}
	for ((kill = 0; kill < ${RT_KILLS:-8}; kill++)); do
		fresh counts err
		sim_exec SIMKFD_GPUS=1 RTRACE_AGENT_LOG=1 "$RTRACE" -v -t hip,gpu -e hipGetDevice -S -o "$T/t.txt" -- \
			"$O/workloads/rate" 2 60 500000 "$T/counts" >"$T/out" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q 'rtrace-agent: captures calls' "$T/err"
		wait_for made_at_least $(($(sum_of "$T/counts") + 1000))
		sleep "$(printf 0.%03d $((RANDOM % 1000)))"
		kill -KILL "$(child_of "$tracer")"
		wait "$tracer" || :
		made=$(sum_of "$T/counts")
		seen=$(($(figure calls "$T/err") + $(lost_of 'calls (ring full)' "$T/err")))
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
