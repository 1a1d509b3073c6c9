#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Very many GPU operations, each of them against the simulator's truth log and against the arguments of
# the call that asked for it; and the runtimes' settings, under which a program must do the same with
# the agent and without. RT_STORM: how many dispatches the storm has, up to 2,000,000; see scripts/storm.
# RT_KILLS: how often it is killed, at moments that RT_SEED gives; see scripts/storm.

load ../common
load ../gpu

RT_STORM=${RT_STORM:-16000}
AGENT=$O/librtrace-agent.so
# The rings hold all that a test makes: nothing is lost, however late the tracer reads.
ROOM="--buffer=64 --gpu-buffer=256"

teardown() {
	end_jobs
	rm -f "$T/t.json" "$T/truth"
}

# Traces the storm with these options.
trace_storm() {
	rm -f "$T/truth"
	# shellcheck disable=SC2086 # several options
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_KERNEL_NS=2000 SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS=8 \
		"$RTRACE" $ROOM -M -f json -o "$T/t.json" -- "$O/workloads/storm" "$@" \
		>"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err" 'GPU operations'
}

# What has run is true, and so are the causes, and the program's own count of both.
storm_is_true() {
	"$O/tests/storm_check" "$@" "$T/truth" "$T/t.json" >"$T/checked" || {
		cat "$T/checked"
		return 1
	}
	diff <(grep -E '^(calls|kernels) ' "$T/out" | sort) \
		<(grep -E '^(calls (__)?hip|kernels [^_])' "$T/checked" | sort)
}

@test "a storm of dispatches, graphs and copies: each once, with its call, on 8 GPUs, 16 streams, 8 threads" {
	trace_storm -g 8 -s 16 -t 8 -n "$RT_STORM" -p 10
	storm_is_true
	[ "$(grep -c '^calls hipGraphLaunch ' "$T/checked")" = 1 ]
	echo "# $(tail -n 1 "$T/checked")" >&3
}

# The trace with a fault put in by sed must be found faulty, with this complaint.
fault_is_found() {
	local fault=$1 complaint=$2

	sed "$fault" "$T/t.json" >"$T/fault.json"
	not cmp -s "$T/t.json" "$T/fault.json"
	if "$O/tests/storm_check" "$T/truth" "$T/fault.json" >"$T/found"; then
		echo "not found: $fault"
		return 1
	fi
	grep -q "$complaint" "$T/found" || {
		cat "$T/found"
		return 1
	}
}

@test "the storm's judge finds what is wrong" {
	trace_storm -g 2 -s 4 -t 2 -n 400
	storm_is_true
	launch=$(grep -n '"name":"hipLaunchKernel"' "$T/t.json" | sed -n '20s/:.*//p')
	graph=$(grep -n '"name":"hipGraphLaunch"' "$T/t.json" | sed -n '1s/:.*//p')
	kernel=$(grep -n '"name":"stormAdd".*"cat":"gpu"' "$T/t.json" | sed -n '20s/:.*//p')
	node=$(grep -n '"name":"stormNode".*"cat":"gpu"' "$T/t.json" | sed -n '1s/:.*//p')
	copy=$(grep -n '"name":"DtoH".*"cat":"gpu"' "$T/t.json" | sed -n '1s/:.*//p')
	other=$(sed -n "${launch}s/.*\"corr\":\([0-9]*\).*/\1/p" "$T/t.json")
	for op in "$kernel" "$node" "$copy"; do
		fault_is_found "${op}d" 'not in the trace'
		fault_is_found "${op}p" 'not in the truth log'
		fault_is_found "${op}s/\"device\":[0-9]*/\"device\":7/" 'not in the truth log: gpu 7'
		fault_is_found "${op}s/\"dur\":[0-9.]*/\"dur\":99.000/" 'off by 9[0-9]* ns'
		fault_is_found "${op}s/\"submit\":[0-9]*/\"submit\":1/" 'not submitted in its call'
		fault_is_found "${op}s/\"root\":[0-9]*/\"root\":$other/" 'has not asked for it'
		fault_is_found "${op}s/\"root\":[0-9]*/\"root\":99999999/" 'no call 99999999'
	done
	# The first kernel of a queue says which one that is.
	late=$(grep -n '"name":"stormAdd".*"cat":"gpu"' "$T/t.json" | sed -n '$s/:.*//p')
	fault_is_found "${late}s/\"queue\":[0-9]*/\"queue\":77/" 'on queue 77 instead of'
	fault_is_found "${kernel}s/\"grid\":\[/\"grid\":[9999/" 'not in the truth log.* 9999[0-9]*x'
	fault_is_found "${kernel}s/stormAdd/stormXor/" 'not in the truth log.*stormXor'
	fault_is_found "${copy}s/\"bytes\":/\"bytes\":1/" 'not in the truth log.*copy of 1'
	fault_is_found "${launch}s/{x=[0-9]*/{x=999/" 'not all that it asked for was done'
	fault_is_found "${graph}d" 'no call'
}

# bats test_tags=slow
@test "500 ppm of drift: the times are right to a microsecond" {
	for ppm in 500 -500; do
		rm -f "$T/truth"
		# shellcheck disable=SC2086 # several options
		sim SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=$ppm SIMKFD_GPUS=1 \
			"$RTRACE" $ROOM -M -f json -o "$T/t.json" -- "$O/workloads/job" -n 1000 -d 1000 -t 2 \
			>"$T/out" 2>"$T/err"
		nothing_lost "$T/err" 'GPU operations'
		storm_is_true
	done
}

# start_recorded FORMAT COMMAND...: under the tracer, as $job; returns when it has said that it is ready, and its agent records.
start_recorded() {
	# shellcheck disable=SC2086 # several options
	sim_exec SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 RTRACE_AGENT_LOG=1 "$RTRACE" $ROOM -M -f "$1" -o "$T/t.$1" -- "${@:2}" \
		>"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -qE '^(ready|executes)' "$T/out"
	job=$(pgrep -P "$tracer" -x "$(basename "$2")")
	JOBS_STARTED+=("$job")
	wait_for grep -q '^rtrace-agent: recording' "$T/err"
}

@test "a tracer that was kept from running says what is missing" {
	start_recorded text "$O/workloads/job" -d 1000
	wait_for is_recorded_for "$tracer"
	kill -STOP "$tracer"
	wait_for grep -q '^rtrace-agent: dormant' "$T/err"
	kill -CONT "$tracer"
	wait_for grep -q "process $job: what the GPU ran for .* is missing" "$T/err"
	kill -TERM "$job"
	wait "$tracer"
	grep -q 'gap: .* what the GPU ran for' "$T/t.text"
	grep -q '^result PASSED$' "$T/out"
}

# killed_storm OPERATIONS SETTING...: a storm that is killed when the GPU has run OPERATIONS.
killed_storm() {
	local operations=$1 status=0

	shift
	rm -f "$T/truth" "$T/pid"
	# shellcheck disable=SC2016,SC2086 # for the inner shell; several options
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_KERNEL_NS=2000 SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS=2 "$@" \
		"$RTRACE" $ROOM -M -f json -o "$T/t.json" -- sh -c 'echo $$ >"$0"; exec "$@"' "$T/pid" \
		"$O/workloads/storm" -g 2 -s 4 -t 2 -n 1000000 >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for has_run "$operations"
	kill -KILL "$(cat "$T/pid")"
	wait "$tracer" || status=$?
	echo "killed after $operations operations with: $*"
	cat "$T/err"
	[ "$status" = 137 ]
	nothing_lost "$T/err" uncorrelated
	"$O/tests/storm_check" -k "$T/truth" "$T/t.json"
}

@test "killed while its agent cannot record: what the GPU has done by then has its times" {
	start_recorded json "$O/workloads/job" -d 1000 --go "$T/go"
	python3 "$E2E/hold_thread.py" "$job" rtrace-reaper >"$T/held" &
	JOBS_STARTED+=($!)
	wait_for grep -q '^held' "$T/held"
	before=$(wc -l <"$T/truth")
	touch "$T/go"
	wait_for has_run $((before + 60))
	kill -KILL "$job"
	wait "$tracer" || status=$?
	[ "$status" = 137 ]
	nothing_lost "$T/err" uncorrelated
	"$O/tests/storm_check" -k "$T/truth" "$T/t.json"
}

@test "a job that ends while its tracer is stopped: all that its agent has recorded is read" {
	start_recorded json "$O/workloads/job" -n 100 --go "$T/go"
	kill -STOP "$tracer"
	touch "$T/go"
	wait_for grep -q 'State:.*zombie' "/proc/$job/status"
	kill -CONT "$tracer"
	wait "$tracer"
	nothing_lost "$T/err" 'GPU operations'
	"$O/tests/storm_check" "$T/truth" "$T/t.json"
}

@test "a program that executes another one while its tracer is stopped: all that its agent has recorded is read" {
	start_recorded json "$O/workloads/executes" first "$T/go" "$(command -v tail)" -f /dev/null
	kill -STOP "$tracer"
	touch "$T/go"
	wait_for grep -qx tail "/proc/$job/comm"
	kill -CONT "$tracer"
	kill -TERM "$job"
	wait "$tracer" || [ $? = 143 ]
	nothing_lost "$T/err" 'GPU operations'
	[ "$(grep -c '"HtoD"' "$T/t.json")" = 20 ]
	judge "$T/truth" "$T/t.json"
}

# bats test_tags=slow
@test "killed at any moment: what the GPU had done by then is in the trace, with its times" {
	local settings=("HSA_ENABLE_SDMA=1" "HSA_ENABLE_SDMA=0" "GPU_MAX_HW_QUEUES=1" "HSA_ENABLE_INTERRUPT=0")

	RANDOM=${RT_SEED:-1}
	for ((kill = 0; kill < ${RT_KILLS:-8}; kill++)); do
		killed_storm $((1 + RANDOM % 16000)) "${settings[kill % 4]}"
	done
}

# same_under SETTING PROGRAM ARGS...: with no agent, a dormant one, and traced.
same_under() {
	local setting=$1

	shift
	# shellcheck disable=SC2086 # several settings
	{
		outcome "$T/none" sim SIMKFD_GPUS=2 $setting "$@"
		outcome "$T/dormant" sim SIMKFD_GPUS=2 $setting HSA_TOOLS_LIB="$AGENT" "$@"
		rm -f "$T/truth"
		outcome "$T/active" sim SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" \
			$setting "$RTRACE" $ROOM -M -f json -o "$T/t.json" -- "$@"
	}
	diff "$T/none" "$T/dormant"
	diff "$T/none" "$T/active"
	nothing_lost "$T/active.err"
}

# The order in which the storm's steps complete is part of what it prints.
programs_under() {
	local setting=$1

	shift
	same_under "$setting" "$O/workloads/storm" -g 2 -s 4 -t 2 -n 400 -o
	[ "$(grep -c '^order ' "$T/none")" = 8 ]
	cp "$T/active.out" "$T/out"
	storm_is_true "$@"
	same_under "$setting" "$O/workloads/copies"
	check_truth "$T/truth" "$T/t.json"
	same_under "$setting" "$O/workloads/hsa_dispatch"
	check_truth "$T/truth" "$T/t.json"
}

# bats test_tags=slow
@test "the same without agent, with a dormant one, and traced: the defaults of the runtimes, spelled out" {
	programs_under "HSA_ENABLE_INTERRUPT=1 HSA_ENABLE_SDMA=1 AMD_DIRECT_DISPATCH=1"
}

# bats test_tags=slow
@test "the same without agent, with a dormant one, and traced: HSA_ENABLE_INTERRUPT=0" {
	programs_under HSA_ENABLE_INTERRUPT=0
}

# bats test_tags=slow
@test "the same without agent, with a dormant one, and traced: HSA_ENABLE_SDMA=0" {
	programs_under HSA_ENABLE_SDMA=0
	# The copies of the storm's graphs, for one, were kernels.
	[ "$(grep -c ' kind=copy ' "$T/truth")" = 0 ]
}

# bats test_tags=slow
@test "the same without agent, with a dormant one, and traced: GPU_MAX_HW_QUEUES=1" {
	programs_under GPU_MAX_HW_QUEUES=1
}

# bats test_tags=slow
@test "the same without agent, with a dormant one, and traced: AMD_DIRECT_DISPATCH=0" {
	# Without direct dispatch, HIP 6.4 launches captured graphs past what a stream has still to submit.
	programs_under "AMD_DIRECT_DISPATCH=0 DEBUG_CLR_GRAPH_PACKET_CAPTURE=0" -c
}

@test "a program that fails ends the same without agent, with a dormant one, and traced" {
	same_under "" "$O/workloads/storm" -g 3
	grep -q '^status 1$' "$T/none"
	grep -q '^result FAILED: 3 GPUs wanted, 2 present' "$T/none"
}
