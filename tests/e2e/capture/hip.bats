#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# HIP and HSA programs, launched by the tracer, on the simulated GPU: calls against the program's own
# count, GPU operations against the simulator's truth log.

load ../common
load ../gpu

# Traces a workload from its first call; everything that can be judged of it is. CALLERS: the application makes calls
# inside of functions that match. ALSO: what else the trace is judged by.
run_traced() {
	rm -f "$T/truth"
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS="${GPUS:-2}" \
		"$RTRACE" -f json -o "$T/t.json" "${OPTIONS[@]}" -- "$O/workloads/$@" \
		>"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	json_trace ${CALLERS:+--callers "$CALLERS"} "$T/t.json" nesting balance "counts=$T/out" ${ALSO:-}
}

run_gpu() {
	ALSO="causes ${ALSO:-}" run_traced "$@"
	check_truth "$T/truth" "$T/t.json"
	is_complete "$T/err" 'GPU operations'
}

OPTIONS=()

# bats test_tags=smoke
@test "vectoradd" {
	run_gpu vectoradd
	[ "$(count "$T/t.json" hipLaunchKernel)" -gt 0 ]
}

@test "matrixtranspose" {
	run_gpu matrixtranspose 3
	[ "$(grep -c '^PASSED!$' "$T/out")" = 3 ]
}

@test "streams: 2 GPUs, 4 threads, 4 streams each, copies between" {
	run_gpu streams -g 2 -t 2 -s 4 -n 32
	[ "$(traced_ops "$T/t.json" | awk '{print $2}' | sort -u | tr '\n' ' ')" = "0 1 " ]
}

@test "streams: 8 GPUs" {
	GPUS=8 run_gpu streams -g 8 -t 1 -s 2 -n 8
	[ "$(traced_ops "$T/t.json" | awk '{print $2}' | sort -u | wc -l)" = 8 ]
}

@test "streams that share a hardware queue: who rings the doorbell passes on what others wrote" {
	export GPU_MAX_HW_QUEUES=1
	run_gpu streams -g 1 -t 4 -s 4 -n 100
	unset GPU_MAX_HW_QUEUES
}

# What is said of streams is right; there are those of two threads on two GPUs with four each.
sixteen_streams() {
	json_trace "$T/t.json" streams >"$T/streams" && [ "$(wc -l <"$T/streams")" = 16 ] || {
		cat "$T/streams" "$T/err"
		return 1
	}
}

@test "streams by number, in every way of submission" {
	run_gpu streams -g 2 -t 2 -s 4 -n 50
	sixteen_streams
	# Which function an event's probe is of is known while threads map memory, too, as here at first.
	OPTIONS=(--attach tracefs)
	run_gpu streams -g 2 -t 2 -s 4 -n 50
	sixteen_streams
	OPTIONS=()
	# HIP has a thread for every stream then, which submits what others have launched.
	AMD_DIRECT_DISPATCH=0 run_traced streams -g 2 -t 2 -s 4 -n 50
	check_truth "$T/truth" "$T/t.json"
	sixteen_streams
	is_complete "$T/err" 'GPU operations'
	# Copies and fills of every size, by engine and by kernel, one after the other: what cannot be settled
	# is marked, and nothing else hangs below a call that is of another kind.
	AMD_DIRECT_DISPATCH=0 run_traced copies
	check_truth "$T/truth" "$T/t.json"
	jq -e '(.traceEvents | map(select(.ph == "X" and (.cat | IN("hip", "hsa"))) | {key: "\(.args.corr)", value: .name}) | from_entries) as $calls |
		[.traceEvents[] | select(.ph == "X" and .cat == "gpu" and .args.corr > 0) |
			[(.name | if test("fill") then "^hipMemset" else "^hipMemcpy|^hsa_amd_memory" end), $calls["\(.args.root)"]]] |
		length > 100 and all(.[0] as $of | .[1] | test($of))' "$T/t.json" >/dev/null
}

# bats test_tags=smoke
@test "copies: every direction and size" {
	run_gpu copies
}

@test "graphs: every kernel of a graph launch hangs below it" {
	ALSO=streams run_gpu graphs
	# Each launch of the graph has its operations below it.
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X") | .args.root' "$T/t.json" >"$T/roots"
	roots=$(calls "$T/t.json" | awk '$1 == "hipGraphLaunch" {print $2}' | sort)
	[ -n "$roots" ]
	for root in $roots; do
		[ "$(grep -cx "$root" "$T/roots")" -gt 1 ]
	done
}

@test "events: the application's own timing of kernels is right under the tracer" {
	sim SIMKFD_KERNELS=slowStore=3000000 SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json -o "$T/t.json" \
		-- "$O/workloads/events" >"$T/out"
	grep -q '^result PASSED$' "$T/out"
	check_truth "$T/truth" "$T/t.json"
	# It may measure more than the kernel's 3 ms, on a busy machine, and never less.
	[ "$(awk '$1 == "elapsed" && $2 == "kernel" {print $3}' "$T/out")" -ge 2990000 ]
}

@test "module launch" {
	run_gpu module "$O/workloads/kernels.hsaco"
	[ "$(count "$T/t.json" hipModuleLaunchKernel)" -gt 0 ]
}

@test "calls that fail" {
	run_traced errors
}

@test "children that use the GPU" {
	run_gpu forker
}

@test "longjmp out of HSA and HIP calls" {
	sim SIMKFD_KERNELS=slowStore=300000000 SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json \
		-o "$T/t.json" -- "$O/workloads/longjmp" >"$T/out"
	grep -q '^result PASSED$' "$T/out"
	json_trace "$T/t.json" nesting
	made=$(awk '$1 == "unwound" && $2 == "hipStreamSynchronize" {print $3}' "$T/out")
	[ "$made" -gt 0 ]
	[ "$(calls "$T/t.json" | awk '$1 == "hipStreamSynchronize" && $4 == "unwound"' | wc -l)" = "$made" ]
	# The returns of iterations are not probed.
	made=$(awk '$1 == "unwound" && $2 == "hsa_iterate_agents" {print $3}' "$T/out")
	[ "$(calls "$T/t.json" | awk '$1 == "hsa_iterate_agents" && $4 == "entry" && $3 == 0' | wc -l)" -ge "$made" ]
	check_counts "$T/out" "$T/t.json" '^hip'
}

@test "C++ exceptions, also through calls" {
	SIMKFD_GPUS=1 COUNT_ALL=1 run_traced exceptions
	check_counts "$T/out" "$T/t.json" '^hsa_(agent_get_info|iterate)'
}

@test "HSA alone: dispatches hang below the doorbell's store when it is traced" {
	OPTIONS=(--all-functions)
	export SIMKFD_KERNELS=elementAdd=50000
	# -k: the program checks the times that it gets for its own signals.
	CALLERS=iterate run_traced hsa_dispatch -k 50000 "$O/workloads/kernels.hsaco"
	check_truth "$T/truth" "$T/t.json"
	json_trace --causes '^hsa_(signal_store_screlease|amd_memory_async_copy)$' "$T/t.json" causes
}

# What is passed on by the agent's thread is below the call that reserved its place.
@test "HSA alone: a packet that is written early hangs below the store that submits it" {
	OPTIONS=(--all-functions)
	SIMKFD_GPUS=1 run_traced hsa_producers -m ahead -n 20
	check_truth "$T/truth" "$T/t.json"
	[ "$(jq '([.traceEvents[] | select(.ph == "X" and .name == "hsa_signal_store_screlease") | .args.corr]) as $stores |
		[.traceEvents[] | select(.cat == "gpu" and .name == "elementAdd" and (.args.corr | IN($stores[])))] | length' "$T/t.json")" = 20 ]
}

@test "HSA: several producers, a full queue, places reserved in every way; queues destroyed with work in them" {
	OPTIONS=(--all-functions)
	for mode in add cas store late never gone; do
		echo "mode $mode"
		CALLERS=iterate run_traced hsa_producers -m $mode -n 150
		# Three dispatches in each of the five queues never ran.
		JUDGE=$([ $mode != gone ] || echo --not-run) check_truth "$T/truth" "$T/t.json"
		case $mode in late | never) json_trace --causes '^hsa_signal_store_screlease$' "$T/t.json" causes ;; esac
		[ "$(jq '[.traceEvents[] | select(.cat == "gpu" and .ph == "i" and .name == "elementAdd")] | length' \
			"$T/t.json")" = "$([ $mode = gone ] && echo 15 || echo 0)" ]
	done
}

@test "cooperative launches: HIP's queue for them is watched, and so is one that several users share" {
	OPTIONS=(--barriers)
	run_traced cooperative
	judge --barriers "$T/truth" "$T/t.json"
	json_trace --causes '^hip(LaunchKernel|LaunchCooperativeKernel|DeviceSynchronize|Stream.*|Free|Malloc)$' "$T/t.json" causes
	[ "$(jq '[.traceEvents[] | select(.name == "elementAdd" and .cat == "gpu")] | length' "$T/t.json")" = 20 ]
	OPTIONS=(--all-functions --barriers)
	CALLERS=iterate run_traced hsa_producers -m shared -n 40
	judge --barriers "$T/truth" "$T/t.json"
	# Each of the three is one queue, whoever has it.
	[ "$(jq '[.traceEvents[] | select(.name == "elementAdd" and .cat == "gpu") | .args.queue] | unique | length' "$T/t.json")" = 3 ]
}

# bats test_tags=smoke
@test "roctx ranges, marks, and what they contain" {
	run_gpu ranges
	# Range by range as the program made them: names with their nesting.
	jq -r '.traceEvents[] | select(.cat == "roctx" and .args.args == null and (.ph | IN("X", "b", "i"))) | .name' \
		"$T/t.json" | sort >"$T/names"
	[ "$(jq '[.traceEvents[] | select(.cat == "roctx" and .ph == "i")] | length' "$T/t.json")" = \
		"$(awk '$1 == "calls" && $2 == "roctxMarkA" {print $3}' "$T/out")" ]
	[ "$(jq '[.traceEvents[] | select(.cat == "roctx" and .ph == "X" and .args.args == null)] | length' \
		"$T/t.json")" = "$(awk '$1 == "calls" && $2 == "roctxRangePushA" {print $3}' "$T/out")" ]
	[ "$(jq '[.traceEvents[] | select(.cat == "roctx" and .ph == "b")] | length' "$T/t.json")" = \
		"$(awk '$1 == "calls" && $2 == "roctxRangeStartA" {print $3}' "$T/out")" ]
	# Kernels launched inside a range say so, and the range is there.
	jq -e '([.traceEvents[] | select(.cat == "roctx" and .args.range and .args.args == null) | .args.range]) as $r |
		[.traceEvents[] | select(.cat == "gpu" and .args.range) | .args.range] |
		length > 0 and all(IN($r[]))' "$T/t.json"
}

@test "untraced and traced, a program computes the same and ends the same" {
	for w in vectoradd "streams -g 2 -t 2 -s 2" copies graphs errors "module $O/workloads/kernels.hsaco"; do
		# shellcheck disable=SC2086
		sim "$O/workloads/"$w | grep -v '^elapsed' >"$T/alone"
		sim "$RTRACE" -f text -o /dev/null -- "$O/workloads/"$w 2>/dev/null | grep -v '^elapsed' >"$T/traced"
		diff "$T/alone" "$T/traced"
	done
}

# bats test_tags=smoke
@test "the exit status is the command's" {
	status=0
	"$RTRACE" -f text -o /dev/null -- sh -c 'exit 42' 2>/dev/null || status=$?
	[ "$status" = 42 ]
	status=0
	"$RTRACE" -f text -o /dev/null -- sh -c 'kill -TERM $$' 2>/dev/null || status=$?
	[ "$status" = 143 ]
}

@test "Perfetto: the file decodes by field numbers of the schema, and holds every call and operation" {
	sim "$RTRACE" -f pftrace -o "$T/t.pftrace" -- "$O/workloads/streams" -g 2 \
		>"$T/out" 2>"$T/err"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	# No field that the schema does not know: those would show as numbers.
	not grep -qE '^ *[0-9]+[: {]' "$T/decoded"
	begins=$(grep -c 'type: TYPE_SLICE_BEGIN' "$T/decoded")
	ends=$(grep -c 'type: TYPE_SLICE_END' "$T/decoded")
	[ "$begins" = "$ends" ]
	total=$(sed -n 's/.*recorded \([0-9]*\) calls, \([0-9]*\) dispatches, \([0-9]*\) copies.*/\1 \2 \3/p' \
		"$T/err" | awk '{print $1 + $2 + $3}')
	[ "$begins" = "$total" ]
}
