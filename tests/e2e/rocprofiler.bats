# SPDX-License-Identifier: MIT
# librocprofiler-sdk with the real HIP and HSA: the examples of its documentation, and its calls, which are what
# workloads say that they made.

load common
load gpu

# with_tools LIBRARIES [NAME=VALUE...] COMMAND...: these are preloaded.
with_tools() {
	sim LD_PRELOAD="$1 $O/libsimkfd.so" HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" EXAMPLE_OUT="$(tmp told)" SIMKFD_GPUS=2 \
		"${@:2}" >"$(tmp out)" 2>"$(tmp err)"
}

# The same; the program must pass. HIP may end it once.
passes() {
	with_tools "$@" || { hip_ended_it && with_tools "$@"; } || { cat "$(tmp err)"; return 1; }
	grep -q '^result PASSED$' "$(tmp out)"
}

# example NAME [NAME=VALUE...] COMMAND...
example() {
	passes "$O/examples/libsdk_$1.so" "${@:2}"
}

# has_no PATTERN FILE
has_no() {
	if grep "$1" "$(tmp "$2")"; then
		return 1
	fi
}

# ---- the examples ----

@test "example: registration, in C++ and in C" {
	for tool in registration registration_c registration_cxx; do
		echo "$tool"
		example $tool "$O/workloads/vectoradd"
		[ "$(grep -v '^calls\|^bytes\|^copies\|^kernels' "$(tmp out)")" = "\
Configuring ExampleTool with rocprofiler-sdk (v1.0.0) [1.0.0]
initialized ExampleTool
result PASSED
finalized ExampleTool 1234" ]
	done
}

@test "example: a tool that is not the first one is not active" {
	ROCP_TOOL_LIBRARIES="$O/examples/libsdk_arguments.so" example registration "$O/workloads/vectoradd"
	has_no 'ExampleTool' out
	# It was asked: as the first of two it is.
	ROCP_TOOL_LIBRARIES="$O/examples/libsdk_registration.so" example arguments "$O/workloads/vectoradd"
	grep -q '^finalized ExampleTool 1234$' "$(tmp out)"
	grep -q '^\[HIP_RUNTIME_API\] hipLaunchKernel$' "$(tmp err)"
}

@test "example: a program that configures itself before any runtime, and ends its tool" {
	passes "" "$O/examples/sdk_forced"
	diff "$(tmp out)" - <<-'END'
		at first: initialized 0 finalized 0 active -1
		configure 0
		forced: initialized 1 finalized 0 active 0
		started: initialized 1 finalized 0 active 1
		fini
		ended: initialized 1 finalized 1 active 0
		told hipFree 2
		told hipGetDevice 2
		told hipMalloc 2
		calls hipFree 2
		calls hipGetDevice 2
		calls hipMalloc 2
		and untraced
		calls hipFree 1
		calls hipGetDevice 1
		calls hipMalloc 1
		result PASSED
	END
}

# calls_of CONTEXT: those that the tool was told of, as the workload counts.
calls_of() {
	awk -v context="$1" '$1 == context { n[$2]++ } END { for (f in n) print "calls", f, n[f] }' "$(tmp told)" | sort
}

@test "example: callbacks of selected operations, of all, one service twice, and times" {
	example callbacks SIMKFD_KERNEL_NS=400000000 "$O/examples/sdk_sample"
	grep '^answered' "$(tmp told)" | diff - <(printf 'answered ROCPROFILER_STATUS_%s\n' SUCCESS ERROR_SERVICE_ALREADY_CONFIGURED)
	diff <(calls_of all) <(grep '^calls' "$(tmp out)" | sort)
	diff <(calls_of selected) <(printf 'calls %s\n' 'hipGetDevice 1' 'hipSetDevice 2')
	diff <(calls_of repeated) <(printf 'calls %s\n' 'hipSetDevice 2')
	# The call waits for a kernel of 400 ms. What the program measures is around it.
	awk -v took="$(sed -n 's/^took hipStreamSynchronize //p' "$(tmp out)")" '
		$1 == "all" && $2 == "hipStreamSynchronize" { n++; if ($3 < 200e6 || $3 > took) { print $3 " of " took; bad++ } }
		END { exit bad || n != 1 || !took }' "$(tmp told)"
}

@test "example: what HSA's functions return, on stderr" {
	example callbacks "$O/examples/sdk_hsa_errors"
	awk '$1 == "returns" { printf "[domain=HSA_%s_API] %s returned a non-zero exit code: %d\n",
		$2 ~ /_amd_/ ? "AMD_EXT" : "CORE", $2, $3 }' "$(tmp out)" >"$(tmp want)"
	[ "$(wc -l <"$(tmp want)")" = 5 ]
	# The example takes what functions return for a status, which it is not of all: those that the program has fail.
	grep -F "$(awk '$1 == "returns" { print " " $2 " " }' "$(tmp out)")" "$(tmp err)" | grep '^\[domain=' >"$(tmp got)"
	diff <(sort "$(tmp want)") <(sort "$(tmp got)")
}

@test "example: the arguments of a launch and a copy, as in the documentation's sample output" {
	example arguments "$O/examples/sdk_sample"
	value() { sed -n "s/^value $1 $2 //p" "$(tmp out)"; }
	[ "$(grep -c '^value .* 0x' "$(tmp out)")" = 6 ]
	# The type of a stream's handle is what it is in HIP's header; the documentation has another.
	diff "$(tmp err)" - <<-END

		[HIP_RUNTIME_API] hipLaunchKernel
		    0: void const*        function_address = $(value hipLaunchKernel function_address)
		    1: rocprofiler_dim3_t numBlocks        = {z=1, y=310, x=310}
		    2: rocprofiler_dim3_t dimBlocks        = {z=1, y=32, x=32}
		    3: void**             args             = $(value hipLaunchKernel args)
		    4: unsigned long      sharedMemBytes   = 0
		    5: ihipStream_t*      stream           = $(value hipLaunchKernel stream)

		[HIP_RUNTIME_API] hipMemcpyAsync
		    0: void*              dst              = $(value hipMemcpyAsync dst)
		    1: void const*        src              = $(value hipMemcpyAsync src)
		    2: unsigned long      sizeBytes        = 393625600
		    3: hipMemcpyKind      kind             = DeviceToHost
		    4: ihipStream_t*      stream           = $(value hipMemcpyAsync stream)
	END
}

# Each object: it is loaded, then its kernels, which may be launched then; they are unloaded, then it is. No id is used twice.
check_sequence() {
	awk '$1 == "load" && $2 == "object" { if (state[$3]) wrong("twice"); state[$3] = 1; objects++ }
		$1 == "load" && $2 == "kernel" { if (state[$4] != 1) wrong("object is not being loaded"); if (of[$3]) wrong("twice")
			of[$3] = $4; left[$4]++ }
		$1 == "launch" { if (!of[$2] || gone[$2]) wrong("not loaded"); else state[of[$2]] = 2; launches++ }
		$1 == "unload" && $2 == "kernel" { if (of[$3] != $4 || gone[$3]++) wrong("not loaded"); state[$4] = 3; left[$4]-- }
		$1 == "unload" && $2 == "object" { if (left[$3]) wrong("has kernels"); if (state[$3] == 4) wrong("twice"); state[$3] = 4 }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END { for (o in state) if (state[o] != 4) { print "left: " o; bad++ } exit bad > 0 || objects < 3 || !launches }' "$(tmp told)"
}

@test "example: the sequence of events of code objects, in C and in C++" {
	for language in c cxx; do
		example code_objects_$language "$O/workloads/module"
		check_sequence
		# Three times the same file, each time with new ids, under which its kernels are launched.
		loads=$(sed -n 's/^calls hipModuleLoad //p' "$(tmp out)")
		awk '$1 == "load" && $2 == "kernel" && $5 == "elementAdd.kd" { print $3 }' "$(tmp told)" | sort -u >"$(tmp ids)"
		[ "$(wc -l <"$(tmp ids)")" = "$loads" ]
		[ "$loads" = 3 ]
		diff "$(tmp ids)" <(awk 'NR == FNR { add[$1]; next } $1 == "launch" && $2 in add { print $2 }' "$(tmp ids)" "$(tmp told)" | sort)
	done
}

@test "example: a tool's wrapper is called around the library's, which is called around the runtime's" {
	example intercept_table "$O/examples/sdk_hsa_errors"
	# The first hsa_init shows the table: the second is the one that goes through it.
	sed 's/^table 1 [1-9][0-9]* 0 1 HSA$/table/' "$(tmp told)" | diff - <(printf '%s\n' \
		'table' '-> tool_hsa_init' '-> rocp_hsa_init' '<- rocp_hsa_init 0' '<- tool_hsa_init 0')
	grep -qx 'calls hsa_init 2' "$(tmp out)"
}
