# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# librocprofiler-sdk with runtimes that hand in their tables of functions, as those built with rocprofiler-register do: here the
# real HIP and HSA, made to do so by tests/rocprofiler/register.c. And what programs launch kernels by, of any HIP.

load ../common
load ../gpu
load ../rocprofiler

REGISTER="$O/tests/libregister.so"
# With it as preloaded library.
HIP_REGISTERS="LD_PRELOAD=$O/tests/libgputool.so $REGISTER $O/libsimkfd.so"

# plain_names: of HIP 6's two versions of a function, and of what librocprofiler-sdk calls HIP 5's.
plain_names() {
	sed -E 's/R0[06]00\>//'
}

# counts_of PHASE LIBRARY: "FUNCTION TIMES" of calls that were reported, without those of other functions that the library itself
# has made in one of them: HSA does, and here some of HIP's go through its table, too. (What iterates calls the program.)
counts_of() {
	awk -v phase="$1" -v library="$2" '$1 == "call" && $2 == "enter" {
			name[$4] = $3; inner[$4] = name[$5] ~ library && name[$5] != $3 && name[$5] !~ /_iterate_/ }
		$1 == "call" && $2 == phase && $3 ~ library && !inner[$4] { print $3 }' "$T/records" | plain_names | sort | uniq -c |
		awk '{ print $2, $1 }'
}

# Each call of HIP is reported once, and no other. (Tools are finalised when programs unregister their kernels, at exit.)
check_hip_calls() {
	sed -n '/__hipUnregisterFatBinary/d; s/^calls \(hip\|__hip\)/\1/p' "$T/out" | plain_names | sort >"$T/want"
	[ -s "$T/want" ]
	for phase in enter exit; do
		diff "$T/want" <(counts_of $phase '^(__)?hip')
	done
}

# What a GPU does belongs to a call of HSA that a call of HIP has made, which is one that launches or copies.
check_callers() {
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3; up[$4] = $5 }
		($1 == "dispatch" && $2 == "enter") || ($1 == "copy" && $2 == "enter") {
			n++
			id = $1 == "copy" ? $4 : $3
			while (id && name[id] !~ /^hip/) id = up[id]
			if (name[id] !~ /^hip(.*Launch|Mem(cpy|set)|Module|Graph|Malloc|Free|Host|Stream|Event|Device|Ctx)/) { bad++; print "by " name[id] ": " $0 } }
		END { exit bad > 0 || !n }' "$T/records"
}

@test "HIP hands in its tables: each call is told of once, from there, and what the GPUs ran belongs to it" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module; do
		echo "$w"
		# shellcheck disable=SC2086 # words
		traced "$HIP_REGISTERS" RT_TOOL=callbacks,records,calls "$O/workloads/"$w
		check_hip_calls
		check_callers
		check_gpu_work
		for how in callback record; do
			[ "$(awk -v how=$how '$1 == "init" && $2 == how && $3 ~ /_HIP$/ { print $4, $5 }' "$T/records")" = "60443 0" ]
		done
	done
}

@test "HIP hands in its tables: with calls of HIP alone, what GPUs do belongs to them" {
	traced "$HIP_REGISTERS" RT_TOOL=callbacks,hip "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_hip_calls
	# A launch, or a copy by a kernel, may be over before a packet in front of its own is written, with which both
	# are submitted.
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3; tid[$4] = $6; open[$4] = 1 }
		$1 == "call" && $2 == "exit" { open[$4] = name[$4] ~ /^hip(LaunchKernel|MemcpyAsync)$/ }
		$1 == "kernel" && $2 == "load" { copies[$3] = $5 ~ /^__amd_rocclr_copy/ }
		$1 == "dispatch" && $2 == "enter" && !copies[$10] { check($3, $5, "^hipLaunchKernel$"); launched[$3]++ }
		$1 == "dispatch" && $2 == "enter" && copies[$10] { check($3, $5, "^hipMemcpyAsync$"); copied[$3]++ }
		$1 == "copy" && $2 == "enter" { check($4, $6, "^hipMemcpyAsync$"); copied[$4]++ }
		function check(id, by, re) { if (!open[id] || tid[id] != by || name[id] !~ re) { bad++; print "by " name[id] ": " $0 } }
		END {
			for (id in name) {
				if (name[id] == "hipLaunchKernel" && launched[id] != 1) { bad++; print "launches " launched[id] }
				if (name[id] == "hipMemcpyAsync" && copied[id] != 1) { bad++; print "copies " copied[id] } }
			exit bad > 0 || !length(launched) || !length(copied) }' "$T/records"
}

@test "HIP hands in its tables: results are what the program has got" {
	traced "$HIP_REGISTERS" RT_TOOL=hip "$O/workloads/errors"
	check_hip_calls
	grep '^returns ' "$T/out" | cut -d' ' -f2- | plain_names >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 10 ]
	diff "$T/want" <(awk '$1 == "call" && $2 == "exit" && $7 { print $3, $7 }' "$T/records" | plain_names)
}

@test "HIP hands in its tables: tools are shown them, and without them are told that there are none" {
	traced "$HIP_REGISTERS" RT_TOOL=hip RT_TOOL_TABLES=1 "$O/workloads/vectoradd"
	[ "$(grep '^table asked' "$T/records" | sort -u)" = "table asked ROCPROFILER_STATUS_SUCCESS
table asked-all ROCPROFILER_STATUS_SUCCESS" ]
	diff <(awk '$1 == "table" && $2 ~ /^[24]$/' "$T/records" | sort) <(printf 'table 2 60443 0\ntable 4 60443 0\n')
	[ "$(grep -c '^table 1 ' "$T/records")" = 1 ]
	! ldd "$O/workloads/vectoradd" | grep -q librocprofiler-register || skip "this HIP hands in its tables itself"
	traced RT_TOOL=hip RT_TOOL_TABLES=1 "$O/workloads/vectoradd"
	grep -qx 'table asked ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED' "$T/records"
	grep -qx 'table asked-all ROCPROFILER_STATUS_SUCCESS' "$T/records"
	[ "$(grep -c '^table [0-9]' "$T/records")" = 1 ]
	# Without HIP in the process there may come one.
	traced RT_TOOL=callbacks RT_TOOL_TABLES=1 "$O/workloads/hsa_dispatch" -n 4
	grep -qx 'table asked ROCPROFILER_STATUS_SUCCESS' "$T/records"
}

# counts_of_hsa: of calls of HSA that are reported; the runtime ends with others than the program.
counts_of_hsa() {
	counts_of "$1" '^hsa_' | grep -vE '^hsa_(init|shut_down|system_get_info) '
}

@test "HSA hands in its table, or loads a tool, or both: its calls and what GPUs do are told of once" {
	for libraries in "$REGISTER" "$REGISTER $O/librocprofiler-sdk.so.1" "$O/librocprofiler-sdk.so.1 $REGISTER"; do
		echo "$libraries"
		traced HSA_TOOLS_LIB="$libraries" RT_TOOL=callbacks,records,calls RT_TOOL_TABLES=1 "$O/workloads/hsa_dispatch" -n 40
		sed -n 's/^calls hsa_/hsa_/p' "$T/out" | grep -vE '^hsa_(init|shut_down|system_get_info) ' | sort >"$T/want"
		[ -s "$T/want" ]
		for phase in enter exit; do diff "$T/want" <(counts_of_hsa $phase); done
		check_gpu_work
		[ "$(grep -c '^init callback ' "$T/records")" = 1 ]
		[ "$(grep -c '^table 1 ' "$T/records")" = 1 ]
	done
}

@test "HSA and HIP hand in their tables" {
	traced "$HIP_REGISTERS" HSA_TOOLS_LIB="$REGISTER" RT_TOOL_TABLES=1 "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_hip_calls
	check_callers
	check_told complete exit
	check_code
	diff <(grep '^table [0-9]' "$T/records" | sort) <(printf 'table %d 60443 0\n' 1 2 4)
	diff <(awk '$1 == "init" && $2 == "callback" { print $3, $4, $5 }' "$T/records" | sort) \
		<(printf 'RUNTIME_INITIALIZATION_%s 60443 0\n' HIP HSA)
}

# After each kernel that the program has registered, and before it goes, comes what it is launched by, which is where the program's
# symbol of that name is. Kernels of nobody have none. check_hosts PROGRAM
check_hosts() {
	nm "$1" | awk '{ sub(/^0+/, "0x", $1); print $3, $1 }' >"$T/symbols"
	awk -v program="$1" 'NR == FNR { at[$1] = $2; next }
		$1 == "kernel" && $2 == "load" { name = substr($5, 1, length($5) - 3); kernel[$3] = $4 " " name; loaded[name]++ }
		$1 == "host" && $2 == "load" {
			if ($3 != ++n) wrong("id")
			name = $6
			if (kernel[$4] != $5 " " name) wrong("not behind its kernel")
			if ($7 != program || !(name in at) || $8 != at[name]) wrong("address")
			here[$4] = $0; hosts[name]++ }
		$1 == "host" && $2 == "unload" { was = $0; sub("unload", "load", was); if (here[$4] != was) wrong("was not there"); delete here[$4] }
		$1 == "kernel" && $2 == "unload" && $3 in here { wrong("left its kernel behind") }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END {
			for (name in loaded) if (hosts[name] != (name in at ? loaded[name] : 0)) { print name; bad++ }
			for (id in here) { print "left: " here[id]; bad++ }
			exit bad > 0 || !n }' "$T/symbols" "$T/records"
}

@test "what kernels are launched by, of a HIP with tables and of one without" {
	for how in RT_TOOL=callbacks "$HIP_REGISTERS"; do
		for w in vectoradd "streams -g 2 -t 2 -s 1 -n 4" graphs; do
			echo "$how $w"
			# shellcheck disable=SC2086 # words
			traced RT_TOOL=callbacks "$how" "$O/workloads/"$w
			check_hosts "$O/workloads/${w%% *}"
		done
	done
	# Loaded from a file: nobody's, unless the program has one of that name.
	traced RT_TOOL=callbacks "$O/workloads/module"
	not grep '^host' "$T/records"
}

@test "what compilers call is told of without tables, too" {
	traced RT_TOOL=hip "$O/workloads/vectoradd"
	sed -n '/__hipUnregisterFatBinary/d; s/^calls __hip/__hip/p' "$T/out" >"$T/want"
	[ "$(wc -l <"$T/want")" = 4 ]
	diff "$T/want" <(counts_of exit '^__hip')
}
