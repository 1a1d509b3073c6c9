#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is captured: domains, functions, durations, errors, users, names of processes, control groups.
# The judges are the programs' own counts and the simulator's truth log.

load ../common
load ../gpu

WINDOWS=$O/capture/windows

# gpu_traced OPTION... -- WORKLOAD [ARG...]: on the simulated GPU, all that it ran is recorded
gpu_traced() {
	local options=() workload

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	workload=$O/workloads/$2
	shift 2
	rm -f "$T/truth" "$T/t.json"
	# System calls, for releases whose thunk is no library of its own; small copies are copies with ROCm 6, too.
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_SYSCALLS=1 GPU_FORCE_BLIT_COPY_SIZE=0 "$RTRACE" -f json -o "$T/t.json" "${options[@]}" -- \
		"$workload" "$@" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	is_complete "$T/err" 'GPU operations'
}

# What kinds of events are in the trace; of GPU operations: which.
kinds() {
	jq -r '[.traceEvents[] | select(.ph | IN("X", "i", "b")) |
		if .cat != "gpu" then .cat elif .args.bytes == null then "kernel" else "copy" end] |
		unique | join(" ")' "$T/t.json"
}

# shows KINDS OPTION...: of a program with ranges, launches and copies
shows() {
	local want=$1

	shift
	gpu_traced "$@" -- ranges
	[ "$(kinds)" = "$want" ] || { echo "$*: $(kinds)"; return 1; }
}

@test "-t: each domain by itself, and several" {
	shows "hip" -t hip
	check_counts "$T/out" "$T/t.json" '^(__)?hip'
	shows "hsa" -t hsa
	shows "kfd" -t kfd
	shows "roctx" -t roctx
	check_counts "$T/out" "$T/t.json" '^roctx'
	shows "kernel" -t kernel
	shows "copy" -t memory-copy
	shows "copy hip kernel roctx" -t hip,marker -t gpu
	json_trace "$T/t.json" causes
}

@test "rocprofv3's spellings" {
	shows "hip kernel" --hip-trace --kernel-trace
	check_counts "$T/out" "$T/t.json" '^(__)?hip'
	shows "copy hsa" --hsa-trace --memory-copy-trace
	shows "kfd roctx" --marker-trace --kfd-trace
	shows "copy hip kernel roctx" -r
	shows "copy hip hsa kernel kfd roctx" --sys-trace
}

@test "without calls, kernels and copies are told all the same" {
	gpu_traced -t gpu -- streams -g 1 -t 2 -s 2
	check_truth "$T/truth" "$T/t.json"
	[ "$(calls "$T/t.json" | wc -l)" = 0 ]
	gpu_traced --errors-only -- vectoradd
	check_truth "$T/truth" "$T/t.json"
	gpu_traced --min-duration 100s -- vectoradd
	check_truth "$T/truth" "$T/t.json"
}

# A job that runs on, and a tracer of it that writes lines: those are there while it runs.
@test "kernels are told while a program runs, whatever is filtered" {
	HSA_TOOLS_LIB=$O/librtrace-agent.so sim_exec "$O/workloads/job" -d 1000 >"$T/job" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/job"
	for options in "-t kernel" --errors-only; do
		# shellcheck disable=SC2086
		"$RTRACE" -p "$job" $options -f text -o "$T/lines" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q elementAdd "$T/lines"
		kill -INT "$tracer"
		wait "$tracer"
		rm "$T/lines"
	done
}

# names: of the calls in the trace, each once
names() {
	calls "$T/t.json" | cut -f1 | sort -u | tr '\n' ' '
}

@test "-e: functions by pattern" {
	gpu_traced -e 'hipMem*' -e hipFree -- vectoradd
	check_counts "$T/out" "$T/t.json" '^(hipMem|hipFree$)'
	! names | tr ' ' '\n' | grep -v '^hipMem\|^hipFree$\|^$' || false
	gpu_traced -e '!hsa*' -e '!hipMemcpy*' -e '!AMDKFD*' -- vectoradd
	! names | grep -qE 'hsa|hipMemcpy|AMDKFD' || false
	check_counts "$T/out" "$T/t.json" '^(__)?hip(L|P|R|F|Mal)'
	gpu_traced -e 'hip*' -e '!*Launch*' -- vectoradd
	! names | grep -q Launch || false
	gpu_traced -e 'noSuchFunction*' -- vectoradd
	[ "$(names)" = "" ]
}

@test "functions that are called at high rates: left out, unless they are named or all are wanted" {
	gpu_traced -t hsa -- vectoradd
	[ "$(count "$T/t.json" hsa_signal_store_screlease)" = 0 ]
	gpu_traced -e 'hsa_signal_store_*' -- vectoradd
	named=$(count "$T/t.json" hsa_signal_store_screlease)
	gpu_traced -t hsa --all-functions -- vectoradd
	[ "$(count "$T/t.json" hsa_signal_store_screlease)" = "$named" ]
	[ "$named" -gt 0 ]
}

traced() {
	rm -f "$T/t.json"
	"$RTRACE" -f json -o "$T/t.json" "$@" >"$T/out" 2>"$T/err"
	nothing_lost "$T/err"
}

@test "--min-duration: the calls that took that long, no others" {
	for time in 0.04s 40000us; do
		traced --min-duration "$time" -- "$WINDOWS" sleeps on 3
		# Its third argument says how long each call sleeps; on a busy machine it may take longer.
		jq -e '[.traceEvents[] | select(.name == "hipTestCallback")] |
			all(.dur >= 40000) and
			([.[] | select(.args.args[1] == "0xea60")] | length) == 3' "$T/t.json"
	done
}

@test "--errors-only: the calls that returned an error, as the program says" {
	gpu_traced --errors-only -t hip -- errors
	jq -r '.traceEvents[] | select(.cat == "hip") | [.name, .args.ret] | @tsv' "$T/t.json" |
		while read -r name ret; do echo "$name $((ret & 0xffffffff))"; done | sort >"$T/traced"
	awk '$1 == "returns" && $3 {print $2, $3}' "$T/out" | sort >"$T/said"
	[ -s "$T/said" ]
	diff "$T/said" "$T/traced"
}

# Runs the calls of a program N times as the shell says, of which some are to be in the trace.
plain_calls() {
	[ "$(count "$T/t.json" hipTestPlain)" = "$1" ]
}

@test "--uid: calls made by that user" {
	local nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"

	chmod 755 "$BATS_RUN_TMPDIR"
	script="$nobody $WINDOWS plain on 3; $WINDOWS plain on 5"
	$nobody "$WINDOWS" plain >/dev/null || skip "the programs cannot be run by another user"
	traced --uid 65534 -- sh -c "$script"
	plain_calls 3
	traced --uid root -- sh -c "$script"
	plain_calls 5
	traced --uid 0 --uid 65534 -- sh -c "$script"
	plain_calls 8
	traced --uid 12345 -- sh -c "$script"
	plain_calls 0
}

@test "--comm: processes of that name, all their threads" {
	script="$WINDOWS plain on 3; $O/capture/edges plain 5"
	traced --comm windows -- sh -c "$script"
	plain_calls 3
	traced --comm edges -- sh -c "$script"
	plain_calls 5
	traced --comm edges --comm windows -- sh -c "$script"
	plain_calls 8
	traced --comm edge -- sh -c "$script"
	plain_calls 0
	traced --comm edges --uid 12345 -- sh -c "$script"
	plain_calls 0
}

# The root of the hierarchy of version 2, mounted if need be.
cgroup_root() {
	local root

	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	if [ -z "$root" ]; then
		root=$T/cgroup
		mkdir "$root"
		mount -t cgroup2 none "$root" 2>/dev/null || return 1
		MOUNTED=$root
	fi
	mkdir "$root/rtrace-filters-$$" 2>/dev/null && GROUP=$root/rtrace-filters-$$
}

@test "--cgroup: processes in that control group or below it" {
	cgroup_root || skip "no control groups of version 2 can be made here"
	mkdir "$GROUP/below" "$GROUP/beside"
	script="echo \$\$ >$GROUP/cgroup.procs; $WINDOWS plain on 3
		echo \$\$ >$GROUP/below/cgroup.procs; $WINDOWS plain on 5
		echo \$\$ >$GROUP/beside/cgroup.procs; $WINDOWS plain on 7
		echo \$\$ >$GROUP/../cgroup.procs; $WINDOWS plain on 11"
	traced --cgroup "$GROUP" -- sh -c "$script"
	plain_calls 15
	traced --cgroup "$GROUP/below" -- sh -c "$script"
	plain_calls 5
	traced --cgroup "$GROUP/below" --cgroup "$GROUP/beside" -- sh -c "$script"
	plain_calls 12
}

@test "-p, several times: these processes and no other" {
	pids=()
	for n in 10 20 40; do
		"$O/capture/edges" go "$n" >"$T/out$n" &
		pids+=($!)
		JOBS_STARTED+=($!)
		wait_for grep -q ready "$T/out$n"
	done
	"$RTRACE" -p "${pids[0]}" -p "${pids[2]}" -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for eval "[ \"\$(grep -c 'API calls' '$T/err')\" = 2 ]"
	kill -USR1 "${pids[@]}"
	wait "$tracer"
	[ "$(calls "$T/t.json" | awk '{n[$5]++} END {for (p in n) print p, n[p]}' | sort)" = \
		"$(printf '%s 10\n%s 40\n' "${pids[0]}" "${pids[2]}" | sort)" ]
}

# The kernels that the truth log names, written as the filter writes them.
true_kernels() {
	sed -n 's/.* kind=dispatch kernel=\([^ ]*\) .*/\1/p' "$T/truth" | "$@" | sort -u
}

kernels() {
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X" and .args.bytes == null) | .name' "$T/t.json" | sort -u
}

@test "names of kernels: demangled, mangled, truncated" {
	gpu_traced -- matrixtranspose 1
	diff <(true_kernels c++filt) <(kernels)
	gpu_traced -M -- matrixtranspose 1
	diff <(true_kernels cat) <(kernels)
	jq -e --arg k "$(kernels)" 'all(.traceEvents[] | select(.name == "hipLaunchKernel"); .args.kernel == $k)' \
		"$T/t.json"
	gpu_traced -T -- matrixtranspose 1
	diff <(true_kernels c++filt -p) <(kernels)
}

@test "stats: the program's calls as CSV" {
	sim "$RTRACE" -f stats -o "$T/t.csv" -t hip -- "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
	[ "$(head -n 1 "$T/t.csv")" = '"Name","Calls","TotalDurationNs","AverageNs","Percentage"' ]
	diff <(tail -n +2 "$T/t.csv" | tr -d '"' | awk -F , '{print $1, $2}' | sort) \
		<(awk '$1 == "calls" && $2 ~ /hip/ {print $2, $3}' "$T/out" | sort)
	# Longest first; averages and shares are those of the totals.
	tail -n +2 "$T/t.csv" | awk -F , '
		{ calls[NR] = $2; total[NR] = $3; mean[NR] = $4; share[NR] = $5; sum += $3 }
		function apart(a, b) { return a > b ? a - b : b - a }
		END {
			for (i = 1; i <= NR; i++) {
				if (i > 1 && total[i] > total[i - 1]) bad = 1
				if (mean[i] != int(total[i] / calls[i])) bad = 1
				if (apart(share[i], 100 * total[i] / sum) > 1e-9) bad = 1
			}
			exit bad || !NR
		}'
}

# refused STATUS PATTERN OPTION...: in one line, before anything is done
refused() {
	local want=$1 pattern=$2 status=0

	shift 2
	"$RTRACE" -o "$T/x" "$@" -- touch "$T/touched" 2>"$T/err" || status=$?
	cat "$T/err"
	[ "$status" = "$want" ]
	[ "$(grep -cv '^Try ' "$T/err")" = 1 ]
	grep -qE -e "$pattern" "$T/err"
	[ ! -e "$T/x" ] && [ ! -e "$T/touched" ]
}

@test "bad values are refused" {
	refused 2 "-t: unknown 'hips' \(hip, hsa" -t hip,hips
	refused 2 "-t: nothing to trace" -t ""
	refused 2 "-t: nothing to trace" -t ,
	for time in "" 1 ms -1ms 1m 0x10ms 1e3ms nanms " 1ms" "1 ms" 1.2.3ms 99999999999999s; do
		refused 2 "--min-duration: '$time' is not a time" --min-duration "$time"
	done
	refused 2 "--uid: no user 'nobody-of-that-name'" --uid nobody-of-that-name
	refused 2 "--uid: '4294967296' is not a number" --uid 4294967296
	refused 2 "--uid: '1x' is not a number" --uid 1x
	refused 2 "--uid: no user ''" --uid ""
	refused 2 "--uid: no user '-1'" --uid=-1
	refused 2 "--comm: 'sixteen-is-too-long'" --comm sixteen-is-too-long
	refused 2 "--comm: ''" --comm ""
	refused 1 'cgroup /nonexistent: No such file' --cgroup /nonexistent
	refused 1 'cgroup /proc: not a control group of version 2' --cgroup /proc
	refused 1 'cgroup /etc/passwd: Not a directory' --cgroup /etc/passwd
	many=()
	for _ in {1..17}; do many+=(--uid 0); done
	refused 2 "--uid: at most 16" "${many[@]}"
	many=()
	for _ in {1..65}; do many+=(-e x); done
	refused 2 "-e: at most 64" "${many[@]}"
}

teardown() {
	end_jobs
	[ -z "$GROUP" ] || rmdir "$GROUP"/* "$GROUP" 2>/dev/null || :
	[ -z "$MOUNTED" ] || umount "$MOUNTED"
}
