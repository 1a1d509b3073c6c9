#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=node
# rtrace-bpf ps: the processes with ROCm, judged by /proc and by what was started.

load ../common
load ../gpu
load ../node

teardown() {
	end_jobs
	remove_groups
}

# The object of a process, and what a filter of jq makes of it.
of() {
	"$RTRACE" ps --json | jq -r --argjson pid "$1" ".[] | select(.pid == \$pid) | $2"
}

@test "a process's libraries are those that it maps" {
	start_job "$O/workloads/job" -d 1000
	grep -o '/.*/lib\(amdhip64\|hsa-runtime64\|hsakmt\).*' "/proc/$job/maps" | sort -u >"$T/mapped"
	[ -s "$T/mapped" ]
	of "$job" '.libraries[]' | grep -v 'libroctx\|libroctracer' | sort | diff "$T/mapped" -
	[ "$(of "$job" .user)" = "$(stat -c %U "/proc/$job")" ]
	[ "$(of "$job" .comm)" = job ]
	[ "$(cut -d : -f 3- "/proc/$job/cgroup" | grep -cxF "$(of "$job" .cgroup)")" -ge 1 ]
	[ "$(of "$job" '.ns_pid, .linked_in' | tr '\n' ' ')" = 'null false ' ]
	# The table says the same in a line.
	"$RTRACE" ps >"$T/table"
	line=$(grep "^ *$job " "$T/table")
	while read -r library; do
		[[ $line == *" ${library##*/} "* ]]
	done <"$T/mapped"
	# And it lists none twice.
	[ "$("$RTRACE" ps --json | jq '[.[].pid] | length == (unique | length)')" = true ]
}

@test "the agent: none, dormant, recording for whom" {
	"$O/capture/edges" go 1 >"$T/without" &
	without=$!
	JOBS_STARTED+=("$without")
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" -d 1000
	wait_for grep -q ready "$T/without"
	[ "$(of "$without" .agent)" = - ]
	[ "$(of "$job" .agent)" = dormant ]
	"$RTRACE" -p "$job" -f text -o "$T/t.text" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'GPU times' "$T/err"
	[ "$(of "$job" .agent)" = "recording for $tracer" ]
	"$RTRACE" ps | grep -q "^ *$job .* recording for $tracer .*libamdhip64"
	kill -INT "$tracer"
	wait "$tracer"
	# Looking has changed nothing.
	dormant() { [ "$(of "$job" .agent)" = dormant ]; }
	wait_for dormant
}

@test "HIP linked in" {
	"$O/capture/static_hip" 1 go >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	[ "$(of "$job" '.linked_in, (.libraries | length)' | tr '\n' ' ')" = 'true 0 ' ]
	"$RTRACE" ps | grep -q "^ *$job .*(linked in)"
}

@test "a group where controllers have groups of version 1" {
	root=$(findmnt -n -t cgroup -O pids -o TARGET | head -n 1)
	[ -n "$root" ] || skip "no pids controller of version 1"
	mkdir "$root/rtrace-ps-$$"
	GROUPS_MADE=("$root/rtrace-ps-$$")
	for name in one two; do
		mkdir "$root/rtrace-ps-$$/$name"
		GROUPS_MADE=("$root/rtrace-ps-$$/$name" "${GROUPS_MADE[@]}")
		fresh out
		(echo "$BASHPID" >"$root/rtrace-ps-$$/$name/cgroup.procs" && exec "$O/capture/edges" go 1000) >"$T/out" &
		JOBS_STARTED+=("$!")
		wait_for grep -q ready "$T/out"
		[ "$(of "$!" .cgroup)" = "/rtrace-ps-$$/$name" ]
		jobs+=("$!")
	done
	"$RTRACE" top -p "${jobs[0]}" -p "${jobs[1]}" --by container -i 0.2 >"$T/top" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q "API calls" "$T/err"
	kill -USR1 "${jobs[@]}"
	for name in one two; do
		wait_for grep -Eq "^ +1 .*/rtrace-ps-$$/$name\$" "$T/top"
	done
	wait "$tracer"
}

@test "a container's process: its number there, its group" {
	containers_work
	make_group ps
	(contain box / "" "$O/capture/edges" go 1) >"$T/out" &
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/out"
	read -r _ inner <"$T/out"
	"$RTRACE" ps --json >"$T/all.json"
	jq -e --argjson inner "$inner" --arg group "${GROUP#"$(cgroup_root)"}" 'any(.[]; .ns_pid == $inner and .comm == "edges" and
		($group == "" or .cgroup == $group))' "$T/all.json"
}

@test "another's processes: as many as can be seen, and a warning" {
	"$O/capture/edges" go 1 >"$T/out" &
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/out"
	# By its descriptor, as the folders above it need not be open to everybody.
	setpriv --reuid 12345 --regid 12345 --clear-groups /proc/self/fd/9 ps >"$T/table" 2>"$T/err" 9<"$RTRACE"
	grep -Eqx 'rtrace-bpf: warning: processes that could not be looked at: [1-9][0-9]* \(run it as root\)' "$T/err"
	[ "$(grep -c "^ *$! " "$T/table")" = 0 ]
}

@test "wrong arguments" {
	fails 2 "'x': too many arguments" "$RTRACE" ps x
	fails 2 "unrecognized option '--nonsense'" "$RTRACE" ps --nonsense
	"$RTRACE" ps --help | grep -q -- --json
	status=0
	"$RTRACE" ps --json >/dev/full 2>"$T/err" || status=$?
	[ $status = 1 ]
	grep -q 'ps: No space left on device' "$T/err"
}
