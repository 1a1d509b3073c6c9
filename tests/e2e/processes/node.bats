#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node,plain
# All processes of the node by one -a: in containers, with other files, with HIP linked in, those that
# come and go. The judges are what the programs print, the simulator's truth log, and /proc.

load ../common
load ../gpu
load ../node

# start_job NAME PREFIX... -- FOLDER: the job of the build FOLDER, by `PREFIX... env`; GPU work waits for `go`
start_job() {
	local name=$1 prefix=()

	shift
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	(
		"${prefix[@]}" env LD_PRELOAD="$2/libsimkfd.so" SIMKFD_KERNEL_LIB="$2/workloads/libkernels.so" \
			HSA_TOOLS_LIB="$2/librtrace-agent.so" SIMKFD_TRUTH="$T/$name.truth" \
			SIMKFD_DRIFT_PPM=200 "$2/workloads/job" -n 50 -t 2 --go "$T/go"
	) >"$T/$name.out" 2>"$T/$name.err" &
	started=$!
	JOBS_STARTED+=("$started")
	wait_for grep -q '^ready' "$T/$name.out"
}

# The process's calls as the job counted them, and its GPU operations as they were.
is_whole() {
	local name=$1 pid=$2

	only "$pid" >"$T/only.json"
	json_trace "$T/only.json" nesting causes "counts=$T/$name.out"
	truth_since_go "$T/$name.truth"
	JUDGE=--one-process check_truth "$T/truth.go" "$T/only.json"
}

# uses PID FOLDER: the files of that folder's ROCm, and what the labels say of them
uses() {
	local lib labels

	labels=$(jq -r --argjson pid "$1" '.traceEvents[] |
		select(.name == "process_labels" and .pid == $pid) | .args.labels' "$T/t.json")
	for lib in libamdhip64 libhsa-runtime64; do
		lib=$(find "$2/usr/lib" -type f -name "$lib.so.*" -printf '%f\n' | head -n 1)
		echo "process $1 is to use $lib"
		grep -q -- "^--- process $1 uses .*\<$lib\>" "$T/t.text"
		grep -q "\<$lib\>" <<<"$labels"
	done
}

# lives PID NAME GROUP: the id that the job has said, and the control group
lives() {
	local inner group labels

	inner=$(awk '$1 == "ready" {print $2}' "$T/$2.out")
	group=/
	[ -z "$3" ] || group=${3#"$(cgroup_root)"}
	[ "$inner" != "$1" ]
	grep -qx -- "--- process $1 is $inner in its pid namespace, cgroup $group" "$T/t.text"
	jq -e --argjson pid "$1" --arg text "pid $inner in its namespace, cgroup $group," '
		any(.traceEvents[]; .name == "process_labels" and .pid == $pid and
			(.args.labels | startswith($text)))' "$T/t.json"
}

# The ROCm files of the machine, as the linker finds them.
host_libraries() {
	ldd "$O/workloads/job" "$O/workloads/hsa_dispatch" | awk '$3 ~ /lib(amdhip64|hsa)/ {print $3}' | sort -u |
		xargs readlink -f
}

@test "a job, one in a container with the same files, and one in a container with copies: each whole" {
	needs_to_be_alone
	containers_work
	start_job host -- "$O"
	host=$started
	make_group below
	below_group=$GROUP
	start_job below contain below / "" -- "$O"
	below_job=$started
	below=$(contained_pid "$started")
	make_group copies
	copies_group=$GROUP
	start_job copies contain copies / "$(host_libraries | xargs)" -- "$O"
	copies_job=$started
	copies=$(contained_pid "$started")
	GROUP=
	start_node_tracer
	has_found "$host" "$below" "$copies"
	# Two files of each name: those of the machine, once, and the copies.
	[ "$(grep -c 'attach: .*libamdhip64.so.*, all processes' "$T/err")" -ge 2 ]
	go
	wait "$host" "$below_job" "$copies_job"
	wait_for grep -q '^result PASSED$' "$T/below.out"
	stop_node_tracer
	is_whole host "$host"
	is_whole below "$below"
	is_whole copies "$copies"
	for pid in "$host" "$below" "$copies"; do uses "$pid" /; done
	lives "$below" below "$below_group"
	lives "$copies" copies "$copies_group"
	! grep -q -- "--- process $host is " "$T/t.text" || false
}

# Folders with other releases of ROCm and this project built in /rtrace/build, as scripts/rocm-matrix
# makes them: RT_ROCM_ROOTS=FOLDER:FOLDER...
# bats test_tags=slow
@test "containers with other releases of ROCm" {
	needs_to_be_alone
	[ -n "${RT_ROCM_ROOTS:-}" ] || skip "no folders with other releases in RT_ROCM_ROOTS"
	containers_work
	local IFS=: root pids=() jobs=() groups=() n=0

	start_job host -- "$O"
	host=$started
	for root in $RT_ROCM_ROOTS; do
		make_group "root$n"
		groups+=("$GROUP")
		start_job "root$n" contain "root$n" "$root" "" -- /rtrace/build
		jobs+=("$started")
		pids+=("$(contained_pid "$started")")
		n=$((n + 1))
	done
	unset IFS
	GROUP=
	start_node_tracer
	has_found "$host" "${pids[@]}"
	go
	wait "$host" "${jobs[@]}"
	stop_node_tracer
	is_whole host "$host"
	uses "$host" /
	n=0
	for root in ${RT_ROCM_ROOTS//:/ }; do
		is_whole "root$n" "${pids[n]}"
		uses "${pids[n]}" "$root"
		lives "${pids[n]}" "root$n" "${groups[n]}"
		n=$((n + 1))
	done
}

@test "a process that starts after -a and uses files that are probed loses nothing" {
	needs_to_be_alone
	copy_capture mine
	"$T/mine/edges" go 5 >"$T/holder" &
	holder=$!
	JOBS_STARTED+=("$holder")
	wait_for grep -q ready "$T/holder"
	start_node_tracer
	has_found "$holder"
	pids=()
	for _ in {1..20}; do
		"$T/mine/edges" plain 50 >"$T/out" &
		pids+=($!)
		wait $!
		grep -q PASSED "$T/out"
	done
	kill -USR1 "$holder"
	wait "$holder"
	stop_node_tracer
	for pid in "${pids[@]}"; do [ "$(plain_of "$pid")" = 50 ]; done
	[ "$(plain_of "$holder")" = 5 ]
	! jq -r '.traceEvents[].name' "$T/t.json" | grep -q "$T/mine.* was probed" || false
}

@test "a process that brings new files: probed at once, and its gap holds all that was missed" {
	needs_to_be_alone
	start_node_tracer
	pids=()
	for i in 1 2 3 4 5; do
		copy_capture "new$i"
		"$T/new$i/windows" stamps on 100 "$T/probed$i" >"$T/said$i" &
		pids+=($!)
		JOBS_STARTED+=($!)
		calls_arrive $! hipTestPlain
		touch "$T/probed$i"
		wait $!
	done
	stop_node_tracer
	for i in 1 2 3 4 5; do
		all_but_gap "${pids[i - 1]}" hipTestPlain 0 "$T/said$i" "$T/new$i/libamdhip64" 100
		grep -q "^ .* ${pids[i - 1]} .*gap: calls may be missing: $T/new$i/libamdhip64" "$T/t.text"
	done
	[ "$(jq '.otherData.gaps | tonumber' "$T/t.json")" = \
		"$(grep -c 'gap: calls may be missing' "$T/t.text")" ]
	sort -n "$T/gaps" | awk '{ g[NR] = $1 / 1e6 } END { print "# gap: median " g[3] " ms, worst " g[5] " ms" }' >&3
}

@test "a process that brings new files and is gone before the tracer looks: all of it is in the gap" {
	needs_to_be_alone
	start_node_tracer
	copy_capture new
	kill -STOP "$tracer"
	"$T/new/windows" stamps on 5 >"$T/said" &
	pid=$!
	wait $pid
	kill -CONT "$tracer"
	wait_for grep -q "warning: process $pid: libamdhip64.so.99 was not probed: it was gone before" "$T/err"
	stop_node_tracer
	[ "$(plain_of "$pid")" = 0 ]
	read -r begin end < <(gap_of "$pid" libamdhip64)
	[ "$(awk -v begin="$begin" -v end="$end" '$1 == "call" && $3 >= begin && $4 <= end' "$T/said" | wc -l)" = 5 ]
}

# The kernel leaves a program out that has preempted itself, and counts that: played, as it is rare.
@test "the kernel does not tell of a file and of an agent: found, and a gap holds what was missed" {
	needs_to_be_alone
	printf '#!/bin/sh\nexec env LD_PRELOAD="%s" OLDKERNEL=misses "%s" "$@"\n' "$O/capture/oldkernel.so" "$RTRACE" >"$T/rtrace"
	chmod +x "$T/rtrace"
	RTRACE=$T/rtrace start_node_tracer
	grep -q 'mappings are seen by fexit' "$T/err" || skip "this kernel runs no programs at the end of its functions (fexit)"
	copy_capture new
	"$T/new/windows" stamps on 100 "$T/probed" >"$T/said" &
	pid=$!
	JOBS_STARTED+=("$pid")
	calls_arrive "$pid" hipTestPlain
	touch "$T/probed"
	wait "$pid"
	start_job late -- "$O"
	wait_for grep -q "agent: process $started: recording" "$T/err"
	go
	wait "$started"
	stop_node_tracer
	all_but_gap "$pid" hipTestPlain 0 "$T/said" "$T/new/libamdhip64" 100
	grep -q "^ .* $started .*gap: .*no GPU operations: its agent was found late" "$T/t.text"
	# All that the GPUs did since, and perhaps something of before.
	only "$started" >"$T/only.json"
	truth_since_go "$T/late.truth"
	[ "$(true_ops "$T/truth.go" | wc -l)" -gt 0 ]
	[ "$(traced_ops "$T/only.json" | wc -l)" -ge "$(true_ops "$T/truth.go" | wc -l)" ]
}

# linked_in PROGRAM N FILE: its four functions, N times each, and nothing that is only named alike
linked_in() {
	local function

	for function in hipMalloc hipMemcpy hipLaunchKernel hipFree; do
		[ "$(count "$3" $function)" = "$2" ]
	done
	[ "$(calls "$3" | wc -l)" = $((4 * $2)) ]
	[ "$(jq '[.traceEvents[] | select(.name == "hipster")] | length' "$3")" = 0 ]
}

@test "HIP linked in: launched, attached to, and found by -a before and after its start" {
	needs_to_be_alone
	for program in static_hip static_hip_pie; do
		fresh out p.err
		"$RTRACE" -f json -o "$T/c.json" -- "$O/capture/$program" 20 2>"$T/c.err" >"$T/out"
		linked_in $program 20 "$T/c.json"
		cp "$O/capture/$program" "$T/new-$program"
		"$O/capture/$program" 30 go >"$T/out" &
		job=$!
		JOBS_STARTED+=("$job")
		wait_for grep -q ready "$T/out"
		"$RTRACE" -p "$job" -f json -o "$T/p.json" 2>"$T/p.err" &
		by_pid=$!
		JOBS_STARTED+=("$by_pid")
		wait_for grep -q 'API calls' "$T/p.err"
		start_node_tracer
		has_found "$job"
		kill -USR1 "$job"
		"$T/new-$program" 100 until "$T/probed-$program" >"$T/said" &
		new=$!
		"$O/capture/$program" 7 >/dev/null &
		again=$!
		JOBS_STARTED+=("$new" "$again")
		calls_arrive "$new" hipMalloc
		touch "$T/probed-$program"
		wait "$job" "$new" "$again" "$by_pid"
		stop_node_tracer
		linked_in $program 30 "$T/p.json"
		only "$job" >"$T/only.json"
		linked_in $program 30 "$T/only.json"
		only "$again" >"$T/only.json"
		linked_in $program 7 "$T/only.json"
		all_but_gap "$new" hipMalloc 1 "$T/said" "$T/new-$program" 100
	done
}

@test "forks, chains of programs and late loading under -a: told of the right process and files" {
	needs_to_be_alone
	copy_capture mine
	cp "$O/libroctx64.so.4" "$T/mine" # a file that no other process of the node brings
	"$T/mine/edges" go 5 >"$T/holder" &
	holder=$!
	"$O/capture/edges" load "$T/mine/libroctx64.so.4" >"$T/late" &
	late=$!
	JOBS_STARTED+=("$holder" "$late")
	wait_for grep -q ready "$T/holder"
	wait_for grep -q ready "$T/late"
	start_node_tracer
	has_found "$holder" "$late"
	kill -USR1 "$late"
	wait_for grep -q "attach: .*$T/mine/libroctx64" "$T/err"
	kill -USR1 "$late"
	sh -c "exec '$T/mine/edges' plain 3" >/dev/null &
	chain=$!
	sh -c "'$T/mine/edges' plain 4; exec sh -c \"exec '$T/mine/edges' plain 5\"" >/dev/null &
	chain2=$!
	"$T/mine/edges" fork_in_call 3 >"$T/out" &
	forker=$!
	wait "$late" "$chain" "$chain2" "$forker"
	kill -USR1 "$holder"
	wait "$holder"
	stop_node_tracer
	[ "$(plain_of "$chain")" = 3 ]
	[ "$(plain_of "$chain2")" = 5 ]
	only "$late" >"$T/only.json"
	tail -n 4 "$T/err"
	[ "$(count "$T/only.json" roctxMarkA)" = 10 ]
	grep -q -- "^--- process $late uses .*libroctx64" "$T/t.text"
	# Each child of the forker made two calls; it waits for them and makes none itself.
	[ "$(plain_of "$forker")" = 0 ]
	jq -r '.traceEvents[] | select(.name == "hipTestPlain") | .pid' "$T/t.json" | sort -n | uniq -c |
		awk '$1 == 2' >"$T/children"
	[ "$(wc -l <"$T/children")" -ge 3 ]
}

# The next process to be started gets that number, if nobody is faster. The counter goes back at once:
# numbers that were just in use are taken for the processes that had them.
take_number() {
	local counter=/proc/sys/kernel/ns_last_pid last

	read -r last <$counter
	echo $(($1 - 1)) >$counter
	"$O/capture/windows" stamps on 60 >"$T/second.out" &
	echo "$last" >$counter
	second=$!
	wait "$second"
}

# bats test_tags=slow
@test "a process that gets the number of another inherits nothing" {
	needs_to_be_alone
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "numbers of processes cannot be chosen here"
	"$O/capture/windows" sleeps on 200 >/dev/null & # keeps the files probed
	JOBS_STARTED+=($!)
	wait_for grep -q 'r-xp .*/libroctracer64' "/proc/$!/maps"
	start_node_tracer
	for _ in {1..20}; do
		"$O/capture/windows" leave on 3 >/dev/null &
		first=$!
		wait "$first" || :
		take_number "$first"
		[ "$second" != "$first" ] || break
	done
	[ "$second" = "$first" ] || skip "the number was taken by others each time"
	stop_node_tracer
	only "$first" >"$T/only.json"
	[ "$(plain_of "$first")" = 60 ]
	jq -e 'all(.traceEvents[] | select(.name == "hipTestPlain"); .args.external == null)' "$T/only.json"
	# Names in the order of time: the first one's, then those of the second.
	grep -- "^--- process $first " "$T/t.text"
	grep -- "^--- process $first " "$T/t.text" | tail -n 2 | grep -q "windows: $O/capture/windows stamps on 60"
	[ "$(jq -r '.traceEvents[] | select(.name == "thread_name") | .args.name' "$T/only.json" | tail -n 1)" = windows ]
}

# memory_of PID: resident, in KiB
memory_of() {
	awk '$1 == "VmRSS:" {print $2}' "/proc/$1/status"
}

descriptors_of() {
	find "/proc/$1/fd" -mindepth 1 | wc -l
}

# bats test_tags=slow
@test "a thousand processes come and go: all their calls, and nothing of them is kept" {
	needs_to_be_alone
	local program=edges$$

	copy_capture mine
	mv "$T/mine/edges" "$T/mine/$program"
	"$T/mine/$program" go 1 >"$T/holder" &
	holder=$!
	JOBS_STARTED+=("$holder")
	wait_for grep -q ready "$T/holder"
	start_node_tracer --comm "$program"
	has_found "$holder"
	many() {
		local i

		for ((i = 0; i < $1; i++)); do "$T/mine/$program" plain 3; done | grep -c PASSED
	}
	[ "$(many 200)" = 200 ]
	memory=$(memory_of "$tracer") descriptors=$(descriptors_of "$tracer")
	[ "$(many 800)" = 800 ]
	# Each is closed when the tracer has read that its process has ended.
	wait_for eval '[ "$(descriptors_of "$tracer")" -le $((descriptors + 8)) ]'
	grown=$(($(memory_of "$tracer") - memory))
	echo "grown by $grown KiB"
	# A sanitizer keeps what is freed for a while.
	ldd "$RTRACE" | grep -q libasan || [ "$grown" -lt 6000 ]
	kill -USR1 "$holder"
	wait "$holder"
	stop_node_tracer
	[ "$(count "$T/t.json" hipTestPlain)" = 3001 ]
	# Most have a number of their own.
	calls "$T/t.json" | awk -F '\t' '{n[$5]++} END {for (p in n) if (n[p] % 3 == 0) own++; exit own < 500}'
	nothing_lost "$T/err"
}

@test "agents of processes that have ended are let go of" {
	needs_to_be_alone
	start_node_tracer -t gpu
	agents() {
		grep -c 'memfd:rtrace-agent' "/proc/$tracer/maps"
	}
	before=$(agents) || :
	for _ in {1..8}; do
		sim HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/vectoradd" >"$T/out"
		grep -q PASSED "$T/out"
	done
	# Others may have come meanwhile.
	wait_for eval '[ "$(agents)" -le $((before + 2)) ]'
	pidfds() {
		find "/proc/$tracer/fd" -mindepth 1 -lname 'anon_inode:*pidfd*' | wc -l
	}
	wait_for eval '[ "$(pidfds)" -le $((before + 2)) ]'
	stop_node_tracer
	[ "$(traced_ops "$T/t.json" | grep -c dispatch)" -ge 8 ]
}

# Where no call is traced nothing but /proc tells whose a number is.
@test "kernels alone, of threads in a container: told by the thread's number on the host" {
	needs_to_be_alone
	containers_work
	GROUP=
	start_job inner contain inner / "" -- "$O"
	pid=$(contained_pid "$started")
	start_node_tracer -t kernel
	has_found "$pid"
	go
	wait "$started"
	stop_node_tracer
	awk -v pid="$pid" '$2 ~ "^" pid "(/|$)" && / elementAdd / {sub(/.*\//, "", $2); print $2}' "$T/t.text" |
		sort -n | uniq -c | tee "$T/tids"
	# Two threads, with numbers of the host, which are above that of the process here, or wrapped around.
	inner=$(awk '$1 == "ready" {print $2}' "$T/inner.out")
	[ "$(wc -l <"$T/tids")" = 2 ]
	awk -v inner="$inner" '$1 != 50 || ($2 >= inner && $2 < inner + 20) {bad = 1} END {exit bad}' "$T/tids"
}

@test "in a pid namespace of its own the tracer refuses: the kernel's numbers are the host's" {
	containers_work
	for options in -a "-p 1" "-- true"; do
		status=0
		# shellcheck disable=SC2086
		unshare --mount --pid --fork --mount-proc "$RTRACE" -f text -o "$T/x" $options 2>"$T/err" || status=$?
		cat "$T/err"
		[ "$status" = 1 ]
		[ "$(wc -l <"$T/err")" = 1 ]
		grep -q 'pid namespace' "$T/err"
		[ ! -e "$T/x" ]
	done
}

teardown() {
	end_jobs
	remove_groups
}
