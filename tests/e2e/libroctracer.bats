# SPDX-License-Identifier: MIT
# libroctracer64 with the real HIP and HSA: what it tells a tool of is what workloads count and what the simulated
# GPU says it ran.

load common
load gpu

# traced [NAME=VALUE...] WORKLOAD ARGS...: with the tool of tests/roctracer, as the file records.
traced() {
	env LD_PRELOAD="$O/tests/libtool.so $O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" \
		SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$(tmp truth)" RT_TOOL_OUT="$(tmp records)" "$@" >"$(tmp out)"
	grep -q '^result PASSED$' "$(tmp out)"
}

# The HIP calls that are in no other one.
outermost() {
	awk '$1 == "api" && $2 == "HIP" { print $8, $5, $6, $3 }' "$(tmp records)" | sort -k1,1n -k2,2n -k3,3nr |
		awk '$1 != tid { tid = $1; end = 0 } $2 >= end { end = $3; n[$4]++ } END { for (f in n) print f, n[f] }' | sort
}

# Each call that the workload counts, but for those around main, is recorded once, and told at its begin and end.
# (HIP 5.2 tells no tool of hipGetDeviceCount.)
check_counts() {
	awk '$1 == "calls" && $2 ~ /^(hip|__hipP)/ && $2 != "hipGetDeviceCount" { print $2, $3 }' "$(tmp out)" | sort >"$(tmp want)"
	[ -s "$(tmp want)" ]
	diff "$(tmp want)" <(outermost)
	[ "${1:-}" = "records" ] ||
		diff <(awk '$1 == "api" { n[$2 " " $3]++ } END { for (f in n) print f, n[f] }' "$(tmp records)" | sort) \
			<(awk '$1 == "call" { n[$2 " " $3]++; if ($5 == "exit") e[$2 " " $3]++ }
				END { for (f in n) if (n[f] == 2 * e[f]) print f, e[f] }' "$(tmp records)" | sort)
}

# Ids are unique; begin and end, and the times of a call are those of one thread in order.
check_records() {
	awk '$1 == "api" { if (seen[$4]++) wrong("id twice"); if ($6 < $5 || !$5) wrong("times"); begin[$4] = $5; end[$4] = $6
			pid = $7; if (!(pid in pids)) { pids[pid]; if (++n > 1) wrong("process") } }
		$1 == "call" { if ($5 == "exit" && !entered[$4]) wrong("exit first"); if ($5 == "enter" && entered[$4]++) wrong("twice") }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END { exit bad > 0 }' "$(tmp records)"
}

# Every dispatch of the truth log is recorded, within 1 us, with the id of a call that launches. (HIP's own kernels
# are copies and fills, to it.)
check_dispatches() {
	true_ops "$(tmp truth)" | awk -F '\t' '$1 == "dispatch" && $3 !~ /^__amd_rocclr/ { print $5, $6 }' | sort -n >"$(tmp ran)"
	awk '$1 == "op" && $2 == 0 { print $5, $6, $4 }' "$(tmp records)" | sort -n >"$(tmp told)"
	[ "$(wc -l <"$(tmp ran)")" = "$(wc -l <"$(tmp told)")" ]
	paste -d ' ' "$(tmp ran)" "$(tmp told)" | awk '
		function apart(a, b) { return a > b ? a - b : b - a }
		apart($1, $3) > 1000 || apart($2, $4) > 1000 { bad++; if (bad <= 5) print }
		END { exit bad > 0 }'
	[ "${1:-}" = "ops" ] || awk '$1 == "api" && $2 == "HIP" { name[$4] = $3 }
		$1 == "op" && $2 == 0 { ops[NR] = $4 }
		END { for (i in ops) if (name[ops[i]] !~ /^hip(LaunchKernel|ExtLaunchKernel|ModuleLaunchKernel|GraphLaunch)/) {
			print "by " ops[i] " " name[ops[i]]; bad++ } exit bad > 0 }' "$(tmp records)"
}

@test "callbacks, records and what the GPUs ran, of each workload" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module "events" matrixtranspose; do
		echo "$w"
		rm -f "$(tmp truth)"
		# shellcheck disable=SC2086 # words
		traced "$O/workloads/"$w
		check_counts
		check_records
		check_dispatches
		[ -s "$(tmp ran)" ] || [ "$w" = copies ]
	done
}

@test "records alone, and what GPUs do alone" {
	traced RT_TOOL=records "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_counts records
	check_records
	check_dispatches
	! grep -q ^call "$(tmp records)"
	rm "$(tmp truth)"
	traced RT_TOOL=ops "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_dispatches ops
	! grep -qv ^op "$(tmp records)"
}

@test "HSA's calls, where HSA_TOOLS_LIB names the library; by a program of HSA alone, too" {
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/hsa_calls" "$O/workloads/kernels.hsaco" 50
	# What initialises it is not counted, and at hsa_shut_down tools have been unloaded.
	awk '$1 == "calls" && $2 ~ /^hsa/ && $2 !~ /hsa_(agent_get_info|shut_down)/ { print $2, $3 }' "$(tmp out)" | sort >"$(tmp want)"
	[ "$(wc -l <"$(tmp want)")" -gt 4 ]
	awk '$1 == "api" && $2 == "HSA" { n[$3]++ } END { for (f in n) print f, n[f] }' "$(tmp records)" | sort >"$(tmp got)"
	diff "$(tmp want)" <(join "$(tmp got)" <(cut -d ' ' -f 1 "$(tmp want)"))
	check_records
	traced HSA_TOOLS_LIB="$O/libroctracer64.so.4" "$O/workloads/vectoradd"
	check_counts
	check_records
	check_dispatches
	# Of a copy, HSA's call is inside of HIP's.
	awk '$1 == "api" && $2 == "HSA" && $3 == "hsa_amd_memory_async_copy" { b[NR] = $5; e[NR] = $6 }
		$1 == "api" && $3 == "hipMemcpy" { hb[NR] = $5; he[NR] = $6 }
		END { for (i in b) { found = 0; for (k in hb) if (b[i] >= hb[k] && e[i] <= he[k]) found = 1
			if (!found) bad++; n++ } exit bad || !n }' "$(tmp records)"
}

@test "the tracer beside it: both are complete" {
	sim "$RTRACE" -t hip,gpu -f json -o "$(tmp t.json)" -- env LD_PRELOAD="$O/tests/libtool.so $O/libsimkfd.so" \
		SIMKFD_GPUS=2 SIMKFD_TRUTH="$(tmp truth)" RT_TOOL_OUT="$(tmp records)" \
		"$O/workloads/streams" -g 2 -t 4 -s 2 -n 20 >"$(tmp out)" 2>"$(tmp err)"
	grep -q '^result PASSED$' "$(tmp out)"
	check_counts
	check_records
	check_dispatches
	check_truth "$(tmp truth)" "$(tmp t.json)"
	awk '$1 == "calls" && $2 ~ /^hip/ { print $2, $3 }' "$(tmp out)" | sort >"$(tmp want)"
	diff "$(tmp want)" <(calls "$(tmp t.json)" | awk '{ n[$1]++ } END { for (f in n) print f, n[f] }' | sort |
		join - <(cut -d ' ' -f 1 "$(tmp want)"))
}

@test "ThreadSanitizer: no data race, enabling and disabling under load included" {
	nm -D "$O/tsan/libroctracer64.so.4" | grep -q __tsan_write
	for hip in 52 57 64; do
		setarch -R "$O/tsan/tests/test_roctracer_$hip" >"$(tmp out)" 2>&1 || { grep -A 30 "WARNING: Thr\|FAILED" "$(tmp out)" | head -n 60; false; }
		! grep ThreadSanitizer "$(tmp out)"
	done
}
