#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Very many GPU operations, each of them against the simulator's truth log and against the arguments of
# the call that asked for it; and the runtimes' settings, under which a program must do the same with
# the agent and without. RT_STORM: how many dispatches the storm has, up to 2,000,000; see scripts/storm.
# RT_KILLS: how often it is killed, at moments that RT_SEED gives; see scripts/storm.

load common
load gpu

RT_STORM=${RT_STORM:-16000}
AGENT=$O/librtrace-agent.so
# The rings hold all that a test makes: nothing is lost, however late the tracer reads.
ROOM="--buffer=64 --gpu-buffer=256"

teardown() {
	end_jobs
	rm -f "$(tmp t.json)" "$(tmp truth)"
}

# Traces the storm with these options.
trace_storm() {
	rm -f "$(tmp truth)"
	# shellcheck disable=SC2086 # several options
	sim SIMKFD_TRUTH="$(tmp truth)" SIMKFD_KERNEL_NS=2000 SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS=8 \
		"$RTRACE" $ROOM -M -f json -o "$(tmp t.json)" -- "$O/workloads/storm" "$@" \
		>"$(tmp out)" 2>"$(tmp err)"
	grep -q '^result PASSED$' "$(tmp out)"
	nothing_lost "$(tmp err)" '; 0 GPU operations uncorrelated, 0 without end'
}

# What has run is true, and so are the causes, and the program's own count of both.
storm_is_true() {
	"$O/tests/storm_check" "$@" "$(tmp truth)" "$(tmp t.json)" >"$(tmp checked)" || {
		cat "$(tmp checked)"
		return 1
	}
	diff <(grep -E '^(calls|kernels) ' "$(tmp out)" | sort) \
		<(grep -E '^(calls (__)?hip|kernels [^_])' "$(tmp checked)" | sort)
}

@test "a storm of dispatches, graphs and copies: each once, with its call, on 8 GPUs, 16 streams, 8 threads" {
	trace_storm -g 8 -s 16 -t 8 -n "$RT_STORM" -p 10
	storm_is_true
	[ "$(grep -c '^calls hipGraphLaunch ' "$(tmp checked)")" = 1 ]
	echo "# $(tail -n 1 "$(tmp checked)")" >&3
}

# The trace with a fault put in by sed must be found faulty, with this complaint.
fault_is_found() {
	local fault=$1 complaint=$2

	sed "$fault" "$(tmp t.json)" >"$(tmp fault.json)"
	not cmp -s "$(tmp t.json)" "$(tmp fault.json)"
	if "$O/tests/storm_check" "$(tmp truth)" "$(tmp fault.json)" >"$(tmp found)"; then
		echo "not found: $fault"
		return 1
	fi
	grep -q "$complaint" "$(tmp found)" || {
		cat "$(tmp found)"
		return 1
	}
}

@test "the storm's judge finds what is wrong" {
	trace_storm -g 2 -s 4 -t 2 -n 400
	storm_is_true
	launch=$(grep -n '"name":"hipLaunchKernel"' "$(tmp t.json)" | sed -n '20s/:.*//p')
	graph=$(grep -n '"name":"hipGraphLaunch"' "$(tmp t.json)" | sed -n '1s/:.*//p')
	kernel=$(grep -n '"name":"stormAdd".*"cat":"gpu"' "$(tmp t.json)" | sed -n '20s/:.*//p')
	node=$(grep -n '"name":"stormNode".*"cat":"gpu"' "$(tmp t.json)" | sed -n '1s/:.*//p')
	copy=$(grep -n '"name":"DtoH".*"cat":"gpu"' "$(tmp t.json)" | sed -n '1s/:.*//p')
	other=$(sed -n "${launch}s/.*\"corr\":\([0-9]*\).*/\1/p" "$(tmp t.json)")
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
	late=$(grep -n '"name":"stormAdd".*"cat":"gpu"' "$(tmp t.json)" | sed -n '$s/:.*//p')
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
		rm -f "$(tmp truth)"
		# shellcheck disable=SC2086 # several options
		sim SIMKFD_TRUTH="$(tmp truth)" SIMKFD_DRIFT_PPM=$ppm SIMKFD_GPUS=1 \
			"$RTRACE" $ROOM -M -f json -o "$(tmp t.json)" -- "$O/workloads/job" -n 1000 -d 1000 -t 2 \
			>"$(tmp out)" 2>"$(tmp err)"
		nothing_lost "$(tmp err)" '; 0 GPU operations uncorrelated, 0 without end'
		storm_is_true
	done
}

@test "a tracer that was kept from running says what is missing" {
	sim_exec RTRACE_AGENT_LOG=1 "$RTRACE" -f text -o "$(tmp t.text)" -- "$O/workloads/job" -d 1000 >"$(tmp out)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q '^ready' "$(tmp out)"
	job=$(awk '$1 == "ready" {print $2}' "$(tmp out)")
	JOBS_STARTED+=("$job")
	wait_for grep -q '^rtrace-agent: recording' "$(tmp err)"
	kill -STOP "$tracer"
	wait_for grep -q '^rtrace-agent: dormant' "$(tmp err)"
	kill -CONT "$tracer"
	wait_for grep -q "process $job: what the GPU ran for .* is missing" "$(tmp err)"
	kill -TERM "$job"
	wait "$tracer"
	grep -q 'gap: .* what the GPU ran for' "$(tmp t.text)"
	grep -q '^result PASSED$' "$(tmp out)"
}

# Has the GPU run so many operations?
has_run() {
	[ "$(wc -l <"$(tmp truth)")" -ge "$1" ]
}

# killed_storm OPERATIONS SETTING...: a storm that is killed when the GPU has run so many.
killed_storm() {
	local operations=$1 status=0

	shift
	rm -f "$(tmp truth)" "$(tmp pid)"
	# shellcheck disable=SC2016,SC2086 # for the inner shell; several options
	sim SIMKFD_TRUTH="$(tmp truth)" SIMKFD_KERNEL_NS=2000 SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS=2 "$@" \
		"$RTRACE" $ROOM -M -f json -o "$(tmp t.json)" -- sh -c 'echo $$ >"$0"; exec "$@"' "$(tmp pid)" \
		"$O/workloads/storm" -g 2 -s 4 -t 2 -n 1000000 >"$(tmp out)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for has_run "$operations"
	kill -KILL "$(cat "$(tmp pid)")"
	wait "$tracer" || status=$?
	echo "killed after $operations operations with: $*"
	cat "$(tmp err)"
	[ "$status" = 137 ]
	nothing_lost "$(tmp err)" '; 0 GPU'
	"$O/tests/storm_check" -k "$(tmp truth)" "$(tmp t.json)"
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
		outcome "$(tmp none)" sim SIMKFD_GPUS=2 $setting "$@"
		outcome "$(tmp dormant)" sim SIMKFD_GPUS=2 $setting HSA_TOOLS_LIB="$AGENT" "$@"
		rm -f "$(tmp truth)"
		outcome "$(tmp active)" sim SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$(tmp truth)" \
			$setting "$RTRACE" $ROOM -M -f json -o "$(tmp t.json)" -- "$@"
	}
	diff "$(tmp none)" "$(tmp dormant)"
	diff "$(tmp none)" "$(tmp active)"
	nothing_lost "$(tmp active.err)" ';'
}

# The order in which the storm's steps complete is part of what it prints.
programs_under() {
	local setting=$1

	shift
	same_under "$setting" "$O/workloads/storm" -g 2 -s 4 -t 2 -n 400 -o
	[ "$(grep -c '^order ' "$(tmp none)")" = 8 ]
	cp "$(tmp active.out)" "$(tmp out)"
	storm_is_true "$@"
	same_under "$setting" "$O/workloads/copies"
	check_truth "$(tmp truth)" "$(tmp t.json)"
	same_under "$setting" "$O/workloads/hsa_dispatch"
	check_truth "$(tmp truth)" "$(tmp t.json)"
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
	[ "$(grep -c ' kind=copy ' "$(tmp truth)")" = 0 ]
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
	grep -q '^status 1$' "$(tmp none)"
	grep -q '^result FAILED: 3 GPUs wanted, 2 present' "$(tmp none)"
}
