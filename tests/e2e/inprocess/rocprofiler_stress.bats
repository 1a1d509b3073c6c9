# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# librocprofiler-sdk with the real HIP while contexts are started and stopped and tools do what they may: tests/rocprofiler/sdk_phases.c
# says what is checked.

load ../common

# phases ARGS...: [NAME=VALUE...] ARGS of sdk_phases.
phases() {
	local set=()

	while [[ $1 == *=* ]]; do set+=("$1") && shift; done
	sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=2000 HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" "${set[@]}" setarch -R "$O/tests/sdk_phases" "$@" \
		>"$T/out" 2>"$T/err" || { tail -n 3 "$T/out" "$T/err"; false; }
	grep -q '^result PASSED$' "$T/out"
}

# bats test_tags=slow
@test "contexts are started and stopped 300 times while threads call: nothing is lost while one runs, nothing is told else" {
	phases -t 8 -n 300
}

# bats test_tags=slow
@test "the same while the tool throws in callbacks, calls HIP in callbacks, and is finalised in one" {
	for does in throw call finalize; do
		echo "$does"
		phases -t 4 -n 100 -d "$does"
	done
}

# bats test_tags=slow,tsan
@test "the same under ThreadSanitizer: no race of ours" {
	local tsan

	for library in librtrace-agent.so libroctracer64.so.4 librocprofiler-sdk.so.1; do
		nm -D "$O/tsan/$library" | grep -q __tsan_write
	done
	tsan=$(realpath "$(gcc -print-file-name=libtsan.so)")
	for does in nothing throw call finalize; do
		echo "$does"
		rm -f "$T/tsan".*
		phases LD_PRELOAD="$tsan $O/libsimkfd.so" LD_LIBRARY_PATH="$O/tsan" HSA_TOOLS_LIB="$O/tsan/librocprofiler-sdk.so.1" \
			TSAN_OPTIONS="log_path=$T/tsan exitcode=0" -t 4 -n 60 -d "$does"
		# What others do is theirs: frames 0 and 1 of a report are where the two accesses are.
		! cat "$T/tsan".* 2>/dev/null | grep -B 20 -A 20 -E '#[01] [^ ]+ (hsa_agent|inprocess|roctracer|rocprofiler)/'
	done
}
