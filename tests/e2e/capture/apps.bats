#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that nobody here wrote: AMD's benchmarks and tests of its libraries, as Debian has them from ROCm 5.7
# on. scripts/rocm-matrix installs them. The simulated GPU does not compute for them, so it is not judged what
# they find, only that they end the same, and that all they had the GPU do is in the trace, as it was.

load ../common
load ../gpu


teardown() {
	end_jobs
	rm -f "$T/t.json" "$T/truth"
}

# The program of that name, or the test is skipped.
find_app() {
	program=$(compgen -G "/usr/libexec/rocm/$1" | head -n 1)
	[ -n "$program" ] || skip "no $1 is installed"
}

# It gives way to the tracer, which has to keep up.
#
# launched OPTIONS ARG...: ends the same without tracer and with it, and the trace is true.
launched() {
	local options=$1 untraced=0 traced=0

	shift
	sim SIMKFD_GPUS=1 "$program" "$@" >"$T/out" 2>&1 || untraced=$?
	# shellcheck disable=SC2086 # several options
	sim SIMKFD_GPUS=1 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" \
		"$RTRACE" --buffer 64 --gpu-buffer 256 $options -f json -o "$T/t.json" -- "$program" "$@" \
		>"$T/out" 2>"$T/err" || traced=$?
	[ "$traced" = "$untraced" ]
	cat "$T/err"
	nothing_lost "$T/err" 'GPU operations'
	check_truth "$T/truth" "$T/t.json"
}

# attached ARG...: to a program that is at work and goes on for long.
attached() {
	sim_exec HSA_TOOLS_LIB="$O/librtrace-agent.so" SIMKFD_GPUS=1 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" \
		"$program" "$@" >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for eval '[ "$(grep -c kind=dispatch "$T/truth")" -gt 100 ]'
	trace_until 100 "$GPU_LINE" t -p "$job"
	kill -TERM "$job"
	wait "$job" || :
	cat "$T/t.err"
	nothing_lost "$T/t.err" 'GPU operations'
	check_truth_between "$T/truth" "$T/t.json"
}

# It looks up each of the tens of thousands of kernels in its files: HSA's calls, launched, would take minutes.
@test "rocblas-bench, launched" {
	find_app 'librocblas*-bench/rocblas-bench'
	launched "-t runtime" -f gemm -r s -m 256 -n 256 -k 256 -i 50 -v 0
	[ "$(traced_ops "$T/t.json" | grep -c Cijk)" -gt 50 ]
}

@test "rocblas-bench, attached to" {
	find_app 'librocblas*-bench/rocblas-bench'
	attached -f gemm -r s -m 256 -n 256 -k 256 -i 10000000 -v 0
}

for_rocrand() {
	find_app "librocrand1-tests/$1"
	launched ""
	rm "$T/truth"
	attached --gtest_repeat=-1
}

@test "rocRAND's test of uniform distributions, launched and attached to" {
	for_rocrand test_rocrand_generate_uniform
}

@test "rocRAND's test of its xorwow kernels, launched and attached to" {
	for_rocrand test_rocrand_kernel_xorwow
}

@test "rocRAND's test with HIP graphs, launched and attached to" {
	for_rocrand test_rocrand_hipgraphs
}

@test "rocPRIM's test of reductions, launched" {
	find_app librocprim-tests/test_device_reduce
	launched ""
}
