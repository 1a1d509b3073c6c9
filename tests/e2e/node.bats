#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node,plain
# All processes of the node by one -a: in containers, with other files, with HIP linked in, those that
# come and go. The judges are what the programs print, the simulator's truth log, and /proc.

load common
load gpu
load node

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
			HSA_TOOLS_LIB="$2/librtrace-agent.so" SIMKFD_TRUTH="$(tmp "$name.truth")" \
			SIMKFD_DRIFT_PPM=200 "$2/workloads/job" -n 50 -t 2 --go "$(tmp go)"
	) >"$(tmp "$name.out")" 2>"$(tmp "$name.err")" &
	started=$!
	JOBS_STARTED+=("$started")
	wait_for grep -q '^ready' "$(tmp "$name.out")"
}

# The process's calls as the job counted them, and its GPU operations as they were.
is_whole() {
	local name=$1 pid=$2

	only "$pid" >"$(tmp only.json)"
	check_nesting "$(tmp only.json)"
	check_counts "$(tmp "$name.out")" "$(tmp only.json)"
	check_causes "$(tmp only.json)"
	truth_since_go "$(tmp "$name.truth")"
	JUDGE=--one-process check_truth "$(tmp truth.go)" "$(tmp only.json)"
}

# uses PID FOLDER: the files of that folder's ROCm, and what the labels say of them
uses() {
	local lib labels

	labels=$(jq -r --argjson pid "$1" '.traceEvents[] |
		select(.name == "process_labels" and .pid == $pid) | .args.labels' "$(tmp t.json)")
	for lib in libamdhip64 libhsa-runtime64; do
		lib=$(find "$2/usr/lib" -type f -name "$lib.so.*" -printf '%f\n' | head -n 1)
		echo "process $1 is to use $lib"
		grep -q -- "^--- process $1 uses .*\<$lib\>" "$(tmp t.text)"
		grep -q "\<$lib\>" <<<"$labels"
	done
}

# lives PID NAME GROUP: the id that the job has said, and the control group
lives() {
	local inner group labels

	inner=$(awk '$1 == "ready" {print $2}' "$(tmp "$2.out")")
	group=/
	[ -z "$3" ] || group=${3#"$(cgroup_root)"}
	[ "$inner" != "$1" ]
	grep -qx -- "--- process $1 is $inner in its pid namespace, cgroup $group" "$(tmp t.text)"
	jq -e --argjson pid "$1" --arg text "pid $inner in its namespace, cgroup $group," '
		any(.traceEvents[]; .name == "process_labels" and .pid == $pid and
			(.args.labels | startswith($text)))' "$(tmp t.json)"
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
	[ "$(grep -c 'attach: .*libamdhip64.so.*, all processes' "$(tmp err)")" -ge 2 ]
	go
	wait "$host" "$below_job" "$copies_job"
	wait_for grep -q '^result PASSED$' "$(tmp below.out)"
	stop_node_tracer
	is_whole host "$host"
	is_whole below "$below"
	is_whole copies "$copies"
	for pid in "$host" "$below" "$copies"; do uses "$pid" /; done
	lives "$below" below "$below_group"
	lives "$copies" copies "$copies_group"
	! grep -q -- "--- process $host is " "$(tmp t.text)" || false
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
	"$(tmp mine)/edges" go 5 >"$(tmp holder)" &
	holder=$!
	JOBS_STARTED+=("$holder")
	wait_for grep -q ready "$(tmp holder)"
	start_node_tracer
	has_found "$holder"
	pids=()
	for _ in {1..20}; do
		"$(tmp mine)/edges" plain 50 >"$(tmp out)" &
		pids+=($!)
		wait $!
		grep -q PASSED "$(tmp out)"
	done
	kill -USR1 "$holder"
	wait "$holder"
	stop_node_tracer
	for pid in "${pids[@]}"; do [ "$(plain_of "$pid")" = 50 ]; done
	[ "$(plain_of "$holder")" = 5 ]
	! jq -r '.traceEvents[].name' "$(tmp t.json)" | grep -q "$(tmp mine).* was probed" || false
}

# gap PID PATTERN: begin and end (ns) of the time in which calls of that file may have been missed
gap_of() {
	jq -r --argjson pid "$1" --arg file "$2" '.traceEvents[] | select(.pid == $pid and
		(.ph == "b" or .ph == "e") and (.name | contains($file) and test(" was (not )?probed"))) |
		.ts * 1000 | round' "$(tmp t.json)" | sort -n | xargs
}

# calls_arrive PID FUNCTION: calls of a process that goes on are in the text, so its files have been probed
calls_arrive() {
	wait_for awk -v pid="$1" -v call="$2(" '$2 == pid && index($3, call) == 1 { found = 1; exit }
		END { exit !found }' "$(tmp t.text)"
}

# What the process called, by number: all that it said, but for those in the gap; never one beyond it. It has made
# at least AFTER calls since the gap's end.
all_but_gap() {
	local pid=$1 function=$2 argument=$3 said=$4 after=$6 begin end

	read -r begin end < <(gap_of "$pid" "$5")
	[ -n "$end" ]
	jq -r --argjson pid "$pid" --arg name "$function" --argjson n "$argument" '.traceEvents[] |
		select(.pid == $pid and .name == $name) | .args.args[$n]' "$(tmp t.json)" |
		while read -r n; do echo $((n)); done | sort -n >"$(tmp seen)"
	[ "$(sort -u "$(tmp seen)" | wc -l)" = "$(wc -l <"$(tmp seen)")" ]
	awk -v begin="$begin" -v end="$end" -v least="$after" '
		NR == FNR { seen[$1] = 1; n++; next }
		$1 == "call" { said++; if ($3 > end) after++; if ($2 in seen) found++
			else if ($3 < begin || $3 > end) { print "call " $2 " is missing and not in the gap"; bad = 1 } }
		END { print n " seen of " said ", " after " after a gap of " (end - begin) / 1e6 " ms"
			exit bad || found != n || after < least }' \
		"$(tmp seen)" "$said"
	echo $((end - begin)) >>"$(tmp gaps)"
}

@test "a process that brings new files: probed at once, and its gap holds all that was missed" {
	needs_to_be_alone
	start_node_tracer
	pids=()
	for i in 1 2 3 4 5; do
		copy_capture "new$i"
		"$(tmp "new$i")/windows" stamps on 100 "$(tmp "probed$i")" >"$(tmp "said$i")" &
		pids+=($!)
		JOBS_STARTED+=($!)
		calls_arrive $! hipTestPlain
		touch "$(tmp "probed$i")"
		wait $!
	done
	stop_node_tracer
	for i in 1 2 3 4 5; do
		all_but_gap "${pids[i - 1]}" hipTestPlain 0 "$(tmp "said$i")" "$(tmp "new$i")/libamdhip64" 100
		grep -q "^ .* ${pids[i - 1]} .*gap: calls may be missing: $(tmp "new$i")/libamdhip64" "$(tmp t.text)"
	done
	[ "$(jq '.otherData.gaps | tonumber' "$(tmp t.json)")" = \
		"$(grep -c 'gap: calls may be missing' "$(tmp t.text)")" ]
	sort -n "$(tmp gaps)" | awk '{ g[NR] = $1 / 1e6 } END { print "# gap: median " g[3] " ms, worst " g[5] " ms" }' >&3
}

@test "a process that brings new files and is gone before the tracer looks: all of it is in the gap" {
	needs_to_be_alone
	start_node_tracer
	copy_capture new
	kill -STOP "$tracer"
	"$(tmp new)/windows" stamps on 5 >"$(tmp said)" &
	pid=$!
	wait $pid
	kill -CONT "$tracer"
	wait_for grep -q "warning: process $pid: libamdhip64.so.99 was not probed: it was gone before" "$(tmp err)"
	stop_node_tracer
	[ "$(plain_of "$pid")" = 0 ]
	read -r begin end < <(gap_of "$pid" libamdhip64)
	[ "$(awk -v begin="$begin" -v end="$end" '$1 == "call" && $3 >= begin && $4 <= end' "$(tmp said)" | wc -l)" = 5 ]
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
		"$RTRACE" -f json -o "$(tmp c.json)" -- "$O/capture/$program" 20 2>"$(tmp c.err)" >"$(tmp out)"
		linked_in $program 20 "$(tmp c.json)"
		cp "$O/capture/$program" "$(tmp "new-$program")"
		"$O/capture/$program" 30 go >"$(tmp out)" &
		job=$!
		JOBS_STARTED+=("$job")
		wait_for grep -q ready "$(tmp out)"
		"$RTRACE" -p "$job" -f json -o "$(tmp p.json)" 2>"$(tmp p.err)" &
		by_pid=$!
		JOBS_STARTED+=("$by_pid")
		wait_for grep -q 'API calls' "$(tmp p.err)"
		start_node_tracer
		has_found "$job"
		kill -USR1 "$job"
		"$(tmp "new-$program")" 100 until "$(tmp "probed-$program")" >"$(tmp said)" &
		new=$!
		"$O/capture/$program" 7 >/dev/null &
		again=$!
		JOBS_STARTED+=("$new" "$again")
		calls_arrive "$new" hipMalloc
		touch "$(tmp "probed-$program")"
		wait "$job" "$new" "$again" "$by_pid"
		stop_node_tracer
		linked_in $program 30 "$(tmp p.json)"
		only "$job" >"$(tmp only.json)"
		linked_in $program 30 "$(tmp only.json)"
		only "$again" >"$(tmp only.json)"
		linked_in $program 7 "$(tmp only.json)"
		all_but_gap "$new" hipMalloc 1 "$(tmp said)" "$(tmp "new-$program")" 100
	done
}

@test "forks, chains of programs and late loading under -a: told of the right process and files" {
	needs_to_be_alone
	copy_capture mine
	"$(tmp mine)/edges" go 5 >"$(tmp holder)" &
	holder=$!
	"$O/capture/edges" load "$O/libroctx64.so.4" >"$(tmp late)" &
	late=$!
	JOBS_STARTED+=("$holder" "$late")
	wait_for grep -q ready "$(tmp holder)"
	wait_for grep -q ready "$(tmp late)"
	start_node_tracer
	has_found "$holder" "$late"
	kill -USR1 "$late"
	wait_for grep -q 'attach: .*libroctx64' "$(tmp err)"
	kill -USR1 "$late"
	sh -c "exec '$(tmp mine)/edges' plain 3" >/dev/null &
	chain=$!
	sh -c "'$(tmp mine)/edges' plain 4; exec sh -c \"exec '$(tmp mine)/edges' plain 5\"" >/dev/null &
	chain2=$!
	"$(tmp mine)/edges" fork_in_call 3 >"$(tmp out)" &
	forker=$!
	wait "$late" "$chain" "$chain2" "$forker"
	kill -USR1 "$holder"
	wait "$holder"
	stop_node_tracer
	[ "$(plain_of "$chain")" = 3 ]
	[ "$(plain_of "$chain2")" = 5 ]
	only "$late" >"$(tmp only.json)"
	[ "$(count "$(tmp only.json)" roctxMarkA)" = 10 ]
	grep -q -- "^--- process $late uses .*libroctx64" "$(tmp t.text)"
	# Each child of the forker made two calls; it waits for them and makes none itself.
	[ "$(plain_of "$forker")" = 0 ]
	jq -r '.traceEvents[] | select(.name == "hipTestPlain") | .pid' "$(tmp t.json)" | sort -n | uniq -c |
		awk '$1 == 2' >"$(tmp children)"
	[ "$(wc -l <"$(tmp children)")" -ge 3 ]
}

# The next process to be started gets that number, if nobody is faster. The counter goes back at once:
# numbers that were just in use are taken for those who had them.
take_number() {
	local counter=/proc/sys/kernel/ns_last_pid last

	read -r last <$counter
	echo $(($1 - 1)) >$counter
	"$O/capture/windows" stamps on 60 >"$(tmp second.out)" &
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
	only "$first" >"$(tmp only.json)"
	[ "$(plain_of "$first")" = 60 ]
	jq -e 'all(.traceEvents[] | select(.name == "hipTestPlain"); .args.external == null)' "$(tmp only.json)"
	# Names in the order of time: the first one's, then those of the second.
	grep -- "^--- process $first " "$(tmp t.text)"
	grep -- "^--- process $first " "$(tmp t.text)" | tail -n 2 | grep -q "windows: $O/capture/windows stamps on 60"
	[ "$(jq -r '.traceEvents[] | select(.name == "thread_name") | .args.name' "$(tmp only.json)" | tail -n 1)" = windows ]
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
	mv "$(tmp mine)/edges" "$(tmp mine)/$program"
	"$(tmp mine)/$program" go 1 >"$(tmp holder)" &
	holder=$!
	JOBS_STARTED+=("$holder")
	wait_for grep -q ready "$(tmp holder)"
	start_node_tracer --comm "$program"
	has_found "$holder"
	many() {
		local i

		for ((i = 0; i < $1; i++)); do "$(tmp mine)/$program" plain 3; done | grep -c PASSED
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
	[ "$(count "$(tmp t.json)" hipTestPlain)" = 3001 ]
	# Most have a number of their own.
	calls "$(tmp t.json)" | awk -F '\t' '{n[$5]++} END {for (p in n) if (n[p] % 3 == 0) own++; exit own < 500}'
	nothing_lost "$(tmp err)"
}

@test "agents of processes that have ended are let go of" {
	needs_to_be_alone
	start_node_tracer -t gpu
	agents() {
		grep -c 'memfd:rtrace-agent' "/proc/$tracer/maps"
	}
	before=$(agents) || :
	for _ in {1..8}; do
		sim HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/vectoradd" >"$(tmp out)"
		grep -q PASSED "$(tmp out)"
	done
	# Others may have come meanwhile.
	wait_for eval '[ "$(agents)" -le $((before + 2)) ]'
	pidfds() {
		find "/proc/$tracer/fd" -mindepth 1 -lname 'anon_inode:*pidfd*' | wc -l
	}
	wait_for eval '[ "$(pidfds)" -le $((before + 2)) ]'
	stop_node_tracer
	[ "$(traced_ops "$(tmp t.json)" | grep -c dispatch)" -ge 8 ]
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
	awk -v pid="$pid" '$2 ~ "^" pid "(/|$)" && / elementAdd / {sub(/.*\//, "", $2); print $2}' "$(tmp t.text)" |
		sort -n | uniq -c | tee "$(tmp tids)"
	# Two threads, with numbers of the host, which are above that of the process here, or wrapped around.
	inner=$(awk '$1 == "ready" {print $2}' "$(tmp inner.out)")
	[ "$(wc -l <"$(tmp tids)")" = 2 ]
	awk -v inner="$inner" '$1 != 50 || ($2 >= inner && $2 < inner + 20) {bad = 1} END {exit bad}' "$(tmp tids)"
}

@test "in a pid namespace of its own the tracer refuses: the kernel's numbers are the host's" {
	containers_work
	for options in -a "-p 1" "-- true"; do
		status=0
		# shellcheck disable=SC2086
		unshare --mount --pid --fork --mount-proc "$RTRACE" -f text -o "$(tmp x)" $options 2>"$(tmp err)" || status=$?
		cat "$(tmp err)"
		[ "$status" = 1 ]
		[ "$(wc -l <"$(tmp err)")" = 1 ]
		grep -q 'pid namespace' "$(tmp err)"
		[ ! -e "$(tmp x)" ]
	done
}

teardown() {
	end_jobs
	remove_groups
}
