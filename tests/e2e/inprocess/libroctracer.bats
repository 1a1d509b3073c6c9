# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# libroctracer64 with the real HIP and HSA: what it reports to a tool is what workloads count and what the simulated
# GPU says it ran.

load ../common
load ../gpu

# traced [NAME=VALUE...] WORKLOAD ARGS...: with the tool of tests/roctracer, as the file records.
traced() {
	with_tool "$@" || { hip_ended_it && with_tool "$@"; } || { cat "$T/err"; return 1; }
	grep -q '^result PASSED$' "$T/out"
}

with_tool() {
	env LD_PRELOAD="$O/tests/libtool.so $O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" \
		SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" RT_TOOL_OUT="$T/records" "$@" >"$T/out" 2>"$T/err"
}

# The HIP calls that are in no other one.
outermost() {
	awk '$1 == "api" && $2 == "HIP" && $3 != "hipGetDeviceCount" { print $8, $5, $6, $3 }' "$T/records" | sort -k1,1n -k2,2n -k3,3nr |
		awk '$1 != tid { tid = $1; end = 0 } $2 >= end { end = $3; n[$4]++ } END { for (f in n) print f, n[f] }' | sort
}

# app_lines WORD FIELD: those of threads that call HIP; the thread is in that field.
app_lines() {
	awk -v word="$1" -v field="$2" 'NR == FNR { if ($1 == "api" && $2 == "HIP") app[$8]; next }
		$1 == word && $field in app' "$T/records" "$T/records"
}

# Each call that the workload counts, but for those around main, is recorded once, and reported at its begin and end.
# (HIP 5.2 reports hipGetDeviceCount to no tool. Threads of the runtime go on while the tool ends.)
check_counts() {
	awk '$1 == "calls" && $2 ~ /^(hip|__hipP)/ && $2 != "hipGetDeviceCount" { print $2, $3 }' "$T/out" | sort >"$T/want"
	[ -s "$T/want" ]
	diff "$T/want" <(outermost)
	[ "${1:-}" = "records" ] ||
		diff <(app_lines api 8 | awk '{ n[$2 " " $3]++ } END { for (f in n) print f, n[f] }' | sort) \
			<(app_lines call 6 | awk '{ n[$2 " " $3]++; if ($5 == "exit") e[$2 " " $3]++ }
				END { for (f in n) if (n[f] == 2 * e[f]) print f, e[f] }' | sort)
}

# Ids are unique; begin and end, and the times of a call are those of one thread in order.
check_records() {
	awk '$1 == "api" { if (seen[$4]++) wrong("id twice"); if ($6 < $5 || !$5) wrong("times"); begin[$4] = $5; end[$4] = $6
			pid = $7; if (!(pid in pids)) { pids[pid]; if (++n > 1) wrong("process") } }
		$1 == "call" { if ($5 == "exit" && !entered[$4]) wrong("exit first"); if ($5 == "enter" && entered[$4]++) wrong("twice") }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END { exit bad > 0 }' "$T/records"
}

# Every dispatch of the truth log is recorded, within 1 us, with its name and the id of a call that launches. (HIP's
# own kernels are copies and fills, to it, but in graphs of HIP 6. Of the work of graphs HIP up to 5.3.0 reports no names, and no bytes.)
check_dispatches() {
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" && $3 !~ /^__amd_rocclr/ { print $5, $6, $3 }' | sort -n >"$T/ran"
	awk '$1 == "op" && $2 == 0 && $9 !~ /^__amd_rocclr/ { print $5, $6, $9 }' "$T/records" | c++filt | sed 's/ /_/3g' | sort -n >"$T/told"
	same_dispatches "$T/ran" "$T/told" "${NAMELESS--}"
	awk -v old="$(knows_work || echo 1)" '
		$1 == "api" && $3 == "hipGraphLaunch" { graph[$4] }
		$1 == "op" && $2 == 0 && $9 == "-" { nameless[$4] }
		END { for (id in nameless) if (!old || !(id in graph)) { print "by " id ": no name"; bad++ } exit bad > 0 }' "$T/records"
	[ "${1:-}" = "ops" ] || awk '$1 == "api" && $2 == "HIP" { name[$4] = $3 }
		$1 == "op" && $2 == 0 { ops[NR] = $4 }
		END { for (i in ops) if (name[ops[i]] !~ /^hip(LaunchKernel|ExtLaunchKernel|ModuleLaunchKernel|GraphLaunch)/) {
			print "by " ops[i] " " name[ops[i]]; bad++ } exit bad > 0 }' "$T/records"
}

# Every operation of the truth log is recorded once of HSA, within 1 us, with its GPU, name and bytes; so are barriers.
check_hsa_ops() {
	true_ops "$T/truth" >"$T/true"
	[ -s "$T/true" ]
	awk '$1 == "hsaop" && $2 != "BARRIER" { copy = $2 == "COPY"; name = $8; for (i = 9; i <= NF; i++) name = name "_" $i
		printf "%s\t%d\t%s\t%d\t%s\t%s\n", copy ? "copy" : "dispatch", $6 - 1, copy ? "-" : name, copy ? $8 : 0, $4, $5 }' \
		<(c++filt <"$T/records") | sort -k1,1 -k2,2n -k3,3 -k4,4n -k5,5n >"$T/told"
	diff <(cut -f1-4 "$T/true") <(cut -f1-4 "$T/told")
	paste "$T/true" "$T/told" | awk -F '\t' '
		function apart(a, b) { return a > b ? a - b : b - a }
		apart($5, $11) > 1000 || apart($6, $12) > 1000 { bad++; print } END { exit bad > 0 }'
	[ "$(grep -c '^hsaop BARRIER' "$T/records")" = "$(grep -c kind=barrier "$T/truth")" ]
}

# Each is of the call of HSA that has submitted it, or reserved its place if another thread rang for it first.
check_hsa_causes() {
	awk '$1 == "api" && $2 == "HSA" { name[$4] = $3 }
		$1 == "hsaop" { copy[NR] = $2 == "COPY"; corr[NR] = $3 }
		END { for (i in corr) if (name[corr[i]] !~ (copy[i] ? "^hsa_amd_memory_async_copy" : "^hsa_signal_store_(relaxed|screlease)$|^hsa_queue_add_write_index")) {
			bad++; print "by " corr[i] " " name[corr[i]] } exit bad > 0 }' "$T/records"
}

# What the program has written to queues: kernels, with their names, and barriers.
check_packets() {
	diff <(awk '$1 == "event" && $2 == "packet" && $3 == 2 { for (i = 7; i <= NF; i++) $6 = $6 "_" $i; print $4 - 1, $6 }' \
		<(c++filt <"$T/records") | sort) <(awk '$1 == "dispatch" { print $2, $3 }' "$T/true" | sort)
	[ "$(grep -Ec '^event packet (3|5|0) ' "$T/records")" = "$(grep -c kind=barrier "$T/truth")" ]
}

is_hip() { # MAJOR.MINOR
	realpath "$(ldd "$O/workloads/vectoradd" | awk '$1 ~ /^libamdhip64/ { print $3 }')" | grep -q "[.]so[.]$1[.][^.]*$"
}

knows_work() {
	nm -D --defined-only "$(ldd "$O/workloads/vectoradd" | awk '$1 ~ /^libamdhip64/ { print $3 }')" |
		grep -q hipRegisterTracerCallback
}

# What was copied in sum, as the workload counts.
check_bytes() {
	[ "$(awk '$1 == "op" && $2 == 1 && $3 ~ /^Copy/ { n += $9 } END { printf "%.0f", n }' "$T/records")" = \
		"$(awk '$1 == "bytes" { n += $3 } END { printf "%.0f", n }' "$T/out")" ]
}

# bats test_tags=smoke
@test "callbacks, records and what the GPUs ran, of each workload" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module "events" matrixtranspose; do
		echo "$w"
		rm -f "$T/truth"
		# shellcheck disable=SC2086 # words
		traced "$O/workloads/"$w
		check_counts
		check_records
		check_dispatches
		# As far as HIP knows them: of graphs 5.2 reports no bytes and 6 no copies, of boxes 6 some as fills.
		[ "$w" = graphs ] || { [ "$w" = copies ] && is_hip '6[.][0-9]*'; } || check_bytes
		[ -s "$T/ran" ] || [ "$w" = copies ]
	done
}

@test "records alone, and what GPUs do alone" {
	traced RT_TOOL=records "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_counts records
	check_records
	check_dispatches
	not grep -q ^call "$T/records"
	rm "$T/truth"
	traced RT_TOOL=ops "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_dispatches ops
	check_bytes
	not grep -qv ^op "$T/records"
}

@test "HSA's calls, where HSA_TOOLS_LIB names the library; by a program of HSA alone, too" {
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/hsa_calls" "$O/workloads/kernels.hsaco" 50
	# What initialises it is not counted, and at hsa_shut_down tools have been unloaded.
	awk '$1 == "calls" && $2 ~ /^hsa/ && $2 !~ /hsa_(agent_get_info|shut_down)/ { print $2, $3 }' "$T/out" | sort >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 4 ]
	awk '$1 == "api" && $2 == "HSA" { n[$3]++ } END { for (f in n) print f, n[f] }' "$T/records" | sort >"$T/got"
	diff "$T/want" <(join "$T/got" <(cut -d ' ' -f 1 "$T/want"))
	check_records
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/vectoradd"
	check_counts
	check_records
	check_dispatches
	# Of a copy, HSA's call is inside of HIP's.
	awk '$1 == "api" && $2 == "HSA" && $3 ~ /^hsa_amd_memory_async_copy/ { b[NR] = $5; e[NR] = $6 }
		$1 == "api" && $3 == "hipMemcpy" { hb[NR] = $5; he[NR] = $6 }
		END { for (i in b) { found = 0; for (k in hb) if (b[i] >= hb[k] && e[i] <= he[k]) found = 1
			if (!found) bad++; n++ } exit bad || !n }' "$T/records"
}

# names_and_bytes [NAME=VALUE...] WORKLOAD ARGS...: of its graphs, with HSA's help.
names_and_bytes() {
	rm -f "$T/truth"
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$@"
	NAMELESS='' check_dispatches ops
	is_hip '6[.][0-9]*' || check_bytes
}

@test "names of graphs' kernels, and bytes, are those that HSA knows where HIP does not tell" {
	for tool in "" records ops; do
		names_and_bytes RT_TOOL=$tool "$O/workloads/graphs"
	done
	# Which launch a kernel is of is recorded also if another thread has passed it on.
	for tool in records ops records ops; do
		names_and_bytes RT_TOOL=$tool GPU_MAX_HW_QUEUES=1 "$O/workloads/graphs" -b
	done
}

@test "HSA's events: memory and who may use it, code and kernels, as the program takes and gives them back" {
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4 $O/libroctracer64.so.4" "$O/workloads/hsa_resources"
	awk '$1 == "did" && $2 ~ /^(alloc|free)$/ { print $2, $3 }' "$T/out" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 20 ]
	awk '$2 == "alloc" { size[$3] = $4; print "alloc", $4 } $2 == "free" { print "free", size[$3] }' "$T/records" >"$T/got"
	diff "$T/want" "$T/got"
	# The GPU may use all but what is of a region, the CPU what the GPU is allowed to use.
	[ "$(grep -c '^event device gpu' "$T/records")" = "$(($(grep -c ^alloc "$T/want") - 1))" ]
	[ "$(grep -c '^event device cpu' "$T/records")" = "$(awk '$2 == "hsa_amd_agents_allow_access" { print $3 }' "$T/out")" ]
	# Each kernel of the file, on each GPU that it was loaded for, is there until the program has it unloaded.
	readelf -sW "$O/workloads/kernels.hsaco" | awk '$NF ~ /\.kd$/ { print $NF }' | sort -u >"$T/kernels"
	[ -s "$T/kernels" ]
	for what in load unload; do
		awk -v w=$what '$2 == "kernel" && $3 == w { print $4 }' "$T/records" | sort -u | diff "$T/kernels" -
		[ "$(grep -c "^event code $what .*kernels.hsaco" "$T/records")" = 1 ]
	done
	diff <(awk '$2 == "kernel" && $3 == "load" { print $4, $5 }' "$T/records" | sort) \
		<(awk '$2 == "kernel" && $3 == "unload" { print $4, $5 }' "$T/records" | sort)
}

@test "HSA's operations: what the GPUs ran, by whose call, and all packets" {
	for w in "hsa_dispatch -n 40" "hsa_producers -m add -t 4 -n 40" "hsa_producers -m late -n 10" "streams -g 2 -t 4 -s 2 -n 20" copies graphs; do
		echo "$w"
		rm -f "$T/truth"
		# shellcheck disable=SC2086 # words
		traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/"$w
		check_hsa_ops
		[ "${w#*late}" != "$w" ] || check_hsa_causes
		check_packets
	done
	# Alone.
	rm "$T/truth"
	traced RT_TOOL=hsaops HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_hsa_ops
	not grep -qv ^hsaop "$T/records"
}

@test "HSA's operations and packets, enabled and disabled while threads submit them" {
	sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/tests/hsa_phases" -t 4 -n 60 >"$T/out" || { tail -n 1 "$T/out"; false; }
	grep -q '^result PASSED$' "$T/out"
	awk '$1 == "told" { n += $3 > 60 * 12 } END { exit n != 3 }' "$T/out"
}

@test "HSA's operations: where the agent's file is, and where it is not" {
	mkdir "$T/lib" "$T/rtrace"
	cp "$O/libroctracer64.so.4" "$T/lib"
	run traced LD_LIBRARY_PATH="$T/lib" RT_TOOL=hsaops HSA_TOOLS_LIB="$T/lib/libroctracer64.so.4" "$O/workloads/hsa_dispatch" -n 5
	[ "$status" != 0 ]
	[[ $output == *"domain 1 needs librtrace-agent.so, which is not where this library is"* ]]
	# All that there is without it.
	traced LD_LIBRARY_PATH="$T/lib" HSA_TOOLS_LIB="$T/lib/libroctracer64.so.4" "$O/workloads/hsa_dispatch" -n 5
	check_records
	not grep -q ^hsaop "$T/records"
	for dir in lib rtrace; do
		rm -f "$T/truth"
		cp "$O/librtrace-agent.so" "$T/$dir"
		traced LD_LIBRARY_PATH="$T/lib" RT_TOOL=hsaops HSA_TOOLS_LIB="$T/lib/libroctracer64.so.4" "$O/workloads/hsa_dispatch" -n 5
		check_hsa_ops
		rm "$T/$dir/librtrace-agent.so"
	done
}

with_tool_and_tracer() {
	sim "$RTRACE" -t hip,gpu -f json -o "$T/t.json" -- env LD_PRELOAD="$O/tests/libtool.so $O/libsimkfd.so" \
		SIMKFD_GPUS=2 SIMKFD_TRUTH="$T/truth" RT_TOOL_OUT="$T/records" \
		"$O/workloads/streams" -g 2 -t 4 -s 2 -n 20 >"$T/out" 2>"$T/err"
}

# bats test_tags=traces
@test "the tracer beside it: both are complete" {
	with_tool_and_tracer || { hip_ended_it && with_tool_and_tracer; }
	grep -q '^result PASSED$' "$T/out"
	check_counts
	check_records
	check_dispatches
	check_truth "$T/truth" "$T/t.json"
	# The queues are looked at once, for both.
	check_hsa_ops
	not grep -q "rtrace-agent" "$T/err"
	awk '$1 == "calls" && $2 ~ /^hip/ { print $2, $3 }' "$T/out" | sort >"$T/want"
	diff "$T/want" <(calls "$T/t.json" | awk '{ n[$1]++ } END { for (f in n) print f, n[f] }' | sort |
		join - <(cut -d ' ' -f 1 "$T/want"))
}

# ---- the thunk ----

# beside NAME=VALUE... PROGRAM ARGS...: with the tracer, which sees the thunk's functions from outside.
beside() {
	ldconfig -p | grep -q libhsakmt || skip "the thunk is part of the HSA runtime here"
	sim "$RTRACE" -t kfd -e 'hsaKmt*' -f json -o "$T/t.json" -- env LD_PRELOAD="$O/tests/libtool.so $O/libsimkfd.so" \
		SIMKFD_GPUS=2 RT_TOOL_OUT="$T/records" "$@" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	# TID NAME BEGIN END, of what is recorded and of what the tracer saw, without what the thunk calls of its own
	awk '$1 == "api" && $2 == "KFD" { print $8, $3, $5, $6 }' "$T/records" | sort -k1,1n -k3,3n >"$T/got"
	calls "$T/t.json" | awk -F '\t' '$3 == 0 { print $6, $1, $7, $8 }' | sort -k1,1n -k3,3n >"$T/seen"
	[ "$(wc -l <"$T/got")" -gt 10 ]
}

# The calls that the tracer saw are recorded, thread by thread and one by one, in the tool's times around the tracer's.
# Those of FROM in ns on, and up to the last record: the program is left by then.
check_thunk() { # [FROM]
	awk -v from="${1:-0}" '
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		FILENAME ~ /got$/ {
			i = ++recorded[$1]; name[$1, i] = $2; begin[$1, i] = $3; end[$1, i] = $4
			if ($4 > last) last = $4
			next
		}
		$3 < from { next }
		++n[$1] > recorded[$1] { if ($4 < last) wrong("not recorded"); next }
		name[$1, n[$1]] != $2 { wrong("recorded as " name[$1, n[$1]]) }
		begin[$1, n[$1]] > $3 + 1000 || end[$1, n[$1]] < $4 - 1000 {
			wrong("recorded as of " begin[$1, n[$1]] " to " end[$1, n[$1]]) }
		END { for (t in recorded) if (n[t] < recorded[t]) { print "never made: " name[t, n[t] + 1]; bad++ }
			exit bad > 0 }' "$T/got" "$T/seen"
}

# bats test_tags=traces
@test "the thunk's calls are those that the tracer sees from outside, one by one" {
	beside "$O/workloads/hsa_calls" "$O/workloads/kernels.hsaco" 50
	check_thunk
	check_records
	# It shuts HSA down itself: there are all from the first to the last one, reported at their begin and end.
	[ "$(wc -l <"$T/got")" = "$(wc -l <"$T/seen")" ]
	[ "$(sort -k3,3n "$T/got" | head -n 1 | cut -d ' ' -f 2)" = hsaKmtOpenKFD ]
	for phase in enter exit; do
		diff <(cut -d ' ' -f 2 "$T/got" | sort) \
			<(awk -v p=$phase '$1 == "call" && $2 == "KFD" && $5 == p { print $3 }' "$T/records" | sort)
	done
	# Of many threads, of records alone, beside HIP's and HSA's.
	for what in "" records; do
		beside RT_TOOL=$what HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
		check_thunk
		check_counts "${what:-all}"
		check_records
		[ "$(cut -d ' ' -f 1 "$T/got" | sort -u | wc -l)" -ge 4 ]
	done
}

# bats test_tags=traces
@test "the thunk's calls, of an HSA that is loaded when they are enabled already: from when it loads the library on" {
	local program='import ctypes; hsa = ctypes.CDLL("libhsa-runtime64.so.1")
assert hsa.hsa_init() == 0 and hsa.hsa_shut_down() == 0; print("result PASSED")'

	beside HSA_TOOLS_LIB="$O/libroctracer64.so.4" python3 -c "$program"
	check_thunk "$(awk 'NR == 1 || $3 < first { first = $3 } END { print first }' "$T/got")"
	not grep -q hsaKmtOpenKFD "$T/got"
	grep -q hsaKmtCloseKFD "$T/got"
}

# ---- the examples of roctracer's specification ----

# example NAME ARGS...: with what it has made of calls, records and operations as lines `NAME CORR ...`.
example() {
	sim SIMKFD_GPUS=1 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" "$O/examples/$1" "${@:2}" >"$T/out"
	grep -q '^result PASSED$' "$T/out"
	sed -n 's/^<\([^ ]*\) id([0-9]*) correlation_id(\([0-9]*\)) on-\(enter\|exit\)>/\3 \1 \2/p' "$T/out" >"$T/told"
	sed -n 's/^\t\([^ ]*\) correlation_id(\([0-9]*\)) time_ns(\([0-9]*\):\([0-9]*\))/\1 \2 \3 \4/p' "$T/out" >"$T/records"
}

# What is recorded of calls, and reported at their begin and end: the same ones, as often as the program counts.
check_example_calls() { # FUNCTION...
	local f

	for f; do
		awk -v f="$f" '$1 == "enter" && $2 == f { print f, $3 }' "$T/told" | sort >"$T/enter"
		[ "$(wc -l <"$T/enter")" = "$(sed -n "s/^calls $f //p" "$T/out")" ]
		diff "$T/enter" <(awk -v f="$f" '$1 == "exit" && $2 == f { print f, $3 }' "$T/told" | sort)
		diff "$T/enter" <(awk -v f="$f" '$1 == f { print f, $2 }' "$T/records" | sort)
	done
}

# The GPU's dispatches are those of the truth log, each of a launch of its own.
check_example_dispatches() { # LAUNCH
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" && $3 !~ /^__amd_rocclr/ { print $5, $6 }' | sort -n >"$T/ran"
	awk '/device_id/ && !/bytes/ { print $3, $4 }' "$T/records" | sort -n >"$T/told.ran"
	[ -s "$T/ran" ]
	[ "$(wc -l <"$T/ran")" = "$(wc -l <"$T/told.ran")" ]
	paste -d ' ' "$T/ran" "$T/told.ran" | awk '
		function apart(a, b) { return a > b ? a - b : b - a }
		apart($1, $3) > 1000 || apart($2, $4) > 1000 { bad++; print } END { exit bad > 0 }'
	diff <(awk '/device_id/ && !/bytes/ { print $2 }' "$T/records" | sort) \
		<(awk -v f="$1" '$1 == "enter" && $2 == f { print $3 }' "$T/told" | sort)
}

@test "example: callback and records of one operation, and of its dispatches" {
	example one_operation 50
	check_example_calls hipModuleLaunchKernel
	check_example_dispatches hipModuleLaunchKernel
	# And of no others.
	[ "$(wc -l <"$T/told")" = 100 ]
	[ "$(wc -l <"$T/records")" = 100 ]
}

@test "example: MatrixTranspose with all callbacks and records, started and stopped in each iteration" {
	example transpose 10
	[ "$(grep -c '^# START$' "$T/out")" = 10 ]
	check_example_calls hipMalloc hipMemcpy hipFree hipLaunchKernel __hipPushCallConfiguration __hipPopCallConfiguration
	check_example_dispatches hipLaunchKernel
	[ "$(grep -c 'bytes(' "$T/records")" = 20 ]
	# What is recorded of arguments: the memory that was allocated is what is copied from and to, and freed.
	sed -n 's/.*on-exit> \*ptr(\(.*\))$/\1/p' "$T/out" | sort >"$T/allocated"
	[ "$(wc -l <"$T/allocated")" = 20 ]
	diff "$T/allocated" <(sed -n 's/^<hipFree .*on-enter> ptr(\(.*\))$/\1/p' "$T/out" | sort)
	sed -n 's/^<hipMemcpy .*on-enter> dst(\(.*\)) src(\(.*\)) size(0x400000) kind(\(.\))$/\3 \1 \2/p' "$T/out" |
		awk '$1 == 1 { print $2 } $1 == 2 { print $3 }' | sort | diff "$T/allocated" -
	[ "$(grep -c '^<hipMalloc .*on-enter> ptr(0x[0-9a-f]*) size(0x400000)$' "$T/out")" = 20 ]
	[ "$(grep -c '^<hipLaunchKernel .*on-enter> kernel("_Z15matrixTransposePfS_i") stream((nil))$' "$T/out")" = 10 ]
}

# bats test_tags=traces
@test "example: tracing control by the program, for the tracer from outside" {
	sim SIMKFD_GPUS=1 "$RTRACE" --trace-start off -t hip -f roctracer -f json -o "$T/t" -- \
		"$O/examples/transpose" 10 control >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ "$(head -n 1 "$T/t.roctracer/results.hip_stats.csv")" = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"' ]
	diff <(tail -n +2 "$T/t.roctracer/results.hip_stats.csv" | cut -d , -f 1,2 | sort) \
		<(printf '"%s",10\n' __hipPopCallConfiguration __hipPushCallConfiguration hipLaunchKernel)
	# With what the program knows each launch as.
	diff <(jq -r '.traceEvents[] | select(.name == "hipLaunchKernel") | .args.external' "$T/t.json") <(seq 1001 1010)
}

# bats test_tags=slow,tsan
@test "ThreadSanitizer: no data race, enabling and disabling under load included" {
	nm -D "$O/tsan/libroctracer64.so.4" | grep -q __tsan_write
	for test in "$O"/tsan/tests/test_{roctracer,roctracer_gpus,roctracer_records}_{52,57,64} "$O/tsan/tests/test_kfd"; do
		[ -x "$test" ] || { [[ "$test" == *kfd ]] && continue; } # the thunk is part of the HSA runtime here
		setarch -R "$test" >"$T/out" 2>&1 || { grep -A 30 "WARNING: Thr\|FAILED" "$T/out" | head -n 60; false; }
		not grep ThreadSanitizer "$T/out"
	done
}

# The application and the runtime are not built for it.
# bats test_tags=slow,tsan
@test "ThreadSanitizer: no data race of ours with the real HSA, operations and packets" {
	local tsan

	for library in librtrace-agent.so libroctracer64.so.4; do nm -D "$O/tsan/$library" | grep -q __tsan_write; done
	tsan=$(realpath "$(gcc -print-file-name=libtsan.so)")
	sim LD_PRELOAD="$tsan $O/libsimkfd.so" LD_LIBRARY_PATH="$O/tsan" TSAN_OPTIONS="log_path=$T/tsan exitcode=0" SIMKFD_GPUS=1 \
		HSA_TOOLS_LIB="$O/tsan/libroctracer64.so.4" setarch -R "$O/tests/hsa_phases" -t 4 -n 24 >"$T/out" || { tail -n 1 "$T/out"; false; }
	grep -q '^result PASSED$' "$T/out"
	! cat "$T/tsan".* 2>/dev/null | grep -B 20 -A 20 -E '#[01] [^ ]+ (hsa_agent|inprocess|roctracer)/'
}
