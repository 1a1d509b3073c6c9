# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# librocprofiler-sdk with the real HIP and HSA: the examples of its documentation, and its calls, which are what
# workloads say that they made.

load ../common
load ../gpu

# with_tools LIBRARIES [NAME=VALUE...] COMMAND...: these are preloaded.
with_tools() {
	sim LD_PRELOAD="$1 $O/libsimkfd.so" HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" EXAMPLE_OUT="$T/told" SIMKFD_GPUS=2 \
		"${@:2}" >"$T/out" 2>"$T/err"
}

# The same; the program must pass. HIP may end it once.
passes() {
	with_tools "$@" || { hip_ended_it && with_tools "$@"; } || { cat "$T/err"; return 1; }
	grep -q '^result PASSED$' "$T/out"
}

# example NAME [NAME=VALUE...] COMMAND...
example() {
	passes "$O/examples/libsdk_$1.so" "${@:2}"
}

# ---- the interface ----

@test "the library exports the functions that its headers declare, and what runtimes call" {
	grep -vx rocprofiler_configure "$O/gen/tests/rocprofiler/declared.txt" >"$T/want" # the tool's
	[ "$(wc -l <"$T/want")" = 69 ]
	printf '%s\n' rocprofiler_set_api_table OnLoad OnUnload | LC_ALL=C sort - "$T/want" |
		diff - <(nm -D --defined-only "$O/librocprofiler-sdk.so.1" | awk '{ print $3 }' | LC_ALL=C sort)
}

@test "each function returns each status that the headers name for it, and no other" {
	sim SIMKFD_GPUS=2 "$O/tests/test_sdk_status" >"$T/out" 2>&1 || { cat "$T/out"; false; }
}

# ---- the examples ----

@test "example: registration, in C++ and in C" {
	for tool in registration registration_c registration_cxx; do
		echo "$tool"
		example $tool "$O/workloads/vectoradd"
		[ "$(grep -v '^calls\|^bytes\|^copies\|^kernels' "$T/out")" = "\
Configuring ExampleTool with rocprofiler-sdk (v1.0.0) [1.0.0]
initialized ExampleTool
result PASSED
finalized ExampleTool 1234" ]
	done
}

@test "example: a tool that is not the first one is not active" {
	ROCP_TOOL_LIBRARIES="$O/examples/libsdk_arguments.so" example registration "$O/workloads/vectoradd"
	not grep 'ExampleTool' "$T/out"
	# It was asked: as the first of two it is.
	ROCP_TOOL_LIBRARIES="$O/examples/libsdk_registration.so" example arguments "$O/workloads/vectoradd"
	grep -q '^finalized ExampleTool 1234$' "$T/out"
	grep -q '^\[HIP_RUNTIME_API\] hipLaunchKernel$' "$T/err"
}

@test "example: a program that configures itself before any runtime, and ends its tool" {
	passes "" "$O/examples/sdk_forced"
	diff "$T/out" - <<-'END'
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

# calls_of CONTEXT: those that the tool received, as the workload counts.
calls_of() {
	awk -v context="$1" '$1 == context { n[$2]++ } END { for (f in n) print "calls", f, n[f] }' "$T/told" | sort
}

@test "example: callbacks of selected operations, of all, one service twice, and times" {
	example callbacks SIMKFD_KERNEL_NS=400000000 "$O/examples/sdk_sample"
	grep '^answered' "$T/told" | diff - <(printf 'answered ROCPROFILER_STATUS_%s\n' SUCCESS ERROR_SERVICE_ALREADY_CONFIGURED)
	diff <(calls_of all) <(grep '^calls' "$T/out" | sort)
	diff <(calls_of selected) <(printf 'calls %s\n' 'hipGetDevice 1' 'hipSetDevice 2')
	diff <(calls_of repeated) <(printf 'calls %s\n' 'hipSetDevice 2')
	# The call waits for a kernel of 400 ms. What the program measures is around it.
	awk -v took="$(sed -n 's/^took hipStreamSynchronize //p' "$T/out")" '
		$1 == "all" && $2 == "hipStreamSynchronize" { n++; if ($3 < 200e6 || $3 > took) { print $3 " of " took; bad++ } }
		END { exit bad || n != 1 || !took }' "$T/told"
}

@test "example: what HSA's functions return, on stderr" {
	example callbacks "$O/examples/sdk_hsa_errors"
	awk '$1 == "returns" { printf "[domain=HSA_%s_API] %s returned a non-zero exit code: %d\n",
		$2 ~ /_amd_/ ? "AMD_EXT" : "CORE", $2, $3 }' "$T/out" >"$T/want"
	[ "$(wc -l <"$T/want")" = 5 ]
	# The example takes what functions return for a status, which it is not of all: those that the program has fail.
	grep -F "$(awk '$1 == "returns" { print " " $2 " " }' "$T/out")" "$T/err" | grep '^\[domain=' >"$T/got"
	diff <(sort "$T/want") <(sort "$T/got")
}

@test "example: the arguments of a launch and a copy, as in the documentation's sample output" {
	example arguments "$O/examples/sdk_sample"
	value() { sed -n "s/^value $1 $2 //p" "$T/out"; }
	[ "$(grep -c '^value .* 0x' "$T/out")" = 6 ]
	# The type of a stream's handle is what it is in HIP's header; the documentation has another.
	diff "$T/err" - <<-END

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
		END { for (o in state) if (state[o] != 4) { print "left: " o; bad++ } exit bad > 0 || objects < 3 || !launches }' "$T/told"
}

@test "example: the sequence of events of code objects, in C and in C++" {
	for language in c cxx; do
		example code_objects_$language "$O/workloads/module"
		check_sequence
		# Three times the same file, each time with new ids, under which its kernels are launched.
		loads=$(sed -n 's/^calls hipModuleLoad //p' "$T/out")
		awk '$1 == "load" && $2 == "kernel" && $5 == "elementAdd.kd" { print $3 }' "$T/told" | sort -u >"$T/ids"
		[ "$(wc -l <"$T/ids")" = "$loads" ]
		[ "$loads" = 3 ]
		diff "$T/ids" <(awk 'NR == FNR { add[$1]; next } $1 == "launch" && $2 in add { print $2 }' "$T/ids" "$T/told" | sort)
	done
}

@test "example: a tool's wrapper is called around the library's, which is called around the runtime's" {
	example intercept_table "$O/examples/sdk_hsa_errors"
	# The first hsa_init shows the table: the second is the one that goes through it.
	sed 's/^table 1 [1-9][0-9]* 0 1 HSA$/table/' "$T/told" | diff - <(printf '%s\n' \
		'table' '-> tool_hsa_init' '-> rocp_hsa_init' '<- rocp_hsa_init 0' '<- tool_hsa_init 0')
	grep -qx 'calls hsa_init 2' "$T/out"
}

# ---- calls: what tests/rocprofiler/call_tool.c writes of them ----

# Of those that the program made itself, not those that HIP and HSA make on their threads.
callers() {
	passes "$O/tests/libcalltool.so" RT_CALLS="$T/calls" "$@" "$O/tests/sdk_callers"
	check_complete calls
}

# The tool has seen the end, and has lost nothing.
check_complete() { # FILE
	[ "$(tail -n 1 "$T/$1")" = finalize ]
	not grep '^dropped' "$T/$1"
}

# made: TID RANGE FUNCTION RESULT ARGUMENTS of each call, thread by thread in their order
made() {
	sed -n 's/^did //p' "$T/out" | sort -s -k1,1n
}

# told FILE: the same, of what callbacks reported of the program's threads at the end of calls that are inside of no call
told() {
	sed -n 's/^did \([0-9]*\) .*/\1/p' "$T/out" | sort -u | awk '
		FILENAME == "-" { program[$1]; next }
		$1 != "call" { next }
		{ kind[$5] = $3 }
		$2 == "exit" && $8 in program && kind[$6] !~ /^H/ { print $8, $7, $4, $9, $10 }' - "$T/$1" | sort -s -k1,1n
}

# Each call that the program says it made is reported, thread by thread in their order, with its result, its arguments, and the
# external id that was pushed for its range.
check_made() { # FILE
	made >"$T/made"
	[ "$(wc -l <"$T/made")" = 1848 ]
	told "$1" | diff "$T/made" - >"$T/diff" || { head -n 20 "$T/diff"; return 1; }
}

# Calls of a thread lie inside of each other, and each has the one around it as its ancestor.
check_ancestors() { # FILE
	awk '$1 != "call" { next }
		$2 == "enter" { if (seen[$5]++) wrong("id twice"); if ($6 != (depth[$8] ? inside[$8, depth[$8]] : 0)) wrong("ancestor")
			if ($3 ~ /^HSA/ && kind[$6] ~ /^HIP/) below++
			inside[$8, ++depth[$8]] = $5; kind[$5] = $3 }
		$2 == "exit" { if (!depth[$8] || inside[$8, depth[$8]--] != $5) wrong("not the innermost") }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END { exit bad > 0 || !below }' "$T/$1"
}

# Of each call on the program's threads there is one record, which has all that the callback had, and times between those
# of its callbacks; of HIP one more, with result and arguments.
check_call_records() { # FILE
	sed -n 's/^did \([0-9]*\) .*/\1/p' "$T/out" | sort -u >"$T/tids"
	awk 'NR == FNR { program[$1]; next } $1 == "call" && $2 == "exit" && $8 in program { print $3, $4, $5, $6, $7, $8
		if ($3 == "HIP_RUNTIME_API") print $3 "_EXT", $4, $5, $6, $7, $8, $9, $10 }' "$T/tids" "$T/$1" | sort >"$T/want"
	awk 'NR == FNR { program[$1]; next } $1 == "record" && $7 in program { print $2, $3, $4, $5, $6, $7 ($2 ~ /_EXT$/ && $2 ~ /^HIP/ ? " " $10 " " $11 : "") }' \
		"$T/tids" "$T/$1" | sort | diff "$T/want" - >"$T/diff" || { head -n 20 "$T/diff"; return 1; }
	awk '$1 == "call" { time[$2, $5] = $11 }
		$1 == "record" { begin[$4] = $8; end[$4] = $9 }
		END {
			for (id in begin)
				if (!begin[id] || end[id] < begin[id] || begin[id] < time["enter", id] || ((("exit", id) in time) && end[id] > time["exit", id])) {
					bad++; print "times of " id ": " begin[id] " to " end[id] }
			exit bad > 0 }' "$T/$1"
}

check_calls() { # FILE
	check_complete "$1"
	check_made "$1"
	check_ancestors "$1"
	check_call_records "$1"
}

@test "calls of HIP, HSA and ROC-TX: callbacks and records are what each thread says it called, results and arguments too" {
	callers
	check_calls calls
	# Errors are among them.
	for result in 'hipMalloc 1' 'hipMemcpy 1' 'hipSetDevice 101' 'hsa_system_get_info 4097'; do
		grep -q "^call exit .* ${result% *} .* ${result#* } [^ ]* [0-9]*$" "$T/calls"
	done
}

@test "ranges of ROC-TX: what a thread calls between push and pop is inside of its range" {
	callers RT_CALLS_KINDS=ranges
	# Each range is reported once, from begin to end.
	diff <(made | awk '$3 == "roctxRangePushA" { print $1, $5 }') \
		<(awk '$1 == "call" && $2 == "exit" && $4 == "roctxThreadRangeA" { print $8, $10 }' "$T/calls" | sort -s -k1,1n)
	# What is called: its external id says inside of which range, and by its ancestor.
	made | grep -v 'roctxRangeP' >"$T/made"
	told calls | grep -v 'roctxThreadRangeA' | diff "$T/made" -
	awk '$1 == "call" && $2 == "enter" { if ($4 == "roctxThreadRangeA") range[$5] = $10
			else { around = $6; if (around in of) range_of = of[around]; else range_of = range[around] + 0
				of[$5] = range_of; if (range_of != $7) { print; bad++ } n += range_of > 0 } }
		END { exit bad > 0 || !n }' "$T/calls"
	check_ancestors calls
	check_call_records calls
}

# counted: FUNCTION COUNT of what the workload calls of HIP, but for what is called around main. (HIP 5.2 tells no tool of two
# functions. One that HIP 6 has in two versions has a suffix for it.)
counted() {
	awk '$1 == "calls" && $2 ~ /^(hip|__hipP)/ && $2 !~ /^hip(GetDeviceCount|RuntimeGetVersion)$/ { sub(/R0[0-9]+$/, "", $2); print $2, $3 }' "$T/out" | sort
}

@test "calls of HIP by each workload: as often as it counts, with the errors that it expects" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module events "matrixtranspose 3" errors; do
		echo "$w"
		# shellcheck disable=SC2086 # words
		passes "$O/tests/libcalltool.so" RT_CALLS="$T/calls" "$O/workloads/"$w
		check_complete calls
		check_ancestors calls
		[ -n "$(counted)" ]
		awk '$1 != "call" { next } { kind[$5] = $3 }
			$2 == "exit" && $3 ~ /^HIP/ && kind[$6] !~ /^H/ { sub(/R0[0-9]+$/, "", $4); n[$4]++ }
			END { for (f in n) print f, n[f] }' "$T/calls" | sort | join - <(counted | cut -d ' ' -f 1) | diff <(counted) -
	done
	[ "$(grep -c '^returns' "$T/out")" -gt 10 ]
	awk '$1 == "returns" { sub(/R0[0-9]+$/, "", $2); print $2, $3 }' "$T/out" >"$T/want"
	awk '$1 == "call" && $2 == "exit" && $3 == "HIP_RUNTIME_API" && $6 == 0 && $9 { sub(/R0[0-9]+$/, "", $4); print $4, $9 }' \
		"$T/calls" | diff "$T/want" -
}

@test "calls of HSA by a program of HSA alone: as often as it counts" {
	passes "$O/tests/libcalltool.so" RT_CALLS="$T/calls" "$O/workloads/hsa_calls" "$O/workloads/kernels.hsaco" 50
	check_complete calls
	# What initialises it is not counted, and at hsa_shut_down tools have been unloaded.
	awk '$1 == "calls" && $2 ~ /^hsa/ && $2 !~ /hsa_(agent_get_info|shut_down)/ { print $2, $3 }' "$T/out" | sort >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 4 ]
	awk '$1 == "call" && $2 == "exit" { n[$4]++ } END { for (f in n) print f, n[f] }' "$T/calls" | sort |
		join - <(cut -d ' ' -f 1 "$T/want") | diff "$T/want" -
	awk '$1 == "record" { n[$3]++ } END { for (f in n) print f, n[f] }' "$T/calls" | sort |
		join - <(cut -d ' ' -f 1 "$T/want") | diff "$T/want" -
}

# ---- beside others ----

# Another librocprofiler-sdk tool, whose file is calls.1 as it is the second one.
BESIDE=(ROCP_TOOL_LIBRARIES="$O/tests/libcalltool2.so")

# counts_made [-v RE]: TID FUNCTION COUNT of the program's calls
counts_made() {
	made | awk '{ n[$1 " " $3]++ } END { for (k in n) print k, n[k] }' | grep "${@:-^}" | sort
}

# What was counted of the program's threads, on stdin as counts_made has it, is that.
same_counts() { # [-v RE]
	counts_made "$@" >"$T/want"
	[ "$(wc -l <"$T/want")" -ge 36 ]
	awk 'NR == FNR { program[$1]; next } $1 in program' "$T/want" - | sort | diff "$T/want" -
}

# What a tool of libroctracer64 (tests/roctracer/tool.c) records, outside of other calls.
check_roctracer() {
	awk '$1 == "api" { print $8, $5, $6, $3 }' "$T/records" | sort -k1,1n -k2,2n -k3,3nr |
		awk '$1 != tid { tid = $1; end = 0 } $2 >= end { end = $3; n[$1 " " $4]++ } END { for (k in n) print k, n[k] }' |
		same_counts -v roctx
}

# What the tracer saw from outside, outside of other calls.
check_tracer() {
	nothing_lost "$T/err"
	calls "$T/t.json" | awk -F '\t' '$3 == 0 { n[$6 " " $1]++ } END { for (k in n) print k, n[k] }' | same_counts
	json_trace "$T/t.json" nesting
}

with_tracer() { # LIBRARIES [NAME=VALUE...]
	sim HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" "$RTRACE" -t hip,hsa,roctx,gpu -f json -o "$T/t.json" -- \
		env LD_PRELOAD="$1 $O/libsimkfd.so" RT_CALLS="$T/calls" RT_TOOL_OUT="$T/records" SIMKFD_GPUS=2 "${@:2}" \
		"$O/tests/sdk_callers" >"$T/out" 2>"$T/err"
}

under_tracer() {
	with_tracer "$@" || { hip_ended_it && with_tracer "$@"; } || { cat "$T/err"; return 1; }
	grep -q '^result PASSED$' "$T/out"
}

# bats test_tags=traces
@test "beside the tracer, which starts the program: both are complete" {
	under_tracer "$O/tests/libcalltool.so"
	check_calls calls
	check_tracer
}

attached() {
	fresh go
	start_job LD_PRELOAD="$O/tests/libcalltool.so $O/libsimkfd.so" RT_CALLS="$T/calls" SIMKFD_GPUS=2 \
		HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1 $O/librtrace-agent.so" "$O/tests/sdk_callers"
	start_tracing "$RTRACE" -t hip,hsa,roctx,gpu -f json -o "$T/t.json" -p "$job"
	go
	wait "$tracer"
	wait "$job"
}

# bats test_tags=traces
@test "beside the tracer, which attaches to the program: both are complete" {
	attached || { hip_ended_it && attached; } || { cat "$T/job.err"; false; }
	grep -q '^result PASSED$' "$T/out"
	check_calls calls
	check_tracer
}

@test "beside a tool of libroctracer64 in the same process: both are complete" {
	callers LD_PRELOAD="$O/tests/libtool.so $O/tests/libcalltool.so $O/libsimkfd.so" RT_TOOL_OUT="$T/records"
	check_calls calls
	check_roctracer
}

@test "beside another tool of librocprofiler-sdk: both are complete" {
	callers "${BESIDE[@]}"
	check_calls calls
	check_calls calls.1
}

# bats test_tags=traces
@test "beside another tool, one of libroctracer64, and the tracer: all are complete" {
	under_tracer "$O/tests/libtool.so $O/tests/libcalltool.so" "${BESIDE[@]}"
	check_calls calls
	check_calls calls.1
	check_roctracer
	check_tracer
}
